import Example.Function.Basic
import Example.Nat.Basic

/-!
# Monoids and groups

The classes from semigroups to commutative groups, powers, and the laws of cancellation and of
inverses.
-/

universe u

/-- A type with an associative multiplication. -/
class Semigroup (G : Type u) extends Mul G where
  protected mul_assoc : ∀ a b c : G, a * b * c = a * (b * c)

/-- A type with a multiplication and a neutral element `1`. -/
class MulOneClass (M : Type u) extends One M, Mul M where
  protected one_mul : ∀ a : M, 1 * a = a
  protected mul_one : ∀ a : M, a * 1 = a

/-- A semigroup with a neutral element. -/
class Monoid (M : Type u) extends Semigroup M, MulOneClass M

/-- A monoid with commutative multiplication. -/
class CommMonoid (M : Type u) extends Monoid M where
  protected mul_comm : ∀ a b : M, a * b = b * a

/-- A monoid in which every element has an inverse. -/
class Group (G : Type u) extends Monoid G, Inv G where
  protected inv_mul_cancel : ∀ a : G, a⁻¹ * a = 1

/-- A group with commutative multiplication. -/
class CommGroup (G : Type u) extends Group G where
  protected mul_comm : ∀ a b : G, a * b = b * a

instance CommGroup.toCommMonoid {G : Type u} [CommGroup G] : CommMonoid G where
  mul_comm := CommGroup.mul_comm

section Semigroup

variable {G : Type u} [Semigroup G]

theorem mul_assoc (a b c : G) : a * b * c = a * (b * c) :=
  Semigroup.mul_assoc a b c

end Semigroup

section MulOneClass

variable {M : Type u} [MulOneClass M]

@[simp]
theorem one_mul (a : M) : 1 * a = a :=
  MulOneClass.one_mul a

@[simp]
theorem mul_one (a : M) : a * 1 = a :=
  MulOneClass.mul_one a

/-- There is only one neutral element. -/
theorem eq_one_of_forall_mul_eq_self {e : M} (h : ∀ a, e * a = a) : e = 1 := by
  rw [← mul_one e]
  exact h 1

end MulOneClass

section Monoid

variable {M : Type u} [Monoid M] {a b c : M}

/-- A left inverse and a right inverse of one element are the same. -/
theorem left_inv_eq_right_inv (hba : b * a = 1) (hac : a * c = 1) : b = c := by
  rw [← one_mul c, ← hba, mul_assoc, hac, mul_one]

/-- The powers of an element. -/
protected def Monoid.npow (a : M) : ℕ → M
  | 0 => 1
  | n + 1 => Monoid.npow a n * a

instance Monoid.instNatPow : NatPow M where
  pow := Monoid.npow

@[simp]
theorem pow_zero (a : M) : a ^ 0 = 1 :=
  rfl

theorem pow_succ (a : M) (n : ℕ) : a ^ (n + 1) = a ^ n * a :=
  rfl

@[simp]
theorem pow_one (a : M) : a ^ 1 = a :=
  one_mul a

theorem pow_two (a : M) : a ^ 2 = a * a := by
  rw [pow_succ, pow_one]

@[simp]
theorem one_pow (n : ℕ) : (1 : M) ^ n = 1 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [pow_succ, ih, mul_one]

theorem pow_add (a : M) (m n : ℕ) : a ^ (m + n) = a ^ m * a ^ n := by
  induction n with
  | zero => rw [Nat.add_zero, pow_zero, mul_one]
  | succ n ih => rw [← Nat.add_assoc, pow_succ, pow_succ, ih, mul_assoc]

theorem pow_succ' (a : M) (n : ℕ) : a ^ (n + 1) = a * a ^ n := by
  rw [Nat.add_comm, pow_add, pow_one]

theorem pow_mul (a : M) (m n : ℕ) : a ^ (m * n) = (a ^ m) ^ n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Nat.mul_add, Nat.mul_one, pow_add, ih, pow_succ]

theorem pow_mul_comm (a : M) (m n : ℕ) : a ^ m * a ^ n = a ^ n * a ^ m := by
  rw [← pow_add, ← pow_add, Nat.add_comm]

end Monoid

section CommMonoid

variable {M : Type u} [CommMonoid M]

theorem mul_comm (a b : M) : a * b = b * a :=
  CommMonoid.mul_comm a b

theorem mul_left_comm (a b c : M) : a * (b * c) = b * (a * c) := by
  rw [← mul_assoc, mul_comm a b, mul_assoc]

theorem mul_right_comm (a b c : M) : a * b * c = a * c * b := by
  rw [mul_assoc, mul_comm b c, mul_assoc]

