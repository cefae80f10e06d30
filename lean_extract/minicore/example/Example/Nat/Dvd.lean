import Example.Nat.Order

/-!
# Divisibility

`m ∣ n` for natural numbers, and division with remainder: existence, uniqueness, and what the
operations `/` and `%` compute.
-/

namespace Nat

variable {d e k m n : ℕ}

section Divisibility

theorem dvd_def : m ∣ n ↔ ∃ c, n = m * c :=
  Iff.rfl

@[simp]
protected theorem dvd_refl (n : ℕ) : n ∣ n :=
  ⟨1, (Nat.mul_one n).symm⟩

@[simp]
protected theorem dvd_zero (n : ℕ) : n ∣ 0 :=
  ⟨0, rfl⟩

@[simp]
protected theorem one_dvd (n : ℕ) : 1 ∣ n :=
  ⟨n, (Nat.one_mul n).symm⟩

protected theorem dvd_mul_right (m n : ℕ) : m ∣ m * n :=
  ⟨n, rfl⟩

protected theorem dvd_mul_left (m n : ℕ) : m ∣ n * m :=
  ⟨n, Nat.mul_comm n m⟩

/-- Divisibility is transitive. -/
protected theorem dvd_trans (h₁ : k ∣ m) (h₂ : m ∣ n) : k ∣ n := by
  obtain ⟨a, rfl⟩ := h₁
  obtain ⟨b, rfl⟩ := h₂
  exact ⟨a * b, Nat.mul_assoc k a b⟩

protected theorem dvd_mul_right_of_dvd (h : k ∣ m) (n : ℕ) : k ∣ m * n :=
  Nat.dvd_trans h (Nat.dvd_mul_right m n)

protected theorem dvd_mul_left_of_dvd (h : k ∣ m) (n : ℕ) : k ∣ n * m :=
  Nat.dvd_trans h (Nat.dvd_mul_left m n)

/-- A common divisor divides the sum. -/
protected theorem dvd_add (h₁ : k ∣ m) (h₂ : k ∣ n) : k ∣ m + n := by
  obtain ⟨a, rfl⟩ := h₁
  obtain ⟨b, rfl⟩ := h₂
  exact ⟨a + b, (Nat.mul_add k a b).symm⟩

protected theorem mul_dvd_mul (h₁ : d ∣ m) (h₂ : e ∣ n) : d * e ∣ m * n := by
  obtain ⟨a, rfl⟩ := h₁
  obtain ⟨b, rfl⟩ := h₂
  refine ⟨a * b, ?_⟩
  rw [Nat.mul_assoc, Nat.mul_left_comm a, ← Nat.mul_assoc]

protected theorem zero_dvd : 0 ∣ n ↔ n = 0 := by
  constructor
  · rintro ⟨c, rfl⟩
    exact Nat.zero_mul c
  · rintro rfl
    exact Nat.dvd_refl 0

theorem le_of_dvd (hn : 0 < n) (h : m ∣ n) : m ≤ n := by
  obtain ⟨c, rfl⟩ := h
  apply le_mul_of_pos_right
  apply pos_of_ne_zero
  rintro rfl
  exact Nat.lt_irrefl 0 hn

protected theorem dvd_antisymm (h₁ : m ∣ n) (h₂ : n ∣ m) : m = n := by
  rcases eq_zero_or_eq_succ n with rfl | ⟨a, rfl⟩
  · exact Nat.zero_dvd.mp h₂
  · rcases eq_zero_or_eq_succ m with rfl | ⟨b, rfl⟩
    · exact (Nat.zero_dvd.mp h₁).symm
    · exact Nat.le_antisymm (le_of_dvd (zero_lt_succ a) h₁) (le_of_dvd (zero_lt_succ b) h₂)

/-- What divides a sum and one of its terms divides the other. -/
protected theorem dvd_add_right_iff (h : k ∣ m) : k ∣ m + n ↔ k ∣ n := by
  constructor
  · rintro ⟨a, ha⟩
    obtain ⟨b, rfl⟩ := h
    refine ⟨a - b, ?_⟩
    rcases Nat.le_total b a with hle | hle
    · obtain ⟨c, rfl⟩ := exists_eq_add_of_le hle
      rw [Nat.mul_add] at ha
      rw [Nat.add_sub_cancel_left, Nat.add_left_cancel ha]
    · rw [sub_eq_zero_of_le hle]
      obtain ⟨c, rfl⟩ := exists_eq_add_of_le hle
      rw [Nat.mul_add, Nat.add_assoc] at ha
      exact (eq_zero_of_add_eq_zero (eq_zero_of_add_eq_self ha)).right
  · exact Nat.dvd_add h

protected theorem dvd_one : n ∣ 1 ↔ n = 1 := by
  constructor
  · intro h
    exact Nat.dvd_antisymm h (Nat.one_dvd n)
  · rintro rfl
    exact Nat.dvd_refl 1

