prelude
import MiniCore.Basic

/-!
# Mini core: what `grind`, `grind?` and `try?` name

The runtime has these tactics compiled already. They need their grammar, and theorems under the names by which
`grind` builds its proofs. Of numbers they know nothing here: the classes of rings and orders have no instances, so
that `grind` takes `+` and `≤` as any other function.
-/

set_option autoImplicit false
set_option linter.all false

universe u v

/-! ## Grammar -/

namespace Lean.Parser.Attr
declare_syntax_cat grind_mod (behavior := both)
native_parsers [grind_mod_parser] grindEqBoth grindEqRhs grindEq grindEqBwd grindBwd grindFwd grindRL grindLR
  grindUsr grindCases grindCasesEager grindIntro grindExt grindGen grindInj grindFunCC grindUnfold grindNorm grindSym
  grindDef
native_grammar grindMod
native_parsers [attr_parser] grind
end Lean.Parser.Attr

namespace Lean.Parser.Tactic
declare_syntax_cat grind (behavior := both)
declare_syntax_cat grind_filter (behavior := both)
declare_syntax_cat grind_ref (behavior := both)
native_grammar anchor grindErase grindLemma grindLemmaMin grindParam
namespace Grind
native_grammar thmNs thm grindFilter grindStep grindSeq1Indented grindSeqBracketed grindSeq
native_parsers [grind_parser] instantiate cases casesNext lia ring ac linarith mbtc done finish finishTrace «sorry»
  first next grindAdmit
end Grind
native_parsers [tactic_parser] grind grindTrace attemptAll tryResult tryTrace tryTraceWith
end Lean.Parser.Tactic

/-! ## Propositions -/

namespace Lean.Grind
variable {a b c : Prop}

@[local simp] theorem true_ne : (True = False) = False := eq_false fun h => h ▸ trivial
@[local simp] theorem false_ne : (False = True) = False := eq_false fun h => h ▸ trivial

theorem and_eq_of_eq_true_left : a = True → (a ∧ b) = b := by by_cases a <;> by_cases b <;> simp_all
theorem and_eq_of_eq_true_right : b = True → (a ∧ b) = a := by by_cases a <;> by_cases b <;> simp_all
theorem and_eq_of_eq_false_left : a = False → (a ∧ b) = False := by by_cases a <;> by_cases b <;> simp_all
theorem and_eq_of_eq_false_right : b = False → (a ∧ b) = False := by by_cases a <;> by_cases b <;> simp_all
theorem eq_true_of_and_eq_true_left : (a ∧ b) = True → a = True := by by_cases a <;> by_cases b <;> simp_all
theorem eq_true_of_and_eq_true_right : (a ∧ b) = True → b = True := by by_cases a <;> by_cases b <;> simp_all
theorem or_of_and_eq_false : (a ∧ b) = False → ¬a ∨ ¬b := by by_cases a <;> by_cases b <;> simp_all
theorem or_eq_of_eq_true_left : a = True → (a ∨ b) = True := by by_cases a <;> by_cases b <;> simp_all
theorem or_eq_of_eq_true_right : b = True → (a ∨ b) = True := by by_cases a <;> by_cases b <;> simp_all
theorem or_eq_of_eq_false_left : a = False → (a ∨ b) = b := by by_cases a <;> by_cases b <;> simp_all
theorem or_eq_of_eq_false_right : b = False → (a ∨ b) = a := by by_cases a <;> by_cases b <;> simp_all
theorem eq_false_of_or_eq_false_left : (a ∨ b) = False → a = False := by by_cases a <;> by_cases b <;> simp_all
theorem eq_false_of_or_eq_false_right : (a ∨ b) = False → b = False := by by_cases a <;> by_cases b <;> simp_all
theorem imp_eq_of_eq_false_left : a = False → (a → b) = True := by by_cases a <;> by_cases b <;> simp_all
theorem imp_eq_of_eq_true_right : b = True → (a → b) = True := by by_cases a <;> by_cases b <;> simp_all
theorem imp_eq_of_eq_true_left : a = True → (a → b) = b := by by_cases a <;> by_cases b <;> simp_all
theorem eq_false_of_imp_eq_true : (a → b) = True → b = False → a = False := by
  by_cases a <;> by_cases b <;> simp_all
