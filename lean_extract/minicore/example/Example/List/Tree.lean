import Example.List.Basic
import Example.Nat.Order

/-!
# Binary trees

Trees with labels at the inner nodes: size, height, mirror image, and the list of the labels.
-/

universe u v

/-- Binary trees whose inner nodes carry labels. -/
inductive Tree (α : Type u) where
  /-- The empty tree. -/
  | leaf : Tree α
  /-- A label between two trees. -/
  | node (left : Tree α) (label : α) (right : Tree α) : Tree α

namespace Tree

variable {α : Type u} {β : Type v}

/-- The number of labels. -/
def size : Tree α → ℕ
  | leaf => 0
  | node l _ r => size l + 1 + size r

/-- The length of the longest branch. -/
def height : Tree α → ℕ
  | leaf => 0
  | node l _ r => max (height l) (height r) + 1

/-- The tree seen from behind. -/
def mirror : Tree α → Tree α
  | leaf => leaf
  | node l a r => node (mirror r) a (mirror l)

/-- The labels from left to right. -/
def toList : Tree α → List α
  | leaf => []
  | node l a r => toList l ++ a :: toList r

/-- Applies a function to each label. -/
def map (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l a r => node (map f l) (f a) (map f r)

/-- The labels from left to right, without appending: `go t acc` puts those of `t` before `acc`. -/
def toListFast (t : Tree α) : List α :=
  go t []
where
  /-- Puts the labels of a tree before a list. -/
  go : Tree α → List α → List α
    | leaf, acc => acc
    | node l a r, acc => go l (a :: go r acc)

/-- A mirror image seen in a mirror is the tree. -/
@[simp]
theorem mirror_mirror (t : Tree α) : t.mirror.mirror = t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp only [mirror, ihl, ihr]

@[simp]
theorem size_mirror (t : Tree α) : t.mirror.size = t.size := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    show r.mirror.size + 1 + l.mirror.size = l.size + 1 + r.size
    rw [ihl, ihr, Nat.add_comm, ← Nat.add_assoc, Nat.add_right_comm]

theorem mirror_involutive : Function.Involutive (mirror : Tree α → Tree α) :=
  mirror_mirror

theorem mirror_injective : Function.Injective (mirror : Tree α → Tree α) :=
  mirror_involutive.injective

/-- The mirror image has the labels in reverse order. -/
theorem toList_mirror (t : Tree α) : t.mirror.toList = t.toList.reverse := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [mirror, toList, List.reverse_append, List.reverse_cons, ihl, ihr]
    rw [List.append_assoc, List.singleton_append]

@[simp]
theorem length_toList (t : Tree α) : t.toList.length = t.size := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [toList, size, List.length_append, List.length_cons, ihl, ihr]
    rw [Nat.add_assoc, Nat.add_comm r.size]

theorem map_mirror (f : α → β) (t : Tree α) : map f t.mirror = (map f t).mirror := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp only [mirror, map, ihl, ihr]

theorem toList_map (f : α → β) (t : Tree α) : (map f t).toList = List.map f t.toList := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp only [map, toList, List.map_append, List.map_cons, ihl, ihr]

@[simp]
theorem map_id (t : Tree α) : map id t = t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp only [map, ihl, ihr, id_eq]

private theorem toListFast_go (t : Tree α) (acc : List α) : toListFast.go t acc = t.toList ++ acc := by
  induction t generalizing acc with
  | leaf => rfl
  | node l a r ihl ihr => simp only [toListFast.go, toList, ihl, ihr, List.append_assoc, List.cons_append]

/-- The fast traversal is right. -/
theorem toListFast_eq_toList (t : Tree α) : t.toListFast = t.toList := by
  show toListFast.go t [] = t.toList
  rw [toListFast_go, List.append_nil]

private theorem le_max_left (m n : ℕ) : m ≤ max m n := by
  by_cases h : m ≤ n
  · rw [show max m n = n from if_pos h]
    exact h
  · rw [show max m n = m from if_neg h]
    exact Nat.le_refl m

theorem height_left_lt (l : Tree α) (a : α) (r : Tree α) : l.height < (l.node a r).height :=
  Nat.lt_succ_iff.mpr (le_max_left l.height r.height)

end Tree
