import Example.Nat.Basic
import Example.Function.Basic

/-!
# Lists

Append, length, map, reverse, membership, folds, `take` and `drop`, `filter`.
-/

universe u v w

namespace List

variable {α : Type u} {β : Type v} {γ : Type w}

section Append

variable (k l m : List α)

@[simp]
theorem append_nil : l ++ [] = l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [cons_append, ih]

/-- Append is associative. -/
@[simp]
theorem append_assoc : k ++ l ++ m = k ++ (l ++ m) := by
  induction k with
  | nil => rfl
  | cons a k ih => simp only [cons_append, ih]

theorem singleton_append (a : α) : [a] ++ l = a :: l :=
  rfl

theorem append_cons (a : α) : k ++ a :: l = k ++ [a] ++ l := by
  rw [append_assoc, singleton_append]

variable {k l m}

theorem append_left_cancel (h : k ++ l = k ++ m) : l = m := by
  induction k with
  | nil => exact h
  | cons a k ih =>
    injection h with _ h
    exact ih h

theorem append_eq_nil_iff : k ++ l = [] ↔ k = [] ∧ l = [] := by
  constructor
  · intro h
    cases k with
    | nil => exact ⟨rfl, h⟩
    | cons a k => cases h
  · rintro ⟨rfl, rfl⟩
    rfl

theorem cons_ne_nil (a : α) (l : List α) : a :: l ≠ [] := by
  intro h
  cases h

theorem exists_cons_of_ne_nil (h : l ≠ []) : ∃ a m, l = a :: m :=
  match l with
  | [] => absurd rfl h
  | a :: m => ⟨a, m, rfl⟩

end Append

section Length

@[simp]
theorem length_nil : length ([] : List α) = 0 :=
  rfl

@[simp]
theorem length_cons (a : α) (l : List α) : (a :: l).length = l.length + 1 :=
  rfl

/-- Lengths add up. -/
@[simp]
theorem length_append (k l : List α) : (k ++ l).length = k.length + l.length := by
  induction k with
  | nil => rw [nil_append, length_nil, Nat.zero_add]
  | cons a k ih => rw [cons_append, length_cons, length_cons, ih, Nat.add_right_comm]

theorem eq_nil_of_length_eq_zero {l : List α} (h : l.length = 0) : l = [] := by
  cases l with
  | nil => rfl
  | cons a l => exact absurd h (Nat.succ_ne_zero l.length)

theorem length_eq_zero_iff {l : List α} : l.length = 0 ↔ l = [] := by
  constructor
  · exact eq_nil_of_length_eq_zero
  · rintro rfl
    rfl

@[simp]
theorem length_replicate (n : ℕ) (a : α) : (replicate n a).length = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg Nat.succ ih

end Length

section Map

variable (f : α → β)

@[simp]
theorem map_nil : map f [] = [] :=
  rfl

@[simp]
theorem map_cons (a : α) (l : List α) : map f (a :: l) = f a :: map f l :=
  rfl

@[simp]
theorem map_append (k l : List α) : map f (k ++ l) = map f k ++ map f l := by
  induction k with
  | nil => rfl
  | cons a k ih => simp only [cons_append, map_cons, ih]

@[simp]
theorem length_map (l : List α) : (map f l).length = l.length := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [map_cons, length_cons, length_cons, ih]

/-- `map` is a functor: it respects composition. -/
@[simp]
theorem map_map (g : β → γ) (l : List α) : map g (map f l) = map (g ∘ f) l := by
  induction l with
  | nil => rfl
  | cons a l ih => simp [ih]

/-- `map` is a functor: it respects the identity. -/
@[simp]
theorem map_id (l : List α) : map id l = l := by
  induction l with
  | nil => rfl
  | cons a l ih => simp [ih]

theorem map_replicate (n : ℕ) (a : α) : map f (replicate n a) = replicate n (f a) := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg (cons (f a)) ih

theorem map_injective {f : α → β} (hf : Function.Injective f) : Function.Injective (map f) := by
  intro k
  induction k with
  | nil =>
    intro l h
    cases l with
    | nil => rfl
    | cons b l => cases h
  | cons a k ih =>
    intro l h
    cases l with
    | nil => cases h
    | cons b l =>
      injection h with hab hkl
      rw [hf hab, ih hkl]

end Map

section Reverse

