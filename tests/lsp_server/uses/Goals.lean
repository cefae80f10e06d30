import Uses.Lemmas

/-! One unfinished proof for each form. -/

open Uses

-- false_by_ne
example (x : Nat) (h : x + 1 = x) : False := by
  sorry

-- from_absurd
example (x y : Nat) (h : x + 1 = x) : Near x y := by
  sorry

-- negation
example (n : Nat) : Green n → ¬Red n := by
  sorry

-- negation_of_both
example (n : Nat) (hg : Green n) (hr : Red n) : False := by
  sorry

-- contraposed
example (n : Nat) (q : Prop) (h : q → Green n) (hr : Red n) : ¬q := by
  sorry

-- swapped
example (n : Nat) : Red n → ¬Green n := by
  sorry

-- first_part
example (n : Nat) (h : Green n) : Blue n := by
  sorry

-- second_part
example (n : Nat) (h : Green n) : Near n n := by
  sorry

-- iff_backward
example (n : Nat) (h : Blue n) : Green n := by
  sorry

-- iff_forward
example (n : Nat) : Green n → Blue n := by
  sorry

-- twice
example (n : Nat) (h : Green n) : Green (n + 2 + 2) := by
  sorry

-- two_lemmas
example (n : Nat) (h : Blue n) : Green (n + 2) := by
  sorry

-- named
example (α : Nat) (P : Nat → Prop) (hα : P α) (h₁ : P 0) : P α := by
  sorry

-- exists_itself
example (n : Nat) : ∃ m, Near n m := by
  sorry

-- exists_witness
example (n : Nat) (h : Green n) : ∃ m, Green (m + 2) := by
  sorry

-- exists_eliminated
example (n : Nat) (q : Prop) (h : ∀ m, Near n m → q) : q := by
  sorry

-- or_eliminated
example (n m : Nat) (h : Green n ∨ Blue n) (f : Blue n → Near n m) (g : Green n → Near n m) : Near n m := by
  sorry

-- false_eliminated
example (n m : Nat) (h : Near n m → False) (k : Near n m) : Blue m := by
  sorry

-- turned
example (a b : Nat) (h : a = b) : b = a := by
  sorry

-- turned_ne
example (n : Nat) : n ≠ n + 1 := by
  sorry

-- weakened
example (a b : Nat) (h : a < b) : a ≤ b := by
  sorry

-- chained
example (a b c : Nat) (h : a ≤ b) (k : b ≤ c) : a ≤ c := by
  sorry

-- chained_with_lemma
example (a b : Nat) (h : a ≤ b) : a ≤ b + 1 := by
  sorry

-- eq_chained
example (a b c : Nat) (h : a = b) (k : c = b) : a = c := by
  sorry

-- paired
example (n : Nat) (h : Green n) : Near n n ∧ Green (n + 2) := by
  sorry

-- one_side
example (n m : Nat) (h : Blue n) : Near n m ∨ Green n := by
  sorry

-- for_all
example : ∀ n : Nat, Blue n → Green n := by
  sorry