theorem eq_true_of_imp_eq_false : (a → b) = False → a = True := by by_cases a <;> by_cases b <;> simp_all
theorem eq_false_of_imp_eq_false : (a → b) = False → b = False := by by_cases a <;> by_cases b <;> simp_all
theorem not_eq_of_eq_true : a = True → (¬a) = False := by by_cases a <;> simp_all
theorem not_eq_of_eq_false : a = False → (¬a) = True := by by_cases a <;> simp_all
theorem eq_false_of_not_eq_true : (¬a) = True → a = False := by by_cases a <;> simp_all
theorem eq_true_of_not_eq_false : (¬a) = False → a = True := by by_cases a <;> simp_all
theorem false_of_not_eq_self : (¬a) = a → False := by by_cases a <;> simp_all
theorem eq_eq_of_eq_true_left : a = True → (a = b) = b := by by_cases a <;> by_cases b <;> simp_all
theorem eq_eq_of_eq_true_right : b = True → (a = b) = a := by by_cases a <;> by_cases b <;> simp_all
theorem of_eq_eq_true : (a = b) = True → (a ∧ b) ∨ (¬a ∧ ¬b) := by by_cases a <;> by_cases b <;> simp_all
theorem of_eq_eq_false : (a = b) = False → (a ∧ ¬b) ∨ (¬a ∧ b) := by by_cases a <;> by_cases b <;> simp_all
theorem iff_eq (p q : Prop) : (p ↔ q) = (p = q) := by by_cases p <;> by_cases q <;> simp_all
theorem eq_true_eq (p : Prop) : (p = True) = p := by by_cases p <;> simp_all
theorem eq_false_eq (p : Prop) : (p = False) = ¬p := by by_cases p <;> simp_all
theorem not_eq_prop (p q : Prop) : (¬(p = q)) = (p = ¬q) := by by_cases p <;> by_cases q <;> simp_all
theorem true_imp_eq (p : Prop) : (True → p) = p := by by_cases p <;> simp_all
theorem false_imp_eq (p : Prop) : (False → p) = True := by by_cases p <;> simp_all
theorem imp_true_eq (p : Prop) : (p → True) = True := by by_cases p <;> simp_all
theorem imp_false_eq (p : Prop) : (p → False) = ¬p := by by_cases p <;> simp_all
theorem imp_self_eq (p : Prop) : (p → p) = True := by by_cases p <;> simp_all
theorem not_true : (¬True) = False := by simp
theorem not_false : (¬False) = True := by simp
theorem not_not (p : Prop) : (¬¬p) = p := by by_cases p <;> simp_all
theorem not_and (p q : Prop) : (¬(p ∧ q)) = (¬p ∨ ¬q) := by by_cases p <;> by_cases q <;> simp_all
theorem not_or (p q : Prop) : (¬(p ∨ q)) = (¬p ∧ ¬q) := by by_cases p <;> by_cases q <;> simp_all
theorem not_implies (p q : Prop) : (¬(p → q)) = (p ∧ ¬q) := by by_cases p <;> by_cases q <;> simp_all
theorem not_ite {p : Prop} {_ : Decidable p} (q r : Prop) : (¬ite p q r) = ite p (¬q) (¬r) := by
  by_cases h : p <;> simp [if_pos, if_neg, h]
theorem or_assoc (p q r : Prop) : ((p ∨ q) ∨ r) = (p ∨ (q ∨ r)) := by by_cases p <;> by_cases q <;> simp_all
theorem or_swap12 (p q r : Prop) : (p ∨ q ∨ r) = (q ∨ p ∨ r) := by by_cases p <;> by_cases q <;> simp_all
theorem or_swap13 (p q r : Prop) : (p ∨ q ∨ r) = (r ∨ q ∨ p) := by by_cases p <;> by_cases q <;> simp_all
theorem of_lookahead (p : Prop) (h : ¬p → False) : p = True := eq_true (Classical.byContradiction h)

/-! ## Quantifiers -/

section
variable {α : Sort u}

theorem not_exists (p : α → Prop) : (¬∃ x, p x) = ∀ x, ¬p x := by simp
theorem not_forall (p : α → Prop) : (¬∀ x, p x) = ∃ x, ¬p x :=
  propext ⟨fun h => Classical.byContradiction fun n => h fun x => Classical.byContradiction fun m => n ⟨x, m⟩,
    fun ⟨x, h⟩ n => h (n x)⟩
theorem of_forall_eq_false (α : Sort u) (p : α → Prop) (h : (∀ x : α, p x) = False) : ∃ x : α, ¬p x :=
  not_forall p ▸ fun n => h ▸ n
