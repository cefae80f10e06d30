import Example.Nat.Dvd

/-!
# Prime numbers

Factorials, prime divisors, and Euclid's theorem: there are infinitely many prime numbers.
-/

namespace Nat

/-- The product of all positive numbers up to `n`. -/
def factorial : ℕ → ℕ
  | 0 => 1
  | n + 1 => factorial n * (n + 1)

/-- At least two, and divisible by nothing but one and itself. -/
structure Prime (p : ℕ) : Prop where
  /-- Zero and one are no primes. -/
  two_le : 2 ≤ p
  /-- The only divisors are one and the number itself. -/
  eq_one_or_self_of_dvd : ∀ m, m ∣ p → m = 1 ∨ m = p

variable {k m n p : ℕ}

section Factorial

@[simp]
theorem factorial_zero : factorial 0 = 1 :=
  rfl

theorem factorial_succ (n : ℕ) : n.succ.factorial = n.factorial * n.succ :=
  rfl

theorem factorial_pos (n : ℕ) : 0 < n.factorial := by
  induction n with
  | zero => exact zero_lt_succ 0
  | succ n ih => exact Nat.mul_pos ih (zero_lt_succ n)

/-- Every positive number up to `n` divides the factorial of `n`. -/
theorem dvd_factorial (hm : 0 < m) (h : m ≤ n) : m ∣ n.factorial := by
  induction h with
  | refl =>
    obtain ⟨k, rfl⟩ := exists_eq_succ_of_ne_zero (pos_iff_ne_zero.mp hm)
    exact Nat.dvd_mul_left k.succ (k.factorial)
  | step _ ih => exact Nat.dvd_mul_right_of_dvd ih _

theorem factorial_dvd_factorial (h : m ≤ n) : m.factorial ∣ n.factorial := by
  induction h with
  | refl => exact Nat.dvd_refl (m.factorial)
  | step _ ih => exact Nat.dvd_mul_right_of_dvd ih _

theorem self_le_factorial (n : ℕ) : n ≤ n.factorial := by
  by_cases h : n = 0
  · rw [h]
    exact zero_le (factorial 0)
  · exact le_of_dvd (factorial_pos n) (dvd_factorial (pos_of_ne_zero h) (Nat.le_refl n))

end Factorial

namespace Prime

theorem pos (hp : p.Prime) : 0 < p :=
  lt_of_lt_of_le (zero_lt_succ 1) hp.two_le

theorem ne_zero (hp : p.Prime) : p ≠ 0 :=
  pos_iff_ne_zero.mp hp.pos

theorem ne_one (hp : p.Prime) : p ≠ 1 := by
  rintro rfl
  exact Nat.lt_irrefl 1 hp.two_le

theorem not_dvd_one (hp : p.Prime) : ¬p ∣ 1 :=
  fun h => hp.ne_one (Nat.dvd_one.mp h)

/-- Prime numbers that divide one another are the same. -/
theorem eq_of_dvd {q : ℕ} (hp : p.Prime) (hq : q.Prime) (h : p ∣ q) : p = q :=
  (hq.eq_one_or_self_of_dvd p h).resolve_left hp.ne_one

end Prime

theorem not_prime_zero : ¬Prime 0 :=
  fun h => h.ne_zero rfl

theorem not_prime_one : ¬Prime 1 :=
  fun h => h.ne_one rfl

theorem prime_two : Prime 2 := by
  refine ⟨Nat.le_refl 2, fun m hm => ?_⟩
  have hle : m ≤ 2 := le_of_dvd (zero_lt_succ 1) hm
  match m, hle with
  | 0, _ => exact absurd (Nat.zero_dvd.mp hm) (succ_ne_zero 1)
  | 1, _ => exact Or.inl rfl
  | 2, _ => exact Or.inr rfl
  | m + 3, h => exact absurd (le_of_succ_le_succ (le_of_succ_le_succ h)) (not_succ_le_zero m)

example : ¬Prime 4 := by
  intro h
  rcases h.eq_one_or_self_of_dvd 2 ⟨2, rfl⟩ with h | h
  · exact absurd h (by decide)
  · exact absurd h (by decide)

/-- A number that is not prime has a proper divisor. -/
theorem exists_dvd_of_not_prime (h2 : 2 ≤ n) (hn : ¬n.Prime) : ∃ m, m ∣ n ∧ m ≠ 1 ∧ m ≠ n := by
  apply Classical.byContradiction
  intro hnone
  refine hn ⟨h2, fun m hm => ?_⟩
  apply Classical.byContradiction
  intro hne
  rw [not_or] at hne
  exact hnone ⟨m, hm, hne.left, hne.right⟩

/-- Every number but one has a prime divisor. -/
theorem exists_prime_and_dvd (hn : n ≠ 1) : ∃ p, p.Prime ∧ p ∣ n := by
  revert hn
  apply strong_induction_on n
  intro n ih hn
  by_cases hp : n.Prime
  · exact ⟨n, hp, Nat.dvd_refl n⟩
  · by_cases h0 : n = 0
    · exact ⟨2, prime_two, h0 ▸ Nat.dvd_zero 2⟩
    · have hpos : 0 < n := pos_of_ne_zero h0
      have h2 : 2 ≤ n := lt_iff_le_and_ne.mpr ⟨hpos, Ne.symm hn⟩
      obtain ⟨m, hm, hm1, hmn⟩ := exists_dvd_of_not_prime h2 hp
      obtain ⟨p, hp, hpm⟩ := ih m (lt_iff_le_and_ne.mpr ⟨le_of_dvd hpos hm, hmn⟩) hm1
      exact ⟨p, hp, Nat.dvd_trans hpm hm⟩

/-- **Euclid's theorem**: there are prime numbers beyond every bound. -/
theorem exists_infinite_primes (n : ℕ) : ∃ p, n ≤ p ∧ p.Prime := by
  have hne : n.factorial + 1 ≠ 1 := by
    intro h
    have h0 : n.factorial = 0 := Nat.succ_inj.mp h
    exact Nat.lt_irrefl 0 (h0 ▸ factorial_pos n)
  obtain ⟨p, hp, hdvd⟩ := exists_prime_and_dvd hne
  refine ⟨p, Classical.byContradiction fun hlt => ?_, hp⟩
  have hpn : p ∣ n.factorial := dvd_factorial hp.pos (le_of_lt (Nat.not_le.mp hlt))
  exact hp.not_dvd_one ((Nat.dvd_add_right_iff hpn).mp hdvd)

end Nat
