import Example.Order.Lattice
import Example.Set.Image

/-!
# Galois connections

Pairs of functions between preorders that are adjoint to one another; image and preimage are one.
-/

universe u v w

/-- `l a ≤ b` if and only if `a ≤ u b`. -/
def GaloisConnection {α : Type u} {β : Type v} [Preorder α] [Preorder β] (l : α → β) (u : β → α) : Prop :=
  ∀ a b, l a ≤ b ↔ a ≤ u b

namespace GaloisConnection

section Preorder

variable {α : Type u} {β : Type v} [Preorder α] [Preorder β] {l : α → β} {u : β → α}

theorem l_le (gc : GaloisConnection l u) {a : α} {b : β} : a ≤ u b → l a ≤ b :=
  (gc a b).mpr

theorem le_u (gc : GaloisConnection l u) {a : α} {b : β} : l a ≤ b → a ≤ u b :=
  (gc a b).mp

/-- The unit. -/
theorem le_u_l (gc : GaloisConnection l u) (a : α) : a ≤ u (l a) :=
  gc.le_u le_rfl

/-- The counit. -/
theorem l_u_le (gc : GaloisConnection l u) (b : β) : l (u b) ≤ b :=
  gc.l_le le_rfl

theorem monotone_l (gc : GaloisConnection l u) : Monotone l :=
  fun _ b h => gc.l_le (le_trans h (gc.le_u_l b))

theorem monotone_u (gc : GaloisConnection l u) : Monotone u :=
  fun a _ h => gc.le_u (le_trans (gc.l_u_le a) h)

protected theorem id : GaloisConnection (id : α → α) id :=
  fun _ _ => Iff.rfl

protected theorem compose {γ : Type w} [Preorder γ] {l' : β → γ} {u' : γ → β}
    (gc₁ : GaloisConnection l u) (gc₂ : GaloisConnection l' u') :
    GaloisConnection (l' ∘ l) (u ∘ u') := by
  intro a c
  show l' (l a) ≤ c ↔ a ≤ u (u' c)
  rw [gc₂, gc₁]

end Preorder

section PartialOrder

variable {α : Type u} {β : Type v} [PartialOrder α] [PartialOrder β] {l : α → β} {u : β → α}

theorem u_l_u_eq_u (gc : GaloisConnection l u) (b : β) : u (l (u b)) = u b :=
  le_antisymm (gc.monotone_u (gc.l_u_le b)) (gc.le_u_l (u b))

theorem l_u_l_eq_l (gc : GaloisConnection l u) (a : α) : l (u (l a)) = l a :=
  le_antisymm (gc.l_u_le (l a)) (gc.monotone_l (gc.le_u_l a))

/-- Each of the two functions determines the other. -/
theorem u_unique {u' : β → α} (gc : GaloisConnection l u) (gc' : GaloisConnection l u') : u = u' := by
  funext b
  apply le_antisymm
  · exact gc'.le_u (gc.l_u_le b)
  · exact gc.le_u (gc'.l_u_le b)

end PartialOrder

section Lattice

variable {α : Type u} {β : Type v} [Lattice α] [Lattice β] {l : α → β} {u : β → α}

/-- The lower adjoint respects suprema. -/
theorem l_sup (gc : GaloisConnection l u) (a₁ a₂ : α) : l (a₁ ⊔ a₂) = l a₁ ⊔ l a₂ := by
  apply eq_of_forall_ge_iff
  intro b
  rw [gc, sup_le_iff, sup_le_iff, gc, gc]

/-- The upper adjoint respects infima. -/
theorem u_inf (gc : GaloisConnection l u) (b₁ b₂ : β) : u (b₁ ⊓ b₂) = u b₁ ⊓ u b₂ := by
  apply eq_of_forall_le_iff
  intro a
  rw [← gc, le_inf_iff, le_inf_iff, gc, gc]

end Lattice

end GaloisConnection

open Set in
/-- Image and preimage under a function form a Galois connection. -/
theorem Set.image_preimage {α : Type u} {β : Type v} (f : α → β) :
    GaloisConnection (image f) (preimage f) :=
  fun _ _ => image_subset_iff

theorem Set.image_sup.{r} {α β : Type r} (f : α → β) (s t : Set α) :
    f '' (s ⊔ t) = f '' s ⊔ f '' t :=
  (image_preimage f).l_sup s t
