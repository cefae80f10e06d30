-- Each tactic that the mini core supports: a proof that Lean accepts, and one that it rejects.

--! intro
theorem t (p q : Prop) (hq : q) : p → q := by
  intro hp
  exact hq
--? wrong
theorem t (p q : Prop) (hq : q) : p → q := by
  intro hp
  exact hp

--! intros
theorem t (p q : Prop) : p → q → p := by
  intros hp hq
  exact hp
--? wrong
theorem t (p q : Prop) : p → q → p := by
  intros hp hq
  exact hq

--! exact
theorem t (p : Prop) (h : p) : p := by
  exact h
--? wrong
theorem t (p : Prop) (h : p) : p := by
  exact p

--! apply
theorem t (p q : Prop) (f : p → q) (h : p) : q := by
  apply f
  exact h
--? wrong
theorem t (p q : Prop) (f : p → q) (h : p) : q := by
  apply h

--! refine
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  refine ⟨h, ?_⟩
  exact k
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  refine ⟨h, ?_⟩
  exact h

--! constructor
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor
  · exact h
  · exact k
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor
  · exact h

--! left
theorem t (p q : Prop) (h : p) : p ∨ q := by
  left
  exact h
--? wrong
theorem t (p q : Prop) (h : p) : p ∨ q := by
  right
  exact h

--! right
theorem t (p q : Prop) (h : q) : p ∨ q := by
  right
  exact h
--? wrong
theorem t (p q : Prop) (h : q) : p ∨ q := by
  left
  exact h

--! assumption
theorem t (p q : Prop) (h : q) : q := by
  assumption
--? wrong
theorem t (p q : Prop) (h : q) : q := by
  exact p

--! contradiction
theorem t (p q : Prop) (h : p) (k : ¬p) : q := by
  contradiction
--? wrong
theorem t (p q : Prop) (h : p) (k : ¬p) : q := by
  clear k
  contradiction

--! exfalso
theorem t (p q : Prop) (h : p) (k : ¬p) : q := by
  exfalso
  exact k h
--? wrong
theorem t (p q : Prop) (h : p) (k : ¬p) : q := by
  exfalso
  exact h

--! trivial
theorem t : True ∧ True := by
  exact ⟨by trivial, by trivial⟩
--? wrong
theorem t : True ∧ True := by
  exact ⟨by trivial, by rfl⟩
  trivial

--! rfl
theorem t (n : ℕ) : n + 0 = n := by
  rfl
--? wrong
theorem t (n : ℕ) : n + 0 = n := by
  symm
  rfl
  rfl

--! rfl on equivalences
theorem t (p : Prop) : p ↔ p := by
  rfl
--? wrong
theorem t (p : Prop) : p ↔ p := by
  rfl
  rfl

--! symm
theorem t (n m : ℕ) (h : n = m) : m = n := by
  symm
  exact h
--? wrong
theorem t (n m : ℕ) (h : n = m) : m = n := by
  exact h

--! exists
theorem t : ∃ n : ℕ, n = 3 := by
  exists 3
--? wrong
theorem t : ∃ n : ℕ, n = 3 := by
  exists 4

--! cases
theorem t (p q : Prop) (h : p ∧ q) : q := by
  cases h with
  | intro a b => exact b
--? wrong
theorem t (p q : Prop) (h : p ∧ q) : q := by
  cases h with
  | intro a b => exact a

--! cases with tags
theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h
  case inl h => exact .inr h
  case inr h => exact .inl h
--? wrong
theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h
  case inl h => exact .inl h
  case inr h => exact .inl h

--! next
theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h
  next h => exact .inr h
  next h => exact .inl h
--? wrong
theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h
  next h => exact .inr h

--! induction
theorem t (n : ℕ) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg Nat.succ ih
--? wrong
theorem t (n : ℕ) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact ih

--! induction generalizing
theorem t (n m k : ℕ) (h : m = k) : m + n = k + n := by
  induction n generalizing m k with
  | zero => exact h
  | succ n ih => exact congrArg Nat.succ (ih m k h)
--? wrong
theorem t (n m k : ℕ) (h : m = k) : m + n = k + n := by
  induction n with
  | zero => exact h
  | succ n ih => exact congrArg Nat.succ (ih m k h)

--! rcases
theorem t (p q r : Prop) (h : p ∧ q ∧ r) : r := by
  rcases h with ⟨_, _, c⟩
  exact c
--? wrong
theorem t (p q r : Prop) (h : p ∧ q ∧ r) : r := by
  rcases h with ⟨_, c⟩
  exact c

--! obtain
theorem t (h : ∃ n : ℕ, n = 2) : ∃ m : ℕ, 2 = m := by
  obtain ⟨n, rfl⟩ := h
  exact ⟨_, rfl⟩
--? wrong
theorem t (h : ∃ n : ℕ, n = 2) : ∃ m : ℕ, 2 = m := by
  obtain ⟨n⟩ := h
  exact n

--! rintro
theorem t (p q : Prop) : p ∨ q → q ∨ p := by
  rintro (h | h)
  · right; exact h
  · left; exact h
