prelude
import MiniCore.Logic

/-!
# Mini core: truth values, numbers, decidability and the operator classes

The classes behind `+`, `<`, `=` and numerals, and the natural numbers with the runtime's arithmetic.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

/-! ## What the constructors of data types are told apart with -/

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_eq"]
def Nat.beq : Nat → Nat → Bool
  | .zero, .zero => true
  | .zero, .succ _ => false
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.beq n m

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_dec_le"]
def Nat.ble : Nat → Nat → Bool
  | .zero, _ => true
  | .succ _, .zero => false
  | .succ n, .succ m => Nat.ble n m

attribute [gen_constructor_elims] Bool

/-! ## Truth values -/

@[macro_inline] def Bool.or (x y : Bool) : Bool := match x with
  | true => true
  | false => y

@[macro_inline] def Bool.and (x y : Bool) : Bool := match x with
  | false => false
  | true => y

@[inline] def Bool.not : Bool → Bool
  | true => false
  | false => true

export Bool (or and not)

instance : Inhabited Bool := ⟨false⟩

/-- `b.Reflects p`: the truth value `b` says whether `p` holds. -/
abbrev Bool.Reflects : Bool → Prop → Prop
  | false, p => Not p
  | true, p => p

/-- A proposition together with the truth value that decides it. -/
class Decidable (p : Prop) where
  intro ::
  decide : Bool
  reflects_decide (p) : decide.Reflects p

@[match_pattern] abbrev Decidable.isFalse {p : Prop} (h : Not p) : Decidable p := ⟨false, h⟩
@[match_pattern] abbrev Decidable.isTrue {p : Prop} (h : p) : Decidable p := ⟨true, h⟩

@[cases_eliminator, induction_eliminator, elab_as_elim]
abbrev Decidable.falseTrueCases {p : Prop} {motive : Decidable p → Sort u}
    (isFalse : (h : Not p) → motive (Decidable.isFalse h)) (isTrue : (h : p) → motive (Decidable.isTrue h))
    (t : Decidable p) : motive t :=
  Decidable.casesOn t fun b => Bool.casesOn b isFalse isTrue

export Decidable (isTrue isFalse decide)

abbrev DecidablePred {α : Sort u} (p : α → Prop) := (a : α) → Decidable (p a)
abbrev DecidableRel {α : Sort u} {β : Sort v} (r : α → β → Prop) := (a : α) → (b : β) → Decidable (r a b)
abbrev DecidableEq (α : Sort u) := (a b : α) → Decidable (Eq a b)

/-- Decides whether two elements are the same. -/
def decEq {α : Sort u} [inst : DecidableEq α] (a b : α) : Decidable (Eq a b) := inst a b

theorem decide_eq_true {p : Prop} : [inst : Decidable p] → p → Eq (decide p) true
  | isTrue _, _ => rfl
  | isFalse h₁, h₂ => absurd h₂ h₁

theorem decide_eq_false {p : Prop} : [inst : Decidable p] → Not p → Eq (decide p) false
  | isTrue h₁, h₂ => absurd h₁ h₂
  | isFalse _, _ => rfl

theorem of_decide_eq_true {p : Prop} [inst : Decidable p] (h : Eq (decide p) true) : p :=
  match inst, h with
  | isTrue h₁, _ => h₁
  | isFalse _, h => Bool.noConfusion h

theorem of_decide_eq_false {p : Prop} [inst : Decidable p] (h : Eq (decide p) false) : Not p :=
  match inst, h with
  | isTrue _, h => Bool.noConfusion h
  | isFalse h₁, _ => h₁

/-- `if c then t else e`. -/
@[macro_inline] def ite {α : Sort u} (c : Prop) [h : Decidable c] (t e : α) : α :=
  match h with
  | isTrue _ => t
  | isFalse _ => e

/-- `if h : c then t else e`, where the branches may use `h`. -/
@[macro_inline] def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : Not c → α) : α :=
  match h with
  | isTrue h => t h
  | isFalse h => e h

def Bool.decEq (a b : Bool) : Decidable (Eq a b) :=
  match a, b with
  | false, false => isTrue rfl
  | false, true => isFalse (fun h => Bool.noConfusion h)
  | true, false => isFalse (fun h => Bool.noConfusion h)
  | true, true => isTrue rfl

instance : DecidableEq Bool := Bool.decEq

theorem Nat.eq_of_beq_eq_true : {n m : Nat} → Eq (Nat.beq n m) true → Eq n m
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ n, .succ m, h => congrArg Nat.succ (Nat.eq_of_beq_eq_true (n := n) (m := m) h)

theorem Nat.beq_refl : (n : Nat) → Eq (Nat.beq n n) true
  | .zero => rfl
  | .succ n => Nat.beq_refl n

theorem Nat.ne_of_beq_eq_false {n m : Nat} (h : Eq (Nat.beq n m) false) : Not (Eq n m) := fun e =>
  have diff : Eq true false := Eq.trans (Eq.symm (Nat.beq_refl n)) (Eq.subst (motive := fun x => Eq (Nat.beq n x) false) (Eq.symm e) h)
  Bool.noConfusion diff

