"""Rules that Lean is asked about: chains of `rw`, and `simp` with all that may simplify."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lean_extract.records import Position
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import TacticsStatus
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


async def suggested(engine: Engine, statement: str, step: str = "sorry", above: str = "") -> Suggestion:
    """What is shown at the step of a theorem, with all that was tried."""
    assert engine.root is not None
    text = f"{LIBRARY}\n{above}\ntheorem t {statement} := by\n  {step}\n"
    place = GoalPosition(engine.root / "Boxes.lean", text, Position(text.count("\n") - 1, 2))
    return await engine.suggest(SuggestRequest(place, tactics=True, keep_failures=True))


def shown(answer: Suggestion, status: str) -> list[str]:
    return [one.tactic for one in answer.tactics if one.status == status]


async def test_rules_that_close_the_goal_together_are_one_rw(engine: Engine) -> None:
    answer = await suggested(engine, "(P : Box → Prop) (b : Box) (h : ∀ b, P b) : P (turn (flip b)) ↔ P b")
    chain = next(one for one in answer.tactics if one.tactic == "rw [turn_eq_flip, flip_flip]")
    assert chain.status == "closes" and chain.edit is not None and chain.edit.text == chain.tactic


async def test_what_lean_refuses_in_a_survey_is_not_tried_by_itself(engine: Engine) -> None:
    answer = await suggested(engine, "(b c : Box) (h : b = c) (k : Heavy (turn c)) : Light b")
    assert {"rw [h]", "rw [Box.light_iff]"} <= set(shown(answer, "progress"))
    assert "rw [← h]" not in shown(answer, "fails")
    assert not any("ite True" in one.tactic for one in answer.tactics)


async def test_hypotheses_are_rewritten(engine: Engine) -> None:
    answer = await suggested(engine, "(b : Box) (P : Box → Prop) (h : P (turn (flip b))) : P b")
    assert "rw [turn_eq_flip, flip_flip] at h" in {one.tactic.split("\n")[0] for one in answer.tactics}
