"""Quick fixes at every kind of place: the file that each of them makes is judged by a fresh Lean."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from tests.lsp_server.conftest import QUIET, Editor, indexed_example, start_editor, stop_editor
from tests.lsp_server.test_editor_requests import applied, plain

pytestmark = [pytest.mark.field_case, pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

MARK = "‸"
HEADER = """\
import Example

macro "twice " t:tacticSeq : tactic => `(tactic| (try ($t); try ($t)))
macro "second_goal" : tactic => `(tactic| rotate_left)
macro "at_second " t:tacticSeq : tactic => `(tactic| (rotate_left; focus ($t); rotate_right))
macro "to_show " t:term : tactic => `(tactic| show $t)
macro "given " h:ident " : " p:term " then " a:tactic " else " b:tactic : tactic =>
  `(tactic| (by_cases $h : $p; { $a }; { $b }))

"""
QUICK = {"codeActions": {"count": 3}, "tactics": {"source": "templates", "neighbours": False, "count": 12}}
PLACES = (Path(__file__).parent / "uses" / "places.txt").read_text(encoding="utf-8").split("\n-----\n")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(
    tmp_path_factory: pytest.TempPathFactory, cli: Any, environment: dict[str, str]
) -> AsyncIterator[Editor]:
    """A server on a copy of the example library."""
    root = indexed_example(tmp_path_factory.mktemp("library"), cli)
    started = await start_editor(root, environment, options={**QUIET, **QUICK})
    yield started
    await stop_editor(started)


async def quick_fixes(editor: Editor, name: str, marked: str) -> list[tuple[str, str]]:
    """The verdict on the tactic of each quick fix at the mark, and the text that it makes."""
    text = marked.replace(MARK, "")
    offset = marked.index(MARK)
    uri = editor.open(name, text)
    place = types.Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)
    context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Invoked)
    asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(place, place), context)
    found = await editor.client.text_document_code_action_async(asked)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    actions = [one for one in found or [] if isinstance(one, types.CodeAction)]
    return [(plain(one.data)["status"], after_fix(text, one)) for one in actions]


def after_fix(text: str, action: types.CodeAction) -> str:
    """The text that a quick fix makes."""
    assert action.edit is not None and action.edit.changes is not None
    (edits,) = action.edit.changes.values()
    return applied(text, [_plain(edit) for edit in edits])


def _plain(edit: types.TextEdit) -> dict[str, Any]:
    ends = {"start": edit.range.start, "end": edit.range.end}
    ranged = {name: {"line": end.line, "character": end.character} for name, end in ends.items()}
    return {"range": ranged, "newText": edit.new_text}


class FreshLean:
    """A new Lean process for many pieces of text, each in a namespace of its own."""

    def __init__(self, lean: PackagedLean, oleans: Path, folder: Path) -> None:
        self._command = lean.lean_command
        self._environment = {**os.environ, **lean.environment_for(oleans, EXAMPLE)}
        self._folder = folder

    def errors(self, pieces: dict[str, str]) -> dict[str, list[str]]:
        """The first lines of Lean's errors about each piece."""
        text, starts = HEADER, {}
        for number, (key, piece) in enumerate(pieces.items()):
            starts[text.count("\n")] = key
            text += f"namespace P{number}\n{piece}\nend P{number}\n"
        path = self._folder / "All.lean"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [*self._command, "--json", str(path)],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        found: dict[str, list[str]] = {key: [] for key in pieces}
        for message in map(json.loads, done.stdout.splitlines()):
            if message["severity"] == "error":
                line = message["pos"]["line"] - 1
                key = starts[max(start for start in starts if start <= line)]
                found[key].append(message["data"].splitlines()[0])
        return found


async def test_every_quick_fix_makes_a_file_that_lean_accepts(
    library: Editor, packaged_lean: PackagedLean, example_oleans: Path, tmp_path: Path
) -> None:
    pieces = {f"{number}": case.replace(MARK, "") for number, case in enumerate(PLACES)}
    without_closing = []
    for number, case in enumerate(PLACES):
        fixes = await quick_fixes(library, f"Place{number}.lean", HEADER + case)
        without_closing += [] if any(status == "closes" for status, _ in fixes) else [case]
        for rank, (status, text) in enumerate(fixes):
            pieces[f"{number} {rank} {status}"] = text.removeprefix(HEADER)
    said = FreshLean(packaged_lean, example_oleans, tmp_path).errors(pieces)
    new = {key: set(said[key]) - set(said[key.split()[0]]) for key in pieces}
    refused = {pieces[key]: new[key] for key in pieces if key.endswith("closes") and new[key]}
    misread = [key for key in pieces if any(one.startswith(("unexpected", "expected")) for one in new[key])]
    assert (without_closing, refused, misread) == ([], {}, [])
