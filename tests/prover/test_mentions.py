"""Which declarations a printed goal mentions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from prover.mentions import GoalNames


@pytest.mark.parametrize(
    ("name", "target", "is_mentioned"),
    [
        ("Function.Injective", "Function.Injective f", True),
        ("Function.Injective", "Injective (f ∘ g)", True),
        ("List.sum", "l.sum = 0", True),
        ("List.sum", "(l ++ l).sum = 0", True),
        ("Tree.map", "List.map f l = l", False),
        ("List.map", "Tree.map f l = l", False),
        ("Finset.card", "Set.univ.card = 1", True),
        ("Graph.Adj", "l.Adj 1 2", True),
        ("double", "n = n + n", False),
        ("double", "double n = redouble n", True),
        ("l", "l = l", False),
    ],
)
def test_names_are_found_as_lean_prints_them(name: str, target: str, is_mentioned: bool) -> None:
    premise = Premise(name, "def", "M")
    assert GoalNames(parse_goal(f"l : List ℕ\n⊢ {target}")).in_target(premise) is is_mentioned
    assert not GoalNames(parse_goal(f"l : List ℕ\n⊢ {target}")).in_hypotheses(premise)


def test_hypotheses_are_read_apart_from_the_target() -> None:
    names = GoalNames(parse_goal("n : ℕ\nh : Even n\n⊢ Odd (n + 1)"))
    even, odd = Premise("Nat.Even", "def", "M"), Premise("Nat.Odd", "def", "M")
    assert [names.in_target(even), names.in_target(odd)] == [False, True]
    assert [names.in_hypotheses(even), names.in_hypotheses(odd)] == [True, False]


NAMES = st.lists(st.text("abXY", min_size=1, max_size=3), min_size=1, max_size=3).map(".".join)


@given(NAMES, st.integers(0, 2))
def test_a_name_is_found_with_any_of_its_namespaces_left_out(name: str, opened: int) -> None:
    parts = name.split(".")
    printed = ".".join(parts[min(opened, len(parts) - 1) :])
    goal = parse_goal(f"⊢ 0 = {printed} 0")
    assert GoalNames(goal).in_target(Premise(name, "def", "M"))
