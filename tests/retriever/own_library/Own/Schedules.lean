/-! # Schedules and temperatures -/

namespace Own

/-- A job occupies a machine from its start for a number of minutes. -/
structure Job where
  start : Nat
  minutes : Nat

/-- Two jobs clash if there is a minute at which both of them run. -/
def Clash (j k : Job) : Prop :=
  ∃ m, j.start ≤ m ∧ m < j.start + j.minutes ∧ k.start ≤ m ∧ m < k.start + k.minutes

/-- If one job ends before the other begins, then they do not clash. -/
theorem no_clash {j k : Job} (h : j.start + j.minutes ≤ k.start) : ¬Clash j k := by
  rintro ⟨m, _, hj, hk, _⟩
  omega

/-- Whether jobs clash can be decided by comparing their ends: it is enough to look at two inequalities, as long as
both jobs take some time. -/
theorem clash_iff {j k : Job} (hj : 0 < j.minutes) (hk : 0 < k.minutes) :
    Clash j k ↔ j.start < k.start + k.minutes ∧ k.start < j.start + j.minutes := by
  constructor
  · rintro ⟨m, h⟩
    omega
  · intro h
    refine ⟨max j.start k.start, ?_⟩
    omega

/-- Room temperature falls by at most one degree an hour, so after `n` hours the room has cooled by at most `n`
degrees. -/
theorem cooling (T : Nat → Int) (h : ∀ i, T i ≤ T (i + 1) + 1) (n : Nat) : T 0 ≤ T n + n := by
  induction n with
  | zero => simp
  | succ n ih =>
    have := h n
    omega

end Own