@[simp]
theorem reverse_nil : reverse ([] : List α) = [] :=
  rfl

@[simp]
theorem reverse_cons (a : α) (l : List α) : (a :: l).reverse = l.reverse ++ [a] :=
  rfl

/-- `reverse` turns append around. -/
@[simp]
theorem reverse_append (k l : List α) : (k ++ l).reverse = l.reverse ++ k.reverse := by
  induction k with
  | nil => simp
  | cons a k ih => simp [ih]

/-- Reversed twice, a list is what it was. -/
@[simp]
theorem reverse_reverse (l : List α) : l.reverse.reverse = l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, reverse_append, ih]; rfl

@[simp]
theorem length_reverse (l : List α) : l.reverse.length = l.length := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, length_append, ih]; rfl

theorem map_reverse (f : α → β) (l : List α) : map f l.reverse = (map f l).reverse := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, map_append, ih]; rfl

theorem reverse_involutive : Function.Involutive (reverse : List α → List α) :=
  reverse_reverse

theorem reverse_injective : Function.Injective (reverse : List α → List α) :=
  reverse_involutive.injective

theorem reverse_eq_iff {k l : List α} : k.reverse = l ↔ k = l.reverse :=
  reverse_involutive.eq_iff

end Reverse

section Membership

variable {a b : α} {k l : List α}

theorem mem_cons_self : a ∈ a :: l :=
  Mem.head l

theorem mem_cons_of_mem (b : α) (h : a ∈ l) : a ∈ b :: l :=
  Mem.tail b h

@[simp]
theorem not_mem_nil (a : α) : ¬a ∈ [] := by
  intro h
  cases h

@[simp]
theorem mem_cons : a ∈ b :: l ↔ a = b ∨ a ∈ l := by
  constructor
  · intro h
    cases h with
    | head => exact Or.inl rfl
    | tail _ h => exact Or.inr h
  · rintro (rfl | h)
    · exact mem_cons_self
    · exact mem_cons_of_mem b h

theorem mem_singleton : a ∈ [b] ↔ a = b := by
  simp

/-- The elements of `k ++ l` are those of `k` and those of `l`. -/
@[simp]
theorem mem_append : a ∈ k ++ l ↔ a ∈ k ∨ a ∈ l := by
  induction k with
  | nil => simp
  | cons c k ih => rw [cons_append, mem_cons, mem_cons, ih, or_assoc]

theorem mem_append_left (l : List α) (h : a ∈ k) : a ∈ k ++ l :=
  mem_append.mpr (Or.inl h)

theorem mem_append_right (k : List α) (h : a ∈ l) : a ∈ k ++ l :=
  mem_append.mpr (Or.inr h)

@[simp]
theorem mem_reverse : a ∈ l.reverse ↔ a ∈ l := by
  induction l with
  | nil => exact Iff.rfl
  | cons b l ih => rw [reverse_cons, mem_append, mem_singleton, ih, mem_cons, or_comm]

theorem mem_map {f : α → β} {b : β} {l : List α} : b ∈ map f l ↔ ∃ a, a ∈ l ∧ f a = b := by
  induction l with
  | nil => simp
  | cons c l ih =>
    rw [map_cons, mem_cons, ih]
    constructor
    · rintro (rfl | ⟨a, ha, rfl⟩)
      · exact ⟨c, mem_cons_self, rfl⟩
      · exact ⟨a, mem_cons_of_mem c ha, rfl⟩
    · rintro ⟨a, ha, rfl⟩
      rcases mem_cons.mp ha with rfl | ha
      · exact Or.inl rfl
      · exact Or.inr ⟨a, ha, rfl⟩

theorem mem_map_of_mem (f : α → β) (h : a ∈ l) : f a ∈ map f l :=
  mem_map.mpr ⟨a, h, rfl⟩

/-- An element splits its list. -/
theorem append_of_mem (h : a ∈ l) : ∃ s t, l = s ++ a :: t := by
  induction h with
  | head as => exact ⟨[], as, rfl⟩
  | tail b _ ih =>
    obtain ⟨s, t, rfl⟩ := ih
    exact ⟨b :: s, t, rfl⟩

theorem eq_nil_iff_forall_not_mem : l = [] ↔ ∀ a, ¬a ∈ l := by
  constructor
  · rintro rfl a
    exact not_mem_nil a
  · intro h
    cases l with
    | nil => rfl
    | cons b l => exact absurd mem_cons_self (h b)

