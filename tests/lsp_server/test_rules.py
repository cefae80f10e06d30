"""Rules that Lean is asked about: chains of `rw`, and `simp` with all that may simplify."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lean_extract.goals import format_goal
from lean_extract.records import Position, TacticOutcome
from lsp_server.engine.engine import Engine
from lsp_server.engine.settings import Settings, parse
from prover.verify import GoalPosition
from tests.lsp_server.conftest import Cli

pytestmark = pytest.mark.lean

LIBRARY = """axiom Box : Type
axiom turn : Box → Box
axiom flip : Box → Box
axiom Light : Box → Prop
axiom Heavy : Box → Prop

axiom turn_eq_flip (b : Box) : turn b = flip b
axiom flip_flip (b : Box) : flip (flip b) = b
axiom Box.light_iff (b : Box) : Light b ↔ Heavy (turn b)
axiom again (b : Box) : turn b = turn (turn (turn b))
axiom back (b : Box) : turn (turn (turn b)) = turn b
"""
TIME = {"tactics": {"seconds": 60}, "lean": {"tacticSeconds": 20}, "index": {"auto": False}}


@pytest_asyncio.fixture
async def engine(
    tmp_path: Path, cli: Cli, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Engine]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "project"
    root.mkdir()
    (root / "Boxes.lean").write_text(LIBRARY, encoding="utf-8")
    assert cli("index", root).returncode == 0
    settings, complaints = parse(TIME, Settings())
    assert complaints == []
    engine = Engine(root, settings)
    yield engine
    await engine.close()


async def accepted(
    engine: Engine, statement: str, step: str = "sorry", above: str = ""
) -> dict[str, TacticOutcome]:
    """What is shown at the step of a theorem, as when the cursor moves there."""
    assert engine.root is not None
    text = f"{LIBRARY}\n{above}\ntheorem t {statement} := by\n  {step}\n"
    place = GoalPosition(engine.root / "Boxes.lean", text, Position(text.count("\n") - 1, 2))
    return {one.shown: one for one in (await engine.tactics_at(place)).outcomes}


async def test_rules_that_apply_one_after_the_other_are_one_rw(engine: Engine) -> None:
    found = await accepted(engine, "(b : Box) : Light (turn (flip b))")
    chain = found["rw [turn_eq_flip, flip_flip]"]
    assert chain.state is not None and chain.edit is not None
    assert [format_goal(goal) for goal in chain.state.goals] == ["b : Box\n⊢ Light b"]
    assert chain.edit.text == f"{chain.shown}\n  sorry"
    # `again` would rewrite without end, so that half of the rules are left.
    assert found["simp only [turn_eq_flip, flip_flip, Box.light_iff]"].status == "progress"
    above = "namespace Foo\naxiom flip_flip (n : Nat) : n = n\nend Foo\nopen Foo\n"
    assert "rw [turn_eq_flip, _root_.flip_flip]" in await accepted(
        engine, "(b : Box) : Light (turn (flip b))", above=above
    )
    at_h = await accepted(engine, "(b : Box) (h : Light (turn (flip (flip b)))) : False")
    assert "rw [turn_eq_flip, flip_flip] at h" in at_h
    assert any(one.startswith("simp only [") and one.endswith("] at h") for one in at_h)


async def test_goals_of_which_no_copies_are_made_get_tactics_nevertheless(engine: Engine) -> None:
    with_unknowns = "refine ⟨?_, ?_⟩\n  rotate_left\n  sorry"
    many = " ".join(f"(h{number} : Light b)" for number in range(200))
    long = "(NAME : Box) : Light (turn (flip NAME))".replace("NAME", "b" * 10_000)
    assert await accepted(engine, ": ∃ b : Box, Light (turn b)", with_unknowns)
    assert await accepted(engine, f"(b : Box) {many} : Heavy b")
    assert await accepted(engine, long)
