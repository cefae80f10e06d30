"""The server over a Lean that breaks every rule: a fresh one answers, at once or after one clear error."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp_server.conftest import QUIET, Editor, start_editor, stop_editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAKE = Path(__file__).parents[1] / "fakes" / "misbehaving_lean.py"
TEXT = "theorem a : A := by\n  sorry\n"
CANCELLED = -32800


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(project: Path, environment: dict[str, str]) -> AsyncIterator[Editor]:
    started = await start_editor(project, environment, options=QUIET)
    started.open("A.lean", TEXT)
    started.open("B.lean", TEXT)
    yield started
    assert started.client.messages == []
    await stop_editor(started)


class Fake:
    """A scenario as the setting `lean.command`, and the diary of what happened."""

    def __init__(self, folder: Path, scenario: str) -> None:
        self.diary = folder / "diary"
        self.program = folder / "lean"
        command = [sys.executable, str(FAKE), scenario, str(self.diary)]
        self.program.write_text(
            f"#!{sys.executable}\n"
            "import os, sys\n"
            "if '--version' in sys.argv:\n"
            "    print('Lean (version 4.35.0, a fake)')\n"
            "else:\n"
            f"    os.execv(sys.executable, {command!r})\n"
        )
        self.program.chmod(0o755)

    def use(self, editor: Editor, **lean: Any) -> None:
        """Have the editor set it."""
        settings = {**QUIET, "lean": {"command": str(self.program), **lean}}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))

    async def wrote(self, entries: str) -> None:
        """Wait until the diary has these entries."""
        async with asyncio.timeout(20):
            while not self.diary.exists() or not set(entries) <= set(self.diary.read_text()):
                await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "scenario", ["bad-json", "half-an-answer", "dies", "dies-at-start", "closes-stdout", "wrong-shape"]
)
async def test_a_lean_that_dies_is_started_again_within_the_request(
    editor: Editor, tmp_path: Path, scenario: str
) -> None:
    fake = Fake(tmp_path, scenario)
    fake.use(editor)
    answer = await editor.suggest("A.lean", 1, 3, tactics=True)
    assert answer["goal"] == "⊢ ¬A"
    assert answer["premises"]
    await fake.wrote("m")


@pytest.mark.parametrize("scenario", ["never-starts", "never-answers"])
async def test_silence_is_told_in_one_sentence_and_survived(
    editor: Editor, tmp_path: Path, scenario: str
) -> None:
    fake = Fake(tmp_path, scenario)
    fake.use(editor, requestSeconds=1, startSeconds=2 if scenario == "never-starts" else 20)
    with pytest.raises(JsonRpcException) as failed:
        await editor.suggest("A.lean", 1, 3)
    assert isinstance(failed.value.data, dict)
    assert failed.value.data["kind"] == "LeanTimeout"
    assert failed.value.data["hint"]
    assert "raceback" not in failed.value.message
    answer = await editor.suggest("A.lean", 1, 3, tactics=True)
    assert answer["goal"] == "⊢ ¬A"
    assert answer["premises"]


async def test_answers_out_of_order_reach_who_asked(editor: Editor, tmp_path: Path) -> None:
    Fake(tmp_path, "out-of-order").use(editor)
    answers = await asyncio.gather(editor.suggest("A.lean", 1, 3), editor.suggest("B.lean", 1, 3))
    assert [answer["goal"] for answer in answers] == ["⊢ ¬A", "⊢ ¬B"]


async def test_a_lean_that_dies_under_a_tactic_leaves_the_premises(editor: Editor, tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hangs-at-tactic")
    fake.use(editor, tacticSeconds=0.5)
    answer = await editor.suggest("A.lean", 1, 3, tactics=True)
    assert answer["goal"] == "⊢ ¬A"
    assert answer["premises"]
    assert not [tactic for tactic in answer["tactics"] if tactic["status"] == "timeout"]


@pytest.mark.parametrize("method", ["premiseSuggest/suggest", types.WORKSPACE_EXECUTE_COMMAND])
async def test_cancelling_reaches_lean(editor: Editor, tmp_path: Path, method: str) -> None:
    fake = Fake(tmp_path, "never-answers")
    fake.use(editor, requestSeconds=60)
    asked: Any = {
        "textDocument": {"uri": editor.uri("A.lean")},
        "position": {"line": 1, "character": 3},
    }
    if method == types.WORKSPACE_EXECUTE_COMMAND:
        asked = types.ExecuteCommandParams("premise-suggest.suggest", [asked])
    number = f"cancelled {method}"
    answer = editor.client.protocol.send_request_async(method, asked, number)  # type: ignore[no-untyped-call]
    waiting = asyncio.ensure_future(answer)
    await fake.wrote("m")
    editor.client.cancel_request(types.CancelParams(number))
    with pytest.raises(JsonRpcException) as cancelled:
        await waiting
    assert cancelled.value.code == CANCELLED
    await fake.wrote("c")