theorem mul_mul_mul_comm (a b c d : M) : a * b * (c * d) = a * c * (b * d) := by
  rw [mul_assoc, mul_left_comm b, ← mul_assoc]

theorem mul_pow (a b : M) (n : ℕ) : (a * b) ^ n = a ^ n * b ^ n := by
  induction n with
  | zero => rw [pow_zero, pow_zero, pow_zero, mul_one]
  | succ n ih => rw [pow_succ, pow_succ, pow_succ, ih, mul_mul_mul_comm]

end CommMonoid

section Group

variable {G : Type u} [Group G] {a b c d : G}

@[simp]
theorem inv_mul_cancel (a : G) : a⁻¹ * a = 1 :=
  Group.inv_mul_cancel a

@[simp]
theorem mul_inv_cancel (a : G) : a * a⁻¹ = 1 := by
  have h : a⁻¹⁻¹ = a := left_inv_eq_right_inv (inv_mul_cancel a⁻¹) (inv_mul_cancel a)
  have h' : a⁻¹⁻¹ * a⁻¹ = 1 := inv_mul_cancel a⁻¹
  rw [h] at h'
  exact h'

@[simp]
theorem inv_mul_cancel_left (a b : G) : a⁻¹ * (a * b) = b := by
  rw [← mul_assoc, inv_mul_cancel, one_mul]

@[simp]
theorem mul_inv_cancel_left (a b : G) : a * (a⁻¹ * b) = b := by
  rw [← mul_assoc, mul_inv_cancel, one_mul]

@[simp]
theorem mul_inv_cancel_right (a b : G) : a * b * b⁻¹ = a := by
  rw [mul_assoc, mul_inv_cancel, mul_one]

@[simp]
theorem inv_mul_cancel_right (a b : G) : a * b⁻¹ * b = a := by
  rw [mul_assoc, inv_mul_cancel, mul_one]

/-- Left cancellation. -/
theorem mul_left_cancel (h : a * b = a * c) : b = c := by
  rw [← inv_mul_cancel_left a b, h, inv_mul_cancel_left]

/-- Right cancellation. -/
theorem mul_right_cancel (h : a * b = c * b) : a = c := by
  rw [← mul_inv_cancel_right a b, h, mul_inv_cancel_right]

@[simp]
theorem mul_right_inj (a : G) {b c : G} : a * b = a * c ↔ b = c :=
  ⟨mul_left_cancel, congrArg (a * ·)⟩

@[simp]
theorem mul_left_inj (a : G) {b c : G} : b * a = c * a ↔ b = c :=
  ⟨mul_right_cancel, congrArg (· * a)⟩

theorem mul_right_injective (a : G) : Function.Injective fun x => a * x :=
  fun _ _ => mul_left_cancel

theorem mul_left_injective (a : G) : Function.Injective fun x => x * a :=
  fun _ _ => mul_right_cancel

theorem mul_left_surjective (a : G) : Function.Surjective fun x => a * x :=
  fun b => ⟨a⁻¹ * b, mul_inv_cancel_left a b⟩

theorem inv_eq_of_mul_eq_one_right (h : a * b = 1) : a⁻¹ = b :=
  left_inv_eq_right_inv (inv_mul_cancel a) h

theorem inv_eq_of_mul_eq_one_left (h : a * b = 1) : b⁻¹ = a :=
  (left_inv_eq_right_inv h (mul_inv_cancel b)).symm

theorem eq_inv_of_mul_eq_one_left (h : a * b = 1) : a = b⁻¹ :=
  (inv_eq_of_mul_eq_one_left h).symm

@[simp]
theorem inv_inv (a : G) : a⁻¹⁻¹ = a :=
  inv_eq_of_mul_eq_one_right (inv_mul_cancel a)

@[simp]
theorem inv_one : (1 : G)⁻¹ = 1 :=
  inv_eq_of_mul_eq_one_right (mul_one 1)

/-- The inverse of a product is the product of the inverses in reverse order. -/
@[simp]
theorem mul_inv_rev (a b : G) : (a * b)⁻¹ = b⁻¹ * a⁻¹ := by
  apply inv_eq_of_mul_eq_one_right
  rw [mul_assoc, mul_inv_cancel_left, mul_inv_cancel]

theorem inv_involutive : Function.Involutive fun a : G => a⁻¹ :=
  inv_inv

theorem inv_injective : Function.Injective fun a : G => a⁻¹ :=
  inv_involutive.injective

@[simp]
theorem inv_inj : a⁻¹ = b⁻¹ ↔ a = b :=
  inv_injective.eq_iff

