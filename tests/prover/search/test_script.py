"""Found proofs as people write them."""

from __future__ import annotations

import pytest

from lean_extract.goals import parse_state
from lean_extract.records import ProofState
from prover.search.script import forms, is_worth_showing, read_proof

P, Q, R = "p q r : Prop\n⊢ p", "p q r : Prop\n⊢ q", "p q r : Prop\n⊢ r"


def states(*goals: tuple[str, ...]) -> list[ProofState]:
    return [parse_state("\n\n".join(one)) if one else ProofState(()) for one in goals]


@pytest.mark.parametrize(
    ("tactics", "goals", "best", "plainest"),
    [
        (
            ["constructor", "simp", "rw [a]", "rw [b, c]", "simp_all"],
            [(P,), (Q, R), (R,), (P,), (Q,), ()],
            "constructor\n· simp\n· rw [a, b, c]\n  simp_all",
            "constructor\nsimp\nrw [a]\nrw [b, c]\nsimp_all",
        ),
        (
            ["intro x", "intro h y", "apply le_trans", "exact h.1", "exact le_of x y"],
            [(P,), (Q,), (R,), (P, Q), (Q,), ()],
            "intro x h y\nexact le_trans h.1 (le_of x y)",
            "intro x\nintro h y\napply le_trans\nexact h.1\nexact le_of x y",
        ),
        (
            ["constructor", "omega", "omega"],
            [(P,), (Q, R), (R,), ()],
            "constructor <;> omega",
            "constructor\nomega\nomega",
        ),
        # The first bullet chooses `m`, which ends that goal.
        (
            ["apply foo", "simp", "exact h"],
            [(P,), (Q, "case m\n⊢ ℕ", R), (R,), ()],
            "apply foo\n· simp\n· exact h",
            "apply foo\nsimp\nexact h",
        ),
        (
            ["induction n", "simp", "simp_all"],
            [
                ("n : ℕ\n⊢ p n",),
                ("case zero\n⊢ p 0", "case succ\nn✝ : ℕ\na✝ : p n✝\n⊢ p (n✝ + 1)"),
                ("case succ\nn✝ : ℕ\na✝ : p n✝\n⊢ p (n✝ + 1)",),
                (),
            ],
            "induction n with\n| zero => simp\n| succ n a => simp_all",
            "induction n\nsimp\nsimp_all",
        ),
    ],
)
def test_the_forms_of_a_proof(
    tactics: list[str], goals: list[tuple[str, ...]], best: str, plainest: str
) -> None:
    found = forms(read_proof(tactics, states(*goals)))
    assert (found[0].replace("succ n ih", "succ n a"), found[-1]) == (best, plainest)


def test_an_unfinished_proof_is_worth_showing_if_it_proves_a_goal_of_a_branch() -> None:
    first = read_proof(["constructor", "simp"], states((P,), (Q, R), (R,)))
    assert (first.ends, is_worth_showing(first)) == ((1, 2), True)
    assert forms(first)[0] == "constructor\n· simp\n· sorry"
    again = read_proof(["apply trans", "rfl"], states((P,), (Q, P), (P,)))
    unknown = read_proof(["apply trans", "rfl"], states((P,), (Q, R), ("p : Prop\n⊢ ?m.1",)))
    step = read_proof(["intro h"], states((P,), (Q,)))
    assert not any(map(is_worth_showing, (again, unknown, step)))
