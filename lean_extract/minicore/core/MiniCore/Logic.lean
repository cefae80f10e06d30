prelude

/-!
# Mini core: logic

The inductive types that Lean's elaborator, kernel and tactics refer to by name, and the
principles that `rw`, `simp`, `cases` and `match` build proofs from. There is no notation yet.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

/-! ## Constants of the compiler -/

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α
unsafe axiom lcCast {α : Sort u} {β : Sort v} (a : α) : β
unsafe axiom lcUnreachable {α : Sort u} : α

/-! ## Equality -/

set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The type with one element, in every universe. -/
inductive PUnit : Sort u where
  | unit : PUnit

/-- The type with one element. -/
abbrev Unit : Type := PUnit

@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit

/-- `Eq a b`, written `a = b`: the two are the same. -/
inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a

init_quot

/-- Equality of things whose types need only be equal themselves. -/
inductive HEq {α : Sort u} : α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a

@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a

/-- The eliminator of equality for motives that do not mention the proof. -/
abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : Eq a b) : motive b :=
  Eq.rec m h

theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : Eq a b) (h₂ : motive a) : motive b :=
  Eq.ndrec h₂ h₁

theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a :=
  Eq.ndrec (motive := fun x => Eq x a) rfl h

abbrev Eq.ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : Eq b a) : motive b :=
  Eq.ndrec m (Eq.symm h)

theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : Eq a b) (h₂ : Eq b c) : Eq a c :=
  Eq.ndrec (motive := fun x => Eq a x) h₁ h₂

/-- Turns an element of one type into an element of an equal one. -/
@[macro_inline] def cast {α β : Sort u} (h : Eq α β) (a : α) : β :=
  Eq.rec (motive := fun β _ => β) a h

theorem congrArg {α : Sort u} {β : Sort v} {a₁ a₂ : α} (f : α → β) (h : Eq a₁ a₂) : Eq (f a₁) (f a₂) :=
  Eq.ndrec (motive := fun x => Eq (f a₁) (f x)) rfl h

theorem congrFun {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : Eq f g) (a : α) : Eq (f a) (g a) :=
  Eq.ndrec (motive := fun (k : (x : α) → β x) => Eq (f a) (k a)) rfl h

theorem congrFun' {α : Sort u} {β : Sort v} {f g : α → β} (h : Eq f g) (a : α) : Eq (f a) (g a) :=
  congrFun h a

theorem congr {α : Sort u} {β : Sort v} {f₁ f₂ : α → β} {a₁ a₂ : α} (h₁ : Eq f₁ f₂) (h₂ : Eq a₁ a₂) :
    Eq (f₁ a₁) (f₂ a₂) :=
  Eq.trans (congrFun h₁ a₁) (congrArg f₂ h₂)

@[match_pattern] protected def HEq.rfl {α : Sort u} {a : α} : HEq a a := HEq.refl a

theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  have general : (α β : Sort u) → (a : α) → (b : β) → HEq a b → (h : Eq α β) → Eq (cast h a) b :=
    fun _ _ _ _ h => HEq.rec (fun _ => rfl) h
  general α α a a' h rfl

theorem heq_of_eq {α : Sort u} {a a' : α} (h : Eq a a') : HEq a a' :=
  Eq.ndrec (motive := fun x => HEq a x) (HEq.refl a) h

protected theorem HEq.symm {α β : Sort u} {a : α} {b : β} (h : HEq a b) : HEq b a :=
  HEq.rec (motive := fun {_} x _ => HEq x a) (HEq.refl a) h

/-! ## Functions -/

@[inline] def id {α : Sort u} (a : α) : α := a

@[inline] def Function.comp {α : Sort u} {β : Sort v} {δ : Sort w} (f : β → δ) (g : α → β) : α → δ :=
  fun x => f (g x)

@[inline] def Function.const {α : Sort u} (β : Sort v) (a : α) : β → α := fun _ => a

set_option checkBinderAnnotations false in
/-- The instance that type class search finds. -/
abbrev inferInstance {α : Sort u} [i : α] : α := i

set_option checkBinderAnnotations false in
abbrev «inferInstanceAs» (α : Sort u) [i : α] : α := i

@[reducible] def optParam (α : Sort u) (default : α) : Sort u := α
@[reducible] def outParam (α : Sort u) : Sort u := α
@[reducible] def semiOutParam (α : Sort u) : Sort u := α
@[reducible] def namedPattern {α : Sort u} (x a : α) (h : Eq x a) : α := a

/-! ## Connectives -/

/-- The proposition that holds. -/
inductive True : Prop where
  | intro : True

/-- The proposition that does not hold: it has no proof. -/
inductive False : Prop

/-- The type without elements. -/
inductive Empty : Type

set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PEmpty : Sort u where

/-- `Not a`, written `¬a`: from `a` follows a contradiction. -/
def Not (a : Prop) : Prop := a → False

/-- From a contradiction follows anything. -/
@[macro_inline] def False.elim {C : Sort u} (h : False) : C := False.rec (fun _ => C) h

@[macro_inline] def absurd {a : Prop} {b : Sort v} (h₁ : a) (h₂ : Not a) : b := False.elim (h₂ h₁)

theorem trivial : True := True.intro

/-- `And a b`, written `a ∧ b`: both hold. -/
@[pp_using_anonymous_constructor]
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b

/-- `Or a b`, written `a ∨ b`: at least one of them holds. -/
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b

/-- `Iff a b`, written `a ↔ b`: each follows from the other. -/
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a

/-- `Exists p`, written `∃ x, p x`: some `x` has the property `p`. -/
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

/-! ## What recursion and case distinction are built from -/

/-- `Prod α β`, written `α × β`: pairs. -/
structure Prod (α : Type u) (β : Type v) where
  mk ::
  fst : α
  snd : β

structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β

structure MProd (α β : Type u) where
  fst : α
  snd : β

structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α

set_option genCtorIdx false in
/-- The truth values. -/
inductive Bool : Type where
  | false : Bool
  | true : Bool

export Bool (false true)

set_option genCtorIdx false in
/-- The natural numbers. -/
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

axiom sorryAx (α : Sort u) (synthetic : Bool) : α

/-- The choice of one of two values by a truth value. -/
@[macro_inline] def cond {α : Sort u} (c : Bool) (x y : α) : α :=
  match c with
  | true => x
  | false => y

/-- A type with a distinguished element. -/
class Inhabited (α : Sort u) where
  default : α

export Inhabited (default)

/-- A type that has some element. -/
class inductive Nonempty (α : Sort u) : Prop where
  | intro (val : α) : Nonempty α

/-- The axiom of choice. -/
axiom Classical.choice {α : Sort u} : Nonempty α → α

axiom propext {a b : Prop} : Iff a b → Eq a b

axiom Quot.sound {α : Sort u} {r : α → α → Prop} {a b : α} : r a b → Eq (Quot.mk r a) (Quot.mk r b)

unsafe axiom Quot.lcInv {α : Sort u} {r : α → α → Prop} (q : Quot r) : α

/-- Functions with the same values are the same. -/
theorem funext {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : (x : α) → Eq (f x) (g x)) : Eq f g :=
  let same (f g : (x : α) → β x) := (x : α) → Eq (f x) (g x)
  let apply (q : Quot same) (x : α) : β x := Quot.lift (fun f : (x : α) → β x => f x) (fun _ _ h => h x) q
  congrArg apply (Quot.sound h)
