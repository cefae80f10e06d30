import Example.Set.Image

/-!
# Problems on sets, images and preimages
-/

universe u v w

namespace Problems

/-- level 1
De Morgan's law for the complements of two sets. -/
theorem compl_inter_compl {α : Type u} (s t : Set α) : (sᶜ ∩ tᶜ)ᶜ = s ∪ t := by
  rw [Set.compl_inter, Set.compl_compl, Set.compl_compl]

/-- level 1
The image of a union of three sets. -/
theorem image_three_union {α : Type u} {β : Type v} (f : α → β) (r s t : Set α) :
    f '' (r ∪ s ∪ t) = f '' r ∪ f '' s ∪ f '' t := by
  rw [Set.image_union, Set.image_union]

/-- level 1
Images under an injective function are included in one another as the sets are. -/
theorem image_subset_image_iff {α : Type u} {β : Type v} (f : α → β) (hf : Function.Injective f)
    (s t : Set α) : f '' s ⊆ f '' t ↔ s ⊆ t := by
  rw [Set.image_subset_iff, Set.preimage_image_eq t hf]

/-- level 2
What is mapped into a set has its image there. -/
theorem image_inter_preimage_subset {α : Type u} {β : Type v} (f : α → β) (s : Set α) (t : Set β) :
    f '' (s ∩ f ⁻¹' t) ⊆ t := by
  rw [Set.image_subset_iff]
  exact Set.inter_subset_right

/-- level 2
The values of a composition are values of the outer function. -/
theorem image_comp_subset_range {α : Type u} {β : Type v} {γ : Type w} (f : α → β) (g : β → γ)
    (s : Set α) : g ∘ f '' s ⊆ Set.range g := by
  rw [Set.image_comp, ← Set.image_univ]
  exact Set.image_subset g (Set.subset_univ (f '' s))

/-- level 2
A set is made up of its parts inside and outside another one. -/
theorem diff_union_inter {α : Type u} (s t : Set α) : s ∩ t ∪ s \ t = s := by
  rw [Set.diff_eq, ← Set.inter_union_distrib_left]
  rw [Set.union_compl_self, Set.inter_univ]

/-- level 2
A set does not meet the complement of a larger one. -/
theorem inter_compl_eq_empty {α : Type u} (s t : Set α) (h : s ⊆ t) : s ∩ tᶜ = ∅ := by
  apply Set.subset_empty_iff.mp
  rintro x ⟨hs, hn⟩
  exact hn (h x hs)

/-- level 3
What is left of a set without a union. -/
theorem diff_union_eq {α : Type u} (r s t : Set α) : s \ (t ∪ r) = s \ t ∩ (s \ r) := by
  apply Set.ext
  intro a
  constructor
  · rintro ⟨hs, hn⟩
    exact ⟨⟨hs, fun h => hn (Set.mem_union_left r h)⟩, hs, fun h => hn (Set.mem_union_right t h)⟩
  · rintro ⟨⟨hs, ht⟩, _, hr⟩
    exact ⟨hs, fun h => h.elim ht hr⟩

/-- level 3
If nothing is left of a set without another, it lies in the other. -/
theorem subset_of_diff_empty {α : Type u} (s t : Set α) (h : s \ t = ∅) : s ⊆ t := by
  intro x hx
  apply Classical.byContradiction
  intro hn
  exact Set.eq_empty_iff_forall_notMem.mp h x ⟨hx, hn⟩

/-- level 3
An injective function respects differences of sets. -/
theorem image_diff_of_injective {α : Type u} {β : Type v} (f : α → β) (hf : Function.Injective f)
    (s t : Set α) : f '' (s \ t) = f '' s \ f '' t := by
  apply Set.Subset.antisymm
  · rintro b ⟨a, ⟨hs, hn⟩, rfl⟩
    refine ⟨Set.mem_image_of_mem f hs, ?_⟩
    rintro ⟨a', ha', h⟩
    exact hn (hf h ▸ ha')
  · rintro b ⟨⟨a, hs, rfl⟩, hn⟩
    exact Set.mem_image_of_mem f ⟨hs, fun ht => hn (Set.mem_image_of_mem f ht)⟩

/-- level 3
A surjective function before another does not change the range. -/
theorem range_comp_surjective {α : Type u} {β : Type v} {γ : Type w} (f : α → β) (g : β → γ)
    (hf : Function.Surjective f) : Set.range (g ∘ f) = Set.range g := by
  apply Set.Subset.antisymm
  · rintro c ⟨a, rfl⟩
    exact Set.mem_range_self g (f a)
  · rintro c ⟨b, rfl⟩
    obtain ⟨a, rfl⟩ := hf b
    exact Set.mem_range_self (g ∘ f) a

end Problems
