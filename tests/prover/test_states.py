"""When two proof states are one."""

import pytest

from lean_extract.goals import parse_state
from prover.states import fingerprint


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
