"""Lean's own automation in a suggestion: with our premises, where the file has it, in its short form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lean_extract.records import Position, TacticOutcome
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.settings import Settings, parse
from lsp_server.engine.tactic_runner import closes
from prover.verify import GoalPosition
from tests.lsp_server.conftest import Cli

pytestmark = pytest.mark.lean

DEFINED = """def same (a b : Nat) : Nat := 0

theorem same_comm (a b : Nat) : same a b = same b a := rfl

"""
NEEDS_PREMISE = f"""{DEFINED}theorem t (f : Nat → Nat) (a b c : Nat) (h : c = same b a) : f (same a b) = f c := by
  sorry
"""
TACTIC = 'macro "aesop" : tactic => `(tactic| trivial)\n'
TWO = """theorem first (f : Nat → Nat) (a b : Nat) (h : f a = 1) : f b = 1 := by
  sorry

theorem second (g : Nat → Nat) (a b : Nat) (h : g a = 2) : g b = a := by
  sorry
"""
TIME = {"tactics": {"source": "templates", "neighbours": False, "seconds": 30}, "lean": {"tacticSeconds": 20}}


HIDDEN = f"""{DEFINED}axiom hidden (f : Nat → Nat) (a : Nat) : f a = 1 → f (same a a) = 2

theorem t (f : Nat → Nat) (a : Nat) (h : f a = 1) : f (same a a) = 2 := by
  sorry
"""


@pytest_asyncio.fixture
async def engine(
    tmp_path: Path, cli: Cli, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Engine]:
    """An engine for a project whose index has one file of `Aesop`'s name."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / f"project-{tmp_path.name}"
    (root / "Aesop" / "Frontend").mkdir(parents=True)
    (root / "Aesop" / "Frontend" / "Tactic.lean").write_text(TACTIC, encoding="utf-8")
    (root / "Same.lean").write_text(DEFINED, encoding="utf-8")
    (root / "Middle.lean").write_text("import Aesop.Frontend.Tactic\n", encoding="utf-8")
    assert cli("index", root).returncode == 0
    settings, complaints = parse({**TIME, "index": {"auto": False}}, Settings())
    assert complaints == []
    engine = Engine(root, settings)
    yield engine
    await engine.close()


async def suggested(engine: Engine, name: str, text: str, nth: int = 0) -> Suggestion:
    """The answer at the nth `sorry` of a text, with all that was tried."""
    assert engine.root is not None
    (engine.root / name).write_text(text, encoding="utf-8")
    lines = [number for number, line in enumerate(text.split("\n")) if line.strip() == "sorry"]
    place = GoalPosition(engine.root / name, text, Position(lines[nth], 2))
    return await engine.suggest(SuggestRequest(place, tactics=True, keep_failures=True))


def statuses(answer: Suggestion) -> dict[str, str]:
    return {one.tactic: str(one.status) for one in answer.tactics}


async def test_grind_is_given_our_premises_and_shown_with_those_that_it_used(engine: Engine) -> None:
    answer = await suggested(engine, "Needs.lean", NEEDS_PREMISE)
    short = [one for one in answer.tactics if one.tactic.startswith("grind only [")]
    assert [(str(one.status), "same_comm" in one.tactic) for one in short] == [("closes", True)]
    assert short[0].edit is not None and short[0].edit.text == short[0].tactic
    closing = [one.status == "closes" for one in answer.tactics]
    assert closing == sorted(closing, reverse=True)
    assert not any(
        one.tactic.startswith(("grind?", "exact?")) for one in answer.tactics if one.status == "closes"
    )


async def test_a_tactic_is_tried_where_the_imports_bring_it(engine: Engine) -> None:
    goal = "theorem t : True ∧ True := by\n  sorry\n"
    without = await suggested(engine, "Without.lean", goal)
    assert "aesop" not in statuses(without)
    assert {"grind only", "simp_all"} & set(statuses(without))
    brought = await suggested(engine, "With.lean", f"import Middle\n\n{goal}")
    assert "aesop" in statuses(brought)


async def test_what_lean_does_not_know_is_tried_once(engine: Engine) -> None:
    unknown = "grind? +suggestions"
    first = await suggested(engine, "Two.lean", TWO)
    assert statuses(first)[unknown] == "fails"
    second = await suggested(engine, "Two.lean", TWO, 1)
    assert unknown not in statuses(second)
    assert statuses(second)["exact?"] == statuses(first)["exact?"] == "fails"


async def test_what_the_file_declares_itself_is_tried(engine: Engine) -> None:
    text = TACTIC + "\ntheorem t : True := by\n  sorry\n"
    assert statuses(await suggested(engine, "Own.lean", text))["aesop"] == "closes"


async def test_lean_searches_its_library_when_asked_and_not_at_every_move_of_the_cursor(
    engine: Engine,
) -> None:
    """Our own list is empty here: no premise, and one trial."""
    few = {**TIME, "tactics": {**TIME["tactics"], "premises": 0, "count": 1}}  # type: ignore[dict-item]
    settings, complaints = parse({**few, "index": {"auto": False}}, Settings())
    assert complaints == []
    engine.take_settings(settings)
    assert engine.root is not None
    (engine.root / "Hidden.lean").write_text(HIDDEN, encoding="utf-8")
    place = GoalPosition(engine.root / "Hidden.lean", HIDDEN, Position(7, 2))
    moved = await engine.tactics_at(place)
    assert [one.shown for one in moved.outcomes if one.status == "closes"] == []
    asked = await engine.suggest(SuggestRequest(place, tactics=True))
    assert [one.tactic for one in asked.tactics if one.status == "closes"] == ["exact hidden f a h"]
    again = await engine.tactics_at(place)
    assert [one.shown for one in again.outcomes if one.status == "closes"] == ["exact hidden f a h"]


async def test_requests_at_the_same_place_share_their_trials_until_the_last_is_cancelled(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, begun = await engine.session(), 0
    real = session.try_tactics

    def counted(*args: Any, **options: Any) -> AsyncGenerator[TacticOutcome, None]:
        nonlocal begun
        begun += 1
        return real(*args, **options)

    monkeypatch.setattr(session, "try_tactics", counted)
    assert engine.root is not None
    path, at = engine.root / "Same.lean", Position(5, 2)
    first, listed = asyncio.Event(), asyncio.Event()

    def shown(so_far: Suggestion) -> None:
        if so_far.tactics:
            listed.set()

    place = GoalPosition(path, f"{DEFINED}theorem t : same 1 2 = same 2 1 := by\n  sorry\n", at)
    ghost = asyncio.create_task(engine.tactics_at(place, lambda outcomes: first.set()))
    await first.wait()
    view = asyncio.create_task(engine.suggest(SuggestRequest(place, tactics=True), shown))
    await listed.wait()
    ghost.cancel()
    assert any(one.status == "closes" for one in (await view).tactics)
    assert begun == 1
    place = GoalPosition(path, f"{DEFINED}theorem t : same 3 4 = same 4 3 := by\n  sorry\n", at)
    first.clear()
    alone = asyncio.create_task(engine.tactics_at(place, lambda outcomes: first.set()))
    await first.wait()
    alone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await alone
    assert any(map(closes, (await engine.tactics_at(place)).outcomes))
    assert begun == 3