--? wrong
theorem t (p q : Prop) : p ∨ q → q ∨ p := by
  rintro (h | h)
  · right; exact h

--! rw
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  rw [h, k]
--? wrong
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  rw [k, h]

--! rw backwards
theorem t (a b : ℕ) (h : a = b) : b + 1 = a + 1 := by
  rw [← h]
--? wrong
theorem t (a b : ℕ) (h : a = b) : b + 1 = a + 1 := by
  rw [← h, ← h]

--! rw at
theorem t (a b c : ℕ) (h : a = b) (k : a = c) : b = c := by
  rw [h] at k
  exact k
--? wrong
theorem t (a b c : ℕ) (h : a = b) (k : a = c) : b = c := by
  exact k

--! rewrite
theorem t (a b : ℕ) (h : a = b) : a = b := by
  rewrite [h]
  rfl
--? wrong
theorem t (a b : ℕ) (h : a = b) : a = b := by
  rewrite [h]

--! rwa
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  rwa [h]
--? wrong
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  rwa [k]

--! simp
theorem t (p : Prop) : p ∧ True ↔ p := by
  simp
--? wrong
theorem t (p : Prop) : p ∧ True ↔ p := by
  simp only [or_true]

--! simp with lemmas
theorem t (a b : ℕ) (h : a = b) : a + 0 = b := by
  simp [h]
--? wrong
theorem t (a b : ℕ) (h : a = b) : a + 0 = b := by
  simp

--! simp only
theorem t (p : Prop) (h : p) : True ∧ p := by
  simp only [true_and]
  exact h
--? wrong
theorem t (p : Prop) (h : p) : True ∧ p := by
  simp only [and_true]
  exact h

--! simp at
theorem t (p q : Prop) (h : p ∧ True) : p := by
  simp at h
  exact h
--? wrong
theorem t (p q : Prop) (h : p ∧ True) : p := by
  simp at h
  exact h.left

--! simp_all
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  simp_all
--? wrong
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  simp_all only [or_true]
  simp

--! simp?
theorem t (a : ℕ) : a + 0 = a := by
  simp?
--? wrong
theorem t (a : ℕ) : a + 0 = a := by
  simp? [or_true]
  simp

--! simpa
theorem t (p q : Prop) (h : p ∧ True) : p := by
  simpa using h
--? wrong
theorem t (p q : Prop) (h : p ∧ True) : p := by
  simpa only [or_true] using h

--! simp on numbers
theorem t : 2 + 3 * 4 = 14 := by
  simp
--? wrong
theorem t : 2 + 3 * 4 = 14 := by
  simp [or_true] at *
  rfl

--! simp on constructors
theorem t (a b : ℕ) (h : [a] = [b]) : a = b := by
  simp at h
  exact h
--? wrong
theorem t (a b : ℕ) (h : [a] = [b]) : a = b := by
  simp at h
  exact h.1

--! dsimp
theorem t (a : ℕ) (h : a = 1) : (fun x : ℕ => x) a = 1 := by
  dsimp
  exact h
--? wrong
theorem t (a : ℕ) (h : a = 1) : (fun x : ℕ => x) a = 1 := by
  dsimp
  exact rfl

--! have
theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by
  have a : p := h.1
  exact ⟨h.2, a⟩
--? wrong
theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by
  have a : p := h.2
  exact ⟨h.2, a⟩

--! have without a name
theorem t (p q : Prop) (f : p → q) (h : p) : q := by
  have := f h
  exact this
--? wrong
theorem t (p q : Prop) (f : p → q) (h : p) : q := by
  have := f
  exact this

--! show
theorem t (n : ℕ) : n + 1 = Nat.succ n := by
  show n + 1 = n + 1
  rfl
--? wrong
theorem t (n : ℕ) : n + 1 = Nat.succ n := by
  show n + 2 = n + 1
  rfl

--! suffices
theorem t (p q : Prop) (f : p → q) (h : p) : q := by
  suffices k : p from f k
  exact h
--? wrong
theorem t (p q : Prop) (f : p → q) (h : p) : q := by
  suffices k : p from k
  exact h

--! let
theorem t : ∃ n : ℕ, n = 5 := by
  let x := 5
  exact ⟨x, rfl⟩
--? wrong
theorem t : ∃ n : ℕ, n = 5 := by
  let x := 4
  exact ⟨x, (rfl : x = 5)⟩

--! subst
theorem t (a b : ℕ) (h : a = b) : b = a := by
  subst h
  rfl
--? wrong
theorem t (a b : ℕ) (h : a = b) : b = a := by
  subst a
  exact h

--! injection
theorem t (a b : ℕ) (h : a.succ = b.succ) : a = b := by
  injection h
--? wrong
theorem t (a b : ℕ) (h : a.succ = b.succ) : a = b := by
  injection h with k
  exact h

--! revert
theorem t (p q : Prop) (h : p) (f : p → q) : q := by
  revert h
  exact f
--? wrong
theorem t (p q : Prop) (h : p) (f : p → q) : q := by
  revert f
  exact h

--! clear
theorem t (p q : Prop) (h : p) (k : q) : q := by
  clear h
  exact k
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : q := by
  clear k
  exact k