theorem forall_imp_eq_or (p : α → Prop) (q : Prop) : ((∀ x, p x) → q) = ((∃ x, ¬p x) ∨ q) := by
  rw [← not_forall]; by_cases q <;> simp_all
theorem forall_and {p q : α → Prop} : (∀ x, p x ∧ q x) = ((∀ x, p x) ∧ ∀ x, q x) :=
  propext ⟨fun h => ⟨fun x => (h x).1, fun x => (h x).2⟩, fun h x => ⟨h.1 x, h.2 x⟩⟩
theorem exists_or {p q : α → Prop} : (∃ x, p x ∨ q x) = ((∃ x, p x) ∨ ∃ x, q x) :=
  propext ⟨fun ⟨x, h⟩ => h.elim (fun h => .inl ⟨x, h⟩) fun h => .inr ⟨x, h⟩,
    fun h => h.elim (fun ⟨x, h⟩ => ⟨x, .inl h⟩) fun ⟨x, h⟩ => ⟨x, .inr h⟩⟩
theorem exists_const (α : Sort u) [i : Nonempty α] {b : Prop} : (∃ _ : α, b) = b :=
  propext ⟨fun ⟨_, h⟩ => h, fun h => let ⟨x⟩ := i; ⟨x, h⟩⟩
theorem exists_prop {a b : Prop} : (∃ _h : a, b) = (a ∧ b) :=
  propext ⟨fun ⟨x, h⟩ => ⟨x, h⟩, fun ⟨x, h⟩ => ⟨x, h⟩⟩
theorem exists_and_left {p : α → Prop} {b : Prop} : (∃ x, b ∧ p x) = (b ∧ ∃ x, p x) :=
  propext ⟨fun ⟨x, h, k⟩ => ⟨h, x, k⟩, fun ⟨h, x, k⟩ => ⟨x, h, k⟩⟩
theorem exists_and_right {p : α → Prop} {b : Prop} : (∃ x, p x ∧ b) = ((∃ x, p x) ∧ b) :=
  propext ⟨fun ⟨x, h, k⟩ => ⟨⟨x, h⟩, k⟩, fun ⟨⟨x, h⟩, k⟩ => ⟨x, h, k⟩⟩
theorem forall_or_forall {β : α → Sort v} (p : α → Prop) (q : (x : α) → β x → Prop) :
    (∀ x, p x ∨ ∀ y : β x, q x y) = (∀ x (y : β x), p x ∨ q x y) :=
  propext ⟨fun h x y => (h x).elim .inl fun h => .inr (h y),
    fun h x => (Classical.em (p x)).elim .inl fun n => .inr fun y => (h x y).elim (fun h => (n h).elim) id⟩
theorem forall_forall_or {β : α → Sort v} (p : α → Prop) (q : (x : α) → β x → Prop) :
    (∀ x, (∀ y : β x, q x y) ∨ p x) = (∀ x (y : β x), q x y ∨ p x) :=
  propext ⟨fun h x y => (h x).elim (fun h => .inl (h y)) .inr,
    fun h x => (Classical.em (p x)).elim .inr fun n => .inl fun y => (h x y).elim id fun h => (n h).elim⟩
end

theorem forall_true (p : True → Prop) : (∀ h : True, p h) = p True.intro :=
  propext ⟨fun h => h True.intro, fun h _ => h⟩
theorem forall_propagator (p : Prop) (q : p → Prop) (q' : Prop) (h₁ : p = True) (h₂ : q (of_eq_true h₁) = q') :
    (∀ hp : p, q hp) = q' := by subst h₁; subst h₂; exact forall_true q
theorem _root_.Eq.mpr_prop {p q : Prop} (h : p = q) (k : q) : p := h.mpr k
def intro_with_eq (p p' : Prop) (q : Sort u) (he : p = p') (h : p' → q) : p → q := fun hp => h (he.mp hp)
def intro_with_eq' (p p' : Prop) (q : p → Sort u) (he : p = p') (h : (h : p') → q (he.mpr_prop h)) : (h : p) → q h
  :=
  fun hp => h (he.mp hp)

/-! ## Equations -/

