/-!
# Propositional and predicate logic

The laws of `∧`, `∨`, `¬`, `↔`, `∀` and `∃` that hold without the axiom of choice.
The laws that need it are in `Example.Logic.Classical`.
-/

universe u

section Negation

variable {a b : Prop}

/-- Three negations are one. -/
theorem not_not_not : ¬¬¬a ↔ ¬a :=
  ⟨mt not_not_intro, not_not_intro⟩

theorem Not.imp (h₁ : ¬b) (h₂ : a → b) : ¬a :=
  mt h₂ h₁

theorem not_not_em (a : Prop) : ¬¬(a ∨ ¬a) := by
  intro h
  apply h
  right
  intro ha
  exact h (Or.inl ha)

theorem imp_not_comm : a → ¬b ↔ b → ¬a :=
  ⟨fun h hb ha => h ha hb, fun h ha hb => h hb ha⟩

end Negation

namespace Iff

variable {a b c d : Prop}

/-- Equivalent propositions are refuted together. -/
protected theorem not (h : a ↔ b) : ¬a ↔ ¬b :=
  ⟨mt h.mpr, mt h.mp⟩

protected theorem and (h₁ : a ↔ b) (h₂ : c ↔ d) : a ∧ c ↔ b ∧ d :=
  and_congr h₁ h₂

protected theorem or (h₁ : a ↔ b) (h₂ : c ↔ d) : a ∨ c ↔ b ∨ d :=
  or_congr h₁ h₂

end Iff

section Conjunction

variable {a b c d : Prop}

theorem And.symm (h : a ∧ b) : b ∧ a :=
  ⟨h.right, h.left⟩

theorem And.imp (f : a → c) (g : b → d) (h : a ∧ b) : c ∧ d :=
  ⟨f h.left, g h.right⟩

theorem And.imp_left (h : a → b) : a ∧ c → b ∧ c :=
  And.imp h fun hc => hc

theorem And.imp_right (h : a → b) : c ∧ a → c ∧ b :=
  And.imp (fun hc => hc) h

theorem and_left_comm : a ∧ b ∧ c ↔ b ∧ a ∧ c := by
  constructor
  · rintro ⟨ha, hb, hc⟩
    exact ⟨hb, ha, hc⟩
  · rintro ⟨hb, ha, hc⟩
    exact ⟨ha, hb, hc⟩

theorem not_and_of_not_left (b : Prop) (h : ¬a) : ¬(a ∧ b) :=
  mt And.left h

theorem not_and_of_not_right (a : Prop) {b : Prop} (h : ¬b) : ¬(a ∧ b) :=
  mt And.right h

theorem and_not_self_iff (a : Prop) : a ∧ ¬a ↔ False :=
  ⟨fun h => h.right h.left, False.elim⟩

end Conjunction

section Disjunction

variable {a b c d : Prop}

theorem Or.symm (h : a ∨ b) : b ∨ a :=
  h.elim Or.inr Or.inl

theorem Or.imp (f : a → c) (g : b → d) (h : a ∨ b) : c ∨ d :=
  h.elim (fun ha => Or.inl (f ha)) (fun hb => Or.inr (g hb))

theorem Or.imp_left (f : a → b) : a ∨ c → b ∨ c :=
  Or.imp f fun hc => hc

theorem Or.resolve_left (h : a ∨ b) (na : ¬a) : b :=
  h.elim (fun ha => absurd ha na) (fun hb => hb)

theorem Or.resolve_right (h : a ∨ b) (nb : ¬b) : a :=
  h.symm.resolve_left nb

theorem or_iff_right_of_imp (h : a → b) : a ∨ b ↔ b :=
  ⟨fun hab => hab.elim h fun hb => hb, Or.inr⟩

theorem or_iff_left_of_imp (h : b → a) : a ∨ b ↔ a :=
  or_comm.trans (or_iff_right_of_imp h)

end Disjunction

section Distributivity

variable {a b c : Prop}

/-- `∧` distributes over `∨`. -/
theorem and_or_left : a ∧ (b ∨ c) ↔ a ∧ b ∨ a ∧ c := by
  constructor
  · rintro ⟨ha, hb | hc⟩
    · exact Or.inl ⟨ha, hb⟩
    · exact Or.inr ⟨ha, hc⟩
  · rintro (⟨ha, hb⟩ | ⟨ha, hc⟩)
    · exact ⟨ha, Or.inl hb⟩
    · exact ⟨ha, Or.inr hc⟩