theorem pow_dvd_pow (k : ℕ) (h : m ≤ n) : k ^ m ∣ k ^ n := by
  obtain ⟨l, rfl⟩ := exists_eq_add_of_le h
  rw [pow_add]
  exact Nat.dvd_mul_right (k ^ m) (k ^ l)

end Divisibility

section Division

/-- **Division with remainder**: existence. -/
theorem exists_eq_mul_add_lt (n : ℕ) (hd : 0 < d) : ∃ q r, n = d * q + r ∧ r < d := by
  induction n with
  | zero => exact ⟨0, 0, rfl, hd⟩
  | succ n ih =>
    obtain ⟨q, r, rfl, hr⟩ := ih
    rcases Nat.lt_trichotomy r.succ d with h | h | h
    · exact ⟨q, r.succ, rfl, h⟩
    · refine ⟨q.succ, 0, ?_, hd⟩
      rw [mul_succ, add_zero, ← h]
      rfl
    · exact absurd (lt_of_le_of_lt hr h) (Nat.lt_irrefl _)

/-- Division with remainder: uniqueness of the quotient. -/
theorem mul_add_lt_unique {q q' r r' : ℕ} (hr : r < d) (hr' : r' < d)
    (h : d * q + r = d * q' + r') : q = q' ∧ r = r' := by
  have aux : ∀ {a b s t : ℕ}, t < d → d * a + s = d * b + t → ¬b < a := by
    intro a b s t ht hst hlt
    obtain ⟨c, rfl⟩ := exists_eq_add_of_le hlt
    rw [succ_add, mul_succ, Nat.mul_add, Nat.add_assoc, Nat.add_assoc] at hst
    rw [← Nat.add_left_cancel hst] at ht
    apply Nat.not_le.mpr ht
    rw [Nat.add_left_comm]
    exact le_add_right d _
  have hq : q = q' := Nat.le_antisymm (Nat.not_lt.mp (aux hr' h)) (Nat.not_lt.mp (aux hr h.symm))
  subst hq
  exact ⟨rfl, Nat.add_left_cancel h⟩

private theorem divModFuel_spec (hd : 0 < d) (fuel n : ℕ) (h : n ≤ fuel) :
    d * (divModFuel d fuel n).1 + (divModFuel d fuel n).2 = n ∧ (divModFuel d fuel n).2 < d := by
  induction fuel generalizing n with
  | zero =>
    cases eq_zero_of_le_zero h
    exact ⟨rfl, hd⟩
  | succ fuel ih =>
    unfold divModFuel
    by_cases hdn : d ≤ n
    · rw [if_pos ⟨hd, hdn⟩]
      have hlt : n - d < n := by
        obtain ⟨k, rfl⟩ := exists_eq_add_of_le hdn
        rw [Nat.add_sub_cancel_left, Nat.add_comm]
        exact lt_add_of_pos_right hd
      obtain ⟨heq, hmod⟩ := ih (n - d) (lt_succ_iff.mp (lt_of_lt_of_le hlt h))
      refine ⟨?_, hmod⟩
      show d * succ (divModFuel d fuel (n - d)).1 + (divModFuel d fuel (n - d)).2 = n
      rw [mul_succ, Nat.add_right_comm, heq, Nat.sub_add_cancel hdn]
    · rw [if_neg fun hc => hdn hc.right]
      exact ⟨zero_add n, Nat.not_le.mp hdn⟩

/-- Quotient and remainder make up the number. -/
theorem div_add_mod (m : ℕ) (hn : 0 < n) : n * (m / n) + m % n = m :=
  (divModFuel_spec hn m m (Nat.le_refl m)).left

/-- The remainder is less than the divisor. -/
theorem mod_lt (m : ℕ) (hn : 0 < n) : m % n < n :=
  (divModFuel_spec hn m m (Nat.le_refl m)).right

theorem mod_eq_of_lt (h : m < n) : m % n = m := by
  have hn : 0 < n := lt_of_le_of_lt (zero_le m) h
  refine (mul_add_lt_unique (q := m / n) (q' := 0) (mod_lt m hn) h ?_).right
  rw [div_add_mod m hn, mul_zero, zero_add]

theorem mul_add_mod_of_lt {q r : ℕ} (h : r < n) : (n * q + r) % n = r :=
  have hn : 0 < n := lt_of_le_of_lt (zero_le r) h
  (mul_add_lt_unique (mod_lt (n * q + r) hn) h (div_add_mod (n * q + r) hn)).right

/-- A divisor leaves no remainder. -/
theorem dvd_iff_mod_eq_zero (hn : 0 < n) : n ∣ m ↔ m % n = 0 := by
  constructor
  · rintro ⟨c, rfl⟩
    exact mul_add_mod_of_lt hn
  · intro h
    refine ⟨m / n, ?_⟩
    have hm := div_add_mod m hn
    rw [h] at hm
    exact hm.symm

end Division

end Nat
