/-! Conjunction and disjunction: a small library for the tests. -/

namespace Lib

/-- The two halves of a conjunction change places. -/
theorem and_swap {p q : Prop} (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩

theorem or_swap {p q : Prop} (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl h => exact Or.inr h
  | inr h => exact Or.inl h

theorem and_swap_iff (p q : Prop) : p ∧ q ↔ q ∧ p := ⟨and_swap, and_swap⟩

end Lib
