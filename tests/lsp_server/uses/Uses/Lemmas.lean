/-! Lemmas of every outer form, for the tests of how they are used. -/

namespace Uses

/-- Three predicates of which no tactic knows anything by itself. -/
inductive Green : Nat → Prop
  | zero : Green 0
  | up {n : Nat} : Green n → Green (n + 2)

inductive Blue : Nat → Prop
  | of {n : Nat} : Green n → Blue n

inductive Near : Nat → Nat → Prop
  | self {n : Nat} : Near n n
  | up {n : Nat} : Near n (n + 1)

def Red (n : Nat) : Prop := Green n → False

theorem add_two {n : Nat} (h : Green n) : Green (n + 2) := Green.up h

theorem not_both {n : Nat} : Green n → ¬Red n := fun hg hr => hr hg

theorem both {n : Nat} (h : Green n) : Blue n ∧ Near n n := ⟨Blue.of h, Near.self⟩

theorem iff_style (n : Nat) : Green n ↔ Blue n :=
  ⟨Blue.of, fun h => by cases h with | of h => exact h⟩

theorem ne_style : ∀ n : Nat, n + 1 ≠ n := by
  intro n h
  induction n with
  | zero => exact Nat.noConfusion h
  | succ n ih => exact ih (Nat.succ.inj h)

theorem some_near (n : Nat) : ∃ m, Near n m := ⟨n, Near.self⟩

theorem green_of_near {n m : Nat} (h : Near n m) : Green m → Green (m + 2) := fun h => Green.up h

theorem near_up (n : Nat) : Near n (n + 1) := Near.up

theorem step_le (n : Nat) : n ≤ n + 1 := Nat.le.step Nat.le.refl

theorem either {n : Nat} (h : Near n n) : Green n ∨ Red n → Near n n := fun _ => h

end Uses

theorem LE.le.trans {a b c : Nat} (h : a ≤ b) (k : b ≤ c) : a ≤ c := by
  induction k with
  | refl => exact h
  | step _ ih => exact Nat.le.step ih

theorem LT.lt.le {a b : Nat} (h : a < b) : a ≤ b := LE.le.trans (Uses.step_le a) h
