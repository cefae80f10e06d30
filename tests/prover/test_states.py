"""When two proof states are one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_state
from lean_extract.records import Goal, Hypothesis, ProofState
from prover.states import adds_nothing, fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("n : ℕ\n⊢ n = n", "case zero\nn : ℕ\n⊢ n =\n    n"),
        ("x : ℕ := 2 + 3\n⊢ p", "x : ℕ := 2 +\n    3\n⊢ p"),
        ("⊢ a ≤ ?m.12\n\n⊢ ?m.12 ≤ b", "⊢ a ≤ ?m.7\n\n⊢ ?m.7 ≤ b"),
    ],
)
def test_states_that_are_one(one: str, other: str) -> None:
    assert fingerprint(parse_state(one)) == fingerprint(parse_state(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("⊢ a\n\n⊢ b", "⊢ b\n\n⊢ a"),
        ("⊢ a\n\n⊢ b", "⊢ a"),
        ("h : p\n⊢ a", "k : p\n⊢ a"),
        ("x : ℕ := 2\n⊢ p", "x : ℕ\n⊢ p"),
        ("⊢ ?m.1 = ?m.1", "⊢ ?m.1 = ?m.2"),
        ("⊢ a ≤ ?m.1\n\n⊢ ?m.1 ≤ b", "⊢ a ≤ ?m.1\n\n⊢ ?m.2 ≤ b"),
    ],
)
def test_states_that_are_two(one: str, other: str) -> None:
    assert fingerprint(parse_state(one)) != fingerprint(parse_state(other))


BEFORE = parse_state("v w : V\nh : v = w\nk : 1 < 2 ∧ p\n⊢ f v = w")


@pytest.mark.parametrize(
    "after",
    [
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nhv : v = v\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nhv : True ∧ f v ≤ f v\n⊢ f v =\n  w",
        "v w : V\nh h' : v = w\nk : 1 < 2 ∧ p\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\ns : w = v\n⊢ f v = w",
        "v w : V\nk : 1 < 2 ∧ p\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nboth : (w = v) ∧ v = w\n⊢ f v = w",
        "v w : V\n⊢ v = w\n\ncase b\nv w : V\nh : v = w\nk : 1 < 2 ∧ p\n⊢ f v = w",
    ],
)
def test_a_step_to_the_same_goal_with_nothing_new_adds_nothing(after: str) -> None:
    assert adds_nothing(BEFORE.goals[0], parse_state(after))


@pytest.mark.parametrize(
    "after",
    [
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\n⊢ f w = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nn : f v = v\n⊢ f v = w",
        "v w : V\nh : v = w\nl : 1 < 2\nr : p\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nx : V := v\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nn : 2 < 1\n⊢ f v = w",
        "v w : V\nh : v = w\nk : 1 < 2 ∧ p\nn : f w < f w\n⊢ f v = w",
    ],
)
def test_a_step_to_another_goal_or_to_a_new_fact_adds_something(after: str) -> None:
    assert not adds_nothing(BEFORE.goals[0], parse_state(after))


@given(st.text(alphabet="v= ∧∨()¬<≤:∀,\n⊢→", max_size=40))
def test_a_fact_is_known_whatever_it_looks_like(text: str) -> None:
    goal = Goal((Hypothesis(("h",), text),), "p")
    assert adds_nothing(goal, ProofState((Goal((Hypothesis(("k",), text),), "p"),)))
