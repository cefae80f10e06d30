import Example.Logic.Classical

/-!
# Sets

Sets of elements of a type as predicates: membership, inclusion, union, intersection, difference and
complement, and the laws between them.
-/

universe u v

/-- A set of elements of `α`, given by a predicate. -/
def Set (α : Type u) : Type u :=
  α → Prop

/-- The set of all elements with the property `p`. -/
def setOf {α : Type u} (p : α → Prop) : Set α :=
  p

/-- `{x | p x}` is the set of all `x` with the property `p`. -/
macro (priority := high) "{" x:ident " | " p:term "}" : term => `(setOf fun $x:ident => $p)

/-- Prints `setOf fun x => p x` as `{x | p x}`. -/
@[app_unexpander setOf]
def unexpandSetOf : Lean.PrettyPrinter.Unexpander
  | `($_ fun $x:ident => $p) => `({$x:ident | $p})
  | _ => throw ()

namespace Set

variable {α : Type u}

instance instMembership : Membership α (Set α) where
  mem s a := s a

instance instHasSubset : HasSubset (Set α) where
  Subset s t := ∀ a, a ∈ s → a ∈ t

instance instUnion : Union (Set α) where
  union s t := {a | a ∈ s ∨ a ∈ t}

instance instInter : Inter (Set α) where
  inter s t := {a | a ∈ s ∧ a ∈ t}

instance instSDiff : SDiff (Set α) where
  sdiff s t := {a | a ∈ s ∧ ¬a ∈ t}

instance instEmptyCollection : EmptyCollection (Set α) where
  emptyCollection := {_a | False}

/-- The set of all elements. -/
def univ : Set α :=
  {_a | True}

/-- The set of all elements that are not in `s`. -/
def compl (s : Set α) : Set α :=
  {a | ¬a ∈ s}

@[inherit_doc] postfix:1024 "ᶜ" => Set.compl

variable {a : α} {s t r : Set α}

section Membership

@[simp]
theorem mem_setOf_eq {p : α → Prop} : (a ∈ {x | p x}) = p a :=
  rfl

/-- Sets with the same elements are the same. -/
theorem ext (h : ∀ x, x ∈ s ↔ x ∈ t) : s = t :=
  funext fun x => propext (h x)

theorem ext_iff : s = t ↔ ∀ x, x ∈ s ↔ x ∈ t := by
  constructor
  · rintro rfl x
    exact Iff.rfl
  · exact ext

@[simp]
theorem mem_union (a : α) (s t : Set α) : a ∈ s ∪ t ↔ a ∈ s ∨ a ∈ t :=
  Iff.rfl

@[simp]
theorem mem_inter_iff (a : α) (s t : Set α) : a ∈ s ∩ t ↔ a ∈ s ∧ a ∈ t :=
  Iff.rfl

@[simp]
theorem mem_diff (a : α) (s t : Set α) : a ∈ s \ t ↔ a ∈ s ∧ ¬a ∈ t :=
  Iff.rfl

@[simp]
theorem mem_compl_iff (s : Set α) (a : α) : a ∈ sᶜ ↔ ¬a ∈ s :=
  Iff.rfl

@[simp]
theorem mem_univ (a : α) : a ∈ univ :=
  trivial

@[simp]
theorem notMem_empty (a : α) : ¬a ∈ (∅ : Set α) :=
  fun h => h

theorem mem_union_left (t : Set α) (h : a ∈ s) : a ∈ s ∪ t :=
  Or.inl h

theorem mem_union_right (s : Set α) (h : a ∈ t) : a ∈ s ∪ t :=
  Or.inr h

theorem mem_inter (hs : a ∈ s) (ht : a ∈ t) : a ∈ s ∩ t :=
  ⟨hs, ht⟩

end Membership

section Subset

theorem subset_def : s ⊆ t ↔ ∀ x, x ∈ s → x ∈ t :=
  Iff.rfl

@[simp]
theorem Subset.refl (s : Set α) : s ⊆ s :=
  fun _ h => h

theorem Subset.trans (hst : s ⊆ t) (htr : t ⊆ r) : s ⊆ r :=
  fun a ha => htr a (hst a ha)

theorem Subset.antisymm (hst : s ⊆ t) (hts : t ⊆ s) : s = t :=
  ext fun a => ⟨hst a, hts a⟩

theorem mem_of_subset_of_mem (h : s ⊆ t) (ha : a ∈ s) : a ∈ t :=
  h a ha

@[simp]
theorem empty_subset (s : Set α) : ∅ ⊆ s :=
  fun _ h => False.elim h

@[simp]
theorem subset_univ (s : Set α) : s ⊆ univ :=
  fun _ _ => trivial

theorem subset_empty_iff : s ⊆ ∅ ↔ s = ∅ := by
  constructor
  · intro h
    exact Subset.antisymm h (empty_subset s)
  · rintro rfl
    exact Subset.refl ∅

theorem eq_empty_iff_forall_notMem : s = ∅ ↔ ∀ x, ¬x ∈ s := by
  rw [← subset_empty_iff]
  exact Iff.rfl

end Subset

section Union

theorem union_comm (s t : Set α) : s ∪ t = t ∪ s :=
  ext fun _ => or_comm

theorem union_assoc (s t r : Set α) : s ∪ t ∪ r = s ∪ (t ∪ r) :=
  ext fun _ => or_assoc

@[simp]
theorem union_self (s : Set α) : s ∪ s = s := by
  apply ext
  intro a
  simp

@[simp]
theorem union_empty (s : Set α) : s ∪ ∅ = s := by
  apply ext
  simp

@[simp]
theorem empty_union (s : Set α) : ∅ ∪ s = s := by
  rw [union_comm, union_empty]

theorem subset_union_left : s ⊆ s ∪ t :=
  fun _ => Or.inl

theorem subset_union_right : t ⊆ s ∪ t :=
  fun _ => Or.inr

theorem union_subset (hs : s ⊆ r) (ht : t ⊆ r) : s ∪ t ⊆ r :=
  fun a h => h.elim (hs a) (ht a)

theorem union_subset_iff : s ∪ t ⊆ r ↔ s ⊆ r ∧ t ⊆ r := by
  constructor
  · intro h
    exact ⟨Subset.trans subset_union_left h, Subset.trans subset_union_right h⟩
  · rintro ⟨hs, ht⟩
    exact union_subset hs ht

theorem union_subset_union {s₁ s₂ t₁ t₂ : Set α} (h₁ : s₁ ⊆ s₂) (h₂ : t₁ ⊆ t₂) :
    s₁ ∪ t₁ ⊆ s₂ ∪ t₂ :=
  fun a => Or.imp (h₁ a) (h₂ a)

theorem union_eq_right : s ∪ t = t ↔ s ⊆ t := by
  constructor
  · intro h
    rw [← h]
    exact subset_union_left
  · intro h
    exact Subset.antisymm (union_subset h (Subset.refl t)) subset_union_right

end Union

section Inter

theorem inter_comm (s t : Set α) : s ∩ t = t ∩ s :=
  ext fun _ => and_comm

theorem inter_assoc (s t r : Set α) : s ∩ t ∩ r = s ∩ (t ∩ r) :=
  ext fun _ => and_assoc

@[simp]
theorem inter_self (s : Set α) : s ∩ s = s := by
  apply ext
  simp

@[simp]
theorem inter_empty (s : Set α) : s ∩ ∅ = ∅ := by
  apply ext
  simp

@[simp]
theorem inter_univ (s : Set α) : s ∩ univ = s := by
  apply ext
  simp

theorem inter_subset_left : s ∩ t ⊆ s :=
  fun _ => And.left

theorem inter_subset_right : s ∩ t ⊆ t :=
  fun _ => And.right

theorem subset_inter (hs : r ⊆ s) (ht : r ⊆ t) : r ⊆ s ∩ t :=
  fun a h => ⟨hs a h, ht a h⟩

theorem subset_inter_iff : r ⊆ s ∩ t ↔ r ⊆ s ∧ r ⊆ t :=
  ⟨fun h => ⟨Subset.trans h inter_subset_left, Subset.trans h inter_subset_right⟩,
    fun h => subset_inter h.left h.right⟩

theorem inter_subset_inter {s₁ s₂ t₁ t₂ : Set α} (h₁ : s₁ ⊆ t₁) (h₂ : s₂ ⊆ t₂) :
    s₁ ∩ s₂ ⊆ t₁ ∩ t₂ :=
  fun a => And.imp (h₁ a) (h₂ a)

theorem inter_eq_left : s ∩ t = s ↔ s ⊆ t := by
  constructor
  · intro h
    rw [← h]
    exact inter_subset_right
  · intro h
    exact Subset.antisymm inter_subset_left (subset_inter (Subset.refl s) h)

/-- Intersection distributes over union. -/
theorem inter_union_distrib_left (s t r : Set α) : s ∩ (t ∪ r) = s ∩ t ∪ s ∩ r :=
  ext fun _ => and_or_left

/-- Union distributes over intersection. -/
theorem union_inter_distrib_left (s t r : Set α) : s ∪ t ∩ r = (s ∪ t) ∩ (s ∪ r) :=
  ext fun _ => or_and_left

end Inter

section Complement

theorem compl_union (s t : Set α) : (s ∪ t)ᶜ = sᶜ ∩ tᶜ :=
  ext fun _ => not_or

/-- The law of De Morgan that needs choice. -/
theorem compl_inter (s t : Set α) : (s ∩ t)ᶜ = sᶜ ∪ tᶜ :=
  ext fun _ => not_and_or

@[simp]
theorem compl_compl (s : Set α) : sᶜᶜ = s :=
  ext fun _ => Classical.not_not

@[simp]
theorem union_compl_self (s : Set α) : s ∪ sᶜ = univ :=
  ext fun a => ⟨fun _ => trivial, fun _ => Classical.em (a ∈ s)⟩

@[simp]
theorem inter_compl_self (s : Set α) : s ∩ sᶜ = ∅ :=
  ext fun a => and_not_self_iff (a ∈ s)

theorem compl_subset_compl : sᶜ ⊆ tᶜ ↔ t ⊆ s := by
  constructor
  · intro h a
    exact not_imp_not.mp (h a)
  · intro h a
    exact mt (h a)

theorem diff_eq (s t : Set α) : s \ t = s ∩ tᶜ :=
  rfl

theorem diff_subset : s \ t ⊆ s :=
  inter_subset_left

theorem diff_union_self : s \ t ∪ t = s ∪ t := by
  apply ext
  intro a
  constructor
  · exact Or.imp_left And.left
  · rintro (hs | ht)
    · by_cases h : a ∈ t
      · exact Or.inr h
      · exact Or.inl ⟨hs, h⟩
    · exact Or.inr ht

end Complement

section Nonempty

/-- A set that has some element. -/
protected def Nonempty (s : Set α) : Prop :=
  ∃ x, x ∈ s

theorem Nonempty.mono (h : s ⊆ t) : s.Nonempty → t.Nonempty :=
  Exists.imp h

theorem nonempty_iff_ne_empty : s.Nonempty ↔ s ≠ ∅ := by
  constructor
  · rintro ⟨x, hx⟩ rfl
    exact notMem_empty x hx
  · intro h
    apply Classical.byContradiction
    intro hn
    exact h (eq_empty_iff_forall_notMem.mpr (not_exists.mp hn))

end Nonempty

end Set
