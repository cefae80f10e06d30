"""Tactics that ask a real Lean what to write are shown as what it answers, once Lean has accepted that."""

from __future__ import annotations

import pytest

from lean_extract.records import Edit
from lean_extract.session import LeanSession
from tests.lean_extract.session_helpers import MARK, marked, outcomes

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]

ABOVE = """axiom comm (a b : Nat) : a * b = b * a

def two : Nat := 2

"""
NEEDS_COMM = f"{ABOVE}theorem t (a b : Nat) (f : Nat → Nat) : f (a * b) = f (b * a) := by\n  {MARK}sorry\n"
OR = f"theorem t (p q : Prop) (h : p ∨ q) (hp : ¬p) : q := by\n  {MARK}sorry\n"
HAS = f"{ABOVE}theorem t (a b : Nat) : a * b = b * a := by\n  {MARK}sorry\n"
CAUGHT = f"theorem t (p q : Prop) (h : p ∨ q) (hp : ¬p) : q := by\n  try {MARK}sorry\n"


def inserted(text: str, edit: Edit | None) -> str:
    """The line of the mark after the edit."""
    assert edit is not None
    plain, at = marked(text)
    line = plain.split("\n")[at.line]
    assert edit.span.start.line == edit.span.end.line == at.line
    return line[: edit.span.start.column] + edit.text + line[edit.span.end.column :]


@pytest.mark.parametrize(
    ("text", "tactic", "shown"),
    [
        (NEEDS_COMM, "grind? [comm]", "grind only [!comm]"),
        (OR, "grind?", "grind only"),
        (OR, "simp_all?", "simp_all only [false_or]"),
        (HAS, "exact?", "exact comm a b"),
        (OR, "try?", "grind"),
    ],
)
async def test_what_lean_suggests_is_inserted(
    session: LeanSession, text: str, tactic: str, shown: str
) -> None:
    outcome = (await outcomes(session, text, [tactic]))[tactic]
    assert (outcome.status, outcome.shown) == ("closes", shown)
    assert inserted(text, outcome.edit) == f"  {shown}"


async def test_what_leaves_goals_is_inserted_as_suggested_too(session: LeanSession) -> None:
    text = f"theorem t (p q : Prop) (h : p) : (True ∧ q) ∨ (True ∧ ¬p) := by\n  {MARK}sorry\n"
    outcome = (await outcomes(session, text, ["simp?"]))["simp?"]
    assert outcome.status == "progress" and outcome.shown.startswith("simp only [")
    assert inserted(text, outcome.edit) == f"  {outcome.shown}\n  sorry"


async def test_where_what_it_suggests_is_not_seen_it_stands_without_its_question_mark(
    session: LeanSession,
) -> None:
    found = await outcomes(session, CAUGHT, ["grind?", "exact?"])
    assert (found["grind?"].status, found["grind?"].shown) == ("closes", "grind")
    assert inserted(CAUGHT, found["grind?"].edit) == "  try grind"
    assert found["exact?"].status == "fails"


LIES = f"""macro "lies?" : tactic => `(tactic| (trace "Try this: exact nothing.at_all"; simp))
macro "gives_up?" : tactic => `(tactic| (trace "Try this: sorry"; simp))

theorem t (p : Prop) : p ∨ True := by
  {MARK}sorry
"""


async def test_what_lean_does_not_accept_itself_is_not_shown(session: LeanSession) -> None:
    found = await outcomes(session, LIES, ["lies?", "gives_up?", "simp?"])
    assert [found[tactic].status for tactic in found if tactic != "simp?"] == ["fails", "fails"]
    assert all(found[tactic].edit is None for tactic in ("lies?", "gives_up?"))
    assert found["simp?"].status == "closes"


async def test_where_lean_reports_the_error(session: LeanSession) -> None:
    tactics = ["grind? [comm, bar]", "grind? [comm, two, Nat]", "frobnicate x", "skip <;> frobnicate"]
    found = await outcomes(session, NEEDS_COMM, tactics)
    at = {tactic: found[tactic].error_at for tactic in tactics}
    assert at["grind? [comm, bar]"] == tactics[0].index("bar")
    assert found["grind? [comm, bar]"].message == "Unknown constant `bar`"
    assert "frobnicate x"[: at["frobnicate x"] or 0] in "frobnicate"
    assert (at["skip <;> frobnicate"] or 0) >= tactics[3].index("frobnicate")
    assert "unknown tactic" in found["frobnicate x"].message


async def test_a_failed_grind_says_a_few_lines_instead_of_pages(session: LeanSession) -> None:
    facts = " ".join(f"(h{number} : p{number} ∨ a = {number})" for number in range(40))
    names = " ".join(f"p{number}" for number in range(40))
    text = f"theorem t ({names} : Prop) (a : Nat) {facts} : a = 77 := by\n  {MARK}sorry\n"
    outcome = (await outcomes(session, text, ["grind"]))["grind"]
    assert outcome.status == "fails" and outcome.message.startswith("`grind` failed")
    assert len(outcome.message.splitlines()) <= 25 and outcome.message.endswith("…")