end Membership

section Fold

variable (f : α → β → β)

@[simp]
theorem foldr_nil (b : β) : foldr f b [] = b :=
  rfl

@[simp]
theorem foldr_cons (b : β) (a : α) (l : List α) : foldr f b (a :: l) = f a (foldr f b l) :=
  rfl

theorem foldr_append (b : β) (k l : List α) : foldr f b (k ++ l) = foldr f (foldr f b l) k := by
  induction k with
  | nil => rfl
  | cons a k ih => simp [ih]

theorem foldr_map (g : γ → α) (b : β) (l : List γ) :
    foldr f b (map g l) = foldr (fun c => f (g c)) b l := by
  induction l with
  | nil => rfl
  | cons a l ih => simp [ih]

/-- A list is rebuilt from its elements. -/
theorem foldr_cons_nil (l : List α) : foldr cons [] l = l := by
  induction l with
  | nil => rfl
  | cons a l ih => simp [ih]

theorem foldl_append (f : β → α → β) (b : β) (k l : List α) :
    foldl f b (k ++ l) = foldl f (foldl f b k) l := by
  induction k generalizing b with
  | nil => rfl
  | cons a k ih => exact ih (f b a)

/-- The fold from the left is the fold from the right of the reversed list. -/
theorem foldl_reverse (f : β → α → β) (b : β) (l : List α) :
    foldl f b l.reverse = foldr (fun a b => f b a) b l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, foldl_append, ih]; rfl

/-- The sum of a list of numbers. -/
def sum (l : List ℕ) : ℕ :=
  foldr (· + ·) 0 l

theorem sum_append (k l : List ℕ) : (k ++ l).sum = k.sum + l.sum := by
  induction k with
  | nil => exact (Nat.zero_add l.sum).symm
  | cons n k ih =>
    show n + (k ++ l).sum = n + k.sum + l.sum
    rw [ih, Nat.add_assoc]

theorem sum_reverse (l : List ℕ) : l.reverse.sum = l.sum := by
  induction l with
  | nil => rfl
  | cons n l ih => rw [reverse_cons, sum_append, ih, Nat.add_comm]; rfl

end Fold

section TakeDrop

@[simp]
theorem take_append_drop (n : ℕ) (l : List α) : take n l ++ drop n l = l := by
  induction n generalizing l with
  | zero => rfl
  | succ n ih =>
    cases l with
    | nil => rfl
    | cons a l => exact congrArg (cons a) (ih l)

theorem take_length (l : List α) : take l.length l = l := by
  induction l with
  | nil => rfl
  | cons a l ih => exact congrArg (cons a) ih

theorem drop_length (l : List α) : drop l.length l = [] := by
  induction l with
  | nil => rfl
  | cons a l ih => exact ih

theorem drop_left (k l : List α) : drop k.length (k ++ l) = l := by
  induction k with
  | nil => rfl
  | cons a k ih => exact ih

theorem take_left (k l : List α) : take k.length (k ++ l) = k := by
  induction k with
  | nil => rfl
  | cons a k ih => exact congrArg (cons a) ih

end TakeDrop

section Flatten

@[simp]
theorem flatten_append (K L : List (List α)) : (K ++ L).flatten = K.flatten ++ L.flatten := by
  induction K with
  | nil => rfl
  | cons k K ih =>
    show k ++ (K ++ L).flatten = k ++ K.flatten ++ L.flatten
    rw [ih, append_assoc]

theorem mem_flatten {a : α} {L : List (List α)} : a ∈ L.flatten ↔ ∃ l, l ∈ L ∧ a ∈ l := by
  induction L with
  | nil =>
    constructor
    · intro h
      cases h
    · rintro ⟨l, hl, _⟩
      cases hl
  | cons k L ih =>
    show a ∈ k ++ L.flatten ↔ _
    rw [mem_append, ih]
    constructor
    · rintro (h | ⟨l, hl, h⟩)
      · exact ⟨k, mem_cons_self, h⟩
      · exact ⟨l, mem_cons_of_mem k hl, h⟩
    · rintro ⟨l, hl, h⟩
      rcases mem_cons.mp hl with rfl | hl
      · exact Or.inl h
      · exact Or.inr ⟨l, hl, h⟩

end Flatten

end List
