"""The lenses, and the command of `Try tactics`, in a real server with a real Lean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.conftest import QUIET, place_of
from tests.lsp_server.wire import CANCELLED, FAILED, INVALID_PARAMS, code

COMMAND = "premise-suggest.close"
CLIENT = {
    "textDocument": {"codeLens": {}},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
    "window": {"workDoneProgress": True},
}
TEXT = """import Lib.Numbers

/-- 𝕜 sorry -/
@[simp] theorem first (a b : Nat) : a + b = b + a := by
  sorry

theorem second (p : Nat → Prop) (𝕜 : ∃ n, p n) : ∃ n, p (n + 0) ∧ ∃ m, p (m * 2) :=
  /- sorry -/ sorry

theorem proved : True := trivial

example : True ∧ True := by
  constructor
  · sorry
  · sorry
"""


def opened(client: RawClient, project: Path, capabilities: Any, text: str = TEXT, **settings: Any) -> str:
    """The URI of a document that this client has opened."""
    client.shake_hands(project, capabilities, {**QUIET, **settings})
    uri = (project / "Lenses.lean").as_uri()
    client.open(uri, text, 7)
    return uri


def lenses(client: RawClient, uri: str) -> Any:
    return client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]


def at(uri: str, text: str, mark: str, nth: int = 0) -> dict[str, Any]:
    """The parameters of the command at a `sorry`."""
    place = place_of(text, mark, nth)
    where = {"line": place.line, "character": place.character}
    return {"command": COMMAND, "arguments": [{"textDocument": {"uri": uri}, "position": where}]}


def called(client: RawClient, method: str, result: Any) -> Any:
    """Wait for a request of the server, and answer it; its parameters."""
    found = client.message(lambda message: message.get("method") == method, method)
    client.send(encoded({"jsonrpc": "2.0", "id": found["id"], "result": result}))
    return found.get("params")


def shown(client: RawClient) -> str:
    """The next message to the user."""
    found = client.message(lambda message: message.get("method") == "window/showMessage", "a message")
    return str(found["params"]["message"])


def test_each_declaration_with_a_sorry_has_a_lens(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT, prove={"seconds": 20})
    found = lenses(client, uri)
    search = "Search for a proof (20 s)"
    assert [(one["range"]["start"]["line"], one["command"]["title"]) for one in found] == [
        (3, "Try tactics"),
        (3, search),
        (6, "Try tactics"),
        (6, search),
        (11, "Try tactics at the first of 2 sorrys"),
        (11, search),
    ]
    assert [one["command"]["command"] for one in found] == [COMMAND, "premise-suggest.prove"] * 3
    arguments = [one["command"]["arguments"] for one in found]
    assert arguments[::2] == arguments[1::2]
    places = [one["position"] for (one,) in arguments[::2]]
    assert places == [
        {"line": 4, "character": 2},
        {"line": 7, "character": 14},
        {"line": 13, "character": 4},
    ]
    change = {"range": {"start": places[0], "end": {"line": 4, "character": 7}}, "text": "simp"}
    client.change(uri, [change], 8)
    assert [one["range"]["start"]["line"] for one in lenses(client, uri)] == [6, 6, 11, 11]
    client.change(uri, [{"text": "sorry\n" * 5000}], 9)
    assert len(lenses(client, uri)) == 2
    assert lenses(client, "untitled:none") is None


def test_lenses_are_drawn_anew_when_settings_change(client: RawClient, project: Path) -> None:
    refreshes = {**CLIENT, "workspace": {"codeLens": {"refreshSupport": True}}}
    uri = opened(client, project, refreshes)
    settings = {"premiseSuggest": {**QUIET, "codeLens": {"enabled": False}}}
    client.notify("workspace/didChangeConfiguration", {"settings": settings})
    called(client, "workspace/codeLens/refresh", None)
    assert lenses(client, uri) is None


@pytest.mark.parametrize("settings", [{"codeLens": {"enabled": False}}, {"tactics": {"enabled": False}}])
def test_lenses_are_off_by_a_setting(client: RawClient, project: Path, settings: Any) -> None:
    assert lenses(client, opened(client, project, CLIENT, **settings)) is None


@pytest.mark.parametrize(("capabilities", "is_announced"), [(CLIENT, True), ({}, False)])
def test_only_a_client_that_shows_lenses_has_them_announced(
    client: RawClient, capabilities: Any, is_announced: bool
) -> None:
    can = client.shake_hands(None, capabilities)["capabilities"]
    assert ("codeLensProvider" in can) == is_announced
    assert COMMAND in can["executeCommandProvider"]["commands"]


@pytest.mark.lean
def test_the_command_inserts_what_closes_the_goal(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT)
    client.send(encoded(request("close", "workspace/executeCommand", at(uri, TEXT, "sorry", 1))))
    bar = called(client, "window/workDoneProgress/create", None)["token"]
    given = called(client, "workspace/applyEdit", {"applied": True})
    answer = client.answer("close")["result"]
    assert answer["applied"] is True
    assert answer["tactic"]["status"] == "closes"
    assert given["label"] == answer["tactic"]["tactic"]
    (change,) = given["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    (edit,) = change["edits"]
    assert edit["range"] == {"start": {"line": 4, "character": 2}, "end": {"line": 4, "character": 7}}
    assert edit["newText"] == answer["tactic"]["edit"]["text"]
    steps = [one["params"]["value"]["kind"] for one in client.others if one.get("method") == "$/progress"]
    assert (steps[0], steps[-1]) == ("begin", "end")
    assert all(one["params"]["token"] == bar for one in client.others if one.get("method") == "$/progress")


@pytest.mark.lean
def test_where_nothing_closes_the_best_step_is_shown(client: RawClient, project: Path) -> None:
    uri = opened(client, project, {**CLIENT, "window": {}})
    answer = client.ask("workspace/executeCommand", at(uri, TEXT, "sorry", 3))["result"]
    assert answer["applied"] is False
    assert answer["tactic"]["status"] == "progress"
    message = shown(client)
    assert "Nothing closes the goal. Best step: `" in message
    assert "leaves " in message


@pytest.mark.lean
@pytest.mark.parametrize(
    ("capabilities", "result", "said"),
    [
        ({}, None, "closes the goal. This editor lets no server insert it."),
        (
            CLIENT,
            {"applied": False, "failureReason": "It is read-only"},
            "did not insert it: It is read-only.",
        ),
        (CLIENT, {"applied": False}, "did not insert it: it gives no reason."),
    ],
)
def test_an_editor_that_does_not_insert_shows_the_tactic(
    client: RawClient, project: Path, capabilities: Any, result: Any, said: str
) -> None:
    uri = opened(client, project, {**capabilities, "window": {}})
    client.send(encoded(request("close", "workspace/executeCommand", at(uri, TEXT, "sorry", 1))))
    if result is not None:
        called(client, "workspace/applyEdit", result)
    assert client.answer("close")["result"]["applied"] is False
    assert said in shown(client)


@pytest.mark.lean
def test_the_bar_and_the_request_can_be_cancelled(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT)
    params = at(uri, TEXT, "sorry", 3)
    client.send(encoded(request("bar", "workspace/executeCommand", params)))  # Lean starts for it
    token = called(client, "window/workDoneProgress/create", None)["token"]
    client.message(lambda message: message.get("method") == "$/progress", "the bar")
    client.notify("window/workDoneProgress/cancel", {"token": token})
    assert client.answer("bar")["result"] == {"applied": False, "tactic": None}
    client.send(encoded(request("request", "workspace/executeCommand", params)))
    called(client, "window/workDoneProgress/create", None)
    client.notify("$/cancelRequest", {"id": "request"})
    assert code(client.answer("request")) == CANCELLED


@pytest.mark.lean
def test_a_document_that_changed_meanwhile_is_left_as_it_is(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT)
    client.send(encoded(request("close", "workspace/executeCommand", at(uri, TEXT, "sorry", 1))))
    called(client, "window/workDoneProgress/create", None)
    client.change(uri, [{"text": "\n" + TEXT}], 8)
    assert client.answer("close")["result"]["applied"] is False
    assert "the document has changed in the meantime. Try again." in shown(client)


@pytest.mark.lean
def test_where_there_is_no_goal_the_command_fails(client: RawClient, project: Path) -> None:
    uri = opened(client, project, {"textDocument": {"codeLens": {}}})
    answer = client.ask("workspace/executeCommand", at(uri, TEXT, "import"))
    assert code(answer) == FAILED
    assert answer["error"]["data"]["kind"] == "NoGoalHere"
    for wrong in ([], [5], [{"textDocument": {"uri": uri}}], [{**at(uri, TEXT, "import"), "x": 1}]):
        answer = client.ask("workspace/executeCommand", {"command": COMMAND, "arguments": wrong})
        assert code(answer) == INVALID_PARAMS