section
variable {α β : Sort u}
theorem eq_congr {a₁ b₁ a₂ b₂ : α} (h₁ : a₁ = a₂) (h₂ : b₁ = b₂) : (a₁ = b₁) = (a₂ = b₂) := h₁ ▸ h₂ ▸ rfl
theorem eq_congr' {a₁ b₁ a₂ b₂ : α} (h₁ : a₁ = b₂) (h₂ : b₁ = a₂) : (a₁ = b₁) = (a₂ = b₂) := by
  subst h₁; subst h₂; exact propext ⟨Eq.symm, Eq.symm⟩
theorem heq_congr {a₁ b₁ : α} {a₂ b₂ : β} (h₁ : a₁ ≍ a₂) (h₂ : b₁ ≍ b₂) : (a₁ = b₁) = (a₂ = b₂) := by
  cases h₁; cases h₂; rfl
theorem heq_congr' {a₁ b₁ : α} {a₂ b₂ : β} (h₁ : a₁ ≍ b₂) (h₂ : b₁ ≍ a₂) : (a₁ = b₁) = (a₂ = b₂) := by
  cases h₁; cases h₂; exact propext ⟨Eq.symm, Eq.symm⟩
theorem ne_of_ne_of_eq_left {a b c : α} (h₁ : a = b) (h₂ : b ≠ c) : a ≠ c := h₁ ▸ h₂
theorem ne_of_ne_of_eq_right {a b c : α} (h₁ : a = c) (h₂ : b ≠ c) : b ≠ a := h₁ ▸ h₂
end

theorem dite_cond_eq_true' {α : Sort u} {c : Prop} {_ : Decidable c} {a : c → α} {b : ¬c → α} {r : α} (h₁ : c =
  True)
    (h₂ : a (of_eq_true h₁) = r) : (dite c a b) = r := (dif_pos (of_eq_true h₁)).trans h₂
theorem dite_cond_eq_false' {α : Sort u} {c : Prop} {_ : Decidable c} {a : c → α} {b : ¬c → α} {r : α}
    (h₁ : c = False) (h₂ : b (of_eq_false h₁) = r) : (dite c a b) = r := (dif_neg (of_eq_false h₁)).trans h₂
theorem of_decide_eq_true {p : Prop} {_ : Decidable p} (h : decide p = true) : p = True :=
  eq_true (_root_.of_decide_eq_true h)
theorem of_decide_eq_false {p : Prop} {_ : Decidable p} (h : decide p = false) : p = False :=
  eq_false (_root_.of_decide_eq_false h)
theorem decide_eq_true {p : Prop} {_ : Decidable p} (h : p = True) : decide p = true :=
  _root_.decide_eq_true (of_eq_true h)
theorem decide_eq_false {p : Prop} {_ : Decidable p} (h : p = False) : decide p = false :=
  _root_.decide_eq_false (of_eq_false h)
theorem flip_bool_eq (a b : Bool) : (a = b) = (b = a) := propext ⟨Eq.symm, Eq.symm⟩
theorem bool_eq_to_prop (a b : Bool) : (a = b) = ((a = true) = (b = true)) := by
  cases a <;> cases b <;> simp [true_ne, false_ne]
theorem rfl_true : true = true := rfl

/-! ## Truth values -/

namespace Bool
variable {a b : Bool}

theorem and_eq_of_eq_true_left : a = true → (a && b) = b := by cases a <;> cases b <;> simp [Bool.not]
theorem and_eq_of_eq_true_right : b = true → (a && b) = a := by cases a <;> cases b <;> simp [Bool.not]
theorem and_eq_of_eq_false_left : a = false → (a && b) = false := by cases a <;> cases b <;> simp [Bool.not]
theorem and_eq_of_eq_false_right : b = false → (a && b) = false := by cases a <;> cases b <;> simp [Bool.not]
theorem eq_true_of_and_eq_true_left : (a && b) = true → a = true := by cases a <;> cases b <;> simp [Bool.not]
theorem eq_true_of_and_eq_true_right : (a && b) = true → b = true := by cases a <;> cases b <;> simp [Bool.not]
theorem or_eq_of_eq_true_left : a = true → (a || b) = true := by cases a <;> cases b <;> simp [Bool.not]
theorem or_eq_of_eq_true_right : b = true → (a || b) = true := by cases a <;> cases b <;> simp [Bool.not]
theorem or_eq_of_eq_false_left : a = false → (a || b) = b := by cases a <;> cases b <;> simp [Bool.not]
theorem or_eq_of_eq_false_right : b = false → (a || b) = a := by cases a <;> cases b <;> simp [Bool.not]
theorem eq_false_of_or_eq_false_left : (a || b) = false → a = false := by cases a <;> cases b <;> simp [Bool.not]
theorem eq_false_of_or_eq_false_right : (a || b) = false → b = false := by cases a <;> cases b <;> simp [Bool.not]
theorem not_eq_of_eq_true : a = true → (!a) = false := by cases a <;> simp [Bool.not]
theorem not_eq_of_eq_false : a = false → (!a) = true := by cases a <;> simp [Bool.not]
theorem eq_false_of_not_eq_true : (!a) = true → a = false := by cases a <;> simp [Bool.not]
theorem eq_true_of_not_eq_false : (!a) = false → a = true := by cases a <;> simp [Bool.not]
theorem eq_false_of_not_eq_true' : ¬a = true → a = false := by cases a <;> simp [Bool.not]
theorem eq_true_of_not_eq_false' : ¬a = false → a = true := by cases a <;> simp [Bool.not]
theorem false_of_not_eq_self : (!a) = a → False := by cases a <;> simp [Bool.not]
theorem ne_of_eq_true_of_eq_false : a = true → b = false → (a = b) = False := by
  cases a <;> cases b <;> simp [Bool.not]
