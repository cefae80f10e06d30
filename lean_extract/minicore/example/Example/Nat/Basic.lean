import Example.Logic.Basic

/-!
# Natural numbers: addition and multiplication

Both operations recurse on their second argument. Everything is proved by induction from the
equations that define them, up to the laws of a commutative semiring and of cancellation.
-/

namespace Nat

variable {k l m n : ℕ}

section Successor

theorem succ_eq_add_one (n : ℕ) : n.succ = n + 1 :=
  rfl

theorem add_one (n : ℕ) : n + 1 = n.succ :=
  rfl

/-- Zero is no successor. -/
theorem succ_ne_zero (n : ℕ) : n.succ ≠ 0 := by
  intro h
  injection h

@[simp]
theorem add_one_ne_zero (n : ℕ) : n + 1 ≠ 0 :=
  succ_ne_zero n

/-- The successor function is injective. -/
protected theorem succ_inj : m.succ = n.succ ↔ m = n := by
  constructor
  · intro h
    injection h
  · intro h
    rw [h]

theorem exists_eq_succ_of_ne_zero (h : n ≠ 0) : ∃ k, n = succ k := by
  cases n with
  | zero => exact absurd rfl h
  | succ k => exact ⟨k, rfl⟩

theorem eq_zero_or_eq_succ (n : ℕ) : n = 0 ∨ ∃ k, n = k + 1 := by
  cases n with
  | zero => exact Or.inl rfl
  | succ k => exact Or.inr ⟨k, rfl⟩

theorem succ_ne_self (n : ℕ) : n.succ ≠ n := by
  induction n with
  | zero => exact succ_ne_zero 0
  | succ n ih => exact mt Nat.succ_inj.mp ih

end Successor

section Addition

@[simp]
theorem zero_add (n : ℕ) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg succ ih

theorem succ_add (m n : ℕ) : m.succ + n = (m + n).succ := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg succ ih

/-- Addition is commutative. -/
protected theorem add_comm (m n : ℕ) : m + n = n + m := by
  induction n with
  | zero => rw [add_zero, zero_add]
  | succ n ih => rw [add_one, add_succ, succ_add, ih]

/-- Addition is associative. -/
protected theorem add_assoc (k m n : ℕ) : k + m + n = k + (m + n) := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg succ ih

protected theorem add_left_comm (k m n : ℕ) : k + (m + n) = m + (k + n) := by
  rw [← Nat.add_assoc, Nat.add_comm k m, Nat.add_assoc]

protected theorem add_right_comm (k m n : ℕ) : k + m + n = k + n + m := by
  rw [Nat.add_assoc, Nat.add_comm m n, ← Nat.add_assoc]

protected theorem add_add_add_comm (k l m n : ℕ) : k + l + (m + n) = k + m + (l + n) := by
  rw [Nat.add_assoc, Nat.add_left_comm l, ← Nat.add_assoc]

protected theorem add_left_cancel (h : k + m = k + n) : m = n := by
  induction k with
  | zero =>
    rw [zero_add, zero_add] at h
    exact h
  | succ k ih =>
    apply ih
    rw [add_one, succ_add, succ_add] at h
    exact Nat.succ_inj.mp h

protected theorem add_right_cancel (h : m + k = n + k) : m = n := by
  rw [Nat.add_comm m, Nat.add_comm n] at h
  exact Nat.add_left_cancel h

protected theorem add_left_cancel_iff : k + m = k + n ↔ m = n :=
  ⟨Nat.add_left_cancel, congrArg (k + ·)⟩

protected theorem add_right_cancel_iff : m + k = n + k ↔ m = n :=
  ⟨Nat.add_right_cancel, congrArg (· + k)⟩

theorem eq_zero_of_add_eq_zero (h : m + n = 0) : m = 0 ∧ n = 0 := by
  cases n with
  | zero => exact ⟨h, rfl⟩
  | succ n => exact absurd h (succ_ne_zero (m + n))

theorem add_eq_zero_iff : m + n = 0 ↔ m = 0 ∧ n = 0 := by
  constructor
  · exact eq_zero_of_add_eq_zero
  · rintro ⟨rfl, rfl⟩
    rfl

theorem eq_zero_of_add_eq_self (h : m + n = m) : n = 0 :=
  Nat.add_left_cancel h

end Addition

section Multiplication

