import Example.Nat.Dvd

/-!
# Greatest common divisors

`IsGcd d m n` says that `d` is a greatest common divisor of `m` and `n` with respect to
divisibility. Euclid's algorithm shows that there is exactly one.
-/

namespace Nat

/-- `d` divides `m` and `n`, and every common divisor divides `d`. -/
structure IsGcd (d m n : ℕ) : Prop where
  /-- `d` divides the first number. -/
  dvd_left : d ∣ m
  /-- `d` divides the second number. -/
  dvd_right : d ∣ n
  /-- Every common divisor divides `d`. -/
  dvd_gcd : ∀ {k}, k ∣ m → k ∣ n → k ∣ d

/-- Two numbers without a common divisor but one. -/
def Coprime (m n : ℕ) : Prop :=
  IsGcd 1 m n

namespace IsGcd

variable {c d k m n : ℕ}

protected theorem symm (h : d.IsGcd m n) : d.IsGcd n m :=
  ⟨h.dvd_right, h.dvd_left, fun hm hn => h.dvd_gcd hn hm⟩

/-- There is at most one greatest common divisor. -/
protected theorem unique (hc : c.IsGcd m n) (hd : d.IsGcd m n) : c = d :=
  Nat.dvd_antisymm (hd.dvd_gcd hc.dvd_left hc.dvd_right) (hc.dvd_gcd hd.dvd_left hd.dvd_right)

protected theorem zero_right (n : ℕ) : n.IsGcd n 0 :=
  ⟨Nat.dvd_refl n, Nat.dvd_zero n, fun h _ => h⟩

protected theorem self (n : ℕ) : n.IsGcd n n where
  dvd_left := Nat.dvd_refl n
  dvd_right := Nat.dvd_refl n
  dvd_gcd h _ := h

theorem of_dvd (h : m ∣ n) : m.IsGcd m n :=
  ⟨Nat.dvd_refl m, h, fun hm _ => hm⟩

/-- The step of Euclid's algorithm. -/
theorem mul_add (h : d.IsGcd m n) (k : ℕ) : d.IsGcd m (m * k + n) where
  dvd_left := h.dvd_left
  dvd_right := Nat.dvd_add (Nat.dvd_mul_right_of_dvd h.dvd_left k) h.dvd_right
  dvd_gcd hm hn := h.dvd_gcd hm ((Nat.dvd_add_right_iff (Nat.dvd_mul_right_of_dvd hm k)).mp hn)

/-- **Euclid's algorithm**: any two numbers have a greatest common divisor. -/
theorem exists_isGcd (m n : ℕ) : ∃ d, IsGcd d m n := by
  revert n
  apply strong_induction_on m
  intro m ih n
  rcases eq_zero_or_eq_succ m with rfl | ⟨k, rfl⟩
  · exact ⟨n, (IsGcd.zero_right n).symm⟩
  · obtain ⟨q, r, rfl, hr⟩ := exists_eq_mul_add_lt n (zero_lt_succ k)
    obtain ⟨d, hd⟩ := ih r hr (k + 1)
    exact ⟨d, hd.symm.mul_add q⟩

theorem pos (h : d.IsGcd m n) (hm : 0 < m) : 0 < d := by
  apply pos_of_ne_zero
  rintro rfl
  rw [Nat.zero_dvd.mp h.dvd_left] at hm
  exact Nat.lt_irrefl 0 hm

end IsGcd

namespace Coprime

variable {d m n : ℕ}

protected theorem symm (h : m.Coprime n) : n.Coprime m :=
  IsGcd.symm h

protected theorem one_left (n : ℕ) : Coprime 1 n :=
  IsGcd.of_dvd (Nat.one_dvd n)

theorem eq_one_of_dvd (h : m.Coprime n) (hd : m ∣ n) : m = 1 :=
  Nat.dvd_one.mp (h.dvd_gcd (Nat.dvd_refl m) hd)

/-- Neighbours are coprime. -/
theorem succ_right (n : ℕ) : n.Coprime n.succ := by
  have h : IsGcd 1 n (n * 1 + 1) := (Coprime.one_left n).symm.mul_add 1
  rw [Nat.mul_one] at h
  exact h

theorem of_dvd_left (h : m.Coprime n) (hd : d ∣ m) : d.Coprime n where
  dvd_left := Nat.one_dvd d
  dvd_right := Nat.one_dvd n
  dvd_gcd hk hn := h.dvd_gcd (Nat.dvd_trans hk hd) hn

end Coprime

end Nat
