import Example.Nat.Basic

/-!
# A lemma that is not imported, and goals that nothing closes in one step
-/

namespace Unfinished

/-- The lemma for this is in `Example.Nat.Order`, which this file does not import. -/
theorem order_is_linear (m n : ℕ) : m ≤ n ∨ n ≤ m := by
  sorry

/-- True, but it takes several steps: twice a square is the sum of the squares of sum and difference. -/
theorem sum_of_squares (m n : ℕ) :
    (m + n) * (m + n) + m * m = 2 * (m * m) + 2 * (m * n) + n * n := by
  sorry

/-- Cubes of sums: nothing here does it at once. -/
theorem cube_of_succ (n : ℕ) : (n + 1) * (n + 1) * (n + 1) = n * n * n + 3 * (n * n) + 3 * n + 1 := by
  sorry

end Unfinished
