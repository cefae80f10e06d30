"""Life and death of the server: settings, progress, saved files, limits, and how it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.environments import own_indexes
from tests.forked import SCRIPT
from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.conftest import (
    QUIET,
    Cli,
    Editor,
    all_end,
    capabilities,
    descendants,
    place_of,
    premise_names,
    start_editor,
    stop_editor,
    watch,
)

pytestmark = pytest.mark.lean

STATE = "a b : Nat\n⊢ a + b = b + a"


async def test_a_goal_from_the_client_needs_no_lean(project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    editor.open("Work.lean")
    answer = await editor.suggest("Work.lean", 0, 0, goal=STATE)
    assert "Lib.plus_swap" in premise_names(answer)
    assert answer["goal"] == STATE
    assert descendants(editor.pid) == []
    large = "".join(f"h{i} : a + {i} = b + {i}\n" for i in range(7_000)) + STATE.splitlines()[1]
    assert 150_000 < len(large) <= 200_000
    assert "Lib.plus_swap" in premise_names(await editor.suggest("Work.lean", 0, 0, goal=large))
    await stop_editor(editor)


async def test_unknown_settings_are_told_once_and_defaulted(
    project: Path, environment: dict[str, str]
) -> None:
    options = {**QUIET, "hovr": True, "hover": {"count": "many"}}
    editor = await start_editor(project, environment, options=options)
    uri = editor.open("Work.lean")
    place = place_of(editor.text("Work.lean"), "sorry")
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    found = await editor.client.text_document_hover_async(params)
    assert found
    said = [message.message for message in editor.client.messages]
    assert len(said) == 2
    assert "premiseSuggest.hovr is not a setting" in said[0]
    assert "premiseSuggest.hover.count must be" in said[1]
    changed = types.DidChangeConfigurationParams({"premiseSuggest": {**QUIET, "hover": {"enabled": False}}})
    editor.client.workspace_did_change_configuration(changed)
    assert await editor.client.text_document_hover_async(params) is None
    assert len(editor.client.messages) == 2
    await stop_editor(editor)


async def test_settings_are_pulled_from_clients_that_hold_them(
    project: Path, environment: dict[str, str]
) -> None:
    client_side = {"premiseSuggest": {**QUIET, "premises": {"count": 2}}}
    editor = await start_editor(project, environment, configuration=client_side)
    editor.open("Work.lean")
    assert len(premise_names(await editor.suggest("Work.lean", 0, 0, goal=STATE))) == 2
    assert [one.method for one in editor.registered] == [types.WORKSPACE_DID_CHANGE_CONFIGURATION]
    client_side["premiseSuggest"]["premises"] = {"count": 3}
    editor.client.set_configuration(client_side)
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    assert len(premise_names(await editor.suggest("Work.lean", 0, 0, goal=STATE))) == 3
    await stop_editor(editor)


async def test_an_opened_project_is_indexed_with_progress_and_a_saved_file_read_again(
    own_project: Path, environment: dict[str, str], core_size: tuple[int, int]
) -> None:
    shared = Path(environment["PREMISE_SUGGEST_INDEX"])
    for left in shared.glob(f"{own_project.name}-*/manifest.json"):
        left.unlink()
    editor = await start_editor(own_project, environment)
    editor.open("Work.lean")
    begin, *_, end = await editor.indexed()
    assert (begin["kind"], begin["title"]) == ("begin", f"Indexing {own_project.name}")
    assert begin["cancellable"]
    assert end["message"] == f"{9 + core_size[0]:,} premises"
    path = own_project / "Lib" / "Numbers.lean"
    added = "theorem fresh_sum (n m : Nat) : n + m = m + n := plus_swap n m\n\nend Lib"
    path.write_text(path.read_text().replace("end Lib", added), encoding="utf-8")
    save(editor, editor.open("Lib/Numbers.lean"))
    assert (await editor.indexed())[-1]["message"] == f"{10 + core_size[0]:,} premises"
    answer = await editor.suggest("Work.lean", 0, 0, goal=STATE)
    assert "Lib.fresh_sum" in premise_names(answer)
    assert answer["index"]["stale_files"] == 0
    await stop_editor(editor)


def save(editor: Editor, uri: str) -> None:
    editor.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def test_what_is_saved_is_seen_by_who_imports_it(
    own_project: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(own_project, environment, options={"index": {"auto": False}})
    text = "import Lib.Numbers\n\nexample (a b : Nat) : Lib.twice a = a + a := by\n  sorry\n"
    (own_project / "User.lean").write_text(text, encoding="utf-8")
    editor.open("User.lean")
    answer = await editor.suggest("User.lean", 3, 2)
    assert "Lib.twice" not in answer["goal"]  # Lean does not know it yet
    path = own_project / "Lib" / "Numbers.lean"
    path.write_text(path.read_text().replace("double", "twice"), encoding="utf-8")
    save(editor, editor.open("Lib/Numbers.lean"))
    bars = [(await editor.indexed())[0]["title"] for _ in range(2)]
    assert bars == [f"Indexing {own_project.name}", f"Compiling {own_project.name}"]  # the new lemma first
    answer = await editor.suggest("User.lean", 3, 2, tactics=True)
    assert answer["goal"].endswith("⊢ Lib.twice a = a + a")
    assert answer["tactics"][0]["status"] == "closes"
    await stop_editor(editor)


async def test_two_servers_share_one_index(own_project: Path, environment: dict[str, str]) -> None:
    editors = [await start_editor(own_project, environment) for _ in range(2)]
    (own_project / "More.lean").write_text("theorem more : True := True.intro\n", encoding="utf-8")
    for editor in editors:
        editor.open("Work.lean")
    for editor in editors:
        await editor.indexed()
    answers = [await editor.suggest("Work.lean", 0, 0, goal=STATE) for editor in editors]
    assert premise_names(answers[0]) == premise_names(answers[1])
    assert [editor.client.messages for editor in editors] == [[], []]
    for editor in editors:
        await stop_editor(editor)


async def test_a_missing_index_is_told_once(tmp_path: Path, environment: dict[str, str]) -> None:
    text = "example (p : Prop) (h : p) : p := by\n  sorry\n"
    (tmp_path / "A.lean").write_text(text, encoding="utf-8")
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    editor = await start_editor(tmp_path, environment, options=QUIET)
    uri = editor.open("A.lean")
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(1, 3))
    for _ in range(3):
        assert await editor.client.text_document_hover_async(params) is None
    said = [message.message for message in editor.client.messages]
    assert len(said) == 1
    assert "premise-suggest index" in said[0]
    await stop_editor(editor)


async def test_the_folder_of_a_stray_file_is_not_indexed_unasked(
    tmp_path: Path, environment: dict[str, str], cli: Cli, core_size: tuple[int, int]
) -> None:
    (tmp_path / "A.lean").write_text("theorem stray : True := True.intro\n", encoding="utf-8")
    index = own_indexes(tmp_path / "index")
    variables = {**environment, "PREMISE_SUGGEST_INDEX": str(index)}
    editor = await start_editor(tmp_path, variables)
    uri = editor.open("A.lean")
    save(editor, uri)
    answer = await editor.suggest("A.lean", 0, 0, goal=STATE)  # answered after the notifications
    assert answer["premises"]
    assert (
        "is not a Lean project" in answer["warnings"][0] and "premise-suggest index" in answer["warnings"][0]
    )
    assert [source["bundled"] for source in answer["index"]["sources"]].count(False) == 0
    assert [message.message for message in editor.client.messages] == []
    said = [one.message for one in editor.client.log_messages if "premise-suggest index" in one.message]
    assert len(said) == 1
    assert editor.progress.empty()
    assert [path.name for path in index.iterdir()] == ["bundled"]
    assert cli("index", tmp_path, PREMISE_SUGGEST_INDEX=str(index)).returncode == 0
    save(editor, uri)  # what the user indexed is kept fresh
    assert (await editor.indexed())[-1]["message"] == f"{1 + core_size[0]:,} premises"
    await stop_editor(editor)


async def test_a_lean_command_that_names_no_program_is_told(
    project: Path, environment: dict[str, str]
) -> None:
    options = {**QUIET, "lean": {"command": "no-such-program"}}
    editor = await start_editor(project, environment, options=options)
    uri = editor.open("Work.lean")
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place_of(editor.text("Work.lean"), "sorry"))
    assert await editor.client.text_document_hover_async(params) is None
    (message,) = editor.client.messages
    assert "no-such-program" in message.message
    await stop_editor(editor)


async def test_fifty_thousand_lines(project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    lines = [f"theorem big{i} (n : Nat) : n + {i} = n + {i} := rfl" for i in range(50_000)]
    lines[20:22] = ["example (a b : Nat) : a + b = b + a := by", "  sorry"]
    uri = editor.open("Large.lean", "\n".join(["import Lib.Numbers", *lines]))
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(22, 3))
    found = await editor.client.text_document_hover_async(params)
    assert found
    assert "Lib.plus_swap" in str(found.contents)
    await stop_editor(editor)


async def test_what_is_no_lean_text_is_refused(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "latin.lean").write_bytes(b"theorem caf\xe9 : True")
    editor = await start_editor(tmp_path, environment, options=QUIET)
    editor.open("notes.txt", "sorry", "plaintext")
    refused = {"notes.txt": "not a Lean file", "latin.lean": "not UTF-8", "Gone.lean": "cannot be read"}
    for name, reason in refused.items():
        with pytest.raises(JsonRpcException, match=reason):
            await editor.suggest(name, 0, 0)
    await stop_editor(editor)


async def test_a_lean_that_is_killed_is_started_anew(project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    editor.open("Work.lean")
    await editor.suggest_at("Work.lean")
    lean = descendants(editor.pid)
    assert lean
    handles = list(watch(lean))
    for pid in lean:
        os.kill(pid, signal.SIGKILL)
    assert all_end(handles, 10)
    answer = await editor.suggest_at("Work.lean", nth=1)
    assert answer["goal"].endswith("⊢ a + b = b + a")
    await stop_editor(editor)


@pytest.mark.parametrize("way", ["shutdown", "end of input", "signal"])
async def test_no_process_is_left(project: Path, environment: dict[str, str], way: str) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    editor.open("Work.lean")
    await editor.suggest_at("Work.lean", tactics=True)
    everyone = [editor.pid, *descendants(editor.pid)]
    assert len(everyone) > 1
    handles = list(watch(everyone))
    server = editor.client._server
    assert server is not None
    if way == "shutdown":
        await editor.client.shutdown_session()
    elif way == "end of input":
        assert server.stdin is not None
        server.stdin.close()
    else:
        server.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(all_end, handles, 20)
    assert await server.wait() == 0
    await editor.client.stop()  # type: ignore[no-untyped-call]


def test_a_client_that_leaves_in_the_middle_of_its_requests_causes_no_message(
    environment: dict[str, str],
) -> None:
    client = RawClient(environment)
    client.shake_hands()
    place = {"textDocument": {"uri": "untitled:a"}, "position": {"line": 0, "character": 0}}
    for number in range(50):
        goal = f"n : ℕ\n⊢ n = {number}"
        client.send(encoded(request(number, "premiseSuggest/suggest", {**place, "goal": goal})))
    client.send(encoded(request(99, "shutdown")))
    client.notify("exit")
    assert client.process.stdout
    client.process.stdout.close()
    _, errors = client.process.communicate(timeout=60)
    assert (client.process.returncode, client.said + errors) == (0, b"")


async def test_it_serves_on_a_port(project: Path, environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [str(SCRIPT), "serve", "--tcp", "0"], stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stderr
    line = await asyncio.to_thread(process.stderr.readline)
    port = re.fullmatch(r"Listening on 127\.0\.0\.1:(\d+)\n", line)
    assert port, line
    client = LanguageClient()
    await client.start_tcp("127.0.0.1", int(port[1]))
    result = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities(), root_uri=project.as_uri())
    )
    assert result.server_info
    assert result.server_info.name == "premise-suggest"
    await client.shutdown_async(None)
    client.exit(None)
    assert await asyncio.to_thread(process.wait, 20) == 0
    process.stderr.close()
    await client.stop()  # type: ignore[no-untyped-call]


async def test_messages_that_are_no_json_are_survived(project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    server = editor.client._server
    assert server is not None
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: 5\r\n\r\n{]{]{")
    editor.open("Work.lean")
    assert premise_names(await editor.suggest("Work.lean", 0, 0, goal=STATE))
    assert editor.client.messages == []  # its sender has an error as the answer
    await stop_editor(editor)
