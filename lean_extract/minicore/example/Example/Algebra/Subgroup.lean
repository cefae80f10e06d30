import Example.Algebra.Hom
import Example.Order.Lattice

/-!
# Subgroups

Sets of elements of a group that are closed under the operations. They are ordered by inclusion, have
infima, and contain the kernels and the ranges of homomorphisms; centralizers are another example.
-/

universe u v

/-- A set of elements closed under `1`, `*` and `⁻¹`. -/
structure Subgroup (G : Type u) [Group G] where
  /-- The elements. -/
  carrier : Set G
  protected one_mem' : 1 ∈ carrier
  protected mul_mem' : ∀ {a b}, a ∈ carrier → b ∈ carrier → a * b ∈ carrier
  protected inv_mem' : ∀ {a}, a ∈ carrier → a⁻¹ ∈ carrier

namespace Subgroup

variable {G : Type u} [Group G] {H K : Subgroup G} {a b : G}

instance instMembership : Membership G (Subgroup G) where
  mem H a := a ∈ H.carrier

@[simp]
theorem mem_carrier : a ∈ H.carrier ↔ a ∈ H :=
  Iff.rfl

theorem one_mem (H : Subgroup G) : 1 ∈ H :=
  H.one_mem'

theorem mul_mem (ha : a ∈ H) (hb : b ∈ H) : a * b ∈ H :=
  H.mul_mem' ha hb

theorem inv_mem (h : a ∈ H) : a⁻¹ ∈ H :=
  H.inv_mem' h

/-- Subgroups with the same elements are the same. -/
theorem ext (h : ∀ x, x ∈ H ↔ x ∈ K) : H = K := by
  obtain ⟨s, _, _, _⟩ := H
  obtain ⟨t, _, _, _⟩ := K
  have hst : s = t := Set.ext h
  subst hst
  rfl

@[simp]
theorem inv_mem_iff : a⁻¹ ∈ H ↔ a ∈ H := by
  constructor
  · intro h
    rw [← inv_inv a]
    exact inv_mem h
  · exact inv_mem

theorem mul_mem_cancel_right (ha : a ∈ H) : b * a ∈ H ↔ b ∈ H := by
  constructor
  · intro h
    rw [← mul_inv_cancel_right b a]
    exact mul_mem h (inv_mem ha)
  · intro hb
    exact mul_mem hb ha

theorem mul_mem_cancel_left (ha : a ∈ H) : a * b ∈ H ↔ b ∈ H := by
  constructor
  · intro h
    rw [← inv_mul_cancel_left a b]
    exact mul_mem (inv_mem ha) h
  · exact mul_mem ha

theorem mul_inv_mem (ha : a ∈ H) (hb : b ∈ H) : a * b⁻¹ ∈ H :=
  mul_mem ha (inv_mem hb)

theorem pow_mem (h : a ∈ H) (n : ℕ) : a ^ n ∈ H := by
  induction n with
  | zero => exact H.one_mem
  | succ n ih => exact mul_mem ih h

section Lattice

/-- Subgroups ordered by inclusion. -/
instance instPartialOrder : PartialOrder (Subgroup G) where
  le H K := ∀ x, x ∈ H → x ∈ K
  le_refl _ _ h := h
  le_trans _ _ _ h₁ h₂ x hx := h₂ x (h₁ x hx)
  lt_iff_le_not_ge _ _ := Iff.rfl
  le_antisymm _ _ h₁ h₂ := ext fun x => ⟨h₁ x, h₂ x⟩

