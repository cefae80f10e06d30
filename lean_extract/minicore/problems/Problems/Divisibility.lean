import Example.Nat.Gcd
import Example.Nat.Parity
import Example.Nat.Prime

/-!
# Problems on divisors, remainders, parity and primes
-/

namespace Problems

/-- level 1
A multiple of a square leaves no remainder. -/
theorem mod_square_eq_zero (m n : ℕ) (hn : 0 < n * n) (h : n * n ∣ m) : m % (n * n) = 0 := by
  exact (Nat.dvd_iff_mod_eq_zero hn).mp h

/-- level 1
A multiple of the divisor is taken off a sum. -/
theorem dvd_of_dvd_product_add (k m n : ℕ) (h : k ∣ k * m + n) : k ∣ n := by
  exact (Nat.dvd_add_right_iff (Nat.dvd_mul_right k m)).mp h

/-- level 1
A product that is not even is odd. -/
theorem odd_product_of_not_even (m n : ℕ) (h : ¬(m * n).Even) : (m * n).Odd := by
  exact Nat.not_even_iff_odd.mp h

/-- level 2
Every number from two on has a prime divisor. -/
theorem exists_prime_dvd_add_two (n : ℕ) : ∃ p, p.Prime ∧ p ∣ n + 2 := by
  apply Nat.exists_prime_and_dvd
  exact mt Nat.succ_inj.mp (Nat.succ_ne_zero n)

/-- level 2
The sum of a number and its square is even. -/
theorem even_square_add_self (n : ℕ) : (n * n + n).Even := by
  rw [← Nat.mul_succ]
  exact Nat.even_mul_succ_self n

/-- level 2
If a sum and one of its summands are even, so is the other. -/
theorem even_of_even_sum (m n : ℕ) (h : (m + n).Even) (hm : m.Even) : n.Even := by
  rw [Nat.even_iff_two_dvd] at *
  exact (Nat.dvd_add_right_iff hm).mp h

/-- level 2
Powers with one exponent divide one another if their bases do. -/
theorem pow_dvd_pow_base (k m n : ℕ) (h : m ∣ n) : m ^ k ∣ n ^ k := by
  obtain ⟨c, rfl⟩ := h
  rw [Nat.mul_pow]
  exact Nat.dvd_mul_right (m ^ k) (c ^ k)

/-- level 2
A number is coprime to one more than any of its multiples. -/
theorem coprime_mul_add_one (k n : ℕ) : n.Coprime (n * k + 1) := by
  apply Nat.IsGcd.mul_add
  exact (Nat.Coprime.one_left n).symm

/-- level 3
A number is even if its square is. -/
theorem even_of_even_square (n : ℕ) (h : (n * n).Even) : n.Even := by
  apply Classical.byContradiction
  intro hn
  obtain ⟨k, rfl⟩ := Nat.not_even_iff_odd.mp hn
  rw [Nat.add_one, Nat.succ_mul] at h
  have he : ((k + k) * (k + k).succ).Even := Nat.Even.mul_right ⟨k, rfl⟩ (k + k).succ
  exact h.not_odd (he.add_odd ⟨k, rfl⟩)

/-- level 3
The product of odd numbers is odd. -/
theorem odd_product (m n : ℕ) (hm : m.Odd) (hn : n.Odd) : (m * n).Odd := by
  obtain ⟨a, rfl⟩ := hm
  rw [Nat.add_one, Nat.succ_mul]
  have h : ((a + a) * n).Even := Nat.Even.mul_right ⟨a, rfl⟩ n
  exact h.add_odd hn

/-- level 3
Two steps do not change parity. -/
theorem even_two_steps_iff (n : ℕ) : n.succ.succ.Even ↔ n.Even := by
  constructor
  · intro h
    rcases Nat.even_or_odd n with he | ho
    · exact he
    · exact absurd ho.succ.succ h.not_odd
  · intro h
    exact h.succ.succ

/-- level 3
A prime is coprime to what it does not divide. -/
theorem prime_coprime (n p : ℕ) (hp : p.Prime) (h : ¬p ∣ n) : p.Coprime n := by
  refine ⟨Nat.one_dvd p, Nat.one_dvd n, ?_⟩
  intro k hk hn
  rcases hp.eq_one_or_self_of_dvd k hk with rfl | rfl
  · exact Nat.dvd_refl 1
  · exact absurd hn h

end Problems
