import Example.List.Sort
import Example.List.Tree
import Example.Nat.Parity

/-!
# Problems on lists, permutations, sorting and trees
-/

universe u v

namespace Problems

/-- level 1
Reversing before and after a map changes nothing. -/
theorem reverse_map_reverse {α : Type u} {β : Type v} (f : α → β) (l : List α) :
    (List.map f l.reverse).reverse = List.map f l := by
  rw [List.map_reverse, List.reverse_reverse]

/-- level 1
Two lists may change places in a sum. -/
theorem sum_append_swap (k l : List ℕ) : (k ++ l).sum = (l ++ k).sum := by
  rw [List.sum_append, List.sum_append, Nat.add_comm]

/-- level 1
What is taken and what is dropped are as long as the list. -/
theorem length_take_add_length_drop {α : Type u} (n : ℕ) (l : List α) :
    (List.take n l).length + (List.drop n l).length = l.length := by
  rw [← List.length_append, List.take_append_drop]

/-- level 1
Lists of lists are the same if they are with each of their lists reversed. -/
theorem eq_of_map_reverse_eq {α : Type u} (K L : List (List α))
    (h : List.map List.reverse K = List.map List.reverse L) : K = L := by
  exact List.map_injective List.reverse_injective h

/-- level 1
Applying a function to each label does not change the size of a tree. -/
theorem size_map {α : Type u} {β : Type v} (f : α → β) (t : Tree α) : (Tree.map f t).size = t.size := by
  rw [← Tree.length_toList, Tree.toList_map, List.length_map, Tree.length_toList]

/-- level 1
The elements of two lists of lists in a row, backwards. -/
theorem mem_flatten_two {α : Type u} (a : α) (K L : List (List α)) :
    a ∈ (K ++ L).flatten.reverse ↔ a ∈ L.flatten ∨ a ∈ K.flatten := by
  simp

/-- level 2
The value at an element of the second list is among the values of both. -/
theorem mem_map_append {α : Type u} {β : Type v} (f : α → β) (a : α) (k l : List α) (h : a ∈ k) :
    f a ∈ List.map f (l ++ k) := by
  apply List.mem_map_of_mem
  exact List.mem_append_right l h

/-- level 2
Sorting a second time changes nothing. -/
theorem insertionSort_twice (l : List ℕ) : l.insertionSort.insertionSort = l.insertionSort := by
  apply List.Sorted.insertionSort_eq
  exact List.sorted_insertionSort l

/-- level 2
An element of one of the later lists is an element of all lists in a row. -/
theorem mem_flatten_append {α : Type u} (a : α) (l : List α) (K L : List (List α)) (hl : l ∈ L)
    (ha : a ∈ l) : a ∈ (K ++ L).flatten := by
  rw [List.flatten_append]
  exact List.mem_append_right K.flatten (List.mem_flatten.mpr ⟨l, hl, ha⟩)

/-- level 2
A number in a list is at most the sum of the list. -/
theorem le_sum_of_mem (n : ℕ) (l : List ℕ) (h : n ∈ l) : n ≤ l.sum := by
  obtain ⟨s, t, rfl⟩ := List.append_of_mem h
  rw [List.sum_append]
  exact Nat.le_trans (Nat.le_add_right n t.sum) (Nat.le_add_left (n + t.sum) s.sum)

/-- level 2
The mirror image of a tree has the same labels, each as often. -/
theorem toList_mirror_perm {α : Type u} (t : Tree α) : List.Perm t.mirror.toList t.toList := by
  rw [Tree.toList_mirror]
  exact List.reverse_perm t.toList

/-- level 3
A list of equal elements has no other. -/
theorem eq_of_mem_replicate {α : Type u} (a b : α) (n : ℕ) (h : a ∈ List.replicate n b) : a = b := by
  induction n with
  | zero => exact absurd h (List.not_mem_nil a)
  | succ n ih =>
    rcases List.mem_cons.mp h with hab | hm
    · exact hab
    · exact ih hm

/-- level 3
The sum of a list with each element replaced by one number. -/
theorem sum_map_const {α : Type u} (c : ℕ) (l : List α) :
    (List.map (fun _ => c) l).sum = c * l.length := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    show c + (List.map (fun _ => c) l).sum = c * (l.length + 1)
    rw [ih, Nat.mul_add, Nat.mul_one, Nat.add_comm]

/-- level 3
A sum of even numbers is even. -/
theorem even_sum (l : List ℕ) (h : ∀ n, n ∈ l → n.Even) : l.sum.Even := by
  induction l with
  | nil => exact Nat.even_zero
  | cons n l ih =>
    show (n + l.sum).Even
    apply Nat.Even.add
    · exact h n List.mem_cons_self
    · exact ih fun m hm => h m (List.mem_cons_of_mem n hm)

/-- level 3
A sorted list stays so with a number before it that is at most its head. -/
theorem sorted_cons_cons (m n : ℕ) (l : List ℕ) (h : (n :: l).Sorted) (hm : m ≤ n) :
    (m :: n :: l).Sorted := by
  refine List.Sorted.cons ?_ h
  intro k hk
  rcases List.mem_cons.mp hk with rfl | hk
  · exact hm
  · exact Nat.le_trans hm (h.le_of_mem hk)

end Problems
