import Example.Nat.Order
import Example.Set.Basic

/-!
# Orders

Preorders, partial and linear orders as classes, monotone functions, and the orders of the natural
numbers and of the sets of a type.
-/

universe u v w

/-- A reflexive and transitive relation `≤`, and the `<` that belongs to it. -/
class Preorder (α : Type u) extends LE α, LT α where
  protected le_refl : ∀ a : α, a ≤ a
  protected le_trans : ∀ a b c : α, a ≤ b → b ≤ c → a ≤ c
  lt := fun a b => a ≤ b ∧ ¬b ≤ a
  protected lt_iff_le_not_ge : ∀ a b : α, a < b ↔ a ≤ b ∧ ¬b ≤ a

/-- A preorder in which `a ≤ b` and `b ≤ a` only for equal elements. -/
class PartialOrder (α : Type u) extends Preorder α where
  protected le_antisymm : ∀ a b : α, a ≤ b → b ≤ a → a = b

/-- A partial order in which any two elements can be compared. -/
class LinearOrder (α : Type u) extends PartialOrder α where
  protected le_total : ∀ a b : α, a ≤ b ∨ b ≤ a

section Preorder

variable {α : Type u} [Preorder α] {a b c : α}

@[simp]
theorem le_refl (a : α) : a ≤ a :=
  Preorder.le_refl a

theorem le_rfl : a ≤ a :=
  le_refl a

theorem le_trans : a ≤ b → b ≤ c → a ≤ c :=
  Preorder.le_trans a b c

theorem le_of_eq (h : a = b) : a ≤ b :=
  h ▸ le_rfl

theorem le_of_le_of_eq (h₁ : a ≤ b) (h₂ : b = c) : a ≤ c :=
  h₂ ▸ h₁

theorem lt_iff_le_not_ge : a < b ↔ a ≤ b ∧ ¬b ≤ a :=
  Preorder.lt_iff_le_not_ge a b

theorem le_of_lt (h : a < b) : a ≤ b :=
  (lt_iff_le_not_ge.mp h).left

theorem not_le_of_gt (h : a < b) : ¬b ≤ a :=
  (lt_iff_le_not_ge.mp h).right

@[simp]
theorem lt_irrefl (a : α) : ¬a < a :=
  fun h => not_le_of_gt h le_rfl

theorem lt_of_lt_of_le (hab : a < b) (hbc : b ≤ c) : a < c := by
  rw [lt_iff_le_not_ge]
  exact ⟨le_trans (le_of_lt hab) hbc, fun hca => not_le_of_gt hab (le_trans hbc hca)⟩

theorem lt_of_le_of_lt (hab : a ≤ b) (hbc : b < c) : a < c := by
  rw [lt_iff_le_not_ge]
  exact ⟨le_trans hab (le_of_lt hbc), fun hca => not_le_of_gt hbc (le_trans hca hab)⟩

theorem lt_trans (hab : a < b) (hbc : b < c) : a < c :=
  lt_of_lt_of_le hab (le_of_lt hbc)

theorem lt_asymm (h : a < b) : ¬b < a :=
  fun hba => lt_irrefl a (lt_trans h hba)

theorem ne_of_lt (h : a < b) : a ≠ b := by
  rintro rfl
  exact lt_irrefl a h

end Preorder

section PartialOrder

variable {α : Type u} [PartialOrder α] {a b : α}

theorem le_antisymm : a ≤ b → b ≤ a → a = b :=
  PartialOrder.le_antisymm a b

theorem le_antisymm_iff : a = b ↔ a ≤ b ∧ b ≤ a :=
  ⟨fun h => ⟨le_of_eq h, le_of_eq h.symm⟩, fun h => le_antisymm h.left h.right⟩

theorem lt_of_le_of_ne (hle : a ≤ b) (hne : a ≠ b) : a < b :=
  lt_iff_le_not_ge.mpr ⟨hle, fun h => hne (le_antisymm hle h)⟩

theorem lt_iff_le_and_ne : a < b ↔ a ≤ b ∧ a ≠ b :=
  ⟨fun h => ⟨le_of_lt h, ne_of_lt h⟩, fun h => lt_of_le_of_ne h.left h.right⟩

