"""Documents that are no files of a project, URIs of other systems, odd paths, two projects at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp_server.conftest import (
    QUIET,
    Cli,
    Editor,
    make_project,
    place_of,
    premise_names,
    start_editor,
    stop_editor,
)

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

STATE = "a b : Nat\n⊢ a + b = b + a"


async def ask(editor: Editor, uri: str, line: int = 0, **options: Any) -> Any:
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}, **options}
    return await editor.request("premiseSuggest/suggest", params)


def open_uri(editor: Editor, uri: str, text: str) -> None:
    item = types.TextDocumentItem(uri, "lean4", 1, text)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "file:///c%3A/Users/Ada%20L/A.lean",
        "file:///c:/A.lean",
        "vscode-vfs://github/a/b.lean",
    ],
)
async def test_a_goal_of_a_document_without_a_file_is_answered_from_the_bundled_index(
    editor: Editor, uri: str
) -> None:
    unseen = await ask(editor, uri, goal=STATE, tactics=True)
    assert unseen["premises"][0]["in_scope"] is None
    assert unseen["tactics_status"] == "no_file"
    assert all(source["bundled"] for source in unseen["index"]["sources"])
    open_uri(editor, uri, "import Mathlib.Order.Basic\n\nexample : True := by\n  sorry\n")
    seen = await ask(editor, uri, line=3, goal=STATE, tactics=True)
    assert {premise["in_scope"] for premise in seen["premises"]} <= {True, False}
    assert seen["tactics"] == []
    assert "No tactics were tried" in seen["warnings"][0]
    assert seen["tactics_status"] == "no_file"
    with pytest.raises(JsonRpcException) as refused:
        await ask(editor, uri)
    assert refused.value.data == {"hint": "Save it first.", "kind": "BadSource"}
    edit = {"insert": "trivial", "as": "tactic", "textDocument": {"uri": uri}}
    edit["position"] = {"line": 3, "character": 3}  # type: ignore[assignment]
    assert await editor.request("premiseSuggest/edits", edit)


@pytest.mark.parametrize(
    "uri", ["", "file:", "file://", "no uri", "file:///%00", "file://server/share/A.lean"]
)
async def test_a_uri_of_nothing_is_refused(editor: Editor, uri: str) -> None:
    with pytest.raises(JsonRpcException) as refused:
        await ask(editor, uri)
    assert refused.value.data["kind"] == "BadSource"  # type: ignore[index]
    assert (await editor.suggest("Work.lean", 0, 0, goal=STATE))["premises"]


async def test_two_projects_in_one_window(tmp_path: Path, environment: dict[str, str], cli: Cli) -> None:
    first = make_project(tmp_path / "one project", cli)
    second = make_project(tmp_path / "zwei 𝕜", cli)
    extra = (
        "import Lib.Numbers\n\ntheorem only_in_the_second (a b : Nat) : a + b = b + a := Lib.plus_swap a b\n"
    )
    (second / "Extra.lean").write_text(extra, encoding="utf-8")
    assert cli("index", second).returncode == 0
    editor = await start_editor(first, environment, options=QUIET)
    name = "only_in_the_second"
    for root, has in ((first, False), (second, True)):
        uri = (root / "Work.lean").as_uri()
        text = (root / "Work.lean").read_text(encoding="utf-8")
        open_uri(editor, uri, text)
        answer = await ask(editor, uri, place_of(text, "sorry", 1).line, tactics=True)
        assert answer["goal"] == "a b : ℕ\n⊢ a + b = b + a"
        assert answer["tactics"][0]["status"] == "closes"
        assert (name in premise_names(answer)) is has
    found = await editor.request("premiseSuggest/search", {"query": name})
    assert name not in premise_names(found)
    await stop_editor(editor)
