import Example.Algebra.Subgroup
import Example.Order.GaloisConnection

/-!
# Goals for a demonstration

Unfinished proofs that one lemma of the library finishes, with hypotheses in the context.
-/

universe u v

namespace Unfinished

section Lattice

variable {α : Type u} [Lattice α]

/-- The modular inequality: one half of what makes a lattice modular. -/
theorem modular_inequality (a b c : α) (h : a ≤ c) : a ⊔ b ⊓ c ≤ (a ⊔ b) ⊓ c := by
  sorry

/-- A lattice is known by its order. -/
theorem join_eq_of_le (a b : α) (h : a ≤ b) : a ⊔ b = b := by
  sorry

end Lattice

section Group

variable {G : Type u} {H : Type v} [Group G] [Group H]

/-- Inverses are unique. -/
theorem inverse_unique (a b : G) (h : a * b = 1) : a⁻¹ = b := by
  sorry

/-- An injective homomorphism has a trivial kernel. -/
theorem eq_one_of_map_eq_one (f : G →* H) (hf : Function.Injective f) (a : G) (ha : f a = 1) :
    a = 1 := by
  have trivial_kernel : ∀ x, f x = 1 → x = 1 := by
    sorry
  exact trivial_kernel a ha

end Group

end Unfinished
