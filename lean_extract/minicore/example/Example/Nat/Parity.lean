import Example.Nat.Dvd

/-!
# Even and odd numbers
-/

namespace Nat

/-- Twice some number. -/
def Even (n : ℕ) : Prop :=
  ∃ k, n = k + k

/-- One more than twice some number. -/
def Odd (n : ℕ) : Prop :=
  ∃ k, n = k + k + 1

mutual

/-- Decides whether a number is even, without division. -/
def isEven : ℕ → Bool
  | 0 => true
  | n + 1 => isOdd n

/-- Decides whether a number is odd, without division. -/
def isOdd : ℕ → Bool
  | 0 => false
  | n + 1 => isEven n

end

variable {m n : ℕ}

theorem even_zero : Even 0 :=
  ⟨0, rfl⟩

theorem not_odd_zero : ¬Odd 0 := by
  rintro ⟨k, hk⟩
  exact succ_ne_zero (k + k) hk.symm

theorem Even.succ (h : n.Even) : n.succ.Odd := by
  obtain ⟨k, rfl⟩ := h
  exact ⟨k, rfl⟩

theorem Odd.succ (h : n.Odd) : n.succ.Even := by
  obtain ⟨k, rfl⟩ := h
  refine ⟨k + 1, ?_⟩
  rw [add_one, add_one, succ_add, add_succ]

/-- Every number is even or odd. -/
theorem even_or_odd (n : ℕ) : n.Even ∨ n.Odd := by
  induction n with
  | zero => exact Or.inl even_zero
  | succ n ih =>
    cases ih with
    | inl h => exact Or.inr h.succ
    | inr h => exact Or.inl h.succ

theorem even_iff_two_dvd : n.Even ↔ 2 ∣ n := by
  constructor
  · rintro ⟨k, rfl⟩
    exact ⟨k, (two_mul k).symm⟩
  · rintro ⟨k, rfl⟩
    exact ⟨k, two_mul k⟩

theorem odd_iff_exists_two_mul_add_one : n.Odd ↔ ∃ k, n = 2 * k + 1 := by
  constructor
  · rintro ⟨k, rfl⟩
    exact ⟨k, by rw [two_mul]⟩
  · rintro ⟨k, rfl⟩
    exact ⟨k, by rw [two_mul]⟩

/-- No number is both even and odd. -/
theorem not_even_and_odd (n : ℕ) : ¬(n.Even ∧ n.Odd) := by
  rintro ⟨⟨a, rfl⟩, ⟨b, hb⟩⟩
  rw [← two_mul, ← two_mul, ← add_zero (2 * a)] at hb
  have h := (mul_add_lt_unique (zero_lt_succ 1) (lt_succ_self 1) hb).right
  exact succ_ne_zero 0 h.symm

theorem Even.not_odd (h : n.Even) : ¬n.Odd :=
  fun ho => not_even_and_odd n ⟨h, ho⟩

theorem not_even_iff_odd : ¬n.Even ↔ n.Odd :=
  ⟨(even_or_odd n).resolve_left, fun ho he => he.not_odd ho⟩

theorem Even.add (hm : m.Even) (hn : n.Even) : (m + n).Even := by
  rw [even_iff_two_dvd] at hm hn ⊢
  exact Nat.dvd_add hm hn

theorem Even.mul_right (hm : m.Even) (n : ℕ) : (m * n).Even := by
  rw [even_iff_two_dvd] at hm ⊢
  exact Nat.dvd_mul_right_of_dvd hm n

theorem Even.mul_left (hm : m.Even) (n : ℕ) : (n * m).Even := by
  rw [Nat.mul_comm]
  exact hm.mul_right n

theorem Even.add_odd (hm : m.Even) (hn : n.Odd) : (m + n).Odd := by
  obtain ⟨a, rfl⟩ := hm
  obtain ⟨b, rfl⟩ := hn
  refine ⟨a + b, ?_⟩
  rw [← Nat.add_assoc, Nat.add_add_add_comm]

/-- The sum of two odd numbers is even. -/
theorem Odd.add_odd (hm : m.Odd) (hn : n.Odd) : (m + n).Even := by
  obtain ⟨k, rfl⟩ := hn
  have h : (k + k + m).Odd := Even.add_odd ⟨k, rfl⟩ hm
  have h' := h.succ
  rw [← add_one, Nat.add_right_comm, Nat.add_comm] at h'
  exact h'

/-- The product of two neighbours is even. -/
theorem even_mul_succ_self (n : ℕ) : (n * n.succ).Even := by
  rcases even_or_odd n with h | h
  · exact h.mul_right n.succ
  · exact h.succ.mul_left n

theorem isEven_iff (n : ℕ) : (n.isEven = true ↔ n.Even) ∧ (n.isOdd = true ↔ n.Odd) := by
  induction n with
  | zero =>
    constructor
    · exact ⟨fun _ => even_zero, fun _ => rfl⟩
    · exact ⟨fun h => Bool.noConfusion h, fun h => absurd h not_odd_zero⟩
  | succ n ih =>
    constructor
    · refine ⟨fun h => (ih.right.mp h).succ, fun h => ih.right.mpr ?_⟩
      exact (even_or_odd n).resolve_left fun he => not_even_and_odd n.succ ⟨h, he.succ⟩
    · refine ⟨fun h => (ih.left.mp h).succ, fun h => ih.left.mpr ?_⟩
      exact (even_or_odd n).resolve_right fun ho => not_even_and_odd n.succ ⟨ho.succ, h⟩

end Nat
