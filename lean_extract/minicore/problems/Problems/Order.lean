import Example.Nat.Prime
import Example.Order.GaloisConnection

/-!
# Problems on orders, lattices and Galois connections
-/

universe u v

namespace Problems

/-- level 1
The modular inequality with `b ⊓ d` in the middle. -/
theorem modular_inf {α : Type u} [Lattice α] (a b c d : α) (h : a ≤ c) :
    a ⊔ b ⊓ d ⊓ c ≤ (a ⊔ b ⊓ d) ⊓ c := by
  exact sup_inf_le_assoc_of_le h

/-- level 1
The first of three in a supremum goes to the end. -/
theorem sup_rotate {α : Type u} [SemilatticeSup α] (a b c : α) : a ⊔ b ⊔ c = b ⊔ c ⊔ a := by
  rw [sup_assoc, sup_comm]

/-- level 1
An antitone function done twice is monotone. -/
theorem antitone_twice {α : Type u} [Preorder α] (f : α → α) (hf : Antitone f) : Monotone (f ∘ f) := by
  exact hf.comp hf

/-- level 1
The lower adjoint of a supremum is bounded by what bounds both. -/
theorem adjoint_sup_le_iff {α : Type u} {β : Type v} [Lattice α] [Lattice β] (l : α → β) (u : β → α)
    (gc : GaloisConnection l u) (a₁ a₂ : α) (b : β) : l (a₁ ⊔ a₂) ≤ b ↔ a₁ ≤ u b ∧ a₂ ≤ u b := by
  rw [gc, sup_le_iff]

/-- level 2
An infimum is below a supremum if an element of the one is below an element of the other. -/
theorem inf_le_sup_of_le {α : Type u} [Lattice α] (a b c d : α) (h : a ≤ b) : a ⊓ c ≤ d ⊔ b := by
  apply inf_le_of_left_le
  exact le_sup_of_le_right h

/-- level 2
The closure operator of a Galois connection is monotone. -/
theorem closure_monotone {α : Type u} {β : Type v} [Preorder α] [Preorder β] (l : α → β) (u : β → α)
    (gc : GaloisConnection l u) : Monotone (u ∘ l) := by
  apply Monotone.comp
  · exact gc.monotone_u
  · exact gc.monotone_l

/-- level 2
From a linear order, a monotone function reflects `<`. -/
theorem lt_of_map_lt {α : Type u} {β : Type v} [LinearOrder α] [Preorder β] (f : α → β) (hf : Monotone f)
    (a b : α) (h : f a < f b) : a < b := by
  apply not_le.mp
  intro hba
  exact not_le_of_gt h (hf hba)

/-- level 2
The factorial is monotone. -/
theorem monotone_factorial : Monotone Nat.factorial := by
  apply Nat.monotone_of_le_succ
  intro n
  exact Nat.le_mul_of_pos_right n.factorial (Nat.zero_lt_succ n)

/-- level 3
Elements with one supremum and infimum are the same. -/
theorem eq_of_sup_eq_inf {α : Type u} [Lattice α] (a b : α) (h : a ⊔ b = a ⊓ b) : a = b := by
  have h₁ : a ⊔ b ≤ b := le_trans (le_of_eq h) inf_le_right
  have h₂ : a ⊔ b ≤ a := le_trans (le_of_eq h) inf_le_left
  apply le_antisymm
  · exact le_trans le_sup_left h₁
  · exact le_trans le_sup_right h₂

/-- level 3
In a distributive lattice a middle element can be cut. -/
theorem cut_rule {α : Type u} [DistribLattice α] (a b c : α) (h : a ⊓ b ≤ c) (h' : a ≤ b ⊔ c) : a ≤ c := by
  have he : a ⊓ (b ⊔ c) = a := inf_eq_left.mpr h'
  rw [← he, inf_sup_left]
  apply sup_le
  · exact h
  · exact inf_le_right

/-- level 3
The supremum of two infima with a common element. -/
theorem sup_inf_common_le {α : Type u} [Lattice α] (a b c : α) : a ⊓ b ⊔ b ⊓ c ≤ b ⊓ (a ⊔ c) := by
  apply sup_le
  · apply le_inf
    · exact inf_le_right
    · exact inf_le_of_left_le le_sup_left
  · apply le_inf
    · exact inf_le_left
    · exact inf_le_of_right_le le_sup_right

/-- level 3
A monotone injective function is strictly monotone. -/
theorem map_lt_of_injective {α : Type u} {β : Type v} [PartialOrder α] [PartialOrder β] (f : α → β)
    (hf : Monotone f) (hi : Function.Injective f) (a b : α) (h : a < b) : f a < f b := by
  apply lt_of_le_of_ne
  · exact hf (le_of_lt h)
  · intro he
    exact ne_of_lt h (hi he)

end Problems
