"""What counts is the document that the edit of a tactic makes: its errors, and what its proof rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import NoGoalHere
from lean_extract.records import Position, TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.session.document import LeanDocument
from tests.lean_extract.session_helpers import marked, outcomes

pytestmark = [pytest.mark.field_case, pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]

BOTH = "theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  ‸sorry\n  {}\n"
WRONG = "theorem wrong (a b : Nat) : a + b = b + a + 1 := by\n  sorry\n\n"
FALSE = "(a b : Nat) : a + b = b + a + 1"


async def outcome(session: LeanSession, text: str, tactic: str) -> TacticOutcome:
    return (await outcomes(session, text, [tactic]))[tactic]


def after(text: str, found: TacticOutcome) -> str:
    document = LeanDocument(text.replace("‸", ""))
    assert found.edit is not None
    start, end = document.offset(found.edit.span.start), document.offset(found.edit.span.end)
    return document.text[:start] + found.edit.text + document.text[end:]


@pytest.mark.parametrize(
    ("rest", "statuses"),
    [
        ("sorry", {"exact hp": "closes", "exact hp; done": "fails", "all_goals assumption": "fails"}),
        ("skip", {"all_goals assumption": "closes"}),
        (
            "exact hq",
            {
                "exact hp": "closes",
                "rotate_left": "fails",
                "(rotate_left; exact hq)": "fails",
                "exact hp; exact hq": "fails",
                "any_goals exact hp": "closes",
                "case left => exact hp": "closes",
            },
        ),
    ],
)
async def test_what_sees_other_goals_is_judged_where_they_are(
    session: LeanSession, rest: str, statuses: dict[str, str]
) -> None:
    found = await outcomes(session, BOTH.replace("{}", rest), list(statuses))
    assert {tactic: one.status for tactic, one in found.items()} == statuses


RESTING = {
    "a theorem": f"{WRONG}theorem t {FALSE} := by\n  ‸sorry\n",
    "a term": f"{WRONG}theorem t {FALSE} :=\n  ‸sorry\n",
    "without a name": f"{WRONG}example {FALSE} := by\n  ‸sorry\n",
    "beside another hole": (
        f"{WRONG}theorem t {FALSE} ∧ 1 = 1 := by\n  constructor\n  · ‸sorry\n  · sorry\n"
    ),
    "beside an error": f"{WRONG}theorem t {FALSE} ∧ 1 = 2 := by\n  constructor\n  · ‸sorry\n  · exact rfl\n",
    "after try": f"{WRONG}theorem t {FALSE} := by\n  try ‸sorry\n",
    "in a namespace": f"namespace N\n{WRONG}namespace M\ntheorem t {FALSE} := by\n  ‸sorry\nend M\nend N\n",
    "through another": (f"{WRONG}theorem also {FALSE} := wrong a b\n\ntheorem t {FALSE} := by\n  ‸sorry\n"),
}


@pytest.mark.parametrize("place", RESTING)
async def test_what_rests_on_sorry_is_said_to(session: LeanSession, place: str) -> None:
    name = "also" if place == "through another" else "wrong"
    found = await outcome(session, RESTING[place], f"exact {name} a b")
    assert (found.status, found.rests_on_sorry) == ("closes", True), found.message
    assert [one.rpartition(".")[2] for one in found.unfinished] == [name]


async def test_a_tactic_that_leaves_goals_to_sorry_says_what_else_rests_on_it(session: LeanSession) -> None:
    text = f"{WRONG}theorem t {FALSE} ∧ a = a := by\n  ‸sorry\n"
    tactics = ["constructor\n· exact wrong a b\n· sorry", "constructor\n· sorry\n· rfl"]
    found = await outcomes(session, text, tactics, unfinished=True)
    assert [(one.status, one.rests_on_sorry) for one in found.values()] == [("closes", True)] * 2
    assert [found[one].unfinished for one in tactics] == [("wrong",), ()]


async def test_a_lemma_that_simp_finds_by_itself_counts(session: LeanSession) -> None:
    text = (
        "def Odd (n : Nat) : Prop := n = n + 1\n\n@[simp] theorem wrong (n : Nat) : Odd n := sorry\n\n"
        "theorem t : Odd 5 := by\n  ‸sorry\n"
    )
    found = await outcome(session, text, "simp")
    assert (found.status, found.rests_on_sorry, found.unfinished) == ("closes", True, ())


@pytest.mark.parametrize(
    "text",
    [
        "theorem t (a : Nat) : a = a := by\n  ‸sorry\n",
        "example (a : Nat) : a = a := ‸sorry\n",
        "theorem t (a : Nat) : a = a ∧ 1 = 1 := by\n  constructor\n  · ‸sorry\n  · sorry\n",
        "theorem t (a : Nat) : a = a := by\n  have k := wrong a a\n  ‸sorry\n",
        "theorem t (a : Nat) : a = a ∧ a + a = a + a + 1 := by\n  constructor\n  · ‸sorry\n  · exact wrong a a\n",
        "instance : Inhabited (1 = 1) := ⟨by ‸sorry⟩\n",
    ],
)
async def test_what_does_not_rest_on_it_is_not(session: LeanSession, text: str) -> None:
    found = await outcome(session, WRONG + text, "rfl")
    assert (found.status, found.rests_on_sorry) == ("closes", False), found.message


async def test_each_tactic_has_a_message_of_its_own(session: LeanSession) -> None:
    """Lean keeps its messages where it could parse the same part of two texts."""
    text = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  ‸sorry\n"
    words = ["at", "with", "then", "=>", "using", "in", "else"]
    tactics = [f"exact hq {word}" for word in words]
    found = await outcomes(session, text, tactics)
    expected = [f"unexpected token '{word}'" for word in words]
    assert [found[tactic].message for tactic in tactics] == expected


async def test_a_message_does_not_mention_braces_that_nobody_wrote(session: LeanSession) -> None:
    found = await outcome(session, "theorem t (p : Prop) (h : p) : p := by\n  ‸sorry\n", "exact")
    assert found.message == "unexpected end of the tactic; expected term"


TERMS = {
    "a step of calc": (
        "theorem t (a b c : Nat) : a = c := by\n  calc\n    a = b := ‸sorry\n    _ = c := sorry\n",
        "a = b",
    ),
    "an argument": ("theorem t (p q : Prop) (f : p → q) : q := by\n  exact f ‸sorry\n", "p"),
    "a field": ("theorem t (p q : Prop) : p ∧ q := by\n  exact { left := ‸sorry, right := sorry }\n", "p"),
    "the value of have": ("theorem t (p q : Prop) : q := by\n  have h : p := ‸sorry\n  sorry\n", "p"),
    "in rw": ("theorem t (a b : Nat) : a = b := by\n  rw [show a = b from ‸sorry]\n", "a = b"),
    "in brackets": ("theorem t (p q : Prop) : p ∧ q := by\n  exact ⟨(‸sorry), sorry⟩\n", "p"),
    "a hole": ("theorem t (p q : Prop) (h : q) : p ∧ q := by\n  exact ⟨‸_, h⟩\n", "p"),
    "with implicit variables": (
        "theorem t : ∀ {x y : Nat}, x = y → y = x :=\n  ‸sorry\n",
        "∀ {x y : ℕ}, x = y → y = x",
    ),
}


@pytest.mark.parametrize("place", TERMS)
async def test_the_goal_of_a_term_is_that_of_by_there(session: LeanSession, place: str) -> None:
    text, target = TERMS[place]
    plain, position = marked(text)
    state = await session.goals_at(Path("A.lean"), plain, position)
    assert [goal.target for goal in state.goals] == [target]


async def test_a_term_and_its_edit(session: LeanSession) -> None:
    text = "theorem t (p q : Prop) (f : p → p → q) (h : p) : q := f ‸sorry h\n"
    found = await outcome(session, text, "exact h")
    assert (found.status, found.in_term) == ("closes", True)
    assert after(text, found).endswith(":= f (by exact h) h\n")
    implicit = await outcome(session, TERMS["with implicit variables"][0], "intro x y h\nexact h.symm")
    assert implicit.status == "closes"
    assert implicit.edit is not None
    assert implicit.edit.text == " by\n  intro x y h\n  exact h.symm"


async def test_errors_that_are_caught_are_errors(session: LeanSession) -> None:
    text = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  try ‸sorry\n"
    found = await outcomes(session, text, ["exact ⟨hp, hq⟩", "exact hp", "constructor", "skip"])
    assert {tactic: one.status for tactic, one in found.items()} == {
        "exact ⟨hp, hq⟩": "closes",
        "exact hp": "fails",
        "constructor": "fails",
        "skip": "fails",
    }


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("theorem t (p : Prop) (h : p) : p := by\r\n  ‸sorry\r\n", "by\n  exact h\n"),
        ("theorem t (p : Prop) (h : p) : p := by\n  so‸rry", "by\n  exact h"),
        ("theorem t (p : Prop) (h : p) : p ∧ p := ⟨‸sorry, sorry⟩\n", "⟨by exact h, sorry⟩\n"),
        ("theorem t (p : Prop) (h : p) : p ∧ p := ⟨sorry, so‸rry⟩\n", "⟨sorry, by exact h⟩\n"),
        ("theorem t (p : Prop) (h : p) : p := by\n‸\n", "by\n  exact h\n"),
        ("theorem t (p : Prop) (h : p) : p := by ‸\n", "by exact h\n"),
        ("theorem t (p : Prop) (h : p) : p := by\n  ‸skip\n", "by\n  exact h\n  skip\n"),
        (
            "theorem t (p : Prop) (h : p) : p := by skip‸\n",
            "by skip\n                                       exact h\n",
        ),
        ("theorem t (p : Prop) (h : p) : p := by\n  skip; ‸exact h\n", "by\n  skip; exact h; exact h\n"),
    ],
)
async def test_where_the_edit_goes(session: LeanSession, text: str, edited: str) -> None:
    found = await outcome(session, text, "exact h")
    assert found.status == "closes", found.message
    assert after(text, found).endswith(edited)


async def test_a_tactic_takes_no_alternative_that_is_not_its_own(session: LeanSession) -> None:
    text = "theorem t (p : Prop) (h : p ∨ p) : p := by\n  cases h with\n  | inl h => ‸sorry\n  | inr h => exact h\n"
    tactic = "first | exact h.1 | exact h"
    found = await outcome(session, text, tactic)
    assert found.status == "closes"
    assert f"| inl h => ({tactic})\n  | inr h => exact h" in after(text, found)


async def test_an_error_above_the_hole_is_named_where_nothing_can_be_tried(session: LeanSession) -> None:
    text = "theorem t (p : Prop) (h : p) : p := by\n  simp\n  try ‸sorry\n"
    with pytest.raises(NoGoalHere, match="Fix the error in line 2 first"):
        await outcome(session, text, "exact h")


async def test_errors_above_are_known_of_what_was_asked_about(session: LeanSession) -> None:
    text = "theorem broken : 1 = 2 := rfl\n\ntheorem t (p : Prop) (h : p) : p := by\n  ‸sorry\n"
    plain, position = marked(text)
    await session.goals_at(Path("B.lean"), plain, position)
    faults = await session.errors_above(Path("B.lean"), plain, position)
    assert {fault.position.line for fault in faults} == {0}
    assert await session.errors_above(Path("Other.lean"), plain, position) == []
    assert await session.errors_above(Path("B.lean"), plain, Position(0, 0)) == []


async def test_where_lean_refuses_to_list_axioms_the_text_says_what_is_unfinished(
    session: LeanSession,
) -> None:
    """As Lean 4.27 does in a `module` file. The packaged Lean has no library of such files."""
    refusing = (
        'macro (priority := high) "#print" "axioms" ident : command =>\n'
        '  `(command| example : True := by fail "cannot use `#print axioms` in a `module`")\n'
        f"namespace N\n{WRONG}theorem above {FALSE} := wrong a b\n"
        "theorem sound (n : Nat) : n = n := rfl\n"
    )
    tactics = {"exact wrong a b": "N.wrong", "exact N.above _ _": "N.above"}
    text = f"{refusing}theorem t {FALSE} := by\n  ‸sorry\nend N\n"
    found = await outcomes(session, text, list(tactics))
    assert {tactic: one.unfinished for tactic, one in found.items()} == {
        tactic: (name,) for tactic, name in tactics.items()
    }
    assert all(one.status == "closes" and one.rests_on_sorry for one in found.values())
    text = f"{refusing}theorem t (n : Nat) : n = n := by\n  ‸sorry\nend N\n"
    true = await outcome(session, text, "exact sound n")
    assert (true.status, true.rests_on_sorry) == ("closes", False)


@pytest.mark.parametrize("rest", ["", " ∧ 1 = 1"])
@pytest.mark.parametrize("axiom", ["Lean.trustCompiler", "before._native.native_decide.ax_1_1"])
async def test_trust_in_compiled_code_shows_in_the_axioms(
    session: LeanSession, axiom: str, rest: str
) -> None:
    trusting = f"axiom {axiom} : 1 = 2\n\ntheorem fast : 1 = 2 := {axiom}\n\n"
    proof = "‸sorry" if not rest else "constructor\n  · ‸sorry\n  · exact rfl"
    found = await outcome(session, f"{trusting}theorem t : 1 = 2{rest} := by\n  {proof}\n", "exact fast")
    assert (found.status, found.message) == ("fails", "it trusts compiled code")
    used = f"{trusting}theorem t : 1 = 2{rest} := by\n  have := fast\n  {proof}\n"
    assert (await outcome(session, used, "exact this")).status == "closes"
