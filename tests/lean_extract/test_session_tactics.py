"""Tactics tried in a real Lean: what counts as closing a goal, as progress, and as neither."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from lean_extract.common.errors import NoGoalHere
from lean_extract.goals import format_state
from lean_extract.records import TacticOutcome
from lean_extract.session import LeanSession
from tests.lean_extract.session_helpers import marked, outcomes

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]

SWAP = "theorem swap (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  ‸sorry\n"
BESIDE_ANOTHER_SORRY = (
    "theorem swap (p q : Prop) (hp : p) (hq : q) : (q ∧ p) ∧ p := by\n  constructor\n  · ‸sorry\n  · sorry\n"
)
GOOD = "exact ⟨hq, hp⟩"


async def statuses(session: LeanSession, text: str, *tactics: str) -> list[str]:
    found = await outcomes(session, text, tactics)
    return [found[tactic].status for tactic in tactics]


async def test_every_status(session: LeanSession, project: Path) -> None:
    before, path = set(project.iterdir()), project / "A.lean"
    path.write_text("-- what the user saved\n")
    tactics = ["exact ⟨hq, hp⟩", "constructor", "exact hp", "skip", "sleep 20000"]
    found = await outcomes(session, SWAP, tactics, timeout=1)
    assert set(found) == set(tactics)
    closes, progress, fails, nothing, loops = (found[tactic] for tactic in tactics)
    assert (closes.status, closes.state) == ("closes", progress.state and type(progress.state)(()))
    assert progress.status == "progress"
    assert progress.state is not None
    assert [goal.target for goal in progress.state.goals] == ["q", "p"]
    assert [goal.case for goal in progress.state.goals] == ["left", "right"]
    assert fails.status == "fails"
    assert fails.message.startswith("Type mismatch")
    assert (nothing.status, nothing.message) == ("fails", "changes nothing")
    assert (loops.status, loops.state) == ("timeout", None)
    assert 900 < loops.milliseconds < 5000
    assert path.read_text() == "-- what the user saved\n"
    assert set(project.iterdir()) == {*before, path}


NEVER = [
    "",
    "  \n",
    "exact foo -- ",
    "/-",
    "-- only a comment",
    "skip /- open",
    "end Foo",
    ")",
    "exact ⟨hq, hp⟩)",
    "}",
    "exact (⟨hq, hp⟩",
    'exact "',
    "exact",
    "first | skip |",
    "skip <;>",
    "have h : p := by",
    "refine ⟨hq, ?_",
    "sorry",
    "exact sorry",
    "admit",
    "exact ⟨hq, sorry⟩",
    "exact sorryAx _",
    "apply?",
    "exact ⟨hq, hp⟩\n\ntheorem other : True := by",
    "exact ⟨hq, hp⟩\ntheorem other : True := trivial\nexample : True := by\nskip",
    "exact swap p q hp hq",
    "exact ⟨hq, hp⟩ \x00",
    "exact \ud800",
    "no_such_tactic",
    "exact no_such_lemma",
    "case left => exact hq",
    "exact «sorryAx» _ true",
    "exact _root_.sorryAx _ true",
    "unhygienic sorry",
    "exact (by · admit)",
    "native_decide",
    "} theorem evil : True := by { trivial",
    f"{GOOD} }}\n  · trivial\ntheorem evil : True ∧ True := by\n  constructor\n  · {{ trivial",
    'exact (fun _ => ⟨hq, hp⟩ : String → _) r"\\" } · sorry } {',
    f"{GOOD} /- /- -/",
    f"{GOOD} /-",
    "#eval 1",
    f"{GOOD}\n#eval 1",
    f"{GOOD} end",
    "set_option maxRecDepth 1000000 in exact ⟨hq, hp⟩",
    f"{GOOD} \u202e",
    "exact\u2028⟨hq, hp⟩",
    f"{GOOD} \udcff",
    "exact " + "(" * 4000 + "⟨hq, hp⟩" + ")" * 4000,
    "rotate_left",
    "have := hp; clear this",
]
ODD = [
    "exact ⟨hq, hp⟩ -- so there", "exact ⟨hq, /- ( -/ hp⟩", "constructor\n· exact hq\n· exact hp",
    "  constructor\n  · exact hq\n  · exact hp", "constructor <;> assumption",
    "constructor; exact hq; exact hp", "have sorry' := hp; exact ⟨hq, sorry'⟩",
    "have : ∀ c : Prop, c → c := by\n  intro c h\n  exact h\nexact ⟨hq, this _ hp⟩",
]  # fmt: skip


@pytest.mark.parametrize("text", [SWAP, BESIDE_ANOTHER_SORRY], ids=["alone", "beside another sorry"])
async def test_what_never_counts_and_odd_ways_to_close(session: LeanSession, text: str) -> None:
    before = session.pid
    found = await outcomes(session, text, [*NEVER, *ODD, GOOD], timeout=20)
    assert {tactic: one.status for tactic, one in found.items()} == {
        **dict.fromkeys(NEVER, "fails"),
        **dict.fromkeys([*ODD, GOOD], "closes"),
    }
    assert all(found[tactic].message and found[tactic].state is None for tactic in NEVER)
    assert session.pid == before


PLACES = {
    "one of two goals": (
        "theorem t (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  constructor\n  · sorry\n  · ‸sorry\n",
        ["exact hp", "exact hq"],
    ),
    "a term": ("theorem t (p q : Prop) (h : p ∧ q) : q :=\n  ‸sorry\n", ["exact h.2", "exact h.1"]),
    "a hole in a term": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨‸_, h.1⟩\n",
        ["exact h.2", "exact h.1"],
    ),
    "a named hole": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  refine ⟨‸?a, h.1⟩\n",
        ["exact h.2", "exact h.1"],
    ),
    "a block in brackets, with more of the proof behind": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n"
        "  have k : q := (by ‸sorry)\n  exact And.intro k h.1\n\ntheorem u : True := trivial\n",
        ["exact h.2", "exact h.1"],
    ),
    "an alternative": (
        "theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by\n  cases h with\n"
        "  | inl a => exact Or.inr a\n  | inr b => ‸sorry\n",
        ["exact Or.inl b", "exact Or.inr b"],
    ),
    "an existing tactic": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  ‸cases h\n  constructor\n  assumption\n",
        ["exact ⟨h.2, h.1⟩", "exact h"],
    ),
    "an existing tactic in brackets": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p :=\n"
        "  And.intro (by exact h.2) (by ‸cases h\n    assumption)\n",
        ["exact h.1", "exact h.2"],
    ),
    "an empty line": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  constructor\n  ‸\n",
        ["exact h.2", "exact h.1"],
    ),
    "the end of a line": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  constructor‸\n",
        ["exact h.2", "exact h.1"],
    ),
    "behind by": ("theorem t (p q : Prop) (h : p ∧ q) : q := by‸\n", ["exact h.2", "exact h.1"]),
    "on by": ("theorem t (p q : Prop) (h : p ∧ q) : q := ‸by\n  sorry\n", ["exact h.2", "exact h.1"]),
    "inside of a tactic": (
        "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  constr‸uctor\n",
        ["exact h.2", "exact h.1"],
    ),
    "both goals at once": (
        "theorem t (p : Prop) (h : p) : p ∧ p := by\n  constructor <;> ‸sorry\n",
        ["exact h", "skip"],
    ),
    "behind wide characters": (
        "theorem t (𝕜 q : Prop) (h : 𝕜 ∧ q) : q := by have 𝕜𝕜 := h; ‸sorry\n",
        ["exact 𝕜𝕜.2", "exact 𝕜𝕜.1"],
    ),
    "in a namespace, beside other errors": (
        "theorem wrong : False := by trivial\nnamespace N\nvariable (p q : Prop)\n"
        "theorem t (h : p ∧ q) : q := by\n  ‸sorry\nend N\n",
        ["exact h.2", "exact t p q h"],
    ),
    "in a definition by cases": (
        "theorem t (p q : Prop) : p ∨ q → q ∨ p\n  | Or.inl a => Or.inr a\n  | Or.inr b => ‸sorry\n",
        ["exact Or.inl b", "exact Or.inr b"],
    ),
    "in a mutual block": (
        "mutual\ntheorem t (p : Prop) (h : p) : p := by\n  ‸sorry\ntheorem u : True := trivial\nend\n",
        ["exact h", "exact trivial"],
    ),
}


@pytest.mark.parametrize("place", PLACES)
async def test_places(session: LeanSession, place: str) -> None:
    """At each the first tactic closes the goal and the second does not."""
    text, tactics = PLACES[place]
    assert await statuses(session, text, *tactics) == ["closes", "fails"]


GIVES_UP = "macro_rules | `(tactic| rfl) => `(tactic| exact sorry)\n"
STATED = "theorem t (a b : Nat) (h : b = a + 2) (e : a = a) : a = b ∧ a = a"
GIVING_UP = {
    "no other hole": f"{GIVES_UP}{STATED} := by\n  constructor\n  · ‸sorry\n  · exact e\n",
    "an error in another declaration": (
        f"{GIVES_UP}theorem wrong : 1 = 2 := by trivial\n\n{STATED} := by\n  refine ⟨?_, e⟩\n  ‸sorry\n"
    ),
    "another hole behind": f"{GIVES_UP}{STATED} := by\n  constructor\n  · ‸sorry\n  · sorry\n",
    "another hole above": (
        f"{GIVES_UP}{STATED} := by\n  have k : a = a + 0 := by sorry\n  exact ⟨by ‸sorry, e⟩\n"
    ),
    "other holes in terms": f"{GIVES_UP}{STATED} :=\n  have k : Nat := sorry\n  ⟨‸sorry, (sorry : a = a)⟩\n",
    "below attributes and comments": (
        f"{GIVES_UP}theorem u : True := trivial /- a note -/\n\n"
        "set_option maxRecDepth 900 in\n/-- It has\n\na doc comment. -/\n-- And more.\n"
        f"@[reducible]\nprivate {STATED} := by\n  constructor\n  · ‸sorry\n  · admit -- sorry\n"
    ),
    "in a namespace with variables": (
        f"namespace N\nvariable (a b : Nat)\n{GIVES_UP}{STATED.replace('(a b : Nat) ', '')} := by\n"
        "  have : b = b := sorry\n  constructor\n  · ‸sorry\n  · sorry\nend N\n\n"
        "theorem behind : 1 = 2 := by sorry\n"
    ),
}


@pytest.mark.parametrize("place", GIVING_UP)
async def test_what_gives_up_in_a_way_of_its_own_closes_nothing(session: LeanSession, place: str) -> None:
    """The file's own macro makes `rfl` a `sorry`, which shows in nothing but Lean's warning."""
    found = await outcomes(session, GIVING_UP[place], ["rfl", "rw [h]"])
    assert found["rfl"].status == found["rw [h]"].status == "fails"
    assert found["rfl"].message == found["rw [h]"].message == "it leaves the goal to `sorry`"


@pytest.mark.parametrize("place", GIVING_UP)
async def test_what_closes_a_goal_closes_it_beside_other_holes(session: LeanSession, place: str) -> None:
    text = GIVING_UP[place].replace("a = b", "a = a")
    assert await statuses(session, text, "exact e", "constructor", "exact h") == ["closes", "closes", "fails"]


async def test_the_place_may_lie_behind_many_lines_of_proof(session: LeanSession) -> None:
    rest = "".join(f"  have k{i} := k\n" for i in range(60))
    text = f"theorem t (p : Prop) (h : p) : p := by\n  have k : p := by ‸sorry\n{rest}  exact k\n"
    assert await statuses(session, text, "exact h", "exact t p h", "constructor") == [
        "closes",
        "fails",
        "fails",
    ]


async def test_where_an_error_stands_in_the_way(session: LeanSession) -> None:
    text = "theorem t (p : Prop) (h : p) : p := by\n  simp\n  ‸sorry\n"
    with pytest.raises(NoGoalHere, match="Fix the error in line 2 first: `simp` made no progress"):
        await outcomes(session, text, ["exact h"])


async def test_a_finished_proof_has_no_goal_to_try(session: LeanSession) -> None:
    text = "theorem t (p : Prop) (h : p) : p := by\n  exact h‸\n"
    plain, position = marked(text)
    assert format_state(await session.goals_at(Path("A.lean"), plain, position)) == "no goals"
    with pytest.raises(NoGoalHere, match="complete"):
        await outcomes(session, text, ["exact h"])


async def test_no_tactics_are_no_outcomes(session: LeanSession) -> None:
    assert await outcomes(session, SWAP, []) == {}


async def test_outcomes_come_as_they_are_known(session: LeanSession) -> None:
    text, position = marked(SWAP)
    tactics = ["sleep 20000", "exact hp", "exact ⟨hq, hp⟩"]
    tried = session.try_tactics(Path("A.lean"), text, position, tactics, timeout=30)
    async with asyncio.timeout(15), aclosing(tried):
        first = [await anext(tried), await anext(tried)]
    assert {outcome.tactic for outcome in first} == {"exact hp", "exact ⟨hq, hp⟩"}
    assert await statuses(session, SWAP, "exact ⟨hq, hp⟩") == ["closes"]


async def test_the_same_tactic_twice_and_two_requests_at_once(session: LeanSession) -> None:
    text, position = marked(SWAP)

    async def run() -> list[TacticOutcome]:
        tried = session.try_tactics(Path("A.lean"), text, position, ["assumption", "exact ⟨hq, hp⟩"] * 2)
        async with aclosing(tried):
            return [outcome async for outcome in tried]

    for found in await asyncio.gather(run(), run()):
        assert sorted(outcome.status for outcome in found) == ["closes", "closes", "fails", "fails"]
