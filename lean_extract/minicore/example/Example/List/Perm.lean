import Example.List.Basic

/-!
# Permutations of lists

`l₁ ~ l₂` says that the two lists have the same elements, each as often. It is defined by the swaps
of neighbours, and shown to be an equivalence that append, map, reverse, length and sum respect.
-/

universe u v

namespace List

variable {α : Type u} {β : Type v}

/-- `Perm l₁ l₂`, written `l₁ ~ l₂`: the lists are permutations of one another. -/
inductive Perm : List α → List α → Prop
  /-- The empty list has one permutation. -/
  | nil : Perm [] []
  /-- Equal heads do not matter. -/
  | cons (a : α) {l₁ l₂ : List α} : Perm l₁ l₂ → Perm (a :: l₁) (a :: l₂)
  /-- Neighbours may be swapped. -/
  | swap (a b : α) (l : List α) : Perm (b :: a :: l) (a :: b :: l)
  /-- Permutations compose. -/
  | trans {l₁ l₂ l₃ : List α} : Perm l₁ l₂ → Perm l₂ l₃ → Perm l₁ l₃

@[inherit_doc] infixl:50 " ~ " => Perm

variable {k l l₁ l₂ l₃ m : List α}

namespace Perm

@[simp]
protected theorem refl (l : List α) : l ~ l := by
  induction l with
  | nil => exact Perm.nil
  | cons a l ih => exact Perm.cons a ih

protected theorem rfl : l ~ l :=
  Perm.refl l

protected theorem symm (h : l₁ ~ l₂) : l₂ ~ l₁ := by
  induction h with
  | nil => exact Perm.nil
  | cons a _ ih => exact Perm.cons a ih
  | swap a b l => exact Perm.swap b a l
  | trans _ _ ih₁ ih₂ => exact Perm.trans ih₂ ih₁

theorem length_eq (h : l₁ ~ l₂) : l₁.length = l₂.length := by
  induction h with
  | nil => rfl
  | cons a _ ih => rw [length_cons, length_cons, ih]
  | swap a b l => rfl
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

/-- Permutations have the same elements. -/
theorem mem_iff {a : α} (h : l₁ ~ l₂) : a ∈ l₁ ↔ a ∈ l₂ := by
  induction h with
  | nil => exact Iff.rfl
  | cons b _ ih => rw [mem_cons, mem_cons, ih]
  | swap b c l =>
    simp only [mem_cons]
    rw [← or_assoc, @or_comm (a = c), or_assoc]
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem append_right (h : l₁ ~ l₂) (m : List α) : l₁ ++ m ~ l₂ ++ m := by
  induction h with
  | nil => exact Perm.refl m
  | cons a _ ih => exact Perm.cons a ih
  | swap a b l => exact Perm.swap a b (l ++ m)
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem append_left (k : List α) (h : l₁ ~ l₂) : k ++ l₁ ~ k ++ l₂ := by
  induction k with
  | nil => exact h
  | cons a k ih => exact Perm.cons a ih

theorem append (h₁ : k ~ l) (h₂ : l₁ ~ l₂) : k ++ l₁ ~ l ++ l₂ :=
  (h₁.append_right l₁).trans (h₂.append_left l)

theorem map (f : α → β) (h : l₁ ~ l₂) : List.map f l₁ ~ List.map f l₂ := by
  induction h with
  | nil => exact Perm.nil
  | cons a _ ih => exact Perm.cons (f a) ih
  | swap a b l => exact Perm.swap (f a) (f b) (List.map f l)
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem sum_eq {l₁ l₂ : List ℕ} (h : l₁ ~ l₂) : l₁.sum = l₂.sum := by
  induction h with
  | nil => rfl
  | cons a _ ih => exact congrArg (a + ·) ih
  | swap a b l => exact Nat.add_left_comm b a l.sum
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem eq_nil (h : l ~ []) : l = [] :=
  eq_nil_of_length_eq_zero h.length_eq

end Perm

open Perm

/-- An element may be moved from the middle to the front. -/
theorem perm_middle (a : α) (k l : List α) : k ++ a :: l ~ a :: (k ++ l) := by
  induction k with
  | nil => exact Perm.refl (a :: l)
  | cons b k ih => exact (ih.cons b).trans (swap a b (k ++ l))

attribute [simp] perm_middle

theorem perm_append_comm : k ++ l ~ l ++ k := by
  induction k with
  | nil => rw [nil_append, append_nil]; exact Perm.rfl
  | cons a k ih => exact (ih.cons a).trans (perm_middle a l k).symm

@[simp]
theorem reverse_perm (l : List α) : l.reverse ~ l := by
  induction l with
  | nil => exact Perm.nil
  | cons a l ih =>
    have h : reverse l ++ [a] ~ a :: (reverse l ++ []) := perm_middle a (reverse l) []
    rw [append_nil] at h
    exact h.trans (ih.cons a)

theorem perm_cons_append_of_mem {a : α} (h : a ∈ l) : ∃ m, l ~ a :: m := by
  obtain ⟨s, t, rfl⟩ := append_of_mem h
  exact ⟨s ++ t, perm_middle a s t⟩

end List