theorem mul_zero (n : ℕ) : n * 0 = 0 :=
  rfl

theorem mul_succ (m n : ℕ) : m * n.succ = m * n + m :=
  rfl

@[simp]
protected theorem zero_mul (n : ℕ) : 0 * n = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => exact ih

theorem succ_mul (m n : ℕ) : m.succ * n = m * n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [add_one, mul_succ, mul_succ, ih, add_succ, add_succ, Nat.add_right_comm]

@[simp]
protected theorem mul_one (n : ℕ) : n * 1 = n :=
  zero_add n

@[simp]
protected theorem one_mul (n : ℕ) : 1 * n = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg succ ih

/-- Multiplication is commutative. -/
protected theorem mul_comm (m n : ℕ) : m * n = n * m := by
  induction n with
  | zero => rw [mul_zero, Nat.zero_mul]
  | succ n ih => rw [add_one, mul_succ, succ_mul, ih]

/-- Multiplication distributes over addition. -/
protected theorem mul_add (k m n : ℕ) : k * (m + n) = k * m + k * n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [add_one, add_succ, mul_succ, mul_succ, ih, Nat.add_assoc]

protected theorem add_mul (k m n : ℕ) : (k + m) * n = k * n + m * n := by
  rw [Nat.mul_comm, Nat.mul_add, Nat.mul_comm n k, Nat.mul_comm n m]

/-- Multiplication is associative. -/
protected theorem mul_assoc (k m n : ℕ) : k * m * n = k * (m * n) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [add_one, mul_succ, mul_succ, Nat.mul_add, ih]

protected theorem mul_left_comm (k m n : ℕ) : k * (m * n) = m * (k * n) := by
  rw [← Nat.mul_assoc, Nat.mul_comm k m, Nat.mul_assoc]

protected theorem mul_right_comm (k m n : ℕ) : k * m * n = k * n * m := by
  rw [Nat.mul_assoc, Nat.mul_comm m n, Nat.mul_assoc]

/-- There are no zero divisors. -/
theorem mul_eq_zero : m * n = 0 ↔ m = 0 ∨ n = 0 := by
  constructor
  · intro h
    cases n with
    | zero => exact Or.inr rfl
    | succ n =>
      rw [add_one, mul_succ] at h
      exact Or.inl (eq_zero_of_add_eq_zero h).right
  · rintro (rfl | rfl)
    · exact Nat.zero_mul n
    · rfl

theorem mul_ne_zero (hm : m ≠ 0) (hn : n ≠ 0) : m * n ≠ 0 := by
  intro h
  exact (mul_eq_zero.mp h).elim hm hn

theorem two_mul (n : ℕ) : 2 * n = n + n := by
  rw [show 2 = 1 + 1 from rfl, Nat.add_mul, Nat.one_mul]

theorem mul_self_add (m n : ℕ) : (m + n) * (m + n) = m * m + 2 * (m * n) + n * n := by
  rw [Nat.mul_add, Nat.add_mul, Nat.add_mul, Nat.mul_comm n m, two_mul, Nat.add_assoc, Nat.add_assoc,
    Nat.add_assoc]

end Multiplication

section Power

theorem pow_zero (n : ℕ) : n ^ 0 = 1 :=
  rfl

theorem pow_succ (m n : ℕ) : m ^ n.succ = m ^ n * m :=
  rfl

theorem pow_one (n : ℕ) : n ^ 1 = n :=
  Nat.one_mul n

theorem one_pow (n : ℕ) : 1 ^ n = 1 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [add_one, pow_succ, ih]

/-- The first law of exponents. -/
theorem pow_add (k m n : ℕ) : k ^ (m + n) = k ^ m * k ^ n := by
  induction n with
  | zero => rw [add_zero, pow_zero, Nat.mul_one]
  | succ n ih => rw [add_one, add_succ, pow_succ, pow_succ, ih, Nat.mul_assoc]

theorem mul_pow (k m n : ℕ) : (k * m) ^ n = k ^ n * m ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [add_one, pow_succ, pow_succ, pow_succ, ih, Nat.mul_assoc, Nat.mul_left_comm (m ^ n),
      ← Nat.mul_assoc]

theorem pow_mul (k m n : ℕ) : k ^ (m * n) = (k ^ m) ^ n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [add_one, mul_succ, pow_succ, pow_add, ih]

end Power

end Nat