theorem inv_eq_iff_eq_inv : a⁻¹ = b ↔ a = b⁻¹ :=
  inv_involutive.eq_iff

@[simp]
theorem inv_eq_one : a⁻¹ = 1 ↔ a = 1 := by
  rw [inv_eq_iff_eq_inv, inv_one]

theorem mul_eq_one_iff_eq_inv : a * b = 1 ↔ a = b⁻¹ := by
  constructor
  · exact eq_inv_of_mul_eq_one_left
  · rintro rfl
    exact inv_mul_cancel b

/- The end of a name says which factor is inverted
/- (`mul_eq_one_iff_eq_inv` ends in `a = b⁻¹`, the lemma below in `a⁻¹ = b`) -/
here and in the lemmas that follow. -/
theorem mul_eq_one_iff_inv_eq : a * b = 1 ↔ a⁻¹ = b := by
  rw [mul_eq_one_iff_eq_inv, inv_eq_iff_eq_inv]

theorem mul_inv_eq_one : a * b⁻¹ = 1 ↔ a = b := by
  rw [mul_eq_one_iff_eq_inv, inv_inv]

theorem inv_mul_eq_one : a⁻¹ * b = 1 ↔ a = b := by
  rw [mul_eq_one_iff_eq_inv, inv_inj]

theorem eq_mul_inv_iff_mul_eq : a = b * c⁻¹ ↔ a * c = b := by
  constructor
  · rintro rfl
    exact inv_mul_cancel_right b c
  · rintro rfl
    exact (mul_inv_cancel_right a c).symm

theorem eq_inv_mul_iff_mul_eq : a = b⁻¹ * c ↔ b * a = c := by
  constructor
  · rintro rfl
    exact mul_inv_cancel_left b c
  · rintro rfl
    exact (inv_mul_cancel_left b a).symm

theorem inv_mul_eq_iff_eq_mul : a⁻¹ * b = c ↔ b = a * c := by
  rw [eq_comm, eq_inv_mul_iff_mul_eq, eq_comm]

theorem mul_inv_eq_iff_eq_mul : a * b⁻¹ = c ↔ a = c * b := by
  rw [eq_comm, eq_mul_inv_iff_mul_eq, eq_comm]

theorem mul_eq_left : a * b = a ↔ b = 1 := by
  constructor
  · intro h
    apply mul_left_cancel (a := a)
    rw [h, mul_one]
  · rintro rfl
    exact mul_one a

theorem mul_eq_right : a * b = b ↔ a = 1 := by
  constructor
  · intro h
    apply mul_right_cancel (b := b)
    rw [h, one_mul]
  · rintro rfl
    exact one_mul b

theorem inv_pow (a : G) (n : ℕ) : a⁻¹ ^ n = (a ^ n)⁻¹ := by
  induction n with
  | zero => exact inv_one.symm
  | succ n ih => rw [pow_succ, pow_succ', mul_inv_rev, ih]

attribute [local simp] mul_assoc in
/-- A conjugate of a power is the power of the conjugate. -/
theorem conj_pow (a b : G) (n : ℕ) : (a * b * a⁻¹) ^ n = a * b ^ n * a⁻¹ := by
  induction n with
  | zero => rw [pow_zero, pow_zero, mul_one, mul_inv_cancel]
  | succ n ih =>
    rw [pow_succ, pow_succ, ih]
    simp

theorem conj_eq_one_iff : a * b * a⁻¹ = 1 ↔ b = 1 := by
  rw [mul_inv_eq_one, mul_eq_left]

end Group

section CommGroup

variable {G : Type u} [CommGroup G]

theorem mul_inv (a b : G) : (a * b)⁻¹ = a⁻¹ * b⁻¹ := by
  rw [mul_inv_rev, mul_comm]

theorem mul_inv_cancel_comm (a b : G) : a * b * a⁻¹ = b := by
  rw [mul_comm a b, mul_inv_cancel_right]

end CommGroup

/-- A group in which every element is its own inverse is commutative. -/
theorem mul_comm_of_forall_mul_self_eq_one {G : Type u} [Group G] (h : ∀ a : G, a * a = 1) (a b : G) :
    a * b = b * a := by
  have hinv : ∀ x : G, x⁻¹ = x := fun x => inv_eq_of_mul_eq_one_right (h x)
  calc
    a * b = (a * b)⁻¹ := (hinv (a * b)).symm
    _ = b⁻¹ * a⁻¹ := mul_inv_rev a b
    _ = b * a := by rw [hinv, hinv]
