"""Requests that come while the first index of their project is being built."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp_server.conftest import QUIET, Editor, start_editor, stop_editor

pytestmark = pytest.mark.lean


def send(editor: Editor, number: str) -> asyncio.Future[Any]:
    """Ask for premises with a goal, so that the index alone is needed."""
    params = {
        "textDocument": {"uri": editor.uri("A.lean")},
        "position": {"line": 0, "character": 0},
        "goal": "⊢ Gadget",
    }
    protocol = editor.client.protocol
    return asyncio.wrap_future(
        protocol.send_request("premiseSuggest/suggest", params, msg_id=number)  # type: ignore[no-untyped-call]
    )


async def test_who_needs_an_index_that_is_being_built_waits_for_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("import B\n", encoding="utf-8")
    (tmp_path / "B.lean").write_text(
        "inductive Gadget : Prop\n  | mk\ntheorem first_of_all : Gadget := .mk\n", encoding="utf-8"
    )
    begun, may_go_on = asyncio.Event(), asyncio.Event()

    async def show_bar(_: types.WorkDoneProgressCreateParams) -> None:
        begun.set()
        await may_go_on.wait()

    answers = {types.WINDOW_WORK_DONE_PROGRESS_CREATE: show_bar}
    editor = await start_editor(tmp_path, environment, answers=answers)
    editor.open("A.lean")
    waiting = {number: send(editor, number) for number in ("first", "second")}
    await begun.wait()
    editor.client.cancel_request(types.CancelParams("first"))
    with pytest.raises((JsonRpcException, asyncio.CancelledError)) as ended:
        await waiting["first"]
    assert "IndexMissing" not in str(getattr(ended.value, "data", ""))
    may_go_on.set()
    answer = await waiting["second"]
    assert answer["premises"][0]["name"] == "first_of_all"
    assert [message.message for message in editor.client.messages] == []
    await stop_editor(editor)


async def test_where_no_index_comes_of_it_the_request_says_so(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    editor = await start_editor(tmp_path, environment)
    editor.open("A.lean", "example : True := trivial\n")
    with pytest.raises(JsonRpcException) as missing:
        await send(editor, "first")
    assert missing.value.data["kind"] == "IndexMissing"  # type: ignore[index]
    await stop_editor(editor)


async def test_who_asks_anew_behind_a_cancelled_request_gets_a_whole_index(
    tmp_path: Path, environment: dict[str, str], core_size: tuple[int, int]
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    for module in "AB":  # more than is read at one go, so that being stopped leaves some
        lemmas = "".join(f"theorem of_{module}_{n} : True := True.intro\n" for n in range(300))
        (tmp_path / f"{module}.lean").write_text(lemmas, encoding="utf-8")
    begun, may_go_on = asyncio.Event(), asyncio.Event()

    async def show_bar(_: types.WorkDoneProgressCreateParams) -> None:
        begun.set()
        await may_go_on.wait()

    answers = {types.WINDOW_WORK_DONE_PROGRESS_CREATE: show_bar}
    editor = await start_editor(tmp_path, environment, options=QUIET, answers=answers)
    uri = editor.open("A.lean")
    params = {"textDocument": {"uri": uri}}
    protocol = editor.client.protocol

    def index(number: str) -> asyncio.Future[Any]:
        request = protocol.send_request("premiseSuggest/index", params, msg_id=number)  # type: ignore[no-untyped-call]
        return asyncio.wrap_future(request)

    given_up = index("first")
    await begun.wait()
    editor.client.cancel_request(types.CancelParams("first"))
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await given_up
    asked_anew = index("second")
    place = {"line": 0, "character": 0}
    insertion = {**params, "position": place, "insert": "rfl", "as": "name"}
    await editor.request("premiseSuggest/edits", insertion)  # behind it: the second request is being handled
    may_go_on.set()
    answer = await asked_anew
    assert (answer["premises"], answer["stopped"]) == (600 + core_size[0], False)
    await stop_editor(editor)


async def test_an_editor_that_shows_no_bar_keeps_nothing_from_being_indexed(
    tmp_path: Path, environment: dict[str, str], core_size: tuple[int, int]
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("theorem first_of_all : True := True.intro\n", encoding="utf-8")

    async def refuse(_: types.WorkDoneProgressCreateParams) -> None:
        raise JsonRpcException("No bars here.", -32603)

    answers = {types.WINDOW_WORK_DONE_PROGRESS_CREATE: refuse}
    editor = await start_editor(tmp_path, environment, options=QUIET, answers=answers)
    uri = editor.open("A.lean")
    answer = await editor.request("premiseSuggest/index", {"textDocument": {"uri": uri}})
    assert answer["premises"] == 1 + core_size[0]
    await stop_editor(editor)
