"""False goals are refuted by Lean, with a counterexample; nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Position
from lean_extract.session import LeanSession
from prover.refutation import refuted
from prover.verify import GoalPosition

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

_UNPROVED = (
    "theorem one_is_two : 1 = 2 := sorry\n"
    "instance (n : Nat) : Decidable (n = n ∧ 1 = 1) := .isFalse fun _ => by have := one_is_two; contradiction\n"
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("theorem t (m n : Nat) (h : 0 < m) : m + n = m := by\n  sorry", "m = 1, n = 1 is a counterexample."),
        ("theorem t : 2 + 2 = 5 := by\n  sorry", "Lean's `decide` refutes it."),
        ("theorem t (m : Nat) : ∀ n : Nat, n + m < 5 := by\n  sorry", "m = 2, n = 3 is a counterexample."),
        (
            "theorem t (p q : Prop) : p ∨ q → p := by\n  intro\n  sorry",
            "p = False, q = True is a counterexample.",
        ),
        (
            "theorem t.{u} {α : Type u} (a b : α) : a = b := sorry",
            "α = ULift Bool, a = ⟨true⟩, b = ⟨false⟩ is a counterexample.",
        ),
        (
            "theorem t {α : Type} [DecidableEq α] (a b : α) : a = b := by\n  sorry",
            "α = Bool, a = true, b = false is a counterexample.",
        ),
        (
            "theorem t {α : Type} (k l : List α) : k ++ l = l ++ k := by\n  sorry",
            "k = [true], l = [false] is a counterexample.",
        ),
        ("theorem t (f : Nat → Nat) : f 1 = 1 := by\n  sorry", "f = fun _ => 0 is a counterexample."),
    ],
)
async def test_a_false_goal_has_a_counterexample(
    session: LeanSession, project: Path, text: str, why: str
) -> None:
    assert (await _refuted(session, project, text) or "").endswith(why)


@pytest.mark.parametrize(
    "text",
    [
        "theorem t (m n : Nat) : m + n = n + m := by\n  sorry",
        "theorem t (n : Nat) (h : n < 0) : n = 1 := by\n  sorry",  # nothing meets the hypothesis
        "theorem t (n : Nat) : n < 5000 := by\n  sorry",  # false, but not for small numbers
        f"{_UNPROVED}theorem t (n : Nat) : n = n ∧ 1 = 1 := by\n  sorry",  # refuted only by what is not proved
        "def t (n : Nat) : Nat := by\n  sorry",
        "theorem t (n : Nat) : n = n := by\n  let k := n\n  have : k = n := rfl\n  sorry",
    ],
)
async def test_no_other_goal_is_called_false(session: LeanSession, project: Path, text: str) -> None:
    assert await _refuted(session, project, text) is None


async def _refuted(session: LeanSession, project: Path, text: str) -> str | None:
    before = text[: text.rindex("sorry")]
    position = Position(before.count("\n"), len(before.rpartition("\n")[2]))
    at = GoalPosition(project / "False.lean", f"{text}\n", position)
    return await refuted(session, at, await session.goals_at(at.path, at.text, position), 30)
