"""Training states in dot notation, against what Lean prints of the same statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Goal, Position
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.toolchains.toolchain import resolve_lean
from retriever.lean.augmentation.augment import dotted
from tests.lean.conftest import EXAMPLE

pytestmark = pytest.mark.lean

STATEMENTS = (
    "(m n : ℕ) (hm : m.Even) (hn : n.Even) : (m + n).Even",
    "(m n : ℕ) (h : m.Even) : ¬(m * n).Odd ∧ m.succ + n = (m + n).succ",
    "(d m n : ℕ) (h : d.IsGcd m n) : d.IsGcd n m",
    "(m n : ℕ) (h : m.Coprime n) (hm : m ∣ n) : m = 1",
    "{G : Type u} [Group G] (H K : Subgroup G) (h : H.Normal) : (H ⊓ K).Normal",
    "{α : Type u} (s t : Set α) (h : s ⊆ t) (hs : s.Nonempty) : (s ∪ t).Nonempty",
    "(l m : List ℕ) (n : ℕ) (h : l.Sorted) : n ∈ List.map Nat.succ m.reverse → (l ++ m).length = l.length + n",
    "{α β : Type u} (f : α → β) (t : Tree α) : Tree.map f t.mirror = Tree.map f t",
    "{α β : Type u} (f : α → β) (g : β → α) (h : Function.LeftInverse g f) : Function.Injective f",
)
TEXT = "import Example\n\nset_option pp.fieldNotation.generalized NOTATION\n" + "".join(
    f"theorem printed_{number} {statement} := by\n  sorry\n" for number, statement in enumerate(STATEMENTS)
)


async def goals(session: LeanSession, path: Path, notation: str) -> list[Goal]:
    text = TEXT.replace("NOTATION", notation)
    lines = [number for number, line in enumerate(text.split("\n")) if line == "  sorry"]
    return [(await session.goals_at(path, text, Position(line, 2))).goals[0] for line in lines]


async def test_states_are_dotted_as_lean_prints_them(example_oleans: Path) -> None:
    session = LeanSession(EXAMPLE, resolve_lean(EXAMPLE, environment={}), LeanLimits())
    path = EXAMPLE / "Example" / "Printed.lean"
    try:
        plain, printed = await goals(session, path, "false"), await goals(session, path, "true")
    finally:
        await session.close()
    assert [texts(dotted(goal)) for goal in plain] == [texts(goal) for goal in printed]
    assert [texts(dotted(goal)) for goal in printed] == [texts(goal) for goal in printed]
    assert sum(texts(goal) != texts(dotted(goal)) for goal in plain) == len(STATEMENTS) - 1


def texts(goal: Goal) -> list[str]:
    return [goal.target, *(one.type for one in goal.hypotheses)]
