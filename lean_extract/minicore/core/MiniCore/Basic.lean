prelude
import MiniCore.Lemmas

/-!
# Mini core: numbers, lists and options in use

Definitions with their defining equations, under the names they have in Lean. Their theory is left to the
libraries above.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

/-! ## Numerals -/

instance (priority := 300) Zero.toOfNat0 {α : Type u} [Zero α] : OfNat α (nat_lit 0) where
  ofNat := Zero.zero

instance (priority := 300) One.toOfNat1 {α : Type u} [One α] : OfNat α (nat_lit 1) where
  ofNat := One.one

/-! ## Constructors are injective -/

gen_injective_theorems% Nat
gen_injective_theorems% List
gen_injective_theorems% Option
gen_injective_theorems% Prod
gen_injective_theorems% Sum
gen_injective_theorems% Subtype
gen_injective_theorems% Fin

/-! ## Natural numbers -/

namespace Nat

/-- The induction that the tactic `induction` uses: its cases read `0` and `n + 1`. -/
@[induction_eliminator, reducible] protected noncomputable def recAux {motive : Nat → Sort u} (zero : motive 0)
    (succ : (n : Nat) → motive n → motive (n + 1)) (t : Nat) : motive t :=
  Nat.rec zero succ t

/-- The case distinction that the tactic `cases` uses. -/
@[cases_eliminator] protected abbrev casesAuxOn {motive : Nat → Sort u} (t : Nat) (zero : motive 0)
    (succ : (n : Nat) → motive (n + 1)) : motive t :=
  Nat.casesOn t zero succ

variable (n m k : Nat)

theorem add_zero : n + 0 = n := rfl
theorem add_succ : n + succ m = succ (n + m) := rfl

protected theorem le_refl : n ≤ n := Nat.le.refl

instance instDvd : Dvd Nat where
  dvd a b := ∃ c, b = a * c

instance instMax : Max Nat where
  max n m := if n ≤ m then m else n

instance instMin : Min Nat where
  min n m := if n ≤ m then n else m

/-- Division with `fuel` for at most that many subtractions. -/
def divModFuel (m : Nat) : (fuel n : Nat) → Nat × Nat
  | 0, n => (0, n)
  | fuel + 1, n =>
    if 0 < m ∧ m ≤ n then ((divModFuel m fuel (n - m)).1 + 1, (divModFuel m fuel (n - m)).2) else (0, n)

/-- Division, rounding down; `n / 0 = 0`. -/
protected def div (n m : Nat) : Nat := (divModFuel m n n).1

/-- The remainder; `n % 0 = n`. -/
protected def mod (n m : Nat) : Nat := (divModFuel m n n).2

instance instDiv : Div Nat := ⟨Nat.div⟩

instance instMod : Mod Nat := ⟨Nat.mod⟩

attribute [simp] Nat.add_zero Nat.zero_le Nat.le_refl
end Nat

/-! ## Pairs and options -/

namespace Prod
variable {α : Type u} {β : Type v}

@[ext] theorem ext : {p q : α × β} → p.1 = q.1 → p.2 = q.2 → p = q
  | (_, _), (_, _), rfl, rfl => rfl

instance [Inhabited α] [Inhabited β] : Inhabited (α × β) := ⟨(default, default)⟩

/-- Swaps the two components. -/
def swap (p : α × β) : β × α := (p.2, p.1)

end Prod

namespace Option
variable {α : Type u} {β : Type v}

protected def map (f : α → β) : Option α → Option β
  | none => none
  | some a => some (f a)

protected def bind : Option α → (α → Option β) → Option β
  | none, _ => none
  | some a, f => f a

def getD : Option α → α → α
  | none, d => d
  | some a, _ => a

def isSome : Option α → Bool
  | none => false
  | some _ => true

end Option

/-! ## Lists -/

namespace List
variable {α : Type u} {β : Type v}

/-- `a ∈ l`: the list has the element `a`. -/
inductive Mem (a : α) : List α → Prop
  | head (as : List α) : Mem a (a :: as)
  | tail (b : α) {as : List α} : Mem a as → Mem a (b :: as)

instance instMembership : Membership α (List α) where
  mem l a := Mem a l

def length : List α → Nat
  | [] => 0
  | _ :: l => length l + 1

def map (f : α → β) : List α → List β
  | [] => []
  | a :: l => f a :: map f l

def filter (p : α → Bool) : List α → List α
  | [] => []
  | a :: l => match p a with
    | true => a :: filter p l
    | false => filter p l

def foldr (f : α → β → β) (init : β) : List α → β
  | [] => init
  | a :: l => f a (foldr f init l)

def foldl (f : β → α → β) : β → List α → β
  | b, [] => b
  | b, a :: l => foldl f (f b a) l

/-- The list backwards. -/
def reverse : List α → List α
  | [] => []
  | a :: l => reverse l ++ [a]

def replicate : (n : Nat) → α → List α
  | 0, _ => []
  | n + 1, a => a :: replicate n a

def take : Nat → List α → List α
  | 0, _ => []
  | _ + 1, [] => []
  | n + 1, a :: l => a :: take n l

def drop : Nat → List α → List α
  | 0, l => l
  | _ + 1, [] => []
  | n + 1, _ :: l => drop n l

/-- All lists of a list of lists, one behind the other. -/
def flatten : List (List α) → List α
  | [] => []
  | l :: L => l ++ flatten L

def head? : List α → Option α
  | [] => none
  | a :: _ => some a

theorem nil_append (l : List α) : [] ++ l = l := rfl
theorem cons_append (a : α) (k l : List α) : (a :: k) ++ l = a :: (k ++ l) := rfl

attribute [simp] nil_append cons_append

instance hasDecEq [DecidableEq α] : DecidableEq (List α)
  | [], [] => isTrue rfl
  | [], _ :: _ => isFalse (by intro h; cases h)
  | _ :: _, [] => isFalse (by intro h; cases h)
  | a :: k, b :: l =>
    match decEq a b with
    | isFalse hn => isFalse (by intro h; cases h; exact hn rfl)
    | isTrue ha => match hasDecEq k l with
      | isFalse hn => isFalse (by intro h; cases h; exact hn rfl)
      | isTrue hl => isTrue (by rw [ha, hl])

end List

/-! ## Truth values -/

theorem Bool.and_true (b : Bool) : (b && true) = b := by cases b <;> rfl
theorem Bool.true_and (b : Bool) : (true && b) = b := rfl
theorem Bool.and_false (b : Bool) : (b && false) = false := by cases b <;> rfl
theorem Bool.false_and (b : Bool) : (false && b) = false := rfl
theorem Bool.or_true (b : Bool) : (b || true) = true := by cases b <;> rfl
theorem Bool.true_or (b : Bool) : (true || b) = true := rfl
theorem Bool.or_false (b : Bool) : (b || false) = b := by cases b <;> rfl
theorem Bool.false_or (b : Bool) : (false || b) = b := rfl
theorem Bool.not_not (b : Bool) : (!!b) = b := by cases b <;> rfl

theorem decide_eq_true_eq {p : Prop} [Decidable p] : (decide p = true) = p :=
  propext ⟨of_decide_eq_true, decide_eq_true⟩

theorem beq_iff_eq {α : Type u} [DecidableEq α] {a b : α} : (a == b) = true ↔ a = b :=
  ⟨of_decide_eq_true, decide_eq_true⟩

attribute [simp] Bool.and_true Bool.true_and Bool.and_false Bool.false_and Bool.or_true Bool.true_or
attribute [simp] Bool.or_false Bool.false_or Bool.not_not decide_eq_true_eq beq_iff_eq Classical.not_not
