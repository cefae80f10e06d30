import Example.List.Perm
import Example.Nat.Order

/-!
# Insertion sort

Sorting a list of numbers by insertion: the result is sorted, and a permutation of the list.
-/

namespace List

/-- Every element is at most each of those behind it. -/
inductive Sorted : List ℕ → Prop
  | nil : Sorted []
  | cons {n : ℕ} {l : List ℕ} : (∀ m, m ∈ l → n ≤ m) → Sorted l → Sorted (n :: l)

/-- Puts a number before the first larger one. -/
def insertSorted (n : ℕ) : List ℕ → List ℕ
  | [] => [n]
  | m :: l => if n ≤ m then n :: m :: l else m :: insertSorted n l

/-- Sorts a list by insertion. -/
def insertionSort (l : List ℕ) : List ℕ :=
  foldr insertSorted [] l

variable {l : List ℕ} {m n : ℕ}

theorem Sorted.of_cons (h : (n :: l).Sorted) : l.Sorted := by
  cases h with
  | cons _ h => exact h

theorem Sorted.le_of_mem (h : (n :: l).Sorted) (hm : m ∈ l) : n ≤ m := by
  cases h with
  | cons h _ => exact h m hm

theorem sorted_singleton (n : ℕ) : [n].Sorted :=
  Sorted.cons (fun m hm => absurd hm (not_mem_nil m)) Sorted.nil

theorem insertSorted_of_le (h : n ≤ m) : insertSorted n (m :: l) = n :: m :: l :=
  if_pos h

theorem insertSorted_of_not_le (h : ¬n ≤ m) : insertSorted n (m :: l) = m :: insertSorted n l :=
  if_neg h

theorem perm_insertSorted (n : ℕ) (l : List ℕ) : insertSorted n l ~ n :: l := by
  induction l with
  | nil => exact Perm.rfl
  | cons m l ih =>
    by_cases h : n ≤ m
    · rw [insertSorted_of_le h]
      exact Perm.rfl
    · rw [insertSorted_of_not_le h]
      exact (ih.cons m).trans (Perm.swap n m l)

theorem mem_insertSorted : m ∈ insertSorted n l ↔ m = n ∨ m ∈ l :=
  (perm_insertSorted n l).mem_iff.trans mem_cons

theorem Sorted.insertSorted (h : l.Sorted) (n : ℕ) : (List.insertSorted n l).Sorted := by
  induction h with
  | nil => exact sorted_singleton n
  | @cons m l hm hl ih =>
    by_cases h : n ≤ m
    · rw [insertSorted_of_le h]
      refine Sorted.cons (fun k hk => ?_) (Sorted.cons hm hl)
      rcases mem_cons.mp hk with rfl | hk
      · exact h
      · exact Nat.le_trans h (hm k hk)
    · rw [insertSorted_of_not_le h]
      refine Sorted.cons (fun k hk => ?_) ih
      rcases mem_insertSorted.mp hk with rfl | hk
      · exact Nat.le_of_lt (Nat.not_le.mp h)
      · exact hm k hk

/-- Insertion sort sorts. -/
theorem sorted_insertionSort (l : List ℕ) : l.insertionSort.Sorted := by
  induction l with
  | nil => exact Sorted.nil
  | cons n l ih => exact ih.insertSorted n

/-- Insertion sort loses no element and adds none. -/
theorem perm_insertionSort (l : List ℕ) : l.insertionSort ~ l := by
  induction l with
  | nil => exact Perm.nil
  | cons n l ih => exact (perm_insertSorted n (insertionSort l)).trans (ih.cons n)

theorem length_insertionSort (l : List ℕ) : l.insertionSort.length = l.length :=
  (perm_insertionSort l).length_eq

theorem mem_insertionSort : m ∈ l.insertionSort ↔ m ∈ l :=
  (perm_insertionSort l).mem_iff

/-- A sorted list is left as it is. -/
theorem Sorted.insertionSort_eq (h : l.Sorted) : l.insertionSort = l := by
  induction h with
  | nil => rfl
  | @cons n l hn _ ih =>
    show List.insertSorted n (insertionSort l) = n :: l
    rw [ih]
    cases l with
    | nil => rfl
    | cons m l => exact insertSorted_of_le (hn m mem_cons_self)

end List