--! change
theorem t (n : ℕ) : n + 0 = n := by
  change n = n
  rfl
--? wrong
theorem t (n : ℕ) : n + 0 = n := by
  change n = 0
  rfl

--! generalize
theorem t (a b : ℕ) : a + b = a + b := by
  generalize a + b = c
  rfl
--? wrong
theorem t (a b : ℕ) : a + b = a + b := by
  generalize a + b = c
  exact a

--! specialize
theorem t (p : ℕ → Prop) (h : ∀ n, p n) : p 2 := by
  specialize h 2
  exact h
--? wrong
theorem t (p : ℕ → Prop) (h : ∀ n, p n) : p 2 := by
  specialize h 3
  exact h

--! decide
theorem t : 2 * 3 < 7 ∧ ¬(1 = 2) := by
  decide
--? wrong
theorem t : 2 * 3 < 7 ∧ ¬(1 = 2) := by
  exact ⟨by decide, by intro⟩

--! first
theorem t (p q : Prop) (h : q) : p ∨ q := by
  first | exact .inl h | exact .inr h
--? wrong
theorem t (p q : Prop) (h : q) : p ∨ q := by
  first | exact .inl h | exact h

--! try
theorem t (p : Prop) (h : p) : p := by
  try exact 0
  exact h
--? wrong
theorem t (p : Prop) (h : p) : p := by
  try exact 0

--! repeat
theorem t (p : Prop) (h : p) : p ∧ p ∧ p := by
  repeat' constructor
  all_goals exact h
--? wrong
theorem t (p : Prop) (h : p) : p ∧ p ∧ p := by
  repeat constructor

--! all_goals
theorem t (p : Prop) (h : p) : p ∧ p := by
  constructor
  all_goals exact h
--? wrong
theorem t (p : Prop) (h : p) : p ∧ p := by
  constructor
  all_goals skip

--! any_goals
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor
  any_goals exact h
  exact k
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor
  any_goals exact h

--! then on all
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor <;> assumption
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor <;> exact h

--! focus
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor
  focus exact h
  exact k
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor
  focus exact k
  exact h

--! by_cases
theorem t (p : Prop) : p ∨ ¬p := by
  by_cases h : p
  · exact .inl h
  · exact .inr h
--? wrong
theorem t (p : Prop) : p ∨ ¬p := by
  by_cases h : p
  · exact .inl h
  · exact .inl h

--! split
theorem t (p : Prop) [Decidable p] : (if p then 1 else 1) = 1 := by
  split
  · rfl
  · rfl
--? wrong
theorem t (p : Prop) [Decidable p] : (if p then 1 else 1) = 1 := by
  split
  · rfl

--! calc
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  calc a = b := h
    _ = c := k
--? wrong
theorem t (a b c : ℕ) (h : a = b) (k : b = c) : a = c := by
  calc a = b := k
    _ = c := k

--! funext
theorem t (f : ℕ → ℕ) (h : ∀ n, f n = n) : f = fun n => n := by
  funext n
  exact h n
--? wrong
theorem t (f : ℕ → ℕ) (h : ∀ n, f n = n) : f = fun n => n := by
  funext n
  exact h

--! congr
theorem t (f : ℕ → ℕ) (a b : ℕ) (h : a = b) : f a = f b := by
  congr
--? wrong
theorem t (f : ℕ → ℕ) (a b : ℕ) (h : a = b) : f a = f b := by
  clear h
  congr

--! unfold
theorem t (p : Prop) (h : p → False) : ¬p := by
  unfold Not
  exact h
--? wrong
theorem t (p : Prop) (h : p → False) : ¬p := by
  unfold Not
  exact h h

--! exact?
theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by
  exact and_comm.mp h
--? wrong
theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by
  exact?
  exact h

--! apply?
theorem t (p q : Prop) (h : p) : p ∨ q := by
  exact Or.inl h
--? wrong
theorem t (p q : Prop) (h : p) : p ∨ q := by
  apply?
  exact h

--! nested proofs
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  exact ⟨by exact h, by exact k⟩
--? wrong
theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by
  exact ⟨by exact k, by exact h⟩

--! rename_i
theorem t (p q : Prop) : p → q → q := by
  intros
  rename_i hp hq
  exact hq
--? wrong
theorem t (p q : Prop) : p → q → q := by
  intros
  rename_i hp hq
  exact hp

--! match
theorem t (n : ℕ) : n = 0 ∨ 0 < n := by
  match n with
  | 0 => exact .inl rfl
  | n + 1 => exact .inr (Nat.succ_le_succ (Nat.zero_le n))
--? wrong
theorem t (n : ℕ) : n = 0 ∨ 0 < n := by
  match n with
  | 0 => exact .inl rfl

--! ext
theorem t (p q : ℕ × ℕ) (h : p.1 = q.1) (k : p.2 = q.2) : p = q := by
  ext
  · exact h
  · exact k
--? wrong
theorem t (p q : ℕ × ℕ) (h : p.1 = q.1) (k : p.2 = q.2) : p = q := by
  ext
  · exact h
  · exact h
