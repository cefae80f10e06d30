import Example.Function.Inverse

/-!
# Problems on functions
-/

universe u v w

namespace Problems

/-- level 1
A function is injective if it is when done twice. -/
theorem injective_of_square {α : Sort u} (f : α → α) (h : Function.Injective (f ∘ f)) :
    Function.Injective f := by
  exact h.of_comp

/-- level 1
For a surjective `f`, `f ∘ g ∘ f = f` makes `g` a right inverse. -/
theorem comp_eq_id_of_surjective {α : Sort u} {β : Sort v} (f : α → β) (g : β → α)
    (hf : Function.Surjective f) (h : f ∘ g ∘ f = f) : f ∘ g = id := by
  exact hf.right_cancellable.mp h

/-- level 2
Two involutions, one after the other, are a bijection. -/
theorem bijective_of_two_involutions {α : Sort u} (f g : α → α) (hf : Function.Involutive f)
    (hg : Function.Involutive g) : Function.Bijective (f ∘ g) := by
  apply Function.Bijective.comp
  · exact hf.bijective
  · exact hg.bijective

/-- level 2
An injective function can be cancelled on the left. -/
theorem eq_of_injective_comp_eq {α : Sort u} {β : Sort v} {γ : Sort w} (f : β → γ) (g₁ g₂ : α → β)
    (hf : Function.Injective f) (h : f ∘ g₁ = f ∘ g₂) : g₁ = g₂ := by
  funext x
  exact hf.eq_iff.mp (congrFun h x)

/-- level 2
There is no bijection from a type to its predicates. -/
theorem no_bijection_to_predicates {α : Type u} (f : α → α → Prop) : ¬Function.Bijective f := by
  intro h
  exact Function.cantor_surjective f h.surjective

/-- level 3
A left inverse of a surjective function is a bijection. -/
theorem bijective_of_leftInverse {α : Sort u} {β : Sort v} (f : α → β) (g : β → α)
    (h : Function.LeftInverse g f) (hf : Function.Surjective f) : Function.Bijective g := by
  constructor
  · intro x y hxy
    obtain ⟨a, rfl⟩ := hf x
    obtain ⟨b, rfl⟩ := hf y
    rw [h a, h b] at hxy
    rw [hxy]
  · exact Function.RightInverse.surjective h

/-- level 3
What is bijective after a surjective function is a bijection itself. -/
theorem bijective_of_comp_surjective {α : Sort u} {β : Sort v} {γ : Sort w} (f : β → γ) (g : α → β)
    (h : Function.Bijective (f ∘ g)) (hg : Function.Surjective g) : Function.Bijective f := by
  constructor
  · intro x y hxy
    obtain ⟨a, rfl⟩ := hg x
    obtain ⟨b, rfl⟩ := hg y
    exact congrArg g (h.injective hxy)
  · exact h.surjective.of_comp

/-- level 3
A bijection has an inverse on both sides. -/
theorem exists_two_sided_inverse {α : Sort u} {β : Sort v} (f : α → β) (hf : Function.Bijective f) :
    ∃ g : β → α, g ∘ f = id ∧ f ∘ g = id := by
  obtain ⟨g, hl, hr⟩ := Function.bijective_iff_has_inverse.mp hf
  refine ⟨g, ?_, ?_⟩
  · funext x
    exact hl x
  · funext y
    exact hr y

end Problems
