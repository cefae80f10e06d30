import Example.Logic.Basic

/-!
# Classical logic

What follows from the axiom of choice: double negation, the remaining law of De Morgan, Skolem's
normal form, and a choice function for every total relation.
-/

universe u v

namespace Classical

section Choice

variable {α : Sort u} {p : α → Prop}

/-- Some element with the property `p`, when there is one. -/
noncomputable def choose (h : ∃ x, p x) : α :=
  (Classical.choice (h.elim fun x hx => ⟨⟨x, hx⟩⟩) : Subtype p).val

theorem choose_spec (h : ∃ x, p x) : p (choose h) :=
  (Classical.choice (h.elim fun x hx => ⟨⟨x, hx⟩⟩) : Subtype p).property

/-- The axiom of choice in its usual form. -/
theorem axiomOfChoice {β : α → Sort v} {r : (x : α) → β x → Prop} (h : ∀ x, ∃ y, r x y) :
    ∃ f : (x : α) → β x, ∀ x, r x (f x) :=
  ⟨fun x => choose (h x), fun x => choose_spec (h x)⟩

end Choice

end Classical

open Classical (em byContradiction)

section Propositions

variable {p q : Prop}

theorem not_imp_not : ¬p → ¬q ↔ q → p :=
  ⟨fun h hq => byContradiction fun hp => h hp hq, mt⟩

/-- The law of De Morgan that needs choice. -/
theorem not_and_or : ¬(p ∧ q) ↔ ¬p ∨ ¬q := by
  constructor
  · intro h
    rcases em p with hp | hp
    · exact Or.inr fun hq => h ⟨hp, hq⟩
    · exact Or.inl hp
  · rintro (hp | hq)
    · exact not_and_of_not_left q hp
    · exact not_and_of_not_right p hq

theorem or_iff_not_imp_left : p ∨ q ↔ ¬p → q := by
  constructor
  · exact Or.resolve_left
  · intro h
    by_cases hp : p
    · exact Or.inl hp
    · exact Or.inr (h hp)

theorem or_iff_not_imp_right : p ∨ q ↔ ¬q → p :=
  or_comm.trans or_iff_not_imp_left

theorem imp_iff_not_or : p → q ↔ ¬p ∨ q := by
  constructor
  · intro h
    exact (em p).elim (fun hp => Or.inr (h hp)) Or.inl
  · intro h hp
    exact h.resolve_left (not_not_intro hp)

theorem not_imp : ¬(p → q) ↔ p ∧ ¬q := by
  constructor
  · intro h
    by_cases hp : p
    · exact ⟨hp, fun hq => h fun _ => hq⟩
    · exact absurd (fun hp' => absurd hp' hp) h
  · rintro ⟨hp, hq⟩ h
    exact hq (h hp)

/-- Peirce's law. -/
theorem peirce (h : (p → q) → p) : p :=
  byContradiction fun hp => hp (h fun hp' => absurd hp' hp)

end Propositions

section Quantifiers

variable {α : Sort u} {p : α → Prop}

theorem not_forall : (¬∀ x, p x) ↔ ∃ x, ¬p x := by
  constructor
  · intro h
    apply byContradiction
    intro hn
    apply h
    intro x
    exact byContradiction fun hx => hn ⟨x, hx⟩
  · exact not_forall_of_exists_not

theorem not_exists_not : (¬∃ x, ¬p x) ↔ ∀ x, p x := by
  constructor
  · intro h x
    exact byContradiction fun hx => h ⟨x, hx⟩
  · rintro h ⟨x, hx⟩
    exact hx (h x)

/-- The drinker's principle: in every inhabited bar someone drinks only if all do. -/
theorem exists_imp_forall (a : α) : ∃ x, p x → ∀ y, p y := by
  rcases em (∀ y, p y) with h | h
  · exact ⟨a, fun _ => h⟩
  · obtain ⟨x, hx⟩ := not_forall.mp h
    exact ⟨x, fun hp => absurd hp hx⟩

end Quantifiers
