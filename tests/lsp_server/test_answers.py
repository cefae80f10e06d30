"""What the command line and the language server answer, held to the published schema; and how trials went."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lean_extract.records import Position
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.settings import Settings, parse
from prover.verify import GoalPosition
from tests.answers import conforming
from tests.lsp_server.conftest import QUIET, Cli, Editor, answered, start_editor, stop_editor
from tests.lsp_server.test_editor_requests import plain

pytestmark = pytest.mark.lean

STATE = "a b : ℕ\n⊢ a + b = b + a"


async def suggested(editor: Editor, nth: int = 0, **options: Any) -> Any:
    """The answer at the nth `sorry` of Work.lean."""
    editor.open("Work.lean")
    answer = await editor.suggest_at("Work.lean", nth=nth, **options)
    return conforming(plain(answer), "Suggestion")


def test_the_command_line_answers_as_documented(cli: Cli, project: Path) -> None:
    place = ("--file", project / "Work.lean", "--line", "6")
    for options, status in [
        (("--no-tactics",), "not_asked"),
        ((), "tried"),
        (("--tactics", "--failures"), "tried"),
    ]:
        done = cli("suggest", *place, *options, "--json")
        answer = conforming(json.loads(done.stdout), "Suggestion")
        assert (answer["tactics_status"], bool(answer["tactics"])) == (status, status == "tried")
    answer = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=project)
    assert conforming(answer, "Suggestion")["tactics_status"] == "not_asked"


@pytest.mark.asyncio(loop_scope="module")
async def test_the_language_server_answers_as_documented(editor: Editor) -> None:
    answer = await suggested(editor, tactics=True, partialResultToken="parts")
    assert answer["tactics_status"] == "tried"
    shown = [plain(editor.progress.get_nowait()) for _ in range(editor.progress.qsize())]
    parts = [
        part for part in shown if part.get("kind") not in ("begin", "report", "end")
    ]  # a slow machine's bar
    assert conforming(parts[0], "Suggestion")["tactics_status"] == "running"
    for part in parts[1:]:
        conforming(part, "TacticsSoFar")
    assert len(parts) > 1
    for query, kind in (("plus_swap", "name"), (STATE, "goal")):
        found = plain(await editor.request("premiseSuggest/search", {"query": query}))
        assert conforming(found, "SearchAnswer")["kind"] == kind


async def test_an_index_run_is_told_as_documented(own_project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(own_project, environment, options=QUIET)
    statuses: asyncio.Queue[Any] = asyncio.Queue()
    editor.client.feature("$/premiseSuggest/status")(lambda params: statuses.put_nowait(plain(params)))
    (own_project / "New.lean").write_text("theorem brand_new : True := True.intro\n", encoding="utf-8")
    conforming(plain(await editor.request("premiseSuggest/index", {})), "IndexAnswer")
    status = conforming(await statuses.get(), "StatusItem")
    assert (status["indexing"], status["index"]) == (True, None)
    while status["indexing"]:
        status = conforming(await statuses.get(), "StatusItem")
    assert status["index"]["line"]
    await stop_editor(editor)


@pytest.mark.asyncio(loop_scope="module")
async def test_where_none_are_tried_the_status_says_why(editor: Editor) -> None:
    several = f"{STATE}\n\ncase other\n⊢ True"
    other = await suggested(editor, goal=several, goalNumber=2, tactics=True)
    assert (other["tactics"], other["tactics_status"]) == ([], "goal_not_first")
    nowhere = conforming(
        plain(await editor.suggest("Work.lean", 0, 0, goal=STATE, tactics=True)), "Suggestion"
    )
    assert (nowhere["tactics"], nowhere["tactics_status"]) == ([], "no_goal")
    assert nowhere["warnings"][0].startswith("No tactics were tried: ")
    unsaved = {"textDocument": {"uri": "untitled:One"}, "position": {"line": 0, "character": 0}}
    request = {**unsaved, "goal": STATE, "tactics": True}
    without = conforming(plain(await editor.request("premiseSuggest/suggest", request)), "Suggestion")
    assert (without["tactics"], without["tactics_status"]) == ([], "no_file")


async def test_tactics_that_are_switched_off_count_as_not_asked_for(
    project: Path, environment: dict[str, str]
) -> None:
    options = {**QUIET, "tactics": {"enabled": False}}
    editor = await start_editor(project, environment, options=options)
    assert (await suggested(editor, tactics=True))["tactics_status"] == "not_asked"
    await stop_editor(editor)


async def test_a_lean_that_cannot_be_started_is_told(
    project: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings, complaints = parse({"lean": {"command": "/no/such/lean"}}, Settings())
    assert complaints == []
    engine = Engine(project, settings)
    place = GoalPosition(project / "Work.lean", None, Position(5, 2))
    answer = await engine.suggest(SuggestRequest(place, STATE, tactics=True))
    await engine.close()
    assert (answer.tactics, answer.tactics_status) == ([], "lean_failed")
    assert answer.premises
