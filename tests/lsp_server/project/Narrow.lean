import Lib.Basic

/-! A file that does not import what its proof needs. -/

example (a b : Nat) : a + b = b + a := by
  sorry
