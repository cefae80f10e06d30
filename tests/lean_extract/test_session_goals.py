"""Goals at positions, from a real Lean."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lean_extract.common.errors import BadPosition, BadSource, NoGoalHere, ProjectBroken
from lean_extract.goals import format_state
from lean_extract.records import Position
from lean_extract.session import LeanSession
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean_extract.session_helpers import marked, toolchain_of

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]

THEOREMS = """\
theorem swap (p q : Prop) (hp : p) (hq : q) : q ∧ p := by
  constructor
  · exact hq
  · sorry

theorem swapped (p q : Prop) (h : p ∧ q) : q ∧ p :=
  ⟨_, h.1⟩

theorem cases_it (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl a => exact Or.inr a
  | inr b => exact Or.inl b
"""


async def goals(session: LeanSession, text: str, name: str = "A.lean") -> str:
    plain, position = marked(text)
    return format_state(await session.goals_at(Path(name), plain, position))


@pytest.mark.parametrize(
    ("before", "after", "goal"),
    [
        ("by\n  ", "constructor", "p q : Prop\nhp : p\nhq : q\n⊢ q ∧ p"),
        ("exact hq\n  · ", "sorry", "case right\np q : Prop\nhp : p\nhq : q\n⊢ p"),
        ("exact hq\n  · sor", "ry", "case right\np q : Prop\nhp : p\nhq : q\n⊢ p"),
        ("constructor", "\n", "case left\n{0}q\n\ncase right\n{0}p".format("p q : Prop\nhp : p\nhq : q\n⊢ ")),
        ("exact hq\n  · sorry", "\n", "case right\np q : Prop\nhp : p\nhq : q\n⊢ p"),
        ("· exa", "ct hq", "case left\np q : Prop\nhp : p\nhq : q\n⊢ q"),
        ("· exact hq", "\n", "no goals"),
        ("⟨", "_, h.1⟩", "p q : Prop\nh : p ∧ q\n⊢ q"),
        ("inl a => ", "exact", "case inl\np q : Prop\na : p\n⊢ q ∨ p"),
        ("inr b => ", "exact", "case inr\np q : Prop\nb : q\n⊢ q ∨ p"),
    ],
)
async def test_goals_in_a_file_of_several_theorems(
    session: LeanSession, before: str, after: str, goal: str
) -> None:
    assert await goals(session, THEOREMS.replace(before + after, f"{before}‸{after}", 1)) == goal


@pytest.mark.parametrize("name", ["q", "𝕜", "«𝕜 𝕜 𝕜»"])
async def test_columns_are_code_points(session: LeanSession, name: str) -> None:
    """Lean's own columns count `𝕜` twice; one too many would lie in the tactic behind."""
    proof = f"have k : {name} := h; intro i; ‸sorry"
    text = f"theorem t ({name} p : Prop) (h : {name}) : p → {name} ∧ p := by {proof}\n"
    assert (await goals(session, text)).endswith(f"i : p\n⊢ {name} ∧ p")


async def test_line_ends_and_odd_characters_do_not_move_positions(session: LeanSession) -> None:
    text = THEOREMS.replace("  constructor", "  -- a\x0cform\u2028feed\n  constructor").replace("\n", "\r\n")
    assert (await goals(session, text.replace("· sorry", "· ‸sorry"))).endswith("⊢ p")


async def test_edits_between_requests(session: LeanSession, project: Path) -> None:
    text = "theorem t (p q : Prop) (hp : p) : {} := by\n  {}‸sorry\n"
    assert (await goals(session, text.format("p", ""))).endswith("⊢ p")
    assert (await goals(session, text.format("q → p", ""))).endswith("⊢ q → p")
    assert (await goals(session, text.format("q → p", "intro h\n  "))).endswith("h : q\n⊢ p")
    assert (await goals(session, "\n\n" + text.format("p", ""))).endswith("⊢ p")
    assert not (project / "A.lean").exists()


async def test_without_a_text_the_disk_is_read(session: LeanSession, project: Path) -> None:
    path = project / "B.lean"
    path.write_text(THEOREMS)
    state = await session.goals_at(path, None, Position(3, 4))
    assert state.goals[0].target == "p"
    assert await session.goals_at(Path("B.lean"), None, Position(3, 4)) == state
    assert path.read_text() == THEOREMS


@pytest.mark.parametrize("position", [Position(99, 0), Position(0, 99), Position(-1, 0), Position(0, -1)])
async def test_a_position_outside(session: LeanSession, position: Position) -> None:
    with pytest.raises(BadPosition):
        await session.goals_at(Path("A.lean"), THEOREMS, position)


async def test_files_that_are_no_text(session: LeanSession, project: Path) -> None:
    (project / "Latin.lean").write_bytes("theorem é".encode("latin-1"))
    with pytest.raises(BadSource, match="not UTF-8"):
        await session.goals_at(Path("Latin.lean"), None, Position(0, 0))
    with pytest.raises(BadSource, match="cannot be read"):
        await session.goals_at(Path("Gone.lean"), None, Position(0, 0))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("‸theorem t : True := trivial\n", "after `by`"),
        ("this is ‸not Lean at all\n", "Fix the error in line 1 first: "),
        ("‸", "after `by`"),
    ],
)
async def test_no_goal_here(session: LeanSession, text: str, hint: str) -> None:
    with pytest.raises(NoGoalHere) as caught:
        await goals(session, text)
    assert hint in caught.value.hint


