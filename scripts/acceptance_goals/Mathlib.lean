import Mathlib

/-! Twenty goals of our own, for `scripts/acceptance.py` in a project with Mathlib. -/

namespace PremiseSuggestGoals

theorem g01 (a b c : ℕ) (h : a ≤ b) : a * c ≤ b * c := by
  sorry

theorem g02 (a b : ℤ) (h : a ∣ b) : a ∣ -b := by
  sorry

theorem g03 (x y : ℝ) (hx : 0 < x) (hy : 0 < y) : 0 < x * y := by
  sorry

theorem g04 (x : ℝ) : |x| = |-x| := by
  sorry

theorem g05 (s t : Set ℕ) : s ∩ t ⊆ t := by
  sorry

theorem g06 (s t u : Set ℕ) : s ∩ (t ∪ u) = s ∩ t ∪ s ∩ u := by
  sorry

theorem g07 {G : Type*} [Group G] (a b : G) : (a * b)⁻¹ = b⁻¹ * a⁻¹ := by
  sorry

theorem g08 {G : Type*} [CommGroup G] (a b : G) (n : ℕ) : (a * b) ^ n = a ^ n * b ^ n := by
  sorry

theorem g09 {α : Type*} (xs ys : List α) : (xs ++ ys).length = ys.length + xs.length := by
  sorry

theorem g10 {α β : Type*} (f : α → β) (xs ys : List α) : (xs ++ ys).map f = xs.map f ++ ys.map f := by
  sorry

theorem g11 (f g : ℝ → ℝ) (hf : Continuous f) (hg : Continuous g) : Continuous fun x ↦ f x + g x := by
  sorry

theorem g12 {α : Type*} [Lattice α] (a b : α) : a ⊓ b ≤ a ⊔ b := by
  sorry

theorem g13 {α β : Type*} (f : α → β) (s : Set α) : s ⊆ f ⁻¹' (f '' s) := by
  sorry

theorem g14 (p q : Prop) : ¬(p ∧ q) ↔ (p → ¬q) := by
  sorry

theorem g15 (n : ℕ) (h : Nat.Prime n) : 2 ≤ n := by
  sorry

theorem g16 (a b c : ℝ) (h₁ : a ≤ b) (h₂ : b < c) : a < c := by
  sorry

theorem g17 {R : Type*} [CommRing R] (x y : R) : (x + y) ^ 2 = x ^ 2 + 2 * x * y + y ^ 2 := by
  sorry

theorem g18 (s : Finset ℕ) (h : s.card = 0) : s = ∅ := by
  sorry

theorem g19 {α : Type*} (f : α → ℕ) (a b : α) (h : a = b) : (fun x ↦ f x + 0) a = f b := by
  sorry

theorem g20 {K V : Type*} [Field K] [AddCommGroup V] [Module K V] (v : V) : (0 : K) • v = 0 := by
  sorry

end PremiseSuggestGoals
