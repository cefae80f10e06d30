import Example.Set.Image
import Example.Nat.Parity

/-!
# Several goals at once, and rewriting with hypotheses
-/

universe u v

namespace Unfinished

/-- Two goals after `constructor`, each closed by a lemma of its own. -/
theorem inter_subset_both {α : Type u} (s t : Set α) : s ∩ t ⊆ s ∧ s ∩ t ⊆ t := by
  constructor
  · sorry
  · sorry

/-- Base case and step of an induction are both open. -/
theorem even_double (n : ℕ) : (n + n).Even := by
  induction n with
  | zero => sorry
  | succ n ih => sorry

/-- A rewriting step leaves `m + k = m + k`. -/
theorem add_swap (m n k : ℕ) (h : n = k) : m + n = k + m := by
  rw [h]
  sorry

theorem image_of_preimage {α : Type u} {β : Type v} (f : α → β) (hf : Function.Surjective f) (t : Set β) :
    f '' (f ⁻¹' t) = t := by
  have first : f '' (f ⁻¹' t) ⊆ t := by
    sorry
  have second : t ⊆ f '' (f ⁻¹' t) := by
    sorry
  exact Set.Subset.antisymm first second

end Unfinished
