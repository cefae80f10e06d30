import Example.Order.Basic

/-!
# Lattices

Partial orders with a supremum `a ⊔ b` and an infimum `a ⊓ b` of any two elements: the algebraic
laws, monotonicity, absorption, and distributive lattices. Sets are an example.
-/

universe u v

infixl:68 " ⊔ " => Max.max

infixl:69 " ⊓ " => Min.min

/-- A partial order in which any two elements have a supremum. -/
class SemilatticeSup (α : Type u) extends PartialOrder α, Max α where
  protected le_sup_left : ∀ a b : α, a ≤ a ⊔ b
  protected le_sup_right : ∀ a b : α, b ≤ a ⊔ b
  protected sup_le : ∀ a b c : α, a ≤ c → b ≤ c → a ⊔ b ≤ c

/-- A partial order in which any two elements have an infimum. -/
class SemilatticeInf (α : Type u) extends PartialOrder α, Min α where
  protected inf_le_left : ∀ a b : α, a ⊓ b ≤ a
  protected inf_le_right : ∀ a b : α, a ⊓ b ≤ b
  protected le_inf : ∀ a b c : α, a ≤ b → a ≤ c → a ≤ b ⊓ c

/-- A partial order in which any two elements have a supremum and an infimum. -/
class Lattice (α : Type u) extends SemilatticeSup α, SemilatticeInf α

/-- A lattice in which supremum distributes over infimum. -/
class DistribLattice (α : Type u) extends Lattice α where
  protected le_sup_inf : ∀ x y z : α, (x ⊔ y) ⊓ (x ⊔ z) ≤ x ⊔ y ⊓ z

section SemilatticeSup

variable {α : Type u} [SemilatticeSup α] {a b c d : α}

@[simp]
theorem le_sup_left : a ≤ a ⊔ b :=
  SemilatticeSup.le_sup_left a b

@[simp]
theorem le_sup_right : b ≤ a ⊔ b :=
  SemilatticeSup.le_sup_right a b

theorem le_sup_of_le_left (h : c ≤ a) : c ≤ a ⊔ b :=
  le_trans h le_sup_left

theorem le_sup_of_le_right (h : c ≤ b) : c ≤ a ⊔ b :=
  le_trans h le_sup_right

theorem sup_le : a ≤ c → b ≤ c → a ⊔ b ≤ c :=
  SemilatticeSup.sup_le a b c

@[simp]
theorem sup_le_iff : a ⊔ b ≤ c ↔ a ≤ c ∧ b ≤ c :=
  ⟨fun h => ⟨le_trans le_sup_left h, le_trans le_sup_right h⟩, fun h => sup_le h.left h.right⟩

@[simp]
theorem sup_eq_left : a ⊔ b = a ↔ b ≤ a := by
  rw [le_antisymm_iff, sup_le_iff]
  exact ⟨fun h => h.left.right, fun h => ⟨⟨le_rfl, h⟩, le_sup_left⟩⟩

@[simp]
theorem sup_eq_right : a ⊔ b = b ↔ a ≤ b := by
  rw [le_antisymm_iff, sup_le_iff]
  exact ⟨fun h => h.left.left, fun h => ⟨⟨h, le_rfl⟩, le_sup_right⟩⟩

@[simp]
theorem sup_idem (a : α) : a ⊔ a = a :=
  sup_eq_left.mpr le_rfl

theorem sup_comm (a b : α) : a ⊔ b = b ⊔ a :=
  le_antisymm (sup_le le_sup_right le_sup_left) (sup_le le_sup_right le_sup_left)

theorem sup_assoc (a b c : α) : a ⊔ b ⊔ c = a ⊔ (b ⊔ c) := by
  apply eq_of_forall_ge_iff
  intro d
  rw [sup_le_iff, sup_le_iff, sup_le_iff, sup_le_iff, and_assoc]

theorem sup_left_comm (a b c : α) : a ⊔ (b ⊔ c) = b ⊔ (a ⊔ c) := by
  rw [← sup_assoc, sup_comm a b, sup_assoc]

theorem sup_le_sup (h₁ : a ≤ b) (h₂ : c ≤ d) : a ⊔ c ≤ b ⊔ d :=
  sup_le (le_sup_of_le_left h₁) (le_sup_of_le_right h₂)

theorem sup_le_sup_left (h : a ≤ b) (c : α) : c ⊔ a ≤ c ⊔ b :=
  sup_le_sup le_rfl h

