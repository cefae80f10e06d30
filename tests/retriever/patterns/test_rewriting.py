"""What rewrites a part of a goal: statements one side of which the part is an instance of."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import UserError
from lean_extract.goals import parse_goal
from retriever.lean.goal_context import GoalContext
from retriever.lean.rewriting_search import rewriting_premises
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from tests.retriever.support import Sheet, make_store, theorem

LIBRARY = {
    "Lib": Sheet(
        [
            theorem("add_comm", "Lib", "a + b = b + a", "(a b : ℕ)"),
            theorem("add_self", "Lib", "a + a = 2 * a", "(a : ℕ)"),
            theorem("mul_two", "Lib", "a * 2 = a + a", "(a : ℕ)"),
            theorem("zero_of", "Lib", "a = 0", "(a : ℕ)", "(h : a < 1)"),
            theorem("le_of", "Lib", "a + b ≤ c", "(a b c : ℕ)"),
            theorem("map_zero", "Lib", "f 0 = 0", "(f : ℕ → ℕ)"),
            theorem(
                "sum_add",
                "Lib",
                "∑ i ∈ s, (f i + g i) = ∑ i ∈ s, f i + ∑ i ∈ s, g i",
                "(s : Finset ι)",
                "(f g : ι → ℕ)",
            ),
            theorem("not_and", "Lib", "¬(p ∧ q) ↔ p → ¬q", "(p q : Prop)"),
        ]
    )
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder, model_folder: Path) -> PremiseService:
    store = make_store(tmp_path_factory.mktemp("rewriting") / "index", LIBRARY, encoder)
    return PremiseService.open([store], model_folder)


@pytest.mark.parametrize(
    ("target", "part", "expected"),
    [
        ("n + m = 0", "n + m", {"add_comm": "forward"}),
        ("n + n = 0", "n + n", {"add_comm": "forward", "add_self": "forward", "mul_two": "backward"}),
        ("2 * (n + m) = 0", "2 * (n + m)", {"add_self": "backward"}),
        ("2 * (n + m) = 0", "n + m", {"add_comm": "forward"}),
        ("n * 2 = 0", "n * 2", {"mul_two": "forward"}),
        ("n * 3 = 0", "n * 3", {}),
        ("n = 0", "n", {}),
        ("∑ k ∈ t, (u k + v k) = 0", "∑ k ∈ t, (u k + v k)", {"sum_add": "forward"}),
        ("∑ k ∈ t, u k + ∑ k ∈ r, v k = 0", "∑ k ∈ t, u k + ∑ k ∈ r, v k", {"add_comm": "forward"}),
        ("¬(n = 0 ∧ m = 0)", "¬(n = 0 ∧ m = 0)", {"not_and": "forward"}),
    ],
)
def test_the_matching_side_decides(
    service: PremiseService, target: str, part: str, expected: dict[str, str]
) -> None:
    goal = parse_goal(f"n m : ℕ\n⊢ {target}")
    assert dict(rewriting_premises(service, goal, part).directions) == expected


def test_what_stands_above_the_goal_in_the_open_file_counts(service: PremiseService) -> None:
    goal = parse_goal("n : ℕ\n⊢ double n = 4")
    where = GoalContext("Mine", line=9, local=(theorem("double_eq", "Mine", "double n = n + n", "(n : ℕ)"),))
    assert dict(rewriting_premises(service, goal, "double n", where).directions) == {"double_eq": "forward"}


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("m + k", r"has no part `m \+ k`"),
        ("", "has no part"),
        ("m + k + n", "has no part"),
        ("n * m + k", "is not a subexpression"),
        ("m + k = ", "is not a subexpression"),
    ],
)
def test_what_is_no_part_is_told(service: PremiseService, part: str, said: str) -> None:
    target = "(m + 1) * n * m + k = 0" if said.startswith("is") else "n + m = 0"
    goal = parse_goal(f"n m k : ℕ\n⊢ {target}")
    with pytest.raises(UserError, match=said):
        rewriting_premises(service, goal, part)


@pytest.mark.parametrize(
    ("target", "part", "is_bound"),
    [
        ("∑ k ∈ t, (u k + v k) = 0", "u k + v k", True),
        ("∑ k ∈ t, (u k + n) = 0", "n", False),
        ("(∑ k ∈ t, (u k + v k)) + (u k + v k) = 0", "u k + v k", False),
        ("∀ i, i + 0 = i", "i + 0", True),
        ("∃ i < n + m, i = n", "n + m", False),
        ("{x | x + 0 < n} = s", "x + 0", True),
        ("n + m = 0", "n + m", False),
    ],
)
def test_a_part_with_a_bound_variable_is_told(
    service: PremiseService, target: str, part: str, is_bound: bool
) -> None:
    goal = parse_goal(f"n m k : ℕ\n⊢ {target}")
    assert rewriting_premises(service, goal, part).is_bound is is_bound
