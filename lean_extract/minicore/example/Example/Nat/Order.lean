import Example.Nat.Basic
import Example.Logic.Classical

/-!
# The order of the natural numbers

`m ≤ n` holds when `n` is reached from `m` by successors. The order is linear and well-founded, and
addition and multiplication respect it.
-/

namespace Nat

variable {k l m n : ℕ}

section Order

theorem le_succ (n : ℕ) : n ≤ n.succ :=
  Nat.le.step Nat.le.refl

protected theorem le_of_eq (h : m = n) : m ≤ n := by
  rw [h]
  exact Nat.le_refl n

protected theorem le_trans (h₁ : k ≤ m) (h₂ : m ≤ n) : k ≤ n := by
  induction h₂ with
  | refl => exact h₁
  | step _ ih => exact Nat.le.step ih

theorem le_succ_of_le (h : m ≤ n) : m ≤ n.succ :=
  Nat.le.step h

theorem le_of_succ_le (h : m.succ ≤ n) : m ≤ n :=
  Nat.le_trans (le_succ m) h

theorem not_succ_le_zero (n : ℕ) : ¬n.succ ≤ 0 := by
  intro h
  cases h

theorem le_of_succ_le_succ (h : m.succ ≤ n.succ) : m ≤ n := by
  cases h with
  | refl => exact Nat.le_refl m
  | step h => exact le_of_succ_le h

theorem succ_le_succ_iff : m.succ ≤ n.succ ↔ m ≤ n :=
  ⟨le_of_succ_le_succ, succ_le_succ⟩

theorem not_succ_le_self (n : ℕ) : ¬n.succ ≤ n := by
  induction n with
  | zero => exact not_succ_le_zero 0
  | succ n ih => exact mt le_of_succ_le_succ ih

theorem eq_zero_of_le_zero (h : n ≤ 0) : n = 0 := by
  cases h
  rfl

theorem le_zero_eq : n ≤ 0 ↔ n = 0 :=
  ⟨eq_zero_of_le_zero, Nat.le_of_eq⟩

protected theorem le_antisymm (h₁ : m ≤ n) (h₂ : n ≤ m) : m = n := by
  cases h₁ with
  | refl => rfl
  | step h => exact absurd (Nat.le_trans h₂ h) (not_succ_le_self _)

/-- The order is linear. -/
protected theorem le_total (m n : ℕ) : m ≤ n ∨ n ≤ m := by
  induction m with
  | zero => exact Or.inl (zero_le n)
  | succ m ih =>
    rcases ih with h | h
    · cases h with
      | refl => exact Or.inr (le_succ _)
      | step h => exact Or.inl (succ_le_succ h)
    · exact Or.inr (le_succ_of_le h)

end Order

section StrictOrder

protected theorem lt_irrefl (n : ℕ) : ¬n < n :=
  not_succ_le_self n

theorem lt_succ_self (n : ℕ) : n < n.succ :=
  Nat.le_refl n.succ

theorem zero_lt_succ (n : ℕ) : 0 < n.succ :=
  succ_le_succ (zero_le n)

theorem not_lt_zero (n : ℕ) : ¬n < 0 :=
  not_succ_le_zero n

theorem le_of_lt (h : m < n) : m ≤ n :=
  le_of_succ_le h

theorem lt_succ_iff : m < n.succ ↔ m ≤ n :=
  succ_le_succ_iff

theorem lt_of_lt_of_le (h₁ : k < m) (h₂ : m ≤ n) : k < n :=
  Nat.le_trans h₁ h₂

theorem lt_of_le_of_lt (h₁ : k ≤ m) (h₂ : m < n) : k < n :=
  Nat.le_trans (succ_le_succ h₁) h₂

protected theorem lt_trans (h₁ : k < m) (h₂ : m < n) : k < n :=
  lt_of_lt_of_le h₁ (le_of_lt h₂)

protected theorem lt_asymm (h : m < n) : ¬n < m :=
  fun h' => Nat.lt_irrefl m (Nat.lt_trans h h')

protected theorem ne_of_lt (h : m < n) : m ≠ n := by
  rintro rfl
  exact Nat.lt_irrefl m h

protected theorem lt_or_ge (m n : ℕ) : m < n ∨ n ≤ m := by
  rcases Nat.le_total m n with h | h
  · cases h with
    | refl => exact Or.inr (Nat.le_refl _)
    | step h => exact Or.inl (succ_le_succ h)
  · exact Or.inr h

