"""The search for a proof over LSP: the request, the command, the quick fix, in a real server with a real Lean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.conftest import place_of
from tests.lsp_server.test_code_lens import CLIENT, called, opened, shown
from tests.lsp_server.wire import CANCELLED, CONTENT_MODIFIED, FAILED, INVALID_PARAMS, code

pytestmark = pytest.mark.lean

REQUEST, COMMAND = "premiseSuggest/prove", "premise-suggest.prove"
TEXT = """import Lib.Numbers

theorem steps (f : Nat → Nat) (h : ∀ n, f (n + 1) = f n) (n : Nat) : f n = f 0 := by
  sorry

theorem hard (n : Nat) : ∃ m, n < m ∧ ∀ k, 1 < k → k < m → m % k ≠ 0 := by
  sorry

theorem easy : True := by
  sorry

theorem both (n : Nat) : n + 0 = n ∧ ∃ m, n < m ∧ ∀ k, 1 < k → k < m → m % k ≠ 0 := by
  sorry
"""
STEPS, HARD, EASY, BOTH = range(4)


def at(uri: str, nth: int, **more: Any) -> dict[str, Any]:
    """The parameters of the request at a `sorry`."""
    place = place_of(TEXT, "sorry", nth)
    position = {"line": place.line, "character": place.character}
    return {"textDocument": {"uri": uri}, "position": position, **more}


def progress(client: RawClient, token: str) -> Any:
    """The next value under a token."""
    found = client.message(
        lambda one: one.get("method") == "$/progress" and one["params"]["token"] == token, "progress"
    )
    return found["params"]["value"]


def call(uri: str, nth: int, **more: Any) -> dict[str, Any]:
    """The parameters that run the command at a `sorry`."""
    return {"command": COMMAND, "arguments": [at(uri, nth, **more)]}


def test_a_goal_of_two_steps_is_proved_with_progress(client: RawClient, project: Path) -> None:
    uri = opened(client, project, {}, TEXT)
    params = at(uri, STEPS, version=7, workDoneToken="bar", partialResultToken="part", seconds=60)
    client.send(encoded(request("prove", REQUEST, params)))
    assert progress(client, "bar") == {
        "kind": "begin",
        "title": "Searching for a proof",
        "cancellable": True,
        "percentage": 0,
    }
    assert progress(client, "bar")["message"] == "Lean is starting"
    part = progress(client, "part")
    assert (part["limit"], part["goals"]) == (60, 1)
    messages = iter(lambda: progress(client, "bar")["message"], None)
    searching = next(one for one in messages if not one.startswith("Lean has elaborated"))
    assert " s of 60 s, " in searching
    answer = client.answer("prove")["result"]
    assert answer["status"] == "proved"
    (edit,) = answer["edits"]
    assert (edit["line"], edit["column"], edit["end_line"], edit["end_column"]) == (4, 3, 4, 8)
    assert edit["text"].startswith("induction n")


def test_what_is_stopped_cancelled_or_overtaken_ends_soon(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT, TEXT)
    params = at(uri, HARD, seconds=600, workDoneToken="bar", partialResultToken="part")
    client.send(encoded(request("stopped", REQUEST, params)))
    progress(client, "part")
    client.notify("window/workDoneProgress/cancel", {"token": "bar"})
    answer = client.answer("stopped")["result"]
    assert (answer["status"], answer["edits"]) == ("stopped", [])
    client.others.clear()
    client.send(encoded(request("cancelled", REQUEST, params)))
    progress(client, "part")
    client.notify("$/cancelRequest", {"id": "cancelled"})
    assert code(client.answer("cancelled")) == CANCELLED
    client.others.clear()
    client.send(encoded(request("changed", REQUEST, params)))
    progress(client, "part")
    client.change(uri, [{"text": f"{TEXT}\n"}], 8)
    assert code(client.answer("changed")) == CONTENT_MODIFIED
    assert code(client.ask(REQUEST, at(uri, STEPS, version=7))) == CONTENT_MODIFIED


def test_the_command_has_the_editor_insert_a_proof(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT, TEXT)
    client.send(encoded(request("prove", "workspace/executeCommand", call(uri, STEPS, seconds=60))))
    bar = called(client, "window/workDoneProgress/create", None)["token"]
    given = called(client, "workspace/applyEdit", {"applied": True})
    answer = client.answer("prove")["result"]
    assert (answer["applied"], answer["proof"]["status"], given["label"]) == (True, "proved", "Proof")
    (change,) = given["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    assert [edit["newText"] for edit in change["edits"]] == [answer["proof"]["edits"][0]["text"]]
    assert progress(client, bar)["kind"] == "begin"
    # Its bar stops a search; what was found by then is reported.
    client.others.clear()
    client.send(encoded(request("stopped", "workspace/executeCommand", call(uri, HARD, seconds=600))))
    bar = called(client, "window/workDoneProgress/create", None)["token"]
    progress(client, bar)
    client.notify("window/workDoneProgress/cancel", {"token": bar})
    assert client.answer("stopped")["result"]["applied"] is False
    assert "Stopped." in shown(client)
    # Nothing is written into a text that has changed.
    client.send(encoded(request("changed", "workspace/executeCommand", call(uri, STEPS, seconds=60))))
    called(client, "window/workDoneProgress/create", None)
    client.change(uri, [{"text": f"{TEXT}\n"}], 8)
    assert client.answer("changed")["result"]["applied"] is False
    assert "The document has changed during the search" in shown(client)


def test_a_partial_proof_is_inserted_if_the_user_wants_it(client: RawClient, project: Path) -> None:
    uri = opened(client, project, {**CLIENT, "window": {"showMessage": {}}}, TEXT)
    client.send(encoded(request("prove", "workspace/executeCommand", call(uri, BOTH, seconds=5))))
    offer = client.message(lambda one: one.get("method") == "window/showMessageRequest", "the offer")
    assert offer["params"]["message"].startswith("Proved 1 of 2 goals.")
    assert [one["title"] for one in offer["params"]["actions"]] == ["Insert", "Discard"]
    client.send(encoded({"jsonrpc": "2.0", "id": offer["id"], "result": {"title": "Insert"}}))
    given = called(client, "workspace/applyEdit", {"applied": True})
    assert "sorry" in given["edit"]["documentChanges"][0]["edits"][0]["newText"]
    assert client.answer("prove")["result"]["applied"] is True


def test_a_client_without_capabilities_is_shown_the_proof(client: RawClient, project: Path) -> None:
    uri = opened(client, project, {}, TEXT, prove={"seconds": 60})
    answer = client.ask("workspace/executeCommand", call(uri, STEPS))["result"]
    assert (answer["applied"], answer["proof"]["status"]) == (False, "proved")
    assert "proves the goal. This editor lets no server insert it." in shown(client)
    assert not [one for one in client.others if "id" in one]


def test_what_cannot_be_searched_is_refused(client: RawClient, project: Path) -> None:
    uri = opened(client, project, {}, TEXT)
    nowhere = {**at(uri, STEPS), "position": {"line": 0, "character": 0}}
    refused = client.ask(REQUEST, nowhere)
    assert code(refused) == FAILED
    assert refused["error"]["data"]["kind"] == "NoGoalHere"
    for wrong in ({"seconds": 0}, {"seconds": 601}, {"seconds": "5"}, {"check": 1}, {"else": 1}):
        assert code(client.ask(REQUEST, at(uri, STEPS, **wrong))) == INVALID_PARAMS


def test_a_quick_fix_searches_where_nothing_closes_the_goal(client: RawClient, project: Path) -> None:
    uri = opened(client, project, CLIENT, TEXT)

    def last(nth: int) -> Any:
        place = at(uri, nth)["position"]
        params = {
            "textDocument": {"uri": uri},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": []},
        }
        return client.ask("textDocument/codeAction", params)["result"][-1]

    assert last(EASY)["title"].startswith("Try this: ")
    found = last(HARD)
    assert (found["title"], found["kind"]) == ("Search for a proof (10 s)", "quickfix")
    assert found["command"]["command"] == COMMAND
    assert found["command"]["arguments"] == [at(uri, HARD)]
