import pytest

from lean_extract.records import Position
from tests.lean_extract.source.reading import link, read


def steps(proof: str) -> list[str]:
    text = f"theorem t : p := {proof}\n"
    return [step.tactic for step in read(text).proofs[0].steps]


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        ("by simp", ["simp"]),
        ("by\n  intro x\n  exact foo x", ["intro x", "exact foo x"]),
        ("by intro x; exact foo", ["intro x", "exact foo"]),
        ("by constructor <;> simp", ["constructor", "simp"]),
        ("by\n  constructor\n  · exact a\n    done\n  · rfl", ["constructor", "exact a", "done", "rfl"]),
        ("by\n  constructor\n  . exact a\n  . rfl", ["constructor", "exact a", "rfl"]),
        ("by\n  rw [a,\n    b]\n  simp", ["rw [a, b]", "simp"]),
        ("by\n  case inl h =>\n    simp\n  case inr h => rfl", ["simp", "rfl"]),
        (
            "by\n  induction n with\n  | zero => simp\n  | succ n ih =>\n    rw [ih]\n    rfl",
            ["induction n with", "simp", "rw [ih]", "rfl"],
        ),
        ("by\n  have h : a := by\n    simp\n  exact h", ["have h : a := by", "simp", "exact h"]),
        ("by\n  have h : a := by simp\n  exact h", ["have h : a := by simp", "simp", "exact h"]),
        ("by\n  (intro x; rfl)\n  simp", ["intro x", "rfl", "simp"]),
        ("by\n  exact foo (by simp) bar\n  rfl", ["exact foo (by simp) bar", "simp", "rfl"]),
        ("⟨by simp, by rw [a, b]⟩", ["simp", "rw [a, b]"]),
        ("by\n  all_goals\n    simp\n    rfl", ["simp", "rfl"]),
        ("by\n  try simp\n  rfl", ["try simp", "rfl"]),
        ("by\n  exact ∀ x, by simp", ["exact ∀ x, by simp", "simp"]),
        ("by\n  conv_lhs =>\n    rw [a]\n  rfl", ["rw [a]", "rfl"]),
        ("foo bar", []),
    ],
)
def test_steps(proof: str, expected: list[str]) -> None:
    assert steps(proof) == expected


def test_steps_say_where_they_stand() -> None:
    proof = read("theorem t : p := by\n  rw [𝕜,\n    b]\n").proofs[0]
    span = proof.steps[0].span
    assert (span.start, span.end) == (Position(1, 2), Position(2, 6))


def test_calc_steps_and_their_goals() -> None:
    text = """theorem t (a : T) : a = d := by
  calc a = b := by rw [foo]
    _ = c := bar
    _ = d := by
      simp
"""
    goals = read(text).proofs[0].inner_goals
    assert [(goal.keyword, goal.conclusion) for goal in goals] == [
        ("calc", "a = b"), ("calc", "b = c"), ("calc", "c = d"),
    ]  # fmt: skip


def test_calc_beginning_with_its_left_side() -> None:
    text = "theorem t : a ≤ c :=\n  calc a\n    _ ≤ b := foo\n    _ ≤ c := bar\n"
    assert [goal.conclusion for goal in read(text).proofs[0].inner_goals] == ["a ≤ b", "b ≤ c"]


def test_stated_goals_have_context_and_their_own_premises() -> None:
    text = """theorem foo : a := x
theorem bar : a := x
theorem t (n : ℕ) : c := by
  have h : a n := by
    exact foo
  have k (m : ℕ) : b m := bar
  show d
  suffices e : f from bar
  exact foo
"""
    goals = link({"Test": text})["t"].inner_goals
    assert [(goal.keyword, goal.conclusion) for goal in goals] == [
        ("have", "a n"), ("have", "b m"), ("show", "d"), ("suffices", "f"),
    ]  # fmt: skip
    assert goals[0].context == ("(n : ℕ)",)
    assert goals[1].context == ("(n : ℕ)", "(h : a n)", "(m : ℕ)")
    assert [goal.premises for goal in goals] == [("foo",), ("bar",), ("bar", "foo"), ("foo",)]


def test_facts_of_a_finished_block_are_out_of_force() -> None:
    text = (
        "theorem t : c := by\n  constructor\n  · have h : a := x\n    exact h\n"
        "  · have k : b := y\n    exact k\n"
    )
    assert [goal.context for goal in read(text).proofs[0].inner_goals] == [(), ()]


def test_steps_have_the_premises_of_their_own_text() -> None:
    text = """theorem foo : a := x
theorem bar : a := x
theorem t : c := by
  have h : a := by
    exact foo
  simp [bar]
"""
    proof = link({"Test": text})["t"]
    assert proof.is_tactic
    assert [(step.tactic, step.premises) for step in proof.steps] == [
        ("have h : a := by", ()), ("exact foo", ("foo",)), ("simp [bar]", ("bar",)),
    ]  # fmt: skip
    assert proof.premises == ("foo", "bar")
