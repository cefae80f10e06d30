"""Suggestions as they grow, and suggestions that nobody waits for any more."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.engine.proof_states import NOTE
from tests.lsp_server.conftest import QUIET, Editor, place_of, start_editor, stop_editor
from tests.lsp_server.test_editor_requests import plain

pytestmark = pytest.mark.lean


def params(editor: Editor, name: str, place: types.Position, **options: Any) -> dict[str, Any]:
    return {
        "textDocument": {"uri": editor.uri(name)},
        "position": {"line": place.line, "character": place.character},
        **options,
    }


async def test_premises_come_first_and_every_tactic_at_once(
    project: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    editor.open("Work.lean")
    asked = params(editor, "Work.lean", place_of(editor.text("Work.lean"), "sorry"), tactics=True)
    answer = await editor.request("premiseSuggest/suggest", {**asked, "partialResultToken": "one"})
    parts = [plain(editor.progress.get_nowait()) for _ in range(editor.progress.qsize())]
    assert len(parts) > 2
    assert parts[0]["premises"] == answer["premises"]
    assert parts[0]["tactics"] == []
    assert all(set(part) == {"tactics"} for part in parts[1:])
    counts = [len(part["tactics"]) for part in parts[1:]]
    # One more each time, or a shorter tactic instead of one that comes to the same.
    assert counts[0] == 1
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(counts))
    assert all(one != other for one, other in pairwise(part["tactics"] for part in parts[1:]))
    assert parts[-1]["tactics"] == answer["tactics"]
    for part in parts[1:]:
        statuses = [one["status"] for one in part["tactics"]]
        assert set(statuses) <= {"closes", "progress"}
        assert statuses == sorted(statuses)
    await editor.request("premiseSuggest/suggest", {**asked, "partialResultToken": 2, "tactics": False})
    assert editor.progress.empty()
    with pytest.raises(JsonRpcException, match="partialResultToken must be"):
        await editor.request("premiseSuggest/suggest", {**asked, "partialResultToken": []})
    await stop_editor(editor)


async def test_premises_for_the_goal_that_the_text_states_come_before_lean(
    project: Path, environment: dict[str, str]
) -> None:
    slow = "".join(f"def slow{n} : True := by\n  sleep 1000\n  exact trivial\n" for n in range(8))
    text = f"{slow}theorem t (p : Prop) (h : p) : p ∨ False := by\n  sorry\n"
    editor = await start_editor(project, environment, options=QUIET)
    editor.open("Slow.lean", text)
    asked = params(editor, "Slow.lean", types.Position(25, 4), tactics=True, partialResultToken="slow")
    answer = await editor.request("premiseSuggest/suggest", asked)
    parts = [plain(editor.progress.get_nowait()) for _ in range(editor.progress.qsize())]
    said = [part["message"] for part in parts if part.get("kind") == "report"]
    assert said and all(re.fullmatch(r"lines elaborated: \d+ of 26", one) for one in said)
    early, first = [part for part in parts if "goal" in part]
    assert early["goal"] == first["goal"] == answer["goal"] == "p : Prop\nh : p\n⊢ p ∨ False"
    assert early["premises"] and early["tactics_status"] == "running"
    assert NOTE in early["notes"] and NOTE not in first["notes"] + answer["notes"]
    assert any(tactic["status"] == "closes" for tactic in answer["tactics"])
    await stop_editor(editor)


async def cancelled(editor: Editor, future: Any, number: Any) -> None:
    editor.client.cancel_request(types.CancelParams(number))
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await future


def send(editor: Editor, number: str, asked: dict[str, Any]) -> asyncio.Future[Any]:
    protocol = editor.client.protocol
    return asyncio.wrap_future(
        protocol.send_request("premiseSuggest/suggest", asked, msg_id=number)  # type: ignore[no-untyped-call]
    )


async def test_a_cancelled_request_stops_its_trials_and_leaves_lean_free(
    project: Path, environment: dict[str, str]
) -> None:
    many = [f"(have h{i} : True := True.intro)" for i in range(150)]
    options = {**QUIET, "tactics": {"count": 200, "extra": many}}
    editor = await start_editor(project, environment, options=options)
    editor.open("Work.lean")
    text = editor.text("Work.lean")
    asked = params(editor, "Work.lean", place_of(text, "sorry"), tactics=True, partialResultToken="t")
    future = send(editor, "first", asked)
    await editor.progress.get()  # the premises
    await editor.progress.get()  # a tactic: Lean is at it
    await cancelled(editor, future, "first")
    before = editor.progress.qsize()
    place = place_of(text, "sorry", 1)
    answer = await editor.suggest("Work.lean", place.line, place.character)
    assert answer["goal"].endswith("⊢ a + b = b + a")
    assert editor.progress.qsize() == before < 100
    small = types.DidChangeConfigurationParams({"premiseSuggest": {**QUIET, "tactics": {"count": 8}}})
    editor.client.workspace_did_change_configuration(small)
    answer = await editor.suggest("Work.lean", place.line, place.character, tactics=True)
    assert answer["tactics"][0]["status"] == "closes"
    assert editor.progress.qsize() == before
    await stop_editor(editor)


async def test_two_hundred_requests_that_are_cancelled(project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    editor.open("Work.lean")
    text = editor.text("Work.lean")
    waiting: list[asyncio.Future[Any]] = []
    for number in range(200):
        place = place_of(text, "sorry", number % 4)
        waiting.append(send(editor, f"n{number}", params(editor, "Work.lean", place, tactics=True)))
        editor.client.cancel_request(types.CancelParams(f"n{number}"))
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(one, JsonRpcException | asyncio.CancelledError) for one in ended)
    answer = await editor.suggest_at("Work.lean", text, nth=1, tactics=True)
    assert answer["tactics"][0]["status"] == "closes"
    assert [message.message for message in editor.client.messages] == []
    await stop_editor(editor)
