"""A tactic that leaves goals is written with a `sorry` for each, and Lean accepts the document that this makes."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from lean_extract.limits import MAX_WRITTEN_GOALS
from lean_extract.records import TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.session.document import LeanDocument
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean_extract.session_helpers import MARK, outcomes

pytestmark = [pytest.mark.field_case, pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]

AND = "theorem t (p q : Prop) (f : p ∧ q) : p ∧ q"
OR = "theorem t (p q r : Prop) (h : p ∨ q) : r"
SUM = "theorem t (m n : Nat) : m + n = n + m"
ADD = "theorem t (n : Nat) : n + 0 = n"
TREE = "inductive Tree where\n  | leaf : Tree\n  | node {n : Nat} (l r : Tree) (h : n = n) : Tree\n\n"


def after(text: str, found: TacticOutcome) -> str:
    """The document after the edit, with a mark at the cursor."""
    document = LeanDocument(text.replace(MARK, ""))
    edit = found.edit
    assert edit is not None and edit.cursor is not None
    start, end = document.offset(edit.span.start), document.offset(edit.span.end)
    made = LeanDocument(document.text[:start] + edit.text + document.text[end:])
    cursor = made.offset(edit.cursor)
    return f"{made.text[:cursor]}{MARK}{made.text[cursor:]}"


def messages(lean: PackagedLean, text: str) -> list[Any]:
    """What a new Lean says of a document."""
    done = subprocess.run(
        [*lean.lean_command, "--json", "--stdin"],
        input=text,
        env={**os.environ, **lean.environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def errors(lean: PackagedLean, text: str) -> list[str]:
    return [one["data"] for one in messages(lean, text) if one["severity"] == "error"]


CLOSED = {
    "a goal on a line": (
        f"{AND} := by\n  ‸sorry\n",
        "have g := f",
        f"{AND} := by\n  have g := f\n  ‸sorry\n",
    ),
    "two goals": (
        f"{AND} := by\n  ‸sorry\n",
        "constructor",
        f"{AND} := by\n  constructor\n  · ‸sorry\n  · sorry\n",
    ),
    "an empty line": (
        f"{AND} := by\n  ‸\n",
        "constructor",
        f"{AND} := by\n  constructor\n  · ‸sorry\n  · sorry\n",
    ),
    "nothing after by": (
        f"{AND} := by‸\n",
        "constructor",
        f"{AND} := by\n  constructor\n  · ‸sorry\n  · sorry\n",
    ),
    "after by": (
        f"{AND} := by ‸sorry -- later\n",
        "constructor",
        f"{AND} := by\n  constructor\n  · ‸sorry\n  · sorry -- later\n",
    ),
    "a statement of two lines": (
        "theorem t (p q : Prop) (f : p ∧ q) :\n    p ∧ q := by ‸sorry\n",
        "have g := f",
        "theorem t (p q : Prop) (f : p ∧ q) :\n    p ∧ q := by\n  have g := f\n  ‸sorry\n",
    ),
    "a step after by": (
        f"{AND} := by\n  have g : p ∧ q := by ‸sorry\n  exact g\n",
        "constructor",
        f"{AND} := by\n  have g : p ∧ q := by\n    constructor\n    · ‸sorry\n    · sorry\n  exact g\n",
    ),
    "a bullet": (
        f"{AND} ∧ p := by\n  constructor\n  · exact f.1\n  · ‸sorry\n",
        "constructor",
        f"{AND} ∧ p := by\n  constructor\n  · exact f.1\n  · constructor\n    · ‸sorry\n    · sorry\n",
    ),
    "an alternative": (
        f"{OR} ∧ r := by\n  cases h with\n  | inl h => ‸sorry\n  | inr h => sorry\n",
        "constructor",
        f"{OR} ∧ r := by\n  cases h with\n  | inl h =>\n    constructor\n    · ‸sorry\n    · sorry\n"
        "  | inr h => sorry\n",
    ),
    "a semicolon": (
        f"{AND} := by\n  skip; ‸sorry\n",
        "constructor",
        f"{AND} := by\n  skip\n  constructor\n  · ‸sorry\n  · sorry\n",
    ),
    "other goals after it": (
        f"{AND} ∧ p := by\n  refine ⟨?_, ?_, f.1⟩\n  ‸sorry\n  exact f.2\n",
        "have g := f",
        f"{AND} ∧ p := by\n  refine ⟨?_, ?_, f.1⟩\n  have g := f\n  ‸sorry\n  exact f.2\n",
    ),
    "a term": (f"{AND} := ‸sorry\n", "constructor", f"{AND} := by\n  constructor\n  · ‸sorry\n  · sorry\n"),
    "a term on a line": (f"{AND} :=\n  ‸sorry\n", "have g := f", f"{AND} := by\n  have g := f\n  ‸sorry\n"),
    "a term of a step": (
        f"{AND} := by\n  exact ‸sorry\n",
        "constructor",
        f"{AND} := by\n  exact by\n    constructor\n    · ‸sorry\n    · sorry\n",
    ),
    "a term in brackets": (
        f"{AND} := ⟨(‸sorry : p ∧ q).1, f.2⟩\n",
        "constructor",
        f"{AND} := ⟨((by\n  constructor\n  · ‸sorry\n  · sorry) : p ∧ q).1, f.2⟩\n",
    ),
    "an argument": (
        f"{AND} := by\n  exact id ‸sorry\n",
        "constructor",
        f"{AND} := by\n  exact id (by\n    constructor\n    · ‸sorry\n    · sorry)\n",
    ),
    "a part of a pair": (
        f"{AND} ∧ p := ⟨f.1, ‸sorry⟩\n",
        "constructor",
        f"{AND} ∧ p := ⟨f.1, by\n  constructor\n  · ‸sorry\n  · sorry⟩\n",
    ),
    "brackets": (
        f"{AND} := id (by ‸sorry)\n",
        "constructor",
        f"{AND} := id (by\n  constructor\n  · ‸sorry\n  · sorry)\n",
    ),
    "an induction": (
        f"{ADD} := by\n  ‸sorry\n",
        "induction n",
        f"{ADD} := by\n  induction n with\n  | zero => ‸sorry\n  | succ n ih => sorry\n",
    ),
    "cases": (
        f"{OR} := by\n  ‸sorry\n",
        "cases h",
        f"{OR} := by\n  cases h with\n  | inl h => ‸sorry\n  | inr h => sorry\n",
    ),
    "cases of one constructor": (
        f"{AND} := by\n  ‸sorry\n",
        "cases f",
        f"{AND} := by\n  cases f with\n  | intro left right => ‸sorry\n",
    ),
    "implicit arguments": (
        f"{TREE}theorem t (t : Tree) (p : Tree → Prop) : p t := by\n  ‸sorry\n",
        "induction t",
        f"{TREE}theorem t (t : Tree) (p : Tree → Prop) : p t := by\n  induction t with\n  | leaf => ‸sorry\n"
        "  | @node n l r h l_ih r_ih => sorry\n",
    ),
    "an induction within another's alternative": (
        f"{SUM} := by\n  induction n with\n  | zero => ‸sorry\n  | succ n ih => sorry\n",
        "induction m",
        f"{SUM} := by\n  induction n with\n  | zero =>\n    induction m with\n"
        "    | zero => ‸sorry\n    | succ n ih => sorry\n  | succ n ih => sorry\n",
    ),
    "cases without alternatives": (
        f"{OR} := by\n  ‸sorry\n",
        "rcases h",
        f"{OR} := by\n  rcases h\n  case inl h => ‸sorry\n  case inr h => sorry\n",
    ),
    "cases with a pattern": (
        f"{OR} := by\n  ‸sorry\n",
        "rcases h with a | b",
        f"{OR} := by\n  rcases h with a | b\n  · ‸sorry\n  · sorry\n",
    ),
    "several steps": (
        f"{AND} := by\n  ‸sorry\n",
        "have g := f\nconstructor",
        f"{AND} := by\n  have g := f\n  constructor\n  · ‸sorry\n  · sorry\n",
    ),
    "a step that closes": (f"{AND} := by\n  ‸sorry\n", "exact f", f"{AND} := by\n  exact f‸\n"),
}


@pytest.mark.parametrize("name", CLOSED)
async def test_each_goal_gets_a_sorry(session: LeanSession, packaged_lean: PackagedLean, name: str) -> None:
    text, tactic, expected = CLOSED[name]
    found = (await outcomes(session, text, [tactic]))[tactic]
    assert found.status in ("progress", "closes"), found.message
    assert after(text, found) == expected
    assert errors(packaged_lean, expected.replace(MARK, "")) == []


FOLLOWED = {
    "goes on with the goal": (
        f"{AND} := by\n  ‸\n  exact g\n",
        "have g := f",
        f"{AND} := by\n  have g := f‸\n  exact g\n",
    ),
    "goes on with the last goal": (
        f"{AND} := by\n  ‸\n  exact f.2\n",
        "constructor",
        f"{AND} := by\n  constructor\n  · ‸sorry\n  exact f.2\n",
    ),
    "takes the goals": (
        f"{AND} := by\n  ‸\n  · exact f.1\n  · exact f.2\n",
        "constructor",
        f"{AND} := by\n  constructor‸\n  · exact f.1\n  · exact f.2\n",
    ),
    "stands below the cursor": (
        f"{AND} := by\n  ‸exact f.2\n",
        "constructor",
        f"{AND} := by\n  constructor\n  · ‸sorry\n  exact f.2\n",
    ),
    "no line can follow": (
        f"{AND} := by\n  skip <;> ‸sorry\n",
        "have g := f",
        f"{AND} := by\n  skip <;> have g := f‸\n",
    ),
}


@pytest.mark.parametrize("name", FOLLOWED)
async def test_what_follows_goes_on_with_a_goal(session: LeanSession, name: str) -> None:
    text, tactic, expected = FOLLOWED[name]
    found = (await outcomes(session, text, [tactic]))[tactic]
    assert found.status == "progress", found.message
    assert after(text, found) == expected


@pytest.mark.parametrize(
    ("statement", "tactic", "shown"),
    [
        ("(p : Prop) (h : p) : p", "apply h", "exact h"),
        ("(p q : Prop) (h : q → p) (g : q) : p", "apply h g", "exact h g"),
        ("(p : Nat → Prop) (h : ∀ (m n : Nat), p (m + n)) : p (1 + 2)", "apply h", "exact h _ _"),
        ("(p q : Prop) (h : q → p) (g : q) : p", "apply h; exact g", "apply h; exact g"),
        ("(p : Prop) (h : p) : p", "(apply h)", "(apply h)"),
    ],
)
async def test_apply_that_closes_is_written_exact(
    session: LeanSession, statement: str, tactic: str, shown: str
) -> None:
    text = f"theorem t {statement} := by\n  ‸sorry\n"
    found = (await outcomes(session, text, [tactic]))[tactic]
    assert (found.status, found.tactic, found.shown) == ("closes", tactic, shown), found.message
    assert after(text, found) == text.replace("‸sorry", f"{shown}‸")


async def test_many_goals_share_one_sorry(session: LeanSession, packaged_lean: PackagedLean) -> None:
    count = MAX_WRITTEN_GOALS + 1
    text = f"theorem t (p : Prop) : {' ∧ '.join(['p'] * count)} := by\n  ‸sorry\n"
    tactic = f"refine ⟨{', '.join(['?_'] * count)}⟩"
    found = (await outcomes(session, text, [tactic]))[tactic]
    assert found.state is not None and len(found.state.goals) == count
    expected = text.replace("‸sorry", f"{tactic}\n  all_goals ‸sorry")
    assert after(text, found) == expected
    assert errors(packaged_lean, expected.replace(MARK, "")) == []
