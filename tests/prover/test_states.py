"""When two proof states are one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_state
from lean_extract.records import Goal, Hypothesis, ProofState
from prover.states import (
    adds_nothing,
    fingerprint,
    has_unknowns,
    leaves_only_unknowns,
    nameless_fingerprint,
)


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


IMP = "case f\n⊢ ?a → m ≤ n\n\ncase g\n⊢ ?b → n ≤ m\n\ncase h\n⊢ ?a ∨ ?b\n\ncase a\n⊢ Prop\n\ncase b\n⊢ Prop"
TRANS = "⊢ n ≤ ?m\n\n⊢ ?m ≤ k\n\ncase m\n⊢ ℕ"


@pytest.mark.parametrize(
    ("after", "only", "some"),
    [
        (IMP, True, True),
        ("case h\n⊢ q a ↔ ?p a\n\ncase p\n⊢ α → Prop", True, True),
        ("⊢ ?m.7", True, True),
        ("α : Type u\n⊢ α", True, True),
        ("case a\n⊢ ℕ\n\ncase b\n⊢ Sort v", True, True),
        (TRANS, False, True),
        ("case h\n⊢ N ≤ ?w ∧ ?w.Prime\n\ncase w\n⊢ ℕ", False, True),
        ("case left\n⊢ p\n\ncase a\n⊢ ?a\n\ncase a\n⊢ Prop", False, True),
        ("⊢ xs.head? = ys[0]? ∧ x?.isSome", False, False),
        ("a : Prop\n⊢ a → b", False, False),
        ("p q : Prop\n⊢ p\n\np q : Prop\n⊢ q", False, False),
    ],
)
def test_what_leaves_nothing_but_unknowns(after: str, only: bool, some: bool) -> None:
    state = parse_state(after)
    assert leaves_only_unknowns(BEFORE.goals[0], state) is only
    assert has_unknowns(state) is some


def test_what_a_proposition_follows_from_is_unknown() -> None:
    before = parse_state("p q : Prop\n⊢ p").goals[0]
    assert leaves_only_unknowns(before, parse_state(IMP))
    assert not leaves_only_unknowns(before, parse_state("p q : Prop\n⊢ q"))


def test_where_a_type_is_wanted_a_type_may_be_left() -> None:
    assert not leaves_only_unknowns(Goal((), "Type u"), parse_state("⊢ Type u"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x : α\nhx : x ∈ k\n⊢ x ∈ l", "a : α\nh : a ∈ k\n⊢ a ∈ l", True),
        ("x✝ : α\n⊢ x✝ ∈ l", "x : α\n⊢ x ∈ l", True),
        ("x y : α\n⊢ x ∈ l", "x y : α\n⊢ y ∈ l", False),
        ("x : α\n⊢ x.y = 0", "z : α\n⊢ z.y = 0", True),
        ("h : ∀ n, p n\nn : ℕ\n⊢ q n", "h : ∀ n, p n\nk : ℕ\n⊢ q k", True),
    ],
)
def test_states_that_differ_in_names(one: str, other: str, same: bool) -> None:
    found = nameless_fingerprint(parse_state(one)), nameless_fingerprint(parse_state(other))
    assert (found[0] == found[1]) is same
