import Example.Algebra.Group
import Example.Set.Image

/-!
# Homomorphisms of monoids and groups

Functions that respect `1` and `*`, their composition and their kernels.
-/

universe u v w

/-- A function that respects the neutral element. -/
structure OneHom (M : Type u) (N : Type v) [One M] [One N] where
  /-- The function. -/
  toFun : M → N
  protected map_one' : toFun 1 = 1

/-- A function that respects the multiplication. -/
structure MulHom (M : Type u) (N : Type v) [Mul M] [Mul N] where
  /-- The function. -/
  toFun : M → N
  protected map_mul' : ∀ a b, toFun (a * b) = toFun a * toFun b

/-- A function between monoids that respects `1` and `*`. -/
structure MonoidHom (M : Type u) (N : Type v) [Monoid M] [Monoid N] extends OneHom M N, MulHom M N

@[inherit_doc] infixr:25 " →* " => MonoidHom

namespace MonoidHom

section Monoid

variable {M : Type u} {N : Type v} {P : Type w} [Monoid M] [Monoid N] [Monoid P]

instance instCoeFun : CoeFun (M →* N) fun _ => M → N where
  coe f := f.toFun

/-- Prints the value of a homomorphism as `f a`. -/
@[app_unexpander OneHom.toFun]
def unexpandToFun : Lean.PrettyPrinter.Unexpander
  | `($_ $f:term $a:term) => `($f:term $a:term)
  | `($_ $f:term) => `($f:term)
  | _ => throw ()

/-- Prints a homomorphism that is used as a function as `f`. -/
@[app_unexpander MonoidHom.toOneHom]
def unexpandToOneHom : Lean.PrettyPrinter.Unexpander
  | `($_ $f:term) => `($f:term)
  | _ => throw ()

/-- Homomorphisms with the same values are the same. -/
theorem ext {f g : M →* N} (h : ∀ x, f x = g x) : f = g := by
  obtain ⟨⟨f, _⟩, _⟩ := f
  obtain ⟨⟨g, _⟩, _⟩ := g
  have hfg : f = g := funext h
  subst hfg
  rfl

@[simp]
protected theorem map_one (f : M →* N) : f 1 = 1 :=
  f.map_one'

@[simp]
protected theorem map_mul (f : M →* N) (a b : M) : f (a * b) = f a * f b :=
  f.map_mul' a b

protected theorem map_pow (f : M →* N) (a : M) (n : ℕ) : f (a ^ n) = f a ^ n := by
  induction n with
  | zero => exact f.map_one
  | succ n ih => rw [pow_succ, pow_succ, f.map_mul, ih]

/-- A homomorphism takes inverse elements to inverse elements. -/
theorem map_mul_eq_one (f : M →* N) {a b : M} (h : a * b = 1) : f a * f b = 1 := by
  rw [← f.map_mul, h, f.map_one]

/-- The identity. -/
protected def id (M : Type u) [Monoid M] : M →* M where
  toFun x := x
  map_one' := rfl
  map_mul' _ _ := rfl

/-- Composition of homomorphisms. -/
protected def comp (g : N →* P) (f : M →* N) : M →* P where
  toFun x := g (f x)
  map_one' := by rw [f.map_one, g.map_one]
  map_mul' a b := by rw [f.map_mul, g.map_mul]

@[simp]
theorem id_apply (x : M) : (MonoidHom.id M) x = x :=
  rfl

@[simp]
theorem comp_apply (g : N →* P) (f : M →* N) (x : M) : (g.comp f) x = g (f x) :=
  rfl

theorem comp_assoc {Q : Type w} [Monoid Q] (h : P →* Q) (g : N →* P) (f : M →* N) :
    (h.comp g).comp f = h.comp (g.comp f) :=
  rfl

theorem id_comp (f : M →* N) : (MonoidHom.id N).comp f = f :=
  ext fun _ => rfl

theorem comp_id (f : M →* N) : f.comp (MonoidHom.id M) = f :=
  ext fun _ => rfl

end Monoid

section Group

variable {G : Type u} {H : Type v} [Group G] [Group H]

@[simp]
protected theorem map_inv (f : G →* H) (a : G) : f a⁻¹ = (f a)⁻¹ :=
  eq_inv_of_mul_eq_one_left (f.map_mul_eq_one (inv_mul_cancel a))

theorem map_mul_inv (f : G →* H) (a b : G) : f (a * b⁻¹) = f a * (f b)⁻¹ := by
  rw [f.map_mul, f.map_inv]

/-- A homomorphism takes conjugates to conjugates. -/
theorem map_conj (f : G →* H) (a b : G) : f (a * b * a⁻¹) = f a * f b * (f a)⁻¹ := by
  rw [f.map_mul_inv, f.map_mul]

/-- The kernel: what is mapped to the neutral element. -/
def kernel (f : G →* H) : Set G :=
  {x | f x = 1}

theorem mem_kernel {f : G →* H} {x : G} : x ∈ f.kernel ↔ f x = 1 :=
  Iff.rfl

theorem one_mem_kernel (f : G →* H) : 1 ∈ f.kernel :=
  f.map_one

theorem eq_iff_mul_inv_mem_kernel (f : G →* H) {a b : G} : f a = f b ↔ a * b⁻¹ ∈ f.kernel := by
  rw [mem_kernel, f.map_mul_inv, mul_inv_eq_one]

/-- A homomorphism of groups is injective if and only if its kernel is trivial. -/
theorem injective_iff (f : G →* H) : Function.Injective f ↔ ∀ a, f a = 1 → a = 1 := by
  constructor
  · intro hf a ha
    apply hf
    rw [ha, f.map_one]
  · intro h a b hab
    apply mul_inv_eq_one.mp
    apply h
    rw [f.map_mul_inv, hab, mul_inv_cancel]

theorem kernel_subset_kernel_comp {K : Type w} [Group K] (g : H →* K) (f : G →* H) :
    f.kernel ⊆ (g.comp f).kernel := by
  intro x hx
  rw [mem_kernel] at hx ⊢
  rw [comp_apply, hx, g.map_one]

end Group

end MonoidHom