@[reducible, extern "lean_nat_dec_eq"]
protected def Nat.decEq (n m : Nat) : Decidable (Eq n m) :=
  match h : Nat.beq n m with
  | true => isTrue (Nat.eq_of_beq_eq_true h)
  | false => isFalse (Nat.ne_of_beq_eq_false h)

/-! ## Operator classes -/

class OfNat (α : Type u) (_ : Nat) where
  ofNat : α

class Zero (α : Type u) where
  zero : α

class One (α : Type u) where
  one : α

class LE (α : Type u) where
  le : α → α → Prop

class LT (α : Type u) where
  lt : α → α → Prop

@[reducible] def GE.ge {α : Type u} [LE α] (a b : α) : Prop := LE.le b a
@[reducible] def GT.gt {α : Type u} [LT α] (a b : α) : Prop := LT.lt b a

class Max (α : Type u) where
  max : α → α → α

class Min (α : Type u) where
  min : α → α → α

export Max (max)
export Min (min)

class HAdd (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAdd : α → β → γ
class HSub (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hSub : α → β → γ
class HMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMul : α → β → γ
class HDiv (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hDiv : α → β → γ
class HMod (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMod : α → β → γ
class HPow (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hPow : α → β → γ
class HAppend (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAppend : α → β → γ
class HSMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hSMul : α → β → γ

class Add (α : Type u) where
  add : α → α → α
class Sub (α : Type u) where
  sub : α → α → α
class Mul (α : Type u) where
  mul : α → α → α
class Div (α : Type u) where
  div : α → α → α
class Mod (α : Type u) where
  mod : α → α → α
class Pow (α : Type u) (β : Type v) where
  pow : α → β → α
class NatPow (α : Type u) where
  pow : α → Nat → α
class Append (α : Type u) where
  append : α → α → α
class SMul (α : Type u) (β : Type v) where
  smul : α → β → β
class Neg (α : Type u) where
  neg : α → α
class Inv (α : Type u) where
  inv : α → α
class Dvd (α : Type u) where
  dvd : α → α → Prop

@[default_instance, reducible] instance instHAdd {α : Type u} [Add α] : HAdd α α α where
  hAdd a b := Add.add a b
@[default_instance, reducible] instance instHSub {α : Type u} [Sub α] : HSub α α α where
  hSub a b := Sub.sub a b
@[default_instance, reducible] instance instHMul {α : Type u} [Mul α] : HMul α α α where
  hMul a b := Mul.mul a b
@[default_instance, reducible] instance instHDiv {α : Type u} [Div α] : HDiv α α α where
  hDiv a b := Div.div a b
@[default_instance, reducible] instance instHMod {α : Type u} [Mod α] : HMod α α α where
  hMod a b := Mod.mod a b
@[default_instance, reducible] instance instHPow {α : Type u} {β : Type v} [Pow α β] : HPow α β α where
  hPow a b := Pow.pow a b
@[default_instance, reducible] instance instPowNat {α : Type u} [NatPow α] : Pow α Nat where
  pow a n := NatPow.pow a n
@[default_instance, reducible] instance instHAppendOfAppend {α : Type u} [Append α] : HAppend α α α where
  hAppend a b := Append.append a b
@[default_instance, reducible] instance instHSMul {α : Type u} {β : Type v} [SMul α β] : HSMul α β β where
  hSMul a b := SMul.smul a b

/-- `a ∈ s`. -/
class Membership (α : outParam (Type u)) (γ : Type v) where
  mem (γ : γ) (a : α) : Prop

class HasSubset (α : Type u) where
  Subset : α → α → Prop
class HasSSubset (α : Type u) where
  SSubset : α → α → Prop
class Union (α : Type u) where
  union : α → α → α
class Inter (α : Type u) where
  inter : α → α → α
class SDiff (α : Type u) where
  sdiff : α → α → α
class EmptyCollection (α : Type u) where
  emptyCollection : α
class Insert (α : outParam (Type u)) (γ : Type v) where
  insert : α → γ → γ
class Singleton (α : outParam (Type u)) (β : Type v) where
  singleton : α → β

export HasSubset (Subset)
export HasSSubset (SSubset)
export Insert (insert)
export Singleton (singleton)

/-- Equality that computes, written `a == b`. -/
class BEq (α : Type u) where
  beq : α → α → Bool

export BEq (beq)

instance (priority := 500) instBEqOfDecidableEq {α : Type u} [DecidableEq α] : BEq α where
  beq a b := decide (Eq a b)

/-! ## Coercions -/

class Coe (α : semiOutParam (Sort u)) (β : Sort v) where
  coe : α → β
class CoeTC (α : Sort u) (β : Sort v) where
  coe : α → β
class CoeOut (α : Sort u) (β : semiOutParam (Sort v)) where
  coe : α → β
class CoeOTC (α : Sort u) (β : Sort v) where
  coe : α → β
class CoeHead (α : Sort u) (β : semiOutParam (Sort v)) where
  coe : α → β
class CoeHTC (α : Sort u) (β : Sort v) where
  coe : α → β
class CoeTail (α : semiOutParam (Sort u)) (β : Sort v) where
  coe : α → β
class CoeHTCT (α : Sort u) (β : Sort v) where
  coe : α → β
class CoeDep (α : Sort u) (_ : α) (β : Sort v) where
  coe : β
class CoeT (α : Sort u) (_ : α) (β : Sort v) where
  coe : β
class CoeFun (α : Sort u) (γ : outParam (α → Sort v)) where
  coe : (f : α) → γ f
class CoeSort (α : Sort u) (β : outParam (Sort v)) where
  coe : α → β

attribute [coe_decl] Coe.coe CoeTC.coe CoeOut.coe CoeOTC.coe CoeHead.coe CoeHTC.coe CoeTail.coe
attribute [coe_decl] CoeHTCT.coe CoeDep.coe CoeT.coe CoeFun.coe CoeSort.coe

section
variable {α : Sort u} {β : Sort v} {γ : Sort w}

instance [CoeTail β γ] [CoeTC α β] : CoeHTCT α γ where coe a := CoeTail.coe (CoeTC.coe a : β)
instance [Coe β γ] [CoeTC α β] : CoeTC α γ where coe a := Coe.coe (CoeTC.coe a : β)
instance [Coe α β] : CoeTC α β where coe a := Coe.coe a
instance [CoeOut α β] [CoeOTC β γ] : CoeOTC α γ where coe a := CoeOTC.coe (CoeOut.coe a : β)
instance [CoeTC α β] : CoeOTC α β where coe a := CoeTC.coe a
instance [CoeHead α β] [CoeOTC β γ] : CoeHTC α γ where coe a := CoeOTC.coe (CoeHead.coe a : β)
instance [CoeOut α β] : CoeOTC α β where coe a := CoeOut.coe a
instance [CoeHead α β] : CoeHTC α β where coe a := CoeHead.coe a
instance [CoeOTC α β] : CoeHTC α β where coe a := CoeOTC.coe a
instance [CoeHTC α β] : CoeHTCT α β where coe a := CoeHTC.coe a
instance [CoeTail α β] : CoeHTCT α β where coe a := CoeTail.coe a
instance {a : α} [CoeDep α a β] : CoeT α a β where coe := CoeDep.coe a
instance {a : α} [CoeHTCT α β] : CoeT α a β where coe := CoeHTCT.coe a
end

instance boolToProp : Coe Bool Prop where
  coe b := Eq b true

instance boolToSort : CoeSort Bool Prop where
  coe b := Eq b true

instance decPropToBool (p : Prop) [Decidable p] : CoeDep Prop p Bool where
  coe := decide p

/-! ## Natural numbers -/

@[default_instance 100]
instance instOfNatNat (n : Nat) : OfNat Nat n where
  ofNat := n

instance : Inhabited Nat where
  default := Nat.zero

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_add"]
protected def Nat.add : Nat → Nat → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)

instance instAddNat : Add Nat where
  add := Nat.add

-- So that `n + 1` may stand in a pattern.
attribute [match_pattern] Nat.add Add.add HAdd.hAdd

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_mul"]
protected def Nat.mul : Nat → Nat → Nat
  | _, .zero => .zero
  | n, .succ m => Nat.add (Nat.mul n m) n

instance instMulNat : Mul Nat where
  mul := Nat.mul

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pow"]
protected def Nat.pow (m : Nat) : Nat → Nat
  | .zero => .succ .zero
  | .succ n => Nat.mul (Nat.pow m n) m

instance instNatPowNat : NatPow Nat where
  pow := Nat.pow

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_pred"]
def Nat.pred : Nat → Nat
  | .zero => .zero
  | .succ n => n

set_option bootstrap.genMatcherCode false in
@[extern "lean_nat_sub"]
protected def Nat.sub : Nat → Nat → Nat
  | n, .zero => n
  | n, .succ m => Nat.pred (Nat.sub n m)

attribute [gen_constructor_elims] Nat

/-- How the elaborator tells constructors apart: by their numbers. -/
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : Eq a b) :
    Bool.rec (motive := fun _ => Prop) False True ((f a).beq (f b)) :=
  Eq.ndrec (motive := fun b => Bool.rec (motive := fun _ => Prop) False True ((f a).beq (f b)))
    (Eq.ndrec_symm (a := true) (motive := fun c => Bool.rec (motive := fun _ => Prop) False True c)
      True.intro (Nat.beq_refl (f a))) h

instance instSubNat : Sub Nat where
  sub := Nat.sub

instance instDecidableEqNat : DecidableEq Nat := Nat.decEq

/-- `n ≤ m`: `m` is reached from `n` by successors. -/
protected inductive Nat.le (n : Nat) : Nat → Prop
  | refl : Nat.le n n
  | step {m : Nat} : Nat.le n m → Nat.le n (.succ m)

protected def Nat.lt (n m : Nat) : Prop := Nat.le (.succ n) m

instance instLENat : LE Nat where
  le := Nat.le

instance instLTNat : LT Nat where
  lt := Nat.lt
