prelude
import MiniCore.Tactic

/-!
# Mini core: what rewriting and simplification cite

The lemmas from which `rw`, `simp`, `decide`, `split` and `by_cases` build their proofs, under the
names by which the runtime refers to them.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

/-! ## Equality and equivalence -/

theorem Eq.propIntro {a b : Prop} (h₁ : a → b) (h₂ : b → a) : a = b := propext ⟨h₁, h₂⟩

def Eq.mp {α β : Sort u} (h : α = β) (a : α) : β := Eq.rec (motive := fun β _ => β) a h

def Eq.mpr {α β : Sort u} (h : α = β) (b : β) : α := Eq.rec (motive := fun α _ => α) b h.symm

protected theorem Eq.rfl {α : Sort u} {a : α} : a = a := rfl

theorem Iff.refl (a : Prop) : a ↔ a := ⟨fun h => h, fun h => h⟩

protected theorem Iff.rfl {a : Prop} : a ↔ a := Iff.refl a

theorem Iff.trans {a b c : Prop} (h₁ : a ↔ b) (h₂ : b ↔ c) : a ↔ c :=
  ⟨fun ha => h₂.mp (h₁.mp ha), fun hc => h₁.mpr (h₂.mpr hc)⟩

theorem Iff.symm {a b : Prop} (h : a ↔ b) : b ↔ a := ⟨h.mpr, h.mp⟩

theorem Iff.of_eq {a b : Prop} (h : a = b) : a ↔ b := h ▸ Iff.rfl

theorem iff_of_eq {a b : Prop} (h : a = b) : a ↔ b := Iff.of_eq h

theorem Ne.symm {α : Sort u} {a b : α} (h : a ≠ b) : b ≠ a := fun e => h e.symm

theorem ne_of_eq_of_ne {α : Sort u} {a b c : α} (h₁ : a = b) (h₂ : b ≠ c) : a ≠ c := h₁ ▸ h₂

theorem ne_of_ne_of_eq {α : Sort u} {a b c : α} (h₁ : a ≠ b) (h₂ : b = c) : a ≠ c := h₂ ▸ h₁

theorem eq_comm {α : Sort u} {a b : α} : a = b ↔ b = a := ⟨Eq.symm, Eq.symm⟩

theorem heq_eq_eq {α : Sort u} (a b : α) : (a ≍ b) = (a = b) := propext ⟨eq_of_heq, heq_of_eq⟩

attribute [refl] Iff.refl
attribute [ext] funext
attribute [symm] Eq.symm HEq.symm Iff.symm Ne.symm

/-! ## Truth -/

theorem of_eq_true {p : Prop} (h : p = True) : p := h ▸ trivial

theorem eq_true {p : Prop} (h : p) : p = True := propext ⟨fun _ => trivial, fun _ => h⟩

theorem of_eq_false {p : Prop} (h : p = False) : ¬p := fun hp => h ▸ hp

theorem eq_false {p : Prop} (h : ¬p) : p = False := propext ⟨fun hp => h hp, fun f => f.elim⟩

theorem eq_false' {p : Prop} (h : p → False) : p = False := eq_false h

theorem eq_true_of_decide {p : Prop} [Decidable p] (h : decide p = true) : p = True :=
  eq_true (of_decide_eq_true h)

theorem eq_false_of_decide {p : Prop} [Decidable p] (h : decide p = false) : p = False :=
  eq_false (of_decide_eq_false h)

theorem not_not_intro {p : Prop} (h : p) : ¬¬p := fun hn => hn h

theorem mt {a b : Prop} (h₁ : a → b) (h₂ : ¬b) : ¬a := fun ha => h₂ (h₁ ha)

theorem id_eq {α : Sort u} (a : α) : id a = a := rfl

theorem eq_self {α : Sort u} (a : α) : (a = a) = True := eq_true rfl

theorem ne_eq {α : Sort u} (a b : α) : (a ≠ b) = ¬(a = b) := rfl

theorem iff_self (p : Prop) : (p ↔ p) = True := eq_true Iff.rfl

theorem true_and (p : Prop) : (True ∧ p) = p := propext ⟨fun h => h.right, fun h => ⟨trivial, h⟩⟩

theorem and_true (p : Prop) : (p ∧ True) = p := propext ⟨fun h => h.left, fun h => ⟨h, trivial⟩⟩