protected theorem not_le : ¬m ≤ n ↔ n < m := by
  constructor
  · intro h
    exact (Nat.lt_or_ge n m).resolve_right h
  · intro h h'
    exact Nat.lt_irrefl n (lt_of_lt_of_le h h')

protected theorem not_lt : ¬m < n ↔ n ≤ m := by
  constructor
  · intro h
    exact (Nat.lt_or_ge m n).resolve_left h
  · intro h h'
    exact Nat.lt_irrefl m (lt_of_lt_of_le h' h)

theorem lt_iff_le_and_ne : m < n ↔ m ≤ n ∧ m ≠ n := by
  constructor
  · intro h
    exact ⟨le_of_lt h, Nat.ne_of_lt h⟩
  · rintro ⟨hle, hne⟩
    exact (Nat.lt_or_ge m n).resolve_right fun h => hne (Nat.le_antisymm hle h)

/-- Of two numbers, one is less than the other or they are the same. -/
protected theorem lt_trichotomy (m n : ℕ) : m < n ∨ m = n ∨ n < m := by
  rcases Nat.lt_or_ge m n with h | h
  · exact Or.inl h
  · by_cases e : m = n
    · exact Or.inr (Or.inl e)
    · exact Or.inr (Or.inr (lt_iff_le_and_ne.mpr ⟨h, Ne.symm e⟩))

theorem pos_of_ne_zero (h : n ≠ 0) : 0 < n := by
  obtain ⟨k, rfl⟩ := exists_eq_succ_of_ne_zero h
  exact zero_lt_succ k

theorem pos_iff_ne_zero : 0 < n ↔ n ≠ 0 :=
  ⟨fun h => Ne.symm (Nat.ne_of_lt h), pos_of_ne_zero⟩

end StrictOrder

section Addition

theorem le_add_right (n k : ℕ) : n ≤ n + k := by
  induction k with
  | zero => exact Nat.le_refl n
  | succ k ih => exact Nat.le.step ih

theorem le_add_left (n k : ℕ) : n ≤ k + n := by
  rw [Nat.add_comm]
  exact le_add_right n k

/-- A larger number is a sum. -/
theorem exists_eq_add_of_le (h : m ≤ n) : ∃ k, n = m + k := by
  induction h with
  | refl => exact ⟨0, rfl⟩
  | step _ ih =>
    obtain ⟨k, rfl⟩ := ih
    exact ⟨k + 1, rfl⟩

theorem le_iff_exists_add : m ≤ n ↔ ∃ k, n = m + k := by
  refine ⟨exists_eq_add_of_le, ?_⟩
  rintro ⟨k, rfl⟩
  exact le_add_right m k

protected theorem add_le_add_left (h : m ≤ n) (k : ℕ) : k + m ≤ k + n := by
  obtain ⟨l, rfl⟩ := exists_eq_add_of_le h
  rw [← Nat.add_assoc]
  exact le_add_right (k + m) l

protected theorem add_le_add_right (h : m ≤ n) (k : ℕ) : m + k ≤ n + k := by
  rw [Nat.add_comm m k, Nat.add_comm n k]
  exact Nat.add_le_add_left h k

protected theorem add_le_add (h₁ : k ≤ l) (h₂ : m ≤ n) : k + m ≤ l + n :=
  Nat.le_trans (Nat.add_le_add_right h₁ m) (Nat.add_le_add_left h₂ l)

protected theorem le_of_add_le_add_left (h : k + m ≤ k + n) : m ≤ n := by
  obtain ⟨l, hl⟩ := exists_eq_add_of_le h
  rw [Nat.add_assoc] at hl
  rw [Nat.add_left_cancel hl]
  exact le_add_right m l

protected theorem add_le_add_iff_left : k + m ≤ k + n ↔ m ≤ n :=
  ⟨Nat.le_of_add_le_add_left, fun h => Nat.add_le_add_left h k⟩

theorem lt_add_of_pos_right (h : 0 < k) : n < n + k :=
  Nat.add_le_add_left h n

end Addition

section Multiplication

protected theorem mul_le_mul_left (k : ℕ) (h : m ≤ n) : k * m ≤ k * n := by
  obtain ⟨l, rfl⟩ := exists_eq_add_of_le h
  rw [Nat.mul_add]
  exact le_add_right (k * m) (k * l)

protected theorem mul_le_mul_right (k : ℕ) (h : m ≤ n) : m * k ≤ n * k := by
  rw [Nat.mul_comm m, Nat.mul_comm n]
  exact Nat.mul_le_mul_left k h

protected theorem mul_le_mul (h₁ : k ≤ l) (h₂ : m ≤ n) : k * m ≤ l * n :=
  Nat.le_trans (Nat.mul_le_mul_right m h₁) (Nat.mul_le_mul_left l h₂)

protected theorem mul_pos (hm : 0 < m) (hn : 0 < n) : 0 < m * n :=
  pos_of_ne_zero (mul_ne_zero (pos_iff_ne_zero.mp hm) (pos_iff_ne_zero.mp hn))

theorem le_mul_of_pos_right (m : ℕ) (h : 0 < n) : m ≤ m * n := by
  have h' : m * 1 ≤ m * n := Nat.mul_le_mul_left m h
  rw [Nat.mul_one] at h'
  exact h'

protected theorem eq_of_mul_eq_mul_left (hk : 0 < k) (h : k * m = k * n) : m = n := by
  have aux : ∀ {a b : ℕ}, k * a = k * b → a ≤ b → a = b := by
    intro a b hab hle
    obtain ⟨l, rfl⟩ := exists_eq_add_of_le hle
    rw [Nat.mul_add] at hab
    have hl : k * l = 0 := eq_zero_of_add_eq_self hab.symm
    rcases mul_eq_zero.mp hl with h0 | rfl
    · exact absurd h0 (pos_iff_ne_zero.mp hk)
    · rfl
  rcases Nat.le_total m n with hle | hle
  · exact aux h hle
  · exact (aux h.symm hle).symm

theorem pow_pos (h : 0 < m) (n : ℕ) : 0 < m ^ n := by
  induction n with
  | zero => exact zero_lt_succ 0
  | succ n ih => exact Nat.mul_pos ih h

end Multiplication

section Induction

variable {p : ℕ → Prop}

/-- Strong induction: a property is inherited from all smaller numbers. -/
theorem strong_induction_on (n : ℕ) (h : ∀ n, (∀ m, m < n → p m) → p n) : p n := by
  suffices key : ∀ k m, m < k → p m from key n.succ n (lt_succ_self n)
  intro k
  induction k with
  | zero =>
    intro m hm
    exact absurd hm (not_lt_zero m)
  | succ k ih =>
    intro m hm
    apply h
    intro l hl
    exact ih l (lt_of_lt_of_le hl (lt_succ_iff.mp hm))

/-- The well-ordering principle: a property that some number has, has a least one. -/
theorem exists_least (h : ∃ n, p n) : ∃ n, p n ∧ ∀ m, p m → n ≤ m := by
  apply Classical.byContradiction
  intro hnone
  obtain ⟨n, hn⟩ := h
  revert hn
  apply strong_induction_on n
  intro n ih hn
  apply hnone
  refine ⟨n, hn, fun m hm => ?_⟩
  exact Nat.not_lt.mp fun hlt => ih m hlt hm

end Induction

section Subtraction

@[simp]
protected theorem sub_zero (n : ℕ) : n - 0 = n :=
  rfl

theorem sub_succ (m n : ℕ) : m - n.succ = (m - n).pred :=
  rfl

theorem succ_sub_succ_eq_sub (m n : ℕ) : m.succ - n.succ = m - n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sub_succ, add_one, ih, sub_succ]

@[simp]
protected theorem sub_self (n : ℕ) : n - n = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [add_one, succ_sub_succ_eq_sub, ih]

protected theorem add_sub_cancel_left (n m : ℕ) : n + m - n = m := by
  induction n with
  | zero => exact zero_add m
  | succ n ih => rw [add_one, succ_add, succ_sub_succ_eq_sub, ih]

protected theorem add_sub_cancel (n m : ℕ) : n + m - m = n := by
  rw [Nat.add_comm]
  exact Nat.add_sub_cancel_left m n

/-- Subtraction undoes addition where it does not stop at zero. -/
protected theorem add_sub_of_le (h : m ≤ n) : m + (n - m) = n := by
  obtain ⟨k, rfl⟩ := exists_eq_add_of_le h
  rw [Nat.add_sub_cancel_left]

protected theorem sub_add_cancel (h : m ≤ n) : n - m + m = n := by
  rw [Nat.add_comm, Nat.add_sub_of_le h]

theorem sub_eq_zero_of_le (h : m ≤ n) : m - n = 0 := by
  induction h with
  | refl => exact Nat.sub_self m
  | step _ ih => rw [sub_succ, ih]; rfl

end Subtraction

end Nat
