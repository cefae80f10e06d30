import Example.Nat.Prime
import Example.List.Perm

/-!
# Goals that one lemma closes, and goals that need an introduction first
-/

universe u

namespace Unfinished

section OneLemma

theorem factorial_divisible (k n : ℕ) (hk : 0 < k) (hkn : k ≤ n) : k ∣ n.factorial := by
  sorry

theorem sum_swapped (a b c : ℕ) : a + (b + c) = b + (a + c) := by
  sorry

theorem primes_beyond (N : ℕ) : ∃ p, N ≤ p ∧ p.Prime := by
  sorry

theorem reverse_of_append {α : Type u} (k l : List α) : (k ++ l).reverse = l.reverse ++ k.reverse := by
  sorry

end OneLemma

section IntroductionFirst

theorem dvd_transitive : ∀ a b c : ℕ, a ∣ b → b ∣ c → a ∣ c := by
  sorry

theorem mem_of_mem_left {α : Type u} (k l : List α) : ∀ a, a ∈ k → a ∈ k ++ l := by
  sorry

theorem not_lt_of_le (m n : ℕ) : m ≤ n → ¬n < m := by
  sorry

end IntroductionFirst

end Unfinished
