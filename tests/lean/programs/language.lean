-- Each piece of language that the mini core supports: as Lean accepts it, and with one thing wrong.

--! binders
example : ∀ x ∈ [1], x = 1 ∨ ∃ y z : ℕ, y ≠ z := fun _ _ => .inr ⟨0, 1, by decide⟩
--? wrong
example : ∀ x ∈ 1, x = 1 := sorry

--! structural recursion
def double : ℕ → ℕ
  | 0 => 0
  | n + 1 => double n + 2
example : double 21 = 42 := rfl
--? wrong
def double : ℕ → ℕ
  | 0 => 0
  | n + 1 => double (n + 1) + 2

--! structures that extend
structure A where
  x : ℕ
structure B extends A where
  y : ℕ := x
example : ({ x := 1 } : B).y = 1 := rfl
--? wrong
structure A where
  x : ℕ
example : ({ y := 1 } : A).x = 1 := rfl

--! classes
class Pointed (α : Type) extends One α where
  eq : ∀ a : α, a = 1
theorem all {α : Type} [Pointed α] (a b : α) : a = b := (Pointed.eq a).trans (Pointed.eq b).symm
--? wrong
class Pointed (α : Type) extends One α where
  eq : ∀ a : α, a = 1
theorem all {α : Type} (a : α) : a = 1 := Pointed.eq a

--! simp attribute
def two := 2
@[simp] theorem two_eq : two = 2 := rfl
example : two + 1 = 3 := by simp
--? wrong
def two := 2
theorem two_eq : two = 2 := rfl
example : two + 1 = 3 := by simp only []

--! macro
macro "done_by " t:term : tactic => `(tactic| exact $t)
example : True := by done_by trivial
--? wrong
macro "done_by " t:term : tactic => `(tactic| exact $t)
example : False := by done_by trivial

--! notation
notation:65 a " ⊞ " b:66 => a + b + 1
example : 1 ⊞ 2 = 4 := rfl
--? wrong
notation:65 a " ⊞ " b:66 => a + b + 1
example : 1 ⊞ 2 = 3 := rfl

--! infixl
def f (a b : ℕ) := a - b
infixl:65 " ⊖ " => f
example : 5 ⊖ 2 ⊖ 1 = 2 := rfl
--? wrong
def f (a b : ℕ) := a - b
infixr:65 " ⊖ " => f
example : 5 ⊖ 2 ⊖ 1 = 2 := rfl

--! namespaces
namespace A
theorem x : True := trivial
end A
open A in
example : True := x
--? wrong
namespace A
theorem x : True := trivial
end A
example : True := x

--! variables
section
variable {α : Type} (a : α)
theorem same : a = a := rfl
end
example : 1 = 1 := same 1
--? wrong
section
variable {α : Type} (a : α)
theorem same : a = a := rfl
end
example : 1 = 1 := same

--! functions
example : (fun x : ℕ => x + 1) ∘ (· + 2) = fun x => x + 3 := rfl
--? wrong
example : (fun x : ℕ => x + 1) ∘ (· + 2) = fun x => x + 2 := rfl

--! lists
example : [1, 2] ++ 3 :: [] = [1, 2, 3] := rfl
--? wrong
example : [1, 2] ++ [3] = [1, 3, 2] := rfl

--! pairs
example (p : ℕ × Bool) : (p.1, p.2) = p := rfl
--? wrong
example (p : ℕ × Bool) : (p.2, p.1) = p := rfl

--! subtypes
example : { n : ℕ // 2 < n } := ⟨3, by decide⟩
--? wrong
example : { n : ℕ // 2 < n } := ⟨2, by decide⟩

--! strings
example : "a" = "a" := rfl
--? wrong
example : "a" = 'a' := rfl

--! if
example : (if 1 < 2 then 3 else 4) = 3 := rfl
--? wrong
example : (if 2 < 1 then 3 else 4) = 3 := rfl

--! mutual
mutual
inductive E : ℕ → Prop
  | zero : E 0
  | succ : O n → E (n + 1)
inductive O : ℕ → Prop
  | succ : E n → O (n + 1)
end
example : E 2 := .succ (.succ .zero)
--? wrong
inductive E : ℕ → Prop
  | zero : E 0
example : E 1 := .zero

--! calculation with inequalities
def R (a b : ℕ) : Prop := a = b
example (a b c : ℕ) (h : a = b) (k : R b c) : R a c :=
  calc a = b := h
    R _ c := k
--? wrong
def R (a b : ℕ) : Prop := a = b
example (a b c : ℕ) (h : R a b) (k : R b c) : R a c :=
  calc R a b := h
    R _ c := k