theorem le_iff_lt_or_eq : a ≤ b ↔ a < b ∨ a = b := by
  constructor
  · intro h
    by_cases he : a = b
    · exact Or.inr he
    · exact Or.inl (lt_of_le_of_ne h he)
  · rintro (h | rfl)
    · exact le_of_lt h
    · exact le_rfl

/-- Elements with the same upper bounds are the same. -/
theorem eq_of_forall_ge_iff (h : ∀ c, a ≤ c ↔ b ≤ c) : a = b :=
  le_antisymm ((h b).mpr le_rfl) ((h a).mp le_rfl)

/-- Elements with the same lower bounds are the same. -/
theorem eq_of_forall_le_iff (h : ∀ c, c ≤ a ↔ c ≤ b) : a = b :=
  le_antisymm ((h a).mp le_rfl) ((h b).mpr le_rfl)

end PartialOrder

section LinearOrder

variable {α : Type u} [LinearOrder α] {a b : α}

theorem le_total (a b : α) : a ≤ b ∨ b ≤ a :=
  LinearOrder.le_total a b

theorem not_le : ¬a ≤ b ↔ b < a := by
  constructor
  · intro h
    exact lt_iff_le_not_ge.mpr ⟨(le_total a b).resolve_left h, h⟩
  · exact not_le_of_gt

theorem not_lt : ¬a < b ↔ b ≤ a := by
  rw [← not_le, Classical.not_not]

theorem lt_trichotomy (a b : α) : a < b ∨ a = b ∨ b < a := by
  by_cases h : a ≤ b
  · rcases le_iff_lt_or_eq.mp h with h | h
    · exact Or.inl h
    · exact Or.inr (Or.inl h)
  · exact Or.inr (Or.inr (not_le.mp h))

end LinearOrder

section Monotone

variable {α : Type u} {β : Type v} {γ : Type w} [Preorder α] [Preorder β] [Preorder γ]

/-- A function that respects the order. -/
def Monotone (f : α → β) : Prop :=
  ∀ ⦃a b⦄, a ≤ b → f a ≤ f b

/-- A function that turns the order around. -/
def Antitone (f : α → β) : Prop :=
  ∀ ⦃a b⦄, a ≤ b → f b ≤ f a

theorem monotone_id : Monotone fun a : α => a :=
  fun _ _ h => h

theorem monotone_const {c : β} : Monotone fun _ : α => c :=
  fun _ _ _ => le_rfl

theorem Monotone.comp {g : β → γ} {f : α → β} (hg : Monotone g) (hf : Monotone f) : Monotone (g ∘ f) :=
  fun _ _ h => hg (hf h)

theorem Antitone.comp {g : β → γ} {f : α → β} (hg : Antitone g) (hf : Antitone f) : Monotone (g ∘ f) :=
  fun _ _ h => hg (hf h)

theorem Monotone.comp_antitone {g : β → γ} {f : α → β} (hg : Monotone g) (hf : Antitone f) :
    Antitone (g ∘ f) :=
  fun _ _ h => hg (hf h)

end Monotone

section Instances

/-- The natural numbers in their usual order. -/
instance Nat.instLinearOrder : LinearOrder ℕ where
  le_refl := Nat.le_refl
  le_trans _ _ _ := Nat.le_trans
  lt := Nat.lt
  lt_iff_le_not_ge _ _ := ⟨fun h => ⟨Nat.le_of_lt h, Nat.not_le.mpr h⟩, fun h => Nat.not_le.mp h.right⟩
  le_antisymm _ _ := Nat.le_antisymm
  le_total := Nat.le_total

/-- Sets ordered by inclusion. -/
instance Set.instPartialOrder {α : Type u} : PartialOrder (Set α) where
  le s t := s ⊆ t
  le_refl := Set.Subset.refl
  le_trans _ _ _ := Set.Subset.trans
  lt_iff_le_not_ge _ _ := Iff.rfl
  le_antisymm _ _ := Set.Subset.antisymm

theorem Set.le_iff_subset {α : Type u} {s t : Set α} : s ≤ t ↔ s ⊆ t :=
  Iff.rfl

theorem Nat.monotone_of_le_succ {α : Type u} [Preorder α] {f : ℕ → α} (h : ∀ n, f n ≤ f (n + 1)) :
    Monotone f := by
  intro m n hmn
  obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le hmn
  clear hmn
  induction k with
  | zero => exact le_rfl
  | succ k ih => exact le_trans ih (h (m + k))

end Instances
