import Example.Logic.Basic

/-!
# Functions

Injective, surjective and bijective functions, and one-sided inverses.
-/

universe u v w

namespace Function

variable {α : Sort u} {β : Sort v} {γ : Sort w}

/-- Different arguments have different values. -/
def Injective (f : α → β) : Prop :=
  ∀ ⦃a₁ a₂⦄, f a₁ = f a₂ → a₁ = a₂

/-- Every element is a value. -/
def Surjective (f : α → β) : Prop :=
  ∀ b, ∃ a, f a = b

/-- Injective and surjective. -/
def Bijective (f : α → β) : Prop :=
  Injective f ∧ Surjective f

/-- `LeftInverse g f`: `g` undoes `f`. -/
def LeftInverse (g : β → α) (f : α → β) : Prop :=
  ∀ x, g (f x) = x

/-- `RightInverse g f`: `f` undoes `g`. -/
def RightInverse (g : β → α) (f : α → β) : Prop :=
  LeftInverse f g

/-- A function that undoes itself. -/
def Involutive (f : α → α) : Prop :=
  ∀ x, f (f x) = x

/-! ### Composition -/

@[simp]
theorem comp_apply {f : β → γ} {g : α → β} {x : α} : (f ∘ g) x = f (g x) :=
  rfl

@[simp]
theorem id_comp (f : α → β) : id ∘ f = f :=
  rfl

@[simp]
theorem comp_id (f : α → β) : f ∘ id = f :=
  rfl

theorem comp_assoc {δ : Sort u} (f : γ → δ) (g : β → γ) (h : α → β) : (f ∘ g) ∘ h = f ∘ g ∘ h :=
  rfl

/-! ### Injective functions -/

theorem injective_id : Injective (@id α) :=
  fun _ _ h => h

theorem Injective.eq_iff {f : α → β} (hf : Injective f) {a b : α} : f a = f b ↔ a = b :=
  ⟨fun h => hf h, congrArg f⟩

theorem Injective.ne {f : α → β} (hf : Injective f) {a₁ a₂ : α} : a₁ ≠ a₂ → f a₁ ≠ f a₂ :=
  mt fun h => hf h

theorem Injective.comp {g : β → γ} {f : α → β} (hg : Injective g) (hf : Injective f) :
    Injective (g ∘ f) :=
  fun _ _ h => hf (hg h)

theorem Injective.of_comp {g : γ → α} {f : α → β} (h : Injective (f ∘ g)) : Injective g := by
  intro x y hxy
  apply h
  show f (g x) = f (g y)
  rw [hxy]

/-! ### Surjective functions -/

theorem surjective_id : Surjective (@id α) :=
  fun a => ⟨a, rfl⟩

theorem Surjective.comp {g : β → γ} {f : α → β} (hg : Surjective g) (hf : Surjective f) :
    Surjective (g ∘ f) := by
  intro c
  obtain ⟨b, hb⟩ := hg c
  obtain ⟨a, ha⟩ := hf b
  exact ⟨a, by rw [comp_apply, ha, hb]⟩

theorem Surjective.of_comp {g : γ → α} {f : α → β} (h : Surjective (f ∘ g)) : Surjective f := by
  intro b
  obtain ⟨c, hc⟩ := h b
  exact ⟨g c, hc⟩

theorem Surjective.forall {f : α → β} (hf : Surjective f) {p : β → Prop} :
    (∀ y, p y) ↔ ∀ x, p (f x) := by
  constructor
  · intro h x
    exact h (f x)
  · intro h y
    obtain ⟨x, rfl⟩ := hf y
    exact h x

/-- Two functions that agree after a surjective one are the same. -/
theorem Surjective.right_cancellable {f : α → β} (hf : Surjective f) {g₁ g₂ : β → γ} :
    g₁ ∘ f = g₂ ∘ f ↔ g₁ = g₂ := by
  constructor
  · intro h
    funext b
    obtain ⟨a, rfl⟩ := hf b
    exact congrFun h a
  · intro h
    rw [h]

/-! ### Bijective functions -/

theorem bijective_id : Bijective (@id α) :=
  ⟨injective_id, surjective_id⟩

theorem Bijective.injective {f : α → β} (hf : Bijective f) : Injective f :=
  hf.left

theorem Bijective.surjective {f : α → β} (hf : Bijective f) : Surjective f :=
  hf.right

theorem Bijective.comp {g : β → γ} {f : α → β} (hg : Bijective g) (hf : Bijective f) :
    Bijective (g ∘ f) :=
  ⟨hg.injective.comp hf.injective, hg.surjective.comp hf.surjective⟩

/-! ### Inverses -/

theorem LeftInverse.injective {g : β → α} {f : α → β} (h : LeftInverse g f) : Injective f := by
  intro x y hxy
  rw [← h x, ← h y, hxy]

theorem RightInverse.surjective {g : β → α} {f : α → β} (h : RightInverse g f) : Surjective f :=
  fun b => ⟨g b, h b⟩

theorem LeftInverse.comp {g : β → α} {f : α → β} {i : γ → β} {h : β → γ} (hgf : LeftInverse g f)
    (hih : LeftInverse i h) : LeftInverse (g ∘ i) (h ∘ f) := by
  intro a
  show g (i (h (f a))) = a
  rw [hih, hgf]

/-- A left inverse and a right inverse of one function are the same. -/
theorem LeftInverse.eq_rightInverse {f : α → β} {g₁ g₂ : β → α} (h₁ : LeftInverse g₁ f)
    (h₂ : RightInverse g₂ f) : g₁ = g₂ := by
  funext b
  calc
    g₁ b = g₁ (f (g₂ b)) := by rw [h₂ b]
    _ = g₂ b := h₁ (g₂ b)

namespace Involutive

variable {f : α → α} (h : Involutive f)
include h

theorem injective : Injective f :=
  LeftInverse.injective h

theorem surjective : Surjective f :=
  RightInverse.surjective h

theorem bijective : Bijective f :=
  ⟨h.injective, h.surjective⟩

theorem eq_iff {x y : α} : f x = y ↔ x = f y := by
  constructor
  · rintro rfl
    exact (h x).symm
  · rintro rfl
    exact h y

end Involutive

/-- Cantor's theorem: no function from a type onto its predicates. -/
theorem cantor_surjective (f : α → α → Prop) : ¬Surjective f := by
  intro h
  obtain ⟨a, ha⟩ := h fun x => ¬f x x
  have hiff : f a a ↔ ¬f a a := by
    constructor
    · intro hfa
      rw [ha] at hfa
      exact hfa
    · intro hfa
      rw [ha]
      exact hfa
  exact not_iff_not_self hiff

end Function