/-- The intersection of two subgroups is a subgroup. -/
instance instSemilatticeInf : SemilatticeInf (Subgroup G) where
  min H K :=
    { carrier := H.carrier ∩ K.carrier
      one_mem' := ⟨H.one_mem, K.one_mem⟩
      mul_mem' := fun ha hb => ⟨mul_mem ha.left hb.left, mul_mem ha.right hb.right⟩
      inv_mem' := fun ha => ⟨inv_mem ha.left, inv_mem ha.right⟩ }
  inf_le_left _ _ _ := And.left
  inf_le_right _ _ _ := And.right
  le_inf _ _ _ h₁ h₂ x hx := ⟨h₁ x hx, h₂ x hx⟩

theorem mem_inf : a ∈ H ⊓ K ↔ a ∈ H ∧ a ∈ K :=
  Iff.rfl

theorem le_def : H ≤ K ↔ ∀ x, x ∈ H → x ∈ K :=
  Iff.rfl

/-- The subgroup of the neutral element. -/
def bot (G : Type u) [Group G] : Subgroup G where
  carrier := {x | x = 1}
  one_mem' := rfl
  mul_mem' := by
    rintro a b rfl rfl
    exact mul_one 1
  inv_mem' := by
    rintro a rfl
    exact inv_one

/-- The whole group. -/
def top (G : Type u) [Group G] : Subgroup G where
  carrier := Set.univ
  one_mem' := trivial
  mul_mem' := fun _ _ => trivial
  inv_mem' := fun _ => trivial

theorem mem_bot : a ∈ bot G ↔ a = 1 :=
  Iff.rfl

theorem mem_top (a : G) : a ∈ top G :=
  trivial

theorem bot_le (H : Subgroup G) : bot G ≤ H := by
  rintro x rfl
  exact H.one_mem

theorem le_top (H : Subgroup G) : H ≤ top G :=
  fun x _ => mem_top x

end Lattice

section Centralizer

/-- The elements that commute with `a`. -/
def centralizer (a : G) : Subgroup G where
  carrier := {x | x * a = a * x}
  one_mem' := by
    show 1 * a = a * 1
    rw [one_mul, mul_one]
  mul_mem' := by
    intro x y (hx : x * a = a * x) (hy : y * a = a * y)
    show x * y * a = a * (x * y)
    rw [mul_assoc, hy, ← mul_assoc, hx, mul_assoc]
  inv_mem' := by
    intro x (hx : x * a = a * x)
    show x⁻¹ * a = a * x⁻¹
    rw [inv_mul_eq_iff_eq_mul, ← mul_assoc, hx, mul_inv_cancel_right]

theorem mem_centralizer : b ∈ centralizer a ↔ b * a = a * b :=
  Iff.rfl

theorem self_mem_centralizer (a : G) : a ∈ centralizer a :=
  rfl

theorem mem_centralizer_comm : b ∈ centralizer a ↔ a ∈ centralizer b := by
  rw [mem_centralizer, mem_centralizer, eq_comm]

end Centralizer

/-- A subgroup that contains all conjugates of its elements. -/
structure Normal (H : Subgroup G) : Prop where
  /-- Conjugates stay inside. -/
  conj_mem : ∀ n, n ∈ H → ∀ g, g * n * g⁻¹ ∈ H

theorem Normal.mem_comm (hH : H.Normal) (h : a * b ∈ H) : b * a ∈ H := by
  have hconj : b * (a * b) * b⁻¹ ∈ H := hH.conj_mem (a * b) h b
  rw [← mul_assoc, mul_inv_cancel_right] at hconj
  exact hconj

theorem Normal.mem_comm_iff (hH : H.Normal) : a * b ∈ H ↔ b * a ∈ H :=
  ⟨hH.mem_comm, hH.mem_comm⟩

theorem Normal.inf (hH : H.Normal) (hK : K.Normal) : (H ⊓ K).Normal where
  conj_mem n hn g := ⟨hH.conj_mem n hn.left g, hK.conj_mem n hn.right g⟩

theorem normal_bot : (bot G).Normal where
  conj_mem _ hn _ := conj_eq_one_iff.mpr hn

theorem normal_of_comm {A : Type u} [CommGroup A] (H : Subgroup A) : H.Normal where
  conj_mem n hn g := by
    rw [mul_inv_cancel_comm]
    exact hn

end Subgroup

namespace MonoidHom

variable {G : Type u} {H : Type v} [Group G] [Group H]

/-- The kernel of a homomorphism as a subgroup. -/
def ker (f : G →* H) : Subgroup G where
  carrier := f.kernel
  one_mem' := f.one_mem_kernel
  mul_mem' := by
    intro a b ha hb
    rw [mem_kernel] at *
    rw [f.map_mul, ha, hb, mul_one]
  inv_mem' := by
    intro a ha
    rw [mem_kernel] at *
    rw [f.map_inv, ha, inv_one]

theorem mem_ker {f : G →* H} {x : G} : x ∈ f.ker ↔ f x = 1 :=
  Iff.rfl

/-- Kernels are normal. -/
theorem normal_ker (f : G →* H) : f.ker.Normal where
  conj_mem n hn g := by
    rw [mem_ker] at *
    rw [f.map_conj, hn, mul_one, mul_inv_cancel]

theorem ker_eq_bot_iff (f : G →* H) : f.ker = Subgroup.bot G ↔ Function.Injective f := by
  rw [f.injective_iff]
  constructor
  · intro h a ha
    have hmem : a ∈ f.ker := ha
    rw [h] at hmem
    exact hmem
  · intro h
    apply le_antisymm
    · exact h
    · exact Subgroup.bot_le f.ker

/-- The values of a homomorphism as a subgroup. -/
def range (f : G →* H) : Subgroup H where
  carrier := Set.range f
  one_mem' := ⟨1, f.map_one⟩
  mul_mem' := by
    rintro _ _ ⟨a, rfl⟩ ⟨b, rfl⟩
    exact ⟨a * b, f.map_mul a b⟩
  inv_mem' := by
    rintro _ ⟨a, rfl⟩
    exact ⟨a⁻¹, f.map_inv a⟩

theorem mem_range {f : G →* H} {y : H} : y ∈ f.range ↔ ∃ x, f x = y :=
  Iff.rfl

theorem range_eq_top_iff (f : G →* H) : f.range = Subgroup.top H ↔ Function.Surjective f := by
  constructor
  · intro h y
    have hy : y ∈ f.range := h ▸ Subgroup.mem_top y
    exact hy
  · intro hf
    apply le_antisymm
    · exact Subgroup.le_top f.range
    · intro y _
      exact hf y

end MonoidHom