theorem ne_of_eq_false_of_eq_true : a = false → b = true → (a = b) = False := by
  cases a <;> cases b <;> simp [Bool.not]
end Bool

/-! ## Marks that `grind` puts on terms -/

def nestedProof (p : Prop) {h : p} : p := h
def nestedDecidable {p : Prop} (h : Decidable p) : Decidable p := h
def simpMatchDiscrsOnly {α : Sort u} (a : α) : α := a
def offset (a b : Nat) : Nat := a + b
def eqBwdPattern {α : Sort u} (a b : α) : Prop := a = b
abbrev EqMatch {α : Sort u} (a b : α) {_origin : α} : Prop := a = b
abbrev MatchCond (p : Prop) : Prop := p
def PreMatchCond (p : Prop) : Prop := p
def alreadyNorm (p : Prop) : Prop := p

theorem nestedProof_congr (p q : Prop) (h : p = q) (hp : p) (hq : q) : @nestedProof p hp ≍ @nestedProof q hq := by
  subst h; exact HEq.refl _
theorem nestedDecidable_congr (p q : Prop) (h : p = q) (hp : Decidable p) (hq : Decidable q) :
    @nestedDecidable p hp ≍ @nestedDecidable q hq := Subsingleton.helim (h ▸ rfl) _ _
theorem em (p : Prop) : alreadyNorm p ∨ alreadyNorm (¬p) := Classical.em p

end Lean.Grind

theorem Bool.not_eq_true (b : Bool) : (¬b = true) = (b = false) := by
  cases b <;> simp [Lean.Grind.true_ne, Lean.Grind.false_ne]
theorem Bool.not_eq_false (b : Bool) : (¬b = false) = (b = true) := by
  cases b <;> simp [Lean.Grind.true_ne, Lean.Grind.false_ne]

/-! ## Structures that `grind` looks for, and does not find -/

namespace Lean.Grind
class Semiring (α : Type u)
class CommSemiring (α : Type u)
class Ring (α : Type u)
class CommRing (α : Type u)
class Field (α : Type u)
class NatModule (α : Type u)
class IntModule (α : Type u)
end Lean.Grind

namespace Std
class Associative {α : Sort u} (op : α → α → α) : Prop
class Commutative {α : Sort u} (op : α → α → α) : Prop
class IdempotentOp {α : Sort u} (op : α → α → α) : Prop
class IsPreorder (α : Type u) [LE α] : Prop
end Std

inductive Ordering where
  | lt
  | eq
  | gt

set_option genCtorIdx false in
inductive Int where
  | ofNat (n : Nat)
  | negSucc (n : Nat)

class NatCast (R : Type u) where
  natCast : Nat → R

class IntCast (R : Type u) where
  intCast : Int → R

instance instNatCastInt : NatCast Int := ⟨.ofNat⟩

/-! ## What is simplified first, and what is split -/

namespace Lean.Grind
init_grind_norm
  |
  iff_eq heq_eq_eq eq_self and_true true_and and_false false_and 
  Bool.or_false Bool.or_true Bool.false_or Bool.true_or Bool.and_false Bool.and_true Bool.false_and Bool.true_and
  Bool.not_not decide_eq_true_eq
end Lean.Grind

attribute [grind cases eager] And False Empty True PUnit Exists Subtype
attribute [grind cases] Or
