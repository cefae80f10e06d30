import Lib.Basic

/-! Addition of natural numbers. -/

namespace Lib

def double (n : Nat) : Nat := n + n

theorem zero_plus (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg Nat.succ ih

theorem plus_zero (n : Nat) : n + 0 = n := rfl

theorem succ_plus (n m : Nat) : n.succ + m = (n + m).succ := by
  induction m with
  | zero => rfl
  | succ m ih => exact congrArg Nat.succ ih

theorem plus_swap (n m : Nat) : n + m = m + n := by
  induction m with
  | zero => exact (zero_plus n).symm
  | succ m ih => rw [succ_plus, ← ih]; rfl

end Lib
