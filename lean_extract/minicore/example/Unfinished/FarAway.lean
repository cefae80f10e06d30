import Example.Nat.Basic

/-!
# A lemma that is not imported, and a goal that nothing closes in one step
-/

namespace Unfinished

/-- The lemma for this is in `Example.Nat.Order`, which this file does not import. -/
theorem order_is_linear (m n : ℕ) : m ≤ n ∨ n ≤ m := by
  sorry

/-- True, but no single lemma gives it: expand the square, then reorder the sum. -/
theorem sum_of_squares (m n : ℕ) :
    (m + n) * (m + n) + m * m = 2 * (m * m) + 2 * (m * n) + n * n := by
  sorry

end Unfinished