theorem sup_le_sup_right (h : a ≤ b) (c : α) : a ⊔ c ≤ b ⊔ c :=
  sup_le_sup h le_rfl

end SemilatticeSup

section SemilatticeInf

variable {α : Type u} [SemilatticeInf α] {a b c d : α}

@[simp]
theorem inf_le_left : a ⊓ b ≤ a :=
  SemilatticeInf.inf_le_left a b

@[simp]
theorem inf_le_right : a ⊓ b ≤ b :=
  SemilatticeInf.inf_le_right a b

theorem inf_le_of_left_le (h : a ≤ c) : a ⊓ b ≤ c :=
  le_trans inf_le_left h

theorem inf_le_of_right_le (h : b ≤ c) : a ⊓ b ≤ c :=
  le_trans inf_le_right h

theorem le_inf : a ≤ b → a ≤ c → a ≤ b ⊓ c :=
  SemilatticeInf.le_inf a b c

@[simp]
theorem le_inf_iff : a ≤ b ⊓ c ↔ a ≤ b ∧ a ≤ c :=
  ⟨fun h => ⟨le_trans h inf_le_left, le_trans h inf_le_right⟩, fun h => le_inf h.left h.right⟩

@[simp]
theorem inf_eq_left : a ⊓ b = a ↔ a ≤ b := by
  rw [le_antisymm_iff, le_inf_iff]
  exact ⟨fun h => h.right.right, fun h => ⟨inf_le_left, le_rfl, h⟩⟩

@[simp]
theorem inf_eq_right : a ⊓ b = b ↔ b ≤ a := by
  rw [le_antisymm_iff, le_inf_iff]
  exact ⟨fun h => h.right.left, fun h => ⟨inf_le_right, h, le_rfl⟩⟩

@[simp]
theorem inf_idem (a : α) : a ⊓ a = a :=
  inf_eq_left.mpr le_rfl

theorem inf_comm (a b : α) : a ⊓ b = b ⊓ a :=
  le_antisymm (le_inf inf_le_right inf_le_left) (le_inf inf_le_right inf_le_left)

theorem inf_assoc (a b c : α) : a ⊓ b ⊓ c = a ⊓ (b ⊓ c) := by
  apply eq_of_forall_le_iff
  intro d
  rw [le_inf_iff, le_inf_iff, le_inf_iff, le_inf_iff, and_assoc]

theorem inf_left_comm (a b c : α) : a ⊓ (b ⊓ c) = b ⊓ (a ⊓ c) := by
  rw [← inf_assoc, inf_comm a b, inf_assoc]

theorem inf_le_inf (h₁ : a ≤ b) (h₂ : c ≤ d) : a ⊓ c ≤ b ⊓ d :=
  le_inf (inf_le_of_left_le h₁) (inf_le_of_right_le h₂)

theorem inf_le_inf_left (c : α) (h : a ≤ b) : c ⊓ a ≤ c ⊓ b :=
  inf_le_inf le_rfl h

theorem inf_le_inf_right (c : α) (h : a ≤ b) : a ⊓ c ≤ b ⊓ c :=
  inf_le_inf h le_rfl

end SemilatticeInf

section Lattice

variable {α : Type u} [Lattice α] {a b c d : α}

theorem inf_le_sup : a ⊓ b ≤ a ⊔ b :=
  le_trans inf_le_left le_sup_left

/-- Absorption. -/
@[simp]
theorem inf_sup_self : a ⊓ (a ⊔ b) = a :=
  inf_eq_left.mpr le_sup_left

/-- Absorption. -/
@[simp]
theorem sup_inf_self : a ⊔ a ⊓ b = a :=
  sup_eq_left.mpr inf_le_left

theorem sup_eq_iff_inf_eq : a ⊔ b = b ↔ a ⊓ b = a := by
  rw [sup_eq_right, inf_eq_left]

/-- One half of distributivity holds in every lattice. -/
theorem sup_inf_le : a ⊔ b ⊓ c ≤ (a ⊔ b) ⊓ (a ⊔ c) := by
  apply le_inf
  · apply sup_le_sup_left
    exact inf_le_left
  · apply sup_le_sup_left
    exact inf_le_right

theorem le_inf_sup : a ⊓ b ⊔ a ⊓ c ≤ a ⊓ (b ⊔ c) :=
  sup_le (inf_le_inf_left a le_sup_left) (inf_le_inf_left a le_sup_right)

/-- The modular inequality. -/
theorem sup_inf_le_assoc_of_le (h : a ≤ c) : a ⊔ b ⊓ c ≤ (a ⊔ b) ⊓ c :=
  sup_le (le_inf le_sup_left h) (inf_le_inf_right c le_sup_right)

