import Example.Nat.Order

/-!
# Problems on natural numbers: arithmetic and order
-/

namespace Problems

/-- level 1
The last two of four summands change places. -/
theorem swap_last_summands (a b c d : ℕ) : a + b + c + d = a + b + d + c := by
  exact Nat.add_right_comm (a + b) c d

/-- level 1
A power of a product whose exponent is a product. -/
theorem mul_pow_mul (a b m n : ℕ) : (a * b) ^ (m * n) = (a ^ m) ^ n * (b ^ m) ^ n := by
  rw [Nat.mul_pow, Nat.pow_mul, Nat.pow_mul]

/-- level 1
A positive square is cancelled. -/
theorem cancel_square (k m n : ℕ) (hk : 0 < k * k) (h : k * k * m = k * k * n) : m = n := by
  exact Nat.eq_of_mul_eq_mul_left hk h

/-- level 2
It does not matter whether one takes away first or adds first. -/
theorem sub_add_eq (k m n : ℕ) (h : k ≤ m) : m - k + n = m + n - k := by
  obtain ⟨l, rfl⟩ := Nat.exists_eq_add_of_le h
  rw [Nat.add_sub_cancel_left, Nat.add_assoc, Nat.add_sub_cancel_left]

/-- level 2
A strict and a weak inequality add up to a strict one. -/
theorem add_lt_add_le (k l m n : ℕ) (h₁ : k < l) (h₂ : m ≤ n) : k + m < l + n := by
  have h : k.succ + m ≤ l + n := Nat.add_le_add h₁ h₂
  rw [Nat.succ_add] at h
  exact h

/-- level 2
A sum with a positive summand is not zero. -/
theorem add_ne_zero_of_pos (m n : ℕ) (h : 0 < n) : m + n ≠ 0 := by
  intro h0
  exact Nat.pos_iff_ne_zero.mp h (Nat.eq_zero_of_add_eq_zero h0).right

/-- level 3
A property that some number has, has a first one. -/
theorem exists_first (p : ℕ → Prop) (h : ∃ n, p n) : ∃ n, p n ∧ ∀ m, m < n → ¬p m := by
  obtain ⟨n, hn, hmin⟩ := Nat.exists_least h
  refine ⟨n, hn, ?_⟩
  intro m hm hp
  exact Nat.not_le.mpr hm (hmin m hp)

/-- level 3
A number is less than two to its power. -/
theorem lt_two_pow_self (n : ℕ) : n < 2 ^ n := by
  induction n with
  | zero => exact Nat.zero_lt_succ 0
  | succ n ih =>
    rw [Nat.add_one, Nat.pow_succ, Nat.mul_comm, Nat.two_mul]
    exact Nat.lt_of_le_of_lt ih (Nat.lt_add_of_pos_right (Nat.pow_pos (Nat.zero_lt_succ 1) n))

/-- level 3
Powers with one exponent are ordered as their bases are. -/
theorem pow_le_pow_base (a b n : ℕ) (h : a ≤ b) : a ^ n ≤ b ^ n := by
  induction n with
  | zero => exact Nat.le_refl 1
  | succ n ih =>
    rw [Nat.add_one, Nat.pow_succ, Nat.pow_succ]
    exact Nat.mul_le_mul ih h

/-- level 3
Taking away makes no larger. -/
theorem sub_le_self (m n : ℕ) : m - n ≤ m := by
  rcases Nat.le_total m n with h | h
  · rw [Nat.sub_eq_zero_of_le h]
    exact Nat.zero_le m
  · obtain ⟨k, rfl⟩ := Nat.exists_eq_add_of_le h
    rw [Nat.add_sub_cancel_left]
    exact Nat.le_add_left k n

end Problems
