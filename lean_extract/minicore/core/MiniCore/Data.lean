prelude
import MiniCore.Numbers

/-!
# Mini core: pairs, sums, lists, strings

Data types in the layout that the runtime's own code expects, with no more of their theory than the
parser and the macro expander need.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

/-! ## Pairs, sums, options, lists -/

/-- The elements of `α` that have the property `p`. -/
@[pp_using_anonymous_constructor]
structure Subtype {α : Sort u} (p : α → Prop) where
  val : α
  property : p val

/-- Dependent pairs. -/
@[pp_using_anonymous_constructor]
structure Sigma {α : Type u} (β : α → Type v) where
  fst : α
  snd : β fst

@[pp_using_anonymous_constructor]
structure PSigma {α : Sort u} (β : α → Sort v) where
  fst : α
  snd : β fst

/-- Either an `α` or a `β`. -/
inductive Sum (α : Type u) (β : Type v) where
  | inl (val : α) : Sum α β
  | inr (val : β) : Sum α β

inductive PSum (α : Sort u) (β : Sort v) where
  | inl (val : α) : PSum α β
  | inr (val : β) : PSum α β

/-- An `α` or nothing. -/
inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α

export Option (none some)

/-- Finite sequences, written `[a, b, c]` and `a :: l`. -/
inductive List (α : Type u) where
  | nil : List α
  | cons (head : α) (tail : List α) : List α

structure PLift (α : Sort u) : Type u where
  up ::
  down : α

structure ULift.{r, s} (α : Type s) : Type (max s r) where
  up ::
  down : α

attribute [coe] Subtype.val

instance subtypeCoe {α : Sort u} {p : α → Prop} : CoeOut (Subtype p) α where
  coe v := v.val

instance : Inhabited Prop := ⟨True⟩

instance optionCoe {α : Type u} : Coe α (Option α) where
  coe := some

instance {α : Type u} : Inhabited (List α) where
  default := List.nil

instance {α : Type u} : Inhabited (Option α) where
  default := none

protected def List.append {α : Type u} : List α → List α → List α
  | .nil, l => l
  | .cons a k, l => .cons a (List.append k l)

instance List.instAppend {α : Type u} : Append (List α) where
  append := List.append

/-! ## Order of the natural numbers -/

theorem Nat.zero_le : (n : Nat) → LE.le 0 n
  | .zero => Nat.le.refl
  | .succ n => Nat.le.step (Nat.zero_le n)

theorem Nat.succ_le_succ {n m : Nat} (h : LE.le n m) : LE.le (Nat.succ n) (Nat.succ m) :=
  Nat.le.rec (motive := fun m _ => LE.le (Nat.succ n) (Nat.succ m)) Nat.le.refl (fun _ h => Nat.le.step h) h

theorem Nat.le_of_ble_eq_true : {n m : Nat} → Eq (Nat.ble n m) true → LE.le n m
  | .zero, m, _ => Nat.zero_le m
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ n, .succ m, h => Nat.succ_le_succ (Nat.le_of_ble_eq_true (n := n) (m := m) h)

theorem Nat.ble_refl : (n : Nat) → Eq (Nat.ble n n) true
  | .zero => rfl
  | .succ n => Nat.ble_refl n

theorem Nat.ble_succ_of_ble : {n m : Nat} → Eq (Nat.ble n m) true → Eq (Nat.ble n (Nat.succ m)) true
  | .zero, _, _ => rfl
  | .succ _, .zero, h => Bool.noConfusion h
  | .succ n, .succ m, h => Nat.ble_succ_of_ble (n := n) (m := m) h

theorem Nat.ble_eq_true_of_le {n m : Nat} (h : LE.le n m) : Eq (Nat.ble n m) true :=
  Nat.le.rec (motive := fun m _ => Eq (Nat.ble n m) true) (Nat.ble_refl n) (fun _ h => Nat.ble_succ_of_ble h) h

@[reducible] instance Nat.decLe (n m : Nat) : Decidable (LE.le n m) :=
  match h : Nat.ble n m with
  | true => isTrue (Nat.le_of_ble_eq_true h)
  | false => isFalse fun hle => Bool.noConfusion (Eq.trans (Eq.symm h) (Nat.ble_eq_true_of_le hle))

@[reducible] instance Nat.decLt (n m : Nat) : Decidable (LT.lt n m) := Nat.decLe (Nat.succ n) m

/-! ## Machine words -/

/-- A natural number below `n`. -/
@[pp_using_anonymous_constructor]
structure Fin (n : Nat) where
  mk ::
  val : Nat
  isLt : LT.lt val n