theorem false_and (p : Prop) : (False ∧ p) = False := eq_false fun h => h.left

theorem and_false (p : Prop) : (p ∧ False) = False := eq_false fun h => h.right

theorem and_self (p : Prop) : (p ∧ p) = p := propext ⟨fun h => h.left, fun h => ⟨h, h⟩⟩

theorem true_or (p : Prop) : (True ∨ p) = True := eq_true (.inl trivial)

theorem or_true (p : Prop) : (p ∨ True) = True := eq_true (.inr trivial)

theorem Or.elim {a b c : Prop} (h : a ∨ b) (left : a → c) (right : b → c) : c :=
  match h with
  | .inl h => left h
  | .inr h => right h

theorem false_or (p : Prop) : (False ∨ p) = p := propext ⟨fun h => h.elim False.elim id, .inr⟩

theorem or_false (p : Prop) : (p ∨ False) = p := propext ⟨fun h => h.elim id False.elim, .inl⟩

theorem or_self (p : Prop) : (p ∨ p) = p := propext ⟨fun h => h.elim id id, .inl⟩

theorem iff_true (p : Prop) : (p ↔ True) = p := propext ⟨fun h => h.mpr trivial, fun h => ⟨fun _ => trivial, fun _ => h⟩⟩

theorem true_iff (p : Prop) : (True ↔ p) = p := propext ⟨fun h => h.mp trivial, fun h => ⟨fun _ => h, fun _ => trivial⟩⟩

theorem iff_false (p : Prop) : (p ↔ False) = ¬p := propext ⟨fun h => h.mp, fun h => ⟨h, False.elim⟩⟩

theorem false_iff (p : Prop) : (False ↔ p) = ¬p := propext ⟨fun h => h.mpr, fun h => ⟨False.elim, h⟩⟩

theorem not_true_eq_false : (¬True) = False := eq_false fun h => h trivial

theorem not_false_eq_true : (¬False) = True := eq_true id

theorem not_false : ¬False := id

theorem false_implies (p : Prop) : (False → p) = True := eq_true False.elim

theorem true_implies (p : Prop) : (True → p) = p := propext ⟨fun h => h trivial, fun h _ => h⟩

theorem implies_true (α : Sort u) : (α → True) = True := eq_true fun _ => trivial

theorem imp_self {p : Prop} : (p → p) ↔ True := ⟨fun _ => trivial, fun _ => id⟩

theorem imp_false {p : Prop} : (p → False) ↔ ¬p := Iff.rfl

theorem forall_const {p : Prop} (α : Sort u) [i : Nonempty α] : (α → p) ↔ p :=
  ⟨fun h => i.rec h, fun h _ => h⟩

theorem exists_const {p : Prop} (α : Sort u) [i : Nonempty α] : (∃ _ : α, p) ↔ p :=
  ⟨fun ⟨_, h⟩ => h, fun h => i.rec fun a => ⟨a, h⟩⟩

theorem Exists.elim {α : Sort u} {p : α → Prop} {b : Prop} (h₁ : ∃ x, p x) (h₂ : ∀ a, p a → b) : b :=
  match h₁ with
  | ⟨a, h⟩ => h₂ a h

theorem exists_false {α : Sort u} : ¬(∃ _ : α, False) := fun ⟨_, h⟩ => h

theorem exists_eq {α : Sort u} {a : α} : ∃ x, x = a := ⟨a, rfl⟩

theorem exists_eq' {α : Sort u} {a : α} : ∃ x, a = x := ⟨a, rfl⟩

theorem exists_eq_left {α : Sort u} {p : α → Prop} {a : α} : (∃ x, x = a ∧ p x) ↔ p a :=
  ⟨fun ⟨_, e, h⟩ => e ▸ h, fun h => ⟨a, rfl, h⟩⟩

theorem exists_eq_left' {α : Sort u} {p : α → Prop} {a : α} : (∃ x, a = x ∧ p x) ↔ p a :=
  ⟨fun ⟨_, e, h⟩ => e ▸ h, fun h => ⟨a, rfl, h⟩⟩

theorem exists_eq_right {α : Sort u} {p : α → Prop} {a : α} : (∃ x, p x ∧ x = a) ↔ p a :=
  ⟨fun ⟨_, h, e⟩ => e ▸ h, fun h => ⟨a, h, rfl⟩⟩

