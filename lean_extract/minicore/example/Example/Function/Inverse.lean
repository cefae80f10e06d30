import Example.Function.Basic
import Example.Logic.Classical

/-!
# Inverses by choice

A surjective function has a right inverse, an injective one on an inhabited type a left inverse.
-/

universe u v

namespace Function

open Classical (choose choose_spec em)

variable {α : Sort u} {β : Sort v} {f : α → β}

/-- A right inverse of a surjective function. -/
noncomputable def surjInv (h : Surjective f) (b : β) : α :=
  choose (h b)

theorem surjInv_eq (h : Surjective f) (b : β) : f (surjInv h b) = b :=
  choose_spec (h b)

theorem rightInverse_surjInv (hf : Surjective f) : RightInverse (surjInv hf) f :=
  surjInv_eq hf

theorem leftInverse_surjInv (hf : Bijective f) : LeftInverse (surjInv hf.surjective) f := by
  intro a
  apply hf.injective
  exact surjInv_eq hf.surjective (f a)

theorem surjective_iff_hasRightInverse : Surjective f ↔ ∃ g : β → α, RightInverse g f := by
  constructor
  · intro hf
    exact ⟨surjInv hf, rightInverse_surjInv hf⟩
  · rintro ⟨g, hg⟩
    exact hg.surjective

/-- A bijective function has an inverse on both sides. -/
theorem bijective_iff_has_inverse :
    Bijective f ↔ ∃ g : β → α, LeftInverse g f ∧ RightInverse g f := by
  constructor
  · intro hf
    exact ⟨surjInv hf.surjective, leftInverse_surjInv hf, rightInverse_surjInv hf.surjective⟩
  · rintro ⟨g, hl, hr⟩
    exact ⟨hl.injective, hr.surjective⟩

theorem injective_iff_hasLeftInverse (a₀ : α) : Injective f ↔ ∃ g : β → α, LeftInverse g f := by
  constructor
  · intro hf
    have key : ∀ b, ∃ a, ∀ x, f x = b → a = x := by
      intro b
      rcases em (∃ x, f x = b) with ⟨a, ha⟩ | hb
      · exact ⟨a, fun x hx => hf (ha.trans hx.symm)⟩
      · exact ⟨a₀, fun x hx => absurd ⟨x, hx⟩ hb⟩
    exact ⟨fun b => choose (key b), fun x => choose_spec (key (f x)) x rfl⟩
  · rintro ⟨g, hg⟩
    exact hg.injective

end Function
