import Lib.Numbers

/-! Unfinished proofs, one for each test. -/

example (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

example (a b : Nat) : a + b = b + a := by
  sorry

example (a b : Nat) (p : Prop) (h : p) : p ∧ a + b = b + a := by
  constructor
  · exact h
  · sorry

example (p q : Prop) (h : p ∨ q) : q ∨ p := sorry

def number : Nat := 3