theorem inf_sup_inf_le : a ⊓ b ⊔ c ⊓ d ≤ (a ⊔ c) ⊓ (b ⊔ d) :=
  sup_le (inf_le_inf le_sup_left le_sup_left) (inf_le_inf le_sup_right le_sup_right)

end Lattice

section DistribLattice

variable {α : Type u} [DistribLattice α] {a b c x y z : α}

theorem le_sup_inf : (x ⊔ y) ⊓ (x ⊔ z) ≤ x ⊔ y ⊓ z :=
  DistribLattice.le_sup_inf x y z

/-- Supremum distributes over infimum. -/
theorem sup_inf_left (a b c : α) : a ⊔ b ⊓ c = (a ⊔ b) ⊓ (a ⊔ c) :=
  le_antisymm sup_inf_le le_sup_inf

theorem sup_inf_right (a b c : α) : a ⊓ b ⊔ c = (a ⊔ c) ⊓ (b ⊔ c) := by
  rw [sup_comm, sup_inf_left, sup_comm c a, sup_comm c b]

/-- Infimum distributes over supremum. -/
theorem inf_sup_left (a b c : α) : a ⊓ (b ⊔ c) = a ⊓ b ⊔ a ⊓ c := by
  calc
    a ⊓ (b ⊔ c) = a ⊓ (a ⊔ c) ⊓ (b ⊔ c) := by rw [inf_sup_self]
    _ = a ⊓ (a ⊓ b ⊔ c) := by rw [inf_assoc, ← sup_inf_right]
    _ = (a ⊓ b ⊔ a) ⊓ (a ⊓ b ⊔ c) := by rw [sup_comm (a ⊓ b) a, sup_inf_self]
    _ = a ⊓ b ⊔ a ⊓ c := by rw [← sup_inf_left]

theorem inf_sup_right (a b c : α) : (a ⊔ b) ⊓ c = a ⊓ c ⊔ b ⊓ c := by
  rw [inf_comm, inf_sup_left, inf_comm c a, inf_comm c b]

/-- In a distributive lattice, an element is known by its infimum and its supremum with another. -/
theorem eq_of_inf_eq_sup_eq (hi : b ⊓ a = c ⊓ a) (hs : b ⊔ a = c ⊔ a) : b = c := by
  have key : ∀ {x y : α}, x ⊓ a = y ⊓ a → x ⊔ a = y ⊔ a → x ≤ y := by
    intro x y hi hs
    calc
      x = x ⊓ (x ⊔ a) := inf_sup_self.symm
      _ = x ⊓ y ⊔ x ⊓ a := by rw [hs, inf_sup_left]
      _ = x ⊓ y ⊔ y ⊓ a := by rw [hi]
      _ ≤ y := sup_le inf_le_right inf_le_left
  exact le_antisymm (key hi hs) (key hi.symm hs.symm)

end DistribLattice

section Monotone

variable {α : Type u} {β : Type v}

theorem Monotone.le_map_sup [SemilatticeSup α] [SemilatticeSup β] {f : α → β} (h : Monotone f)
    (x y : α) : f x ⊔ f y ≤ f (x ⊔ y) :=
  sup_le (h le_sup_left) (h le_sup_right)

theorem Monotone.map_inf_le [SemilatticeInf α] [SemilatticeInf β] {f : α → β} (h : Monotone f)
    (x y : α) : f (x ⊓ y) ≤ f x ⊓ f y :=
  le_inf (h inf_le_left) (h inf_le_right)

end Monotone

section Instances

variable {α : Type u}

/-- Sets are a distributive lattice. -/
instance Set.instDistribLattice : DistribLattice (Set α) where
  max s t := s ∪ t
  min s t := s ∩ t
  le_sup_left _ _ := Set.subset_union_left
  le_sup_right _ _ := Set.subset_union_right
  sup_le _ _ _ := Set.union_subset
  inf_le_left _ _ := Set.inter_subset_left
  inf_le_right _ _ := Set.inter_subset_right
  le_inf _ _ _ := Set.subset_inter
  le_sup_inf s t r := le_of_eq (Set.union_inter_distrib_left s t r).symm

theorem Set.sup_eq_union (s t : Set α) : s ⊔ t = s ∪ t :=
  rfl

theorem Set.inf_eq_inter (s t : Set α) : s ⊓ t = s ∩ t :=
  rfl

end Instances