/-- `∨` distributes over `∧`. -/
theorem or_and_left : a ∨ b ∧ c ↔ (a ∨ b) ∧ (a ∨ c) := by
  constructor
  · intro h
    cases h with
    | inl ha => exact ⟨Or.inl ha, Or.inl ha⟩
    | inr hbc => exact hbc.imp Or.inr Or.inr
  · rintro ⟨ha | hb, h⟩
    · left
      exact ha
    · exact h.imp (fun ha => ha) (fun hc => ⟨hb, hc⟩)

theorem and_or_right : (a ∨ b) ∧ c ↔ a ∧ c ∨ b ∧ c := by
  rw [and_comm, and_or_left, @and_comm c a, @and_comm c b]

theorem iff_def : (a ↔ b) ↔ (a → b) ∧ (b → a) :=
  ⟨fun h => ⟨h.mp, h.mpr⟩, fun h => ⟨h.left, h.right⟩⟩

theorem iff_comm : (a ↔ b) ↔ (b ↔ a) :=
  ⟨Iff.symm, Iff.symm⟩

/-- No proposition is equivalent to its negation: the core of Russell's paradox. -/
theorem not_iff_not_self : ¬(a ↔ ¬a) := by
  intro h
  have hn : ¬a := fun ha => h.mp ha ha
  exact hn (h.mpr hn)

end Distributivity

section Quantifiers

variable {α : Sort u} {p q : α → Prop} {b : Prop}

theorem Exists.imp (h : ∀ x, p x → q x) : (∃ x, p x) → ∃ x, q x := by
  rintro ⟨x, hx⟩
  exact ⟨x, h x hx⟩

theorem forall_congr' (h : ∀ x, p x ↔ q x) : (∀ x, p x) ↔ ∀ x, q x :=
  ⟨fun hp x => (h x).mp (hp x), fun hq x => (h x).mpr (hq x)⟩

theorem not_forall_of_exists_not (h : ∃ x, ¬p x) : ¬∀ x, p x := by
  obtain ⟨x, hx⟩ := h
  intro hall
  exact hx (hall x)

/-- `∀` distributes over `∧`. -/
theorem forall_and : (∀ x, p x ∧ q x) ↔ (∀ x, p x) ∧ ∀ x, q x :=
  ⟨fun h => ⟨fun x => (h x).left, fun x => (h x).right⟩, fun h x => ⟨h.left x, h.right x⟩⟩

/-- `∃` distributes over `∨`. -/
theorem exists_or : (∃ x, p x ∨ q x) ↔ (∃ x, p x) ∨ ∃ x, q x := by
  constructor
  · rintro ⟨x, hp | hq⟩
    · exact Or.inl ⟨x, hp⟩
    · exact Or.inr ⟨x, hq⟩
  · rintro (⟨x, hp⟩ | ⟨x, hq⟩)
    · exact ⟨x, Or.inl hp⟩
    · exact ⟨x, Or.inr hq⟩

theorem exists_and_left : (∃ x, b ∧ p x) ↔ b ∧ ∃ x, p x := by
  constructor
  · rintro ⟨x, hb, hx⟩
    exact ⟨hb, x, hx⟩
  · rintro ⟨hb, x, hx⟩
    exact ⟨x, hb, hx⟩

end Quantifiers

section Uniqueness

variable {α : Sort u} {p : α → Prop}

/-- There is exactly one element with the property `p`. -/
def ExistsUnique (p : α → Prop) : Prop :=
  ∃ x, p x ∧ ∀ y, p y → y = x

theorem ExistsUnique.exists (h : ExistsUnique p) : ∃ x, p x := by
  obtain ⟨x, hx, _⟩ := h
  exact ⟨x, hx⟩

theorem ExistsUnique.unique (h : ExistsUnique p) {y₁ y₂ : α} (py₁ : p y₁) (py₂ : p y₂) : y₁ = y₂ := by
  obtain ⟨x, _, hx⟩ := h
  rw [hx y₁ py₁, hx y₂ py₂]

theorem existsUnique_eq (a : α) : ExistsUnique fun x => x = a :=
  ⟨a, rfl, fun _ h => h⟩

end Uniqueness