structure BitVec (w : Nat) where
  ofFin ::
  toFin : Fin (HPow.hPow 2 w)

structure UInt8 where
  ofBitVec ::
  toBitVec : BitVec 8

structure UInt16 where
  ofBitVec ::
  toBitVec : BitVec 16

structure UInt32 where
  ofBitVec ::
  toBitVec : BitVec 32

structure UInt64 where
  ofBitVec ::
  toBitVec : BitVec 64

opaque System.Platform.getNumBits : Unit → Subtype fun n : Nat => Or (Eq n 32) (Eq n 64) :=
  fun _ => ⟨64, Or.inr rfl⟩

def System.Platform.numBits : Nat := (getNumBits Unit.unit).val

structure USize where
  ofBitVec ::
  toBitVec : BitVec System.Platform.numBits

-- The runtime keeps words unboxed, so it has to be told how it names these two.
attribute [extern "lean_uint8_of_bitvec_mk"] UInt8.ofBitVec
attribute [extern "lean_uint8_to_bitvec"] UInt8.toBitVec
attribute [extern "lean_uint16_of_bitvec_mk"] UInt16.ofBitVec
attribute [extern "lean_uint16_to_bitvec"] UInt16.toBitVec
attribute [extern "lean_uint32_of_bitvec_mk"] UInt32.ofBitVec
attribute [extern "lean_uint32_to_bitvec"] UInt32.toBitVec
attribute [extern "lean_uint64_of_bitvec_mk"] UInt64.ofBitVec
attribute [extern "lean_uint64_to_bitvec"] UInt64.toBitVec
attribute [extern "lean_usize_of_bitvec_mk"] USize.ofBitVec
attribute [extern "lean_usize_to_bitvec"] USize.toBitVec

def UInt32.toNat (n : UInt32) : Nat := n.toBitVec.toFin.val

def UInt32.zero : UInt32 := ⟨⟨⟨0, Nat.le_of_ble_eq_true rfl⟩⟩⟩

instance : Inhabited UInt32 := ⟨UInt32.zero⟩

instance : Inhabited UInt64 := ⟨⟨⟨⟨0, Nat.le_of_ble_eq_true rfl⟩⟩⟩⟩

@[extern "lean_uint32_of_nat"]
def UInt32.ofNatLT (n : Nat) (h : LT.lt n 4294967296) : UInt32 := ⟨⟨⟨n, h⟩⟩⟩

@[extern "lean_uint64_of_nat"]
opaque UInt64.ofNat (n : Nat) : UInt64

/-! ## Arrays, characters, strings -/

/-- Finite sequences with constant-time access. Compiled code never calls the constructor. -/
structure Array (α : Type u) where
  mk ::
  toList : List α

instance {α : Type u} : Inhabited (Array α) := ⟨⟨List.nil⟩⟩

structure ByteArray where
  data : Array UInt8

/-- Which byte sequences are strings: left open, as nothing here reasons about bytes. -/
opaque ByteArray.IsValidUTF8 (b : ByteArray) : Prop

/-- The Unicode scalar values. -/
abbrev Nat.isValidChar (n : Nat) : Prop :=
  Or (LT.lt n 0xd800) (And (LT.lt 0xdfff n) (LT.lt n 0x110000))

structure Char where
  val : UInt32
  valid : val.toNat.isValidChar

/-- The character with a given number; the number has to be a Unicode scalar value. -/
@[extern "lean_uint32_of_nat"]
opaque Char.ofNat (n : Nat) : Char := ⟨UInt32.zero, Or.inl (Nat.le_of_ble_eq_true rfl)⟩

structure String where
  ofByteArray ::
  toByteArray : ByteArray
  isValidUTF8 : ByteArray.IsValidUTF8 toByteArray

instance : Inhabited String := ⟨""⟩

@[extern "lean_string_mk"]
opaque String.ofList (data : List Char) : String

@[extern "lean_string_append"]
opaque String.append (s t : String) : String

instance : Append String := ⟨String.append⟩

@[extern "lean_string_hash"]
protected opaque String.hash (s : String) : UInt64

structure String.Pos.Raw where
  byteIdx : Nat

structure Substring.Raw where
  str : String
  startPos : String.Pos.Raw
  stopPos : String.Pos.Raw

@[extern "lean_uint64_mix_hash"]
opaque mixHash (h k : UInt64) : UInt64

/-- Takes a value for one of another type; what compiled code needs to bind the runtime's own. -/
@[inline] unsafe def unsafeCast {α : Sort u} {β : Sort v} (a : α) : β :=
  PLift.down (ULift.down.{max u v} (cast lcUnreachable (ULift.up.{max u v} (PLift.up a))))