async def test_imports_that_cannot_be_loaded(session: LeanSession) -> None:
    text = "import No.Such.Module\n" + THEOREMS.replace("· sorry", "· ‸sorry")
    with pytest.raises(ProjectBroken) as caught:
        await goals(session, text)
    assert caught.value.message == (
        "The imports of A.lean cannot be loaded: it imports No.Such.Module, and there is no such file in the "
        "project, and no compiled module of that name."
    )
    assert "names of the imports" in caught.value.hint
    assert (await goals(session, text.removeprefix("import No.Such.Module\n"))).endswith("⊢ p")


@pytest.mark.parametrize(
    ("lakefile", "text", "hint"),
    [
        ("lakefile.toml", 'name = "p"\n', "Build the project with `lake build`, then try again."),
        ("lakefile.toml", 'name = "p"\n\n[[require]]\nname = "mathlib"\n', "with elan"),
        ("lakefile.lean", 'require mathlib from git "somewhere"\n', "neither Mathlib nor Lake"),
    ],
)
async def test_imports_that_lake_has_to_build(
    tmp_path: Path, packaged_lean: PackagedLean, lakefile: str, text: str, hint: str
) -> None:
    (tmp_path / lakefile).write_text(text)
    async with await LeanSession.start(tmp_path, toolchain_of(packaged_lean)) as session:
        with pytest.raises(ProjectBroken, match=r"it imports No\.Such\.Module, and there is") as caught:
            await goals(session, "import No.Such.Module\n" + THEOREMS.replace("· sorry", "· ‸sorry"))
    assert hint in caught.value.hint


async def test_files_at_the_same_time(session: LeanSession) -> None:
    texts = [f"theorem t (p{i} : Prop) (h : p{i}) : p{i} := by\n  ‸sorry\n" for i in range(6)]
    found = await asyncio.gather(*(goals(session, text, f"F{i % 3}.lean") for i, text in enumerate(texts)))
    assert [printed.rpartition("⊢ ")[2] for printed in found] == [f"p{i}" for i in range(6)]


async def test_a_file_of_fifty_thousand_lines(session: LeanSession) -> None:
    """Lean elaborates down to the goal and no farther, so the rest of the file costs nothing."""
    theorem = "theorem t{} (p : Prop) (h : p) : p := by\n  exact h\n\n\n\n"
    lines = [theorem.format(i) for i in range(10_000)]
    lines[20] = lines[20].replace("  exact", "  ‸exact")
    assert await goals(session, "".join(lines)) == "p : Prop\nh : p\n⊢ p"


async def test_a_proof_with_what_looks_like_the_next_command(session: LeanSession) -> None:
    """The text is cut off there, in the middle of a term; the goal is found all the same."""
    text = "theorem t (p : Prop) (h : p) : p := by\n  ‸have k : p :=\n/- a -/\n    h\n  exact k\n"
    assert (await goals(session, text)).endswith("⊢ p")
    assert (await goals(session, text.replace("‸", "").replace("exact k", "‸exact k"))).endswith("k : p\n⊢ p")