theorem forall_eq {α : Sort u} {p : α → Prop} {a : α} : (∀ x, x = a → p x) ↔ p a :=
  ⟨fun h => h a rfl, fun h _ e => e ▸ h⟩

theorem forall_eq' {α : Sort u} {p : α → Prop} {a : α} : (∀ x, a = x → p x) ↔ p a :=
  ⟨fun h => h a rfl, fun h _ e => e ▸ h⟩

theorem and_imp {a b c : Prop} : (a ∧ b → c) ↔ (a → b → c) :=
  ⟨fun h ha hb => h ⟨ha, hb⟩, fun h ⟨ha, hb⟩ => h ha hb⟩

theorem or_imp {a b c : Prop} : (a ∨ b → c) ↔ (a → c) ∧ (b → c) :=
  ⟨fun h => ⟨fun ha => h (.inl ha), fun hb => h (.inr hb)⟩, fun ⟨ha, hb⟩ h => h.elim ha hb⟩

theorem exists_imp {α : Sort u} {p : α → Prop} {b : Prop} : ((∃ x, p x) → b) ↔ ∀ x, p x → b :=
  ⟨fun h x hx => h ⟨x, hx⟩, fun h ⟨x, hx⟩ => h x hx⟩

theorem not_or {p q : Prop} : ¬(p ∨ q) ↔ ¬p ∧ ¬q :=
  ⟨fun h => ⟨fun hp => h (.inl hp), fun hq => h (.inr hq)⟩, fun h h' => h'.elim h.left h.right⟩

theorem not_exists {α : Sort u} {p : α → Prop} : (¬∃ x, p x) ↔ ∀ x, ¬p x := exists_imp

theorem not_and {p q : Prop} : ¬(p ∧ q) ↔ (p → ¬q) := and_imp

theorem and_comm {a b : Prop} : a ∧ b ↔ b ∧ a := ⟨fun ⟨ha, hb⟩ => ⟨hb, ha⟩, fun ⟨hb, ha⟩ => ⟨ha, hb⟩⟩

theorem or_comm {a b : Prop} : a ∨ b ↔ b ∨ a := ⟨fun h => h.elim .inr .inl, fun h => h.elim .inr .inl⟩

theorem and_assoc {a b c : Prop} : (a ∧ b) ∧ c ↔ a ∧ b ∧ c :=
  ⟨fun ⟨⟨ha, hb⟩, hc⟩ => ⟨ha, hb, hc⟩, fun ⟨ha, hb, hc⟩ => ⟨⟨ha, hb⟩, hc⟩⟩

theorem or_assoc {a b c : Prop} : (a ∨ b) ∨ c ↔ a ∨ b ∨ c :=
  ⟨fun h => h.elim (fun h => h.elim .inl fun h => .inr (.inl h)) fun h => .inr (.inr h),
    fun h => h.elim (fun h => .inl (.inl h)) fun h => h.elim (fun h => .inl (.inr h)) .inr⟩

attribute [simp] eq_self iff_self heq_eq_eq ne_eq id_eq true_and and_true false_and and_false and_self
attribute [simp] true_or or_true false_or or_false or_self iff_true true_iff iff_false false_iff
attribute [simp] not_true_eq_false not_false_eq_true implies_true true_implies false_implies imp_self imp_false
attribute [simp] forall_const exists_const exists_false exists_eq exists_eq' exists_eq_left exists_eq_left'
attribute [simp] exists_eq_right forall_eq forall_eq' and_imp or_imp exists_imp not_or not_exists not_and

theorem Lean.injEq_helper {p q r : Prop} (h : p → q → r) : p ∧ q → r := and_imp.mpr h

/-! ## Congruence -/

theorem implies_congr {p₁ p₂ : Sort u} {q₁ q₂ : Sort v} (h₁ : p₁ = p₂) (h₂ : q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) := h₁ ▸ h₂ ▸ rfl

theorem implies_congr_ctx {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ = p₂) (h₂ : p₂ → q₁ = q₂) : (p₁ → q₁) = (p₂ → q₂) :=
  propext ⟨fun h hp => (h₂ hp) ▸ h (h₁ ▸ hp), fun h hp => (h₂ (h₁ ▸ hp)).symm ▸ h (h₁ ▸ hp)⟩

