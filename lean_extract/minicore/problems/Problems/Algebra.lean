import Example.Algebra.Subgroup

/-!
# Problems on groups, homomorphisms and subgroups
-/

universe u v w

namespace Problems

/-- level 1
The inverse of a product, from what it is multiplied with. -/
theorem inv_product_eq {G : Type u} [Group G] (a b c : G) (h : a * b * c = 1) : (a * b)⁻¹ = c := by
  exact inv_eq_of_mul_eq_one_right h

/-- level 1
Two exponents of a power change places. -/
theorem pow_pow_comm {M : Type u} [Monoid M] (a : M) (m n : ℕ) : (a ^ m) ^ n = (a ^ n) ^ m := by
  rw [← pow_mul, ← pow_mul, Nat.mul_comm]

/-- level 1
A quotient is in the kernel if and only if the values are the same. -/
theorem map_quotient_eq_one_iff {G : Type u} {H : Type v} [Group G] [Group H] (f : G →* H) (a b : G) :
    f (a * b⁻¹) = 1 ↔ f a = f b := by
  rw [f.map_mul_inv, mul_inv_eq_one]

/-- level 1
A subgroup with a product and its left factor has the right one. -/
theorem right_factor_mem {G : Type u} [Group G] (H : Subgroup G) (a b : G) (ha : a ∈ H)
    (hab : a * b ∈ H) : b ∈ H := by
  exact (Subgroup.mul_mem_cancel_left ha).mp hab

/-- level 1
A conjugate has the order of the element. -/
theorem conj_pow_eq_one_iff {G : Type u} [Group G] (a b : G) (n : ℕ) :
    (a * b * a⁻¹) ^ n = 1 ↔ b ^ n = 1 := by
  rw [conj_pow, conj_eq_one_iff]

/-- level 1
A homomorphism takes the inverse of a product to the inverses of the values. -/
theorem map_inv_product {G : Type u} {H : Type v} [Group G] [Group H] (f : G →* H) (a b : G) :
    f (a * b)⁻¹ = (f b)⁻¹ * (f a)⁻¹ := by
  simp

/-- level 2
A power of one element by the inverse of another stays in the subgroup. -/
theorem pow_mul_inv_mem {G : Type u} [Group G] (H : Subgroup G) (a b : G) (n : ℕ) (ha : a ∈ H)
    (hb : b ∈ H) : a ^ n * b⁻¹ ∈ H := by
  apply Subgroup.mul_inv_mem _ hb
  exact Subgroup.pow_mem ha n

/-- level 2
An injective homomorphism reflects that two elements commute. -/
theorem commute_of_map_commute {G : Type u} {H : Type v} [Group G] [Group H] (f : G →* H)
    (hf : Function.Injective f) (a b : G) (h : f a * f b = f b * f a) : a * b = b * a := by
  apply hf
  rw [f.map_mul, f.map_mul]
  exact h

/-- level 2
A factor from the kernel does not change the value. -/
theorem map_mul_of_mem_ker {G : Type u} {H : Type v} [Group G] [Group H] (f : G →* H) (a b : G)
    (h : a ∈ f.ker) : f (b * a) = f b := by
  rw [MonoidHom.mem_ker] at h
  rw [f.map_mul, h, mul_one]

/-- level 3
Elements commute if the square of their product is the product of their squares. -/
theorem commute_of_square_product {G : Type u} [Group G] (a b : G) (h : (a * b) ^ 2 = a ^ 2 * b ^ 2) :
    a * b = b * a := by
  rw [pow_two, pow_two, pow_two, mul_assoc, mul_assoc] at h
  have h₁ : b * (a * b) = a * (b * b) := mul_left_cancel h
  rw [← mul_assoc, ← mul_assoc] at h₁
  exact (mul_right_cancel h₁).symm

/-- level 3
The image of a commutative group is commutative. -/
theorem commute_of_surjective {G : Type u} {H : Type v} [CommGroup G] [Group H] (f : G →* H)
    (hf : Function.Surjective f) (x y : H) : x * y = y * x := by
  obtain ⟨a, rfl⟩ := hf x
  obtain ⟨b, rfl⟩ := hf y
  rw [← f.map_mul, mul_comm]
  exact f.map_mul b a

/-- level 3
A normal subgroup has a conjugate if and only if it has the element. -/
theorem conj_mem_iff {G : Type u} [Group G] (H : Subgroup G) (hH : H.Normal) (a b : G) :
    a * b * a⁻¹ ∈ H ↔ b ∈ H := by
  constructor
  · intro h
    have h₁ : a⁻¹ * (a * b) ∈ H := hH.mem_comm h
    rw [inv_mul_cancel_left] at h₁
    exact h₁
  · intro hb
    exact hH.conj_mem b hb a

/-- level 3
An injective homomorphism after another does not change the kernel. -/
theorem ker_comp_of_injective {G : Type u} {H : Type v} {K : Type w} [Group G] [Group H] [Group K]
    (f : G →* H) (g : H →* K) (hg : Function.Injective g) : (g.comp f).ker = f.ker := by
  apply Subgroup.ext
  intro x
  constructor
  · intro hx
    exact g.injective_iff.mp hg (f x) hx
  · intro hx
    exact MonoidHom.kernel_subset_kernel_comp g f x hx

end Problems
