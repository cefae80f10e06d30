import Example.Logic.Classical

/-!
# Problems on propositions and quantifiers
-/

universe u v

namespace Problems

/-- level 1
What follows for every argument follows where there is one. -/
theorem exists_image_and_self {α : Sort u} (p q : α → Prop) (h : ∀ x, p x → q x ∧ p x) :
    (∃ x, p x) → ∃ x, q x ∧ p x := by
  exact Exists.imp h

/-- level 1
If `f x = b` has exactly one solution, any two solutions are the same. -/
theorem only_solution {α : Sort u} {β : Sort v} (f : α → β) (b : β) (h : ExistsUnique fun x => f x = b)
    (x y : α) (hx : f x = b) (hy : f y = b) : x = y := by
  exact h.unique hx hy

/-- level 1
De Morgan's law for three propositions. -/
theorem not_all_three (a b c : Prop) : ¬(a ∧ b ∧ c) ↔ ¬a ∨ ¬b ∨ ¬c := by
  rw [not_and_or, not_and_or]

/-- level 2
One counterexample to one property refutes that both hold everywhere. -/
theorem not_forall_both {α : Sort u} (p q : α → Prop) (h : ∃ x, ¬p x) : ¬∀ x, p x ∧ q x := by
  rw [forall_and]
  exact not_and_of_not_left _ (not_forall_of_exists_not h)

/-- level 2
If two properties do not hold together everywhere, one of them fails somewhere. -/
theorem exists_failure {α : Sort u} (p q : α → Prop) (h : ¬∀ x, p x ∧ q x) : ∃ x, ¬p x ∨ ¬q x := by
  obtain ⟨x, hx⟩ := not_forall.mp h
  exact ⟨x, not_and_or.mp hx⟩

/-- level 2
In a total relation one function leads two steps on. -/
theorem exists_two_steps {α : Sort u} (r : α → α → Prop) (h : ∀ x, ∃ y, r x y) :
    ∃ f : α → α, ∀ x, r x (f x) ∧ r (f x) (f (f x)) := by
  obtain ⟨f, hf⟩ := Classical.axiomOfChoice h
  exact ⟨f, fun x => ⟨hf x, hf (f x)⟩⟩

/-- level 3
Of something unique, `some` and `every` say the same. -/
theorem exists_iff_forall_of_unique {α : Sort u} (p q : α → Prop) (h : ExistsUnique p) :
    (∃ x, p x ∧ q x) ↔ ∀ x, p x → q x := by
  constructor
  · rintro ⟨x, hp, hq⟩ y hy
    rw [h.unique hy hp]
    exact hq
  · intro hall
    obtain ⟨x, hx⟩ := h.exists
    exact ⟨x, hx, hall x hx⟩

/-- level 3
An implication does not hold everywhere if and only if it has a counterexample. -/
theorem not_forall_imp_iff {α : Sort u} (p q : α → Prop) : (¬∀ x, p x → q x) ↔ ∃ x, p x ∧ ¬q x := by
  constructor
  · intro h
    obtain ⟨x, hx⟩ := not_forall.mp h
    exact ⟨x, not_imp.mp hx⟩
  · rintro ⟨x, hp, hq⟩ h
    exact hq (h x hp)

/-- level 3
Propositions are equivalent if both hold or neither does. -/
theorem iff_iff_both_or_neither (a b : Prop) : (a ↔ b) ↔ a ∧ b ∨ ¬a ∧ ¬b := by
  constructor
  · intro h
    rcases Classical.em a with ha | ha
    · exact Or.inl ⟨ha, h.mp ha⟩
    · exact Or.inr ⟨ha, h.not.mp ha⟩
  · rintro (h | h)
    · exact ⟨fun _ => h.right, fun _ => h.left⟩
    · exact ⟨fun ha => absurd ha h.left, fun hb => absurd hb h.right⟩

end Problems