theorem implies_dep_congr_ctx {p₁ p₂ q₁ : Prop} (h₁ : p₁ = p₂) {q₂ : p₂ → Prop} (h₂ : (h : p₂) → q₁ = q₂ h) :
    (p₁ → q₁) = ((h : p₂) → q₂ h) :=
  propext ⟨fun h hp => (h₂ hp) ▸ h (h₁ ▸ hp), fun h hp => (h₂ (h₁ ▸ hp)).symm ▸ h (h₁ ▸ hp)⟩

theorem forall_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a = q a) : (∀ a, p a) = (∀ a, q a) :=
  propext ⟨fun hp a => (h a) ▸ hp a, fun hq a => (h a).symm ▸ hq a⟩

theorem forall_prop_domain_congr {p₁ p₂ : Prop} {q : p₁ → Prop} (h : p₁ = p₂) :
    ((a : p₁) → q a) = ((a : p₂) → q (h.symm.mp a)) := by subst h; rfl

theorem forall_prop_congr_dom {p₁ p₂ : Prop} (h : p₁ = p₂) (q : p₁ → Prop) :
    ((a : p₁) → q a) = ((a : p₂) → q (h.symm.mp a)) := by subst h; rfl

theorem let_congr {α : Sort u} {β : Sort v} {a a' : α} {b b' : α → β} (h₁ : a = a') (h₂ : ∀ x, b x = b' x) :
    (let x := a; b x) = (let x := a'; b' x) := h₁ ▸ h₂ a

