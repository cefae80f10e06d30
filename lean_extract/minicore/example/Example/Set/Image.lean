import Example.Set.Basic
import Example.Function.Basic

/-!
# Images and preimages

The preimage respects every operation on sets, the image only unions and inclusions, unless the
function is injective.
-/

universe u v w

namespace Set

variable {α : Type u} {β : Type v} {γ : Type w}

/-- `f ⁻¹' s` is the set of all elements whose value is in `s`. -/
def preimage (f : α → β) (s : Set β) : Set α :=
  {a | f a ∈ s}

/-- `f '' s` is the set of all values at elements of `s`. -/
def image (f : α → β) (s : Set α) : Set β :=
  {b | ∃ a, a ∈ s ∧ f a = b}

/-- The set of all values. -/
def range (f : α → β) : Set β :=
  {b | ∃ a, f a = b}

@[inherit_doc] infixl:80 " ⁻¹' " => preimage

@[inherit_doc] infixl:80 " '' " => image

section Preimage

variable {f : α → β} {s t : Set β}

@[simp]
theorem mem_preimage {a : α} : a ∈ f ⁻¹' s ↔ f a ∈ s :=
  Iff.rfl

@[simp]
theorem preimage_id (s : Set α) : id ⁻¹' s = s :=
  rfl

theorem preimage_comp (g : β → γ) (f : α → β) (s : Set γ) : g ∘ f ⁻¹' s = f ⁻¹' (g ⁻¹' s) :=
  rfl

theorem preimage_mono (h : s ⊆ t) : f ⁻¹' s ⊆ f ⁻¹' t :=
  fun a => h (f a)

theorem preimage_union (f : α → β) (s t : Set β) : f ⁻¹' (s ∪ t) = f ⁻¹' s ∪ f ⁻¹' t :=
  rfl

theorem preimage_inter (f : α → β) (s t : Set β) : f ⁻¹' (s ∩ t) = f ⁻¹' s ∩ f ⁻¹' t :=
  rfl

theorem preimage_compl (f : α → β) (s : Set β) : f ⁻¹' sᶜ = (f ⁻¹' s)ᶜ :=
  rfl

@[simp]
theorem preimage_univ : f ⁻¹' univ = univ :=
  rfl

end Preimage

section Image

variable {f : α → β} {s t : Set α}

@[simp]
theorem mem_image (f : α → β) (s : Set α) (b : β) : b ∈ f '' s ↔ ∃ a, a ∈ s ∧ f a = b :=
  Iff.rfl

theorem mem_image_of_mem (f : α → β) {a : α} (h : a ∈ s) : f a ∈ f '' s :=
  ⟨a, h, rfl⟩

theorem image_subset (f : α → β) (h : s ⊆ t) : f '' s ⊆ f '' t := by
  rintro b ⟨a, ha, rfl⟩
  exact mem_image_of_mem f (h a ha)

theorem image_union (f : α → β) (s t : Set α) : f '' (s ∪ t) = f '' s ∪ f '' t := by
  apply ext
  intro b
  constructor
  · rintro ⟨a, hs | ht, rfl⟩
    · exact Or.inl (mem_image_of_mem f hs)
    · exact Or.inr (mem_image_of_mem f ht)
  · rintro (⟨a, ha, rfl⟩ | ⟨a, ha, rfl⟩)
    · exact mem_image_of_mem f (Or.inl ha)
    · exact mem_image_of_mem f (Or.inr ha)

theorem image_inter_subset (f : α → β) (s t : Set α) : f '' (s ∩ t) ⊆ f '' s ∩ f '' t :=
  subset_inter (image_subset f inter_subset_left) (image_subset f inter_subset_right)

/-- The image under an injective function respects intersections. -/
theorem image_inter (hf : Function.Injective f) (s t : Set α) : f '' (s ∩ t) = f '' s ∩ f '' t := by
  apply Subset.antisymm (image_inter_subset f s t)
  rintro b ⟨⟨a, ha, rfl⟩, ⟨a', ha', h⟩⟩
  rw [hf h] at ha'
  exact mem_image_of_mem f ⟨ha, ha'⟩

@[simp]
theorem image_id (s : Set α) : id '' s = s := by
  apply ext
  intro a
  constructor
  · rintro ⟨b, hb, rfl⟩
    exact hb
  · intro ha
    exact ⟨a, ha, rfl⟩

theorem image_comp (g : β → γ) (f : α → β) (s : Set α) : g ∘ f '' s = g '' (f '' s) := by
  apply ext
  intro c
  constructor
  · rintro ⟨a, ha, rfl⟩
    exact mem_image_of_mem g (mem_image_of_mem f ha)
  · rintro ⟨b, ⟨a, ha, rfl⟩, rfl⟩
    exact ⟨a, ha, rfl⟩

@[simp]
theorem image_empty (f : α → β) : f '' ∅ = ∅ := by
  apply eq_empty_iff_forall_notMem.mpr
  rintro b ⟨a, ha, _⟩
  exact ha

end Image

section Both

variable {f : α → β}

/-- The image lies in `t` if and only if the set lies in the preimage of `t`. -/
theorem image_subset_iff {s : Set α} {t : Set β} : f '' s ⊆ t ↔ s ⊆ f ⁻¹' t := by
  constructor
  · intro h a ha
    exact h (f a) (mem_image_of_mem f ha)
  · rintro h b ⟨a, ha, rfl⟩
    exact h a ha

theorem subset_preimage_image (f : α → β) (s : Set α) : s ⊆ f ⁻¹' (f '' s) :=
  image_subset_iff.mp (Subset.refl (f '' s))

theorem image_preimage_subset (f : α → β) (t : Set β) : f '' (f ⁻¹' t) ⊆ t :=
  image_subset_iff.mpr (Subset.refl (f ⁻¹' t))

theorem preimage_image_eq (s : Set α) (hf : Function.Injective f) : f ⁻¹' (f '' s) = s := by
  apply Subset.antisymm _ (subset_preimage_image f s)
  rintro a ⟨b, hb, h⟩
  rw [← hf h]
  exact hb

theorem image_preimage_eq (t : Set β) (hf : Function.Surjective f) : f '' (f ⁻¹' t) = t := by
  apply Subset.antisymm (image_preimage_subset f t)
  intro b hb
  obtain ⟨a, rfl⟩ := hf b
  exact mem_image_of_mem f hb

theorem mem_range_self (f : α → β) (a : α) : f a ∈ range f :=
  ⟨a, rfl⟩

@[simp]
theorem image_univ : f '' univ = range f := by
  apply ext
  intro b
  constructor
  · rintro ⟨a, _, rfl⟩
    exact mem_range_self f a
  · rintro ⟨a, rfl⟩
    exact mem_image_of_mem f (mem_univ a)

theorem range_eq_univ : range f = univ ↔ Function.Surjective f := by
  constructor
  · intro h b
    have hb : b ∈ range f := h.symm ▸ mem_univ b
    exact hb
  · intro hf
    exact Subset.antisymm (subset_univ (range f)) fun b _ => hf b

/-- Cantor's theorem for sets: no function from a type onto its sets. -/
theorem not_surjective_powerset (f : α → Set α) : ¬Function.Surjective f :=
  Function.cantor_surjective f

end Both

end Set