theorem let_val_congr {α : Sort u} {β : Sort v} {a a' : α} (b : α → β) (h : a = a') :
    (let x := a; b x) = (let x := a'; b x) := h ▸ rfl

theorem let_body_congr {α : Sort u} {β : α → Sort v} {b b' : (a : α) → β a} (a : α) (h : ∀ x, b x = b' x) :
    (let x := a; b x) = (let x := a; b' x) := h a

theorem have_congr {α : Sort u} {β : Sort v} {a a' : α} {f f' : α → β} (h₁ : a = a') (h₂ : ∀ x, f x = f' x) :
    f a = f' a' := h₁ ▸ h₂ a

theorem have_val_congr {α : Sort u} {β : Sort v} {a a' : α} {f : α → β} (h : a = a') : f a = f a' := h ▸ rfl

theorem have_body_congr {α : Sort u} {β : Sort v} {a : α} {f f' : α → β} (h : ∀ x, f x = f' x) : f a = f' a := h a

theorem exists_prop_congr {p p' : Prop} {q q' : p → Prop} (h : ∀ h, q h ↔ q' h) (hp : p ↔ p') :
    (∃ h, q h) ↔ ∃ h : p', q' (hp.mpr h) :=
  ⟨fun ⟨a, b⟩ => ⟨hp.mp a, (h a).mp b⟩, fun ⟨a, b⟩ => ⟨hp.mpr a, (h (hp.mpr a)).mpr b⟩⟩

theorem exists_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a ↔ q a) : (∃ a, p a) ↔ ∃ a, q a :=
  ⟨fun ⟨a, b⟩ => ⟨a, (h a).mp b⟩, fun ⟨a, b⟩ => ⟨a, (h a).mpr b⟩⟩

theorem and_congr {a b c d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : a ∧ b ↔ c ∧ d :=
  ⟨fun ⟨x, y⟩ => ⟨h₁.mp x, h₂.mp y⟩, fun ⟨x, y⟩ => ⟨h₁.mpr x, h₂.mpr y⟩⟩

theorem or_congr {a b c d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : a ∨ b ↔ c ∨ d :=
  ⟨fun h => h.elim (fun x => .inl (h₁.mp x)) fun y => .inr (h₂.mp y),
    fun h => h.elim (fun x => .inl (h₁.mpr x)) fun y => .inr (h₂.mpr y)⟩

theorem not_congr {a b : Prop} (h : a ↔ b) : ¬a ↔ ¬b := ⟨mt h.mpr, mt h.mp⟩

/-! ## Case distinction -/

instance instDecidableTrue : Decidable True := isTrue trivial

instance instDecidableFalse : Decidable False := isFalse not_false

section
variable {p q : Prop}

instance instDecidableAnd [dp : Decidable p] [dq : Decidable q] : Decidable (p ∧ q) :=
  match dp with
  | isTrue hp => match dq with
    | isTrue hq => isTrue ⟨hp, hq⟩
    | isFalse hq => isFalse fun h => hq h.right
  | isFalse hp => isFalse fun h => hp h.left

instance instDecidableOr [dp : Decidable p] [dq : Decidable q] : Decidable (p ∨ q) :=
  match dp with
  | isTrue hp => isTrue (.inl hp)
  | isFalse hp => match dq with
    | isTrue hq => isTrue (.inr hq)
    | isFalse hq => isFalse fun h => h.elim hp hq

instance instDecidableNot [dp : Decidable p] : Decidable (¬p) :=
  match dp with
  | isTrue hp => isFalse (not_not_intro hp)
  | isFalse hp => isTrue hp

instance [dp : Decidable p] [dq : Decidable q] : Decidable (p → q) :=
  match dp with
  | isTrue hp => match dq with
    | isTrue hq => isTrue fun _ => hq
    | isFalse hq => isFalse fun h => hq (h hp)
  | isFalse hp => isTrue fun h => absurd h hp

instance instDecidableIff [dp : Decidable p] [dq : Decidable q] : Decidable (p ↔ q) :=
  match dp, dq with
  | isTrue hp, isTrue hq => isTrue ⟨fun _ => hq, fun _ => hp⟩
  | isTrue hp, isFalse hq => isFalse fun h => hq (h.mp hp)
  | isFalse hp, isTrue hq => isFalse fun h => hp (h.mpr hq)
  | isFalse hp, isFalse hq => isTrue ⟨fun h => absurd h hp, fun h => absurd h hq⟩

instance instDecidableNe {α : Sort u} [DecidableEq α] (a b : α) : Decidable (a ≠ b) := instDecidableNot

end

/-- A type with at most one element. -/
class Subsingleton (α : Sort u) : Prop where
  intro ::
  allEq : (a b : α) → a = b

protected theorem Subsingleton.elim {α : Sort u} [h : Subsingleton α] (a b : α) : a = b := h.allEq a b

protected theorem Subsingleton.helim {α β : Sort u} [h : Subsingleton α] (e : α = β) (a : α) (b : β) : a ≍ b := by
  subst e
  exact heq_of_eq (h.allEq a b)

instance (p : Prop) : Subsingleton p := ⟨fun _ _ => rfl⟩

/-- Two ways to decide a proposition agree; `simp` rewrites conditions by it. -/
instance instSubsingletonDecidable (p : Prop) : Subsingleton (Decidable p) where
  allEq d e := match d, e with
    | isTrue _, isTrue _ => rfl
    | isFalse _, isFalse _ => rfl
    | isTrue h, isFalse h' => absurd h h'
    | isFalse h, isTrue h' => absurd h' h

theorem if_pos {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : ite c t e = t :=
  match h with
  | isTrue _ => rfl
  | isFalse hn => absurd hc hn

theorem if_neg {c : Prop} {h : Decidable c} (hn : ¬c) {α : Sort u} {t e : α} : ite c t e = e :=
  match h with
  | isTrue hc => absurd hc hn
  | isFalse _ => rfl

theorem dif_pos {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} : dite c t e = t hc :=
  match h with
  | isTrue _ => rfl
  | isFalse hn => absurd hc hn

theorem dif_neg {c : Prop} {h : Decidable c} (hn : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} : dite c t e = e hn :=
  match h with
  | isTrue hc => absurd hc hn
  | isFalse _ => rfl

theorem ite_true {α : Sort u} (a b : α) : (if True then a else b) = a := rfl

theorem ite_false {α : Sort u} (a b : α) : (if False then a else b) = b := rfl

theorem ite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : ite c t e = t := if_pos hc

theorem ite_eq_right {c : Prop} {h : Decidable c} (hn : ¬c) {α : Sort u} {t e : α} : ite c t e = e := if_neg hn

theorem dite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    dite c t e = t hc := dif_pos hc

theorem dite_eq_right {c : Prop} {h : Decidable c} (hn : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    dite c t e = e hn := dif_neg hn

theorem dite_eq_ite {c : Prop} [Decidable c] {α : Sort u} {a b : α} : dite c (fun _ => a) (fun _ => b) = ite c a b := rfl

theorem ite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = True) :
    (if c then a else b) = a := if_pos (of_eq_true h)

theorem ite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} (a b : α) (h : c = False) :
    (if c then a else b) = b := if_neg (of_eq_false h)

theorem dite_eq_left_of_eq_true {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = True) :
    dite c t e = t (of_eq_true h) := dif_pos (of_eq_true h)

theorem dite_eq_right_of_eq_false {α : Sort u} {c : Prop} {_ : Decidable c} {t : c → α} {e : ¬c → α} (h : c = False) :
    dite c t e = e (of_eq_false h) := dif_neg (of_eq_false h)

theorem ite_self {α : Sort u} {c : Prop} {d : Decidable c} (a : α) : ite c a a = a :=
  match d with
  | isTrue _ => rfl
  | isFalse _ => rfl

attribute [simp] ite_true ite_false ite_self

theorem ite_congr {α : Sort u} {b c : Prop} {x y p q : α} {s : Decidable b} [Decidable c] (h₁ : b = c)
    (h₂ : c → x = p) (h₃ : ¬c → y = q) : ite b x y = ite c p q :=
  match s with
  | isTrue h => (h₂ (h₁ ▸ h)).trans (if_pos (h₁ ▸ h)).symm
  | isFalse h => (h₃ (h₁ ▸ h)).trans (if_neg (h₁ ▸ h)).symm

namespace Classical

/-- Excluded middle, from choice and extensionality (Diaconescu). -/
theorem em (p : Prop) : p ∨ ¬p :=
  let low (x : Prop) : Prop := x = False ∨ p
  let high (x : Prop) : Prop := x = True ∨ p
  have someLow : ∃ x, low x := ⟨False, .inl rfl⟩
  have someHigh : ∃ x, high x := ⟨True, .inl rfl⟩
  let pick (q : Prop → Prop) (h : ∃ x, q x) : Subtype q :=
    choice (h.elim fun x hx => ⟨⟨x, hx⟩⟩)
  let a := pick low someLow
  let b := pick high someHigh
  have same (hp : p) : a.val = b.val :=
    have lowHigh : low = high := funext fun x => propext ⟨fun _ => .inr hp, fun _ => .inr hp⟩
    have general : (q : Prop → Prop) → (h : low = q) → (s : ∃ x, q x) → (pick low someLow).val = (pick q s).val :=
      fun _ h s => by subst h; rfl
    general high lowHigh someHigh
  a.property.elim
    (fun ha => b.property.elim
      (fun hb => .inr fun hp => by
        have e := same hp
        rw [ha, hb] at e
        exact of_eq_true e)
      .inl)
    .inl

/-- Every proposition is decidable, if no instance that computes is found. -/
noncomputable scoped instance (priority := low) propDecidable (a : Prop) : Decidable a :=
  choice ((em a).elim (fun h => ⟨isTrue h⟩) fun h => ⟨isFalse h⟩)

theorem byContradiction {p : Prop} (h : ¬p → False) : p := (em p).elim id fun hn => (h hn).elim

theorem byCases {p q : Prop} (hpq : p → q) (hnpq : ¬p → q) : q := (em p).elim hpq hnpq

theorem not_not {a : Prop} : ¬¬a ↔ a := ⟨fun h => byContradiction h, not_not_intro⟩

end Classical

/-! ## Calculations -/

/-- That `r` and `s` can be chained; what `calc` looks for. -/
class Trans.{u₁, u₂, u₃, v₁, v₂, v₃} {α : Sort v₁} {β : Sort v₂} {γ : Sort v₃} (r : α → β → Sort u₁)
    (s : β → γ → Sort u₂) (t : outParam (α → γ → Sort u₃)) where
  trans {a : α} {b : β} {c : γ} : r a b → s b c → t a c

export Trans (trans)

instance instTransEq {α : Sort u} {γ : Sort v} (r : α → γ → Sort w) : Trans Eq r r where
  trans h h' := h ▸ h'

instance instTransEq_1 {α : Sort u} {β : Sort v} (r : α → β → Sort w) : Trans r Eq r where
  trans h h' := h' ▸ h

instance instTransIff : Trans Iff Iff Iff where
  trans := Iff.trans
