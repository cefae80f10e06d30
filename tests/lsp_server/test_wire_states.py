"""Requests out of their time, twice, cancelled, too many: each is answered once all the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hostile.raw_client import EDIT, HOLDS_SETTINGS, RawClient, encoded, request
from tests.lsp_server.wire import (
    CANCELLED,
    FAILED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    NOT_INITIALIZED,
    asked,
    code,
)


def test_what_comes_before_initialize_waits_for_nobody(own_client: RawClient) -> None:
    own_client.open("untitled:early", "x")
    assert code(own_client.ask("textDocument/hover", asked("", {}))) == NOT_INITIALIZED
    assert code(own_client.ask("no/such")) == NOT_INITIALIZED
    assert code(own_client.ask("shutdown")) == NOT_INITIALIZED
    for params in (None, [], {}, {"capabilities": 5}, {"capabilities": {}, "processId": "x", "rootUri": 5}):
        assert code(own_client.ask("initialize", params)) == INVALID_PARAMS
    bad = {"capabilities": {}, "processId": None, "rootUri": "file://["}
    assert code(own_client.ask("initialize", bad)) == INVALID_PARAMS
    own_client.shake_hands()
    assert code(own_client.ask("initialize", {**bad, "rootUri": None})) == INVALID_REQUEST
    edit = {**EDIT, "textDocument": {"uri": "untitled:early"}}
    assert code(own_client.ask("premiseSuggest/edits", edit)) == FAILED  # it was dropped
    own_client.check_sane()
    own_client.notify("exit")
    assert own_client.wait() == 1
    assert own_client.said == b""


def test_after_shutdown_there_is_nothing_but_the_end(own_client: RawClient) -> None:
    own_client.shake_hands()
    together = [
        encoded(request(id, method)) for id, method in ((1, "shutdown"), (2, "shutdown"), (3, "no/such"))
    ]
    own_client.send(b"".join(together))
    assert own_client.answer(1)["result"] is None
    assert [code(own_client.answer(id)) for id in (2, 3)] == [INVALID_REQUEST] * 2
    own_client.open("untitled:late", "x")
    assert code(own_client.ask("premiseSuggest/edits", EDIT)) == INVALID_REQUEST
    own_client.notify("exit")
    assert own_client.wait() == 0
    assert own_client.said == b""


def test_exit_needs_no_initialize(own_client: RawClient) -> None:
    own_client.notify("exit", 5)
    own_client.notify("exit")
    assert own_client.wait() == 1


@pytest.fixture
def held_client(own_client: RawClient) -> RawClient:
    """A server that has asked for its settings: until it is answered, requests wait."""
    own_client.shake_hands(capabilities=HOLDS_SETTINGS)
    return own_client


def settle(client: RawClient, answer: Any = None) -> None:
    """Answer what the server asks, with no settings or with something else."""
    asked = client.message(lambda one: one.get("method") == "workspace/configuration", "the question")
    client.send(encoded({"jsonrpc": "2.0", "id": asked["id"], **(answer or {"result": [None]})}))


def test_an_id_that_waits_is_not_taken_again(held_client: RawClient) -> None:
    held_client.open("untitled:sane", "theorem sane : True := by\n  \n")
    held_client.send(encoded(request(7, "premiseSuggest/edits", EDIT)) * 2)
    held_client.send(encoded(request("7", "premiseSuggest/edits", EDIT)))
    assert code(held_client.answer(7)) == INVALID_REQUEST
    held_client.send(encoded({"jsonrpc": "2.0", "id": 7, "result": "a lie"}))
    settle(held_client)
    assert held_client.answer(7)["result"]["version"] == 1
    assert held_client.answer("7")["result"]["version"] == 1
    assert held_client.ask("premiseSuggest/edits", EDIT, id=7)["result"]


def test_what_waits_is_answered_when_it_is_cancelled_or_the_server_ends(held_client: RawClient) -> None:
    held_client.send(b"".join(encoded(request(id, "premiseSuggest/edits", EDIT)) for id in (1, 2, "1")))
    held_client.notify("$/cancelRequest", {"id": 1})
    assert code(held_client.answer(1)) == CANCELLED
    shutdown = held_client.ask("shutdown")
    assert shutdown["result"] is None
    assert [code(held_client.answer(id)) for id in (2, "1")] == [CANCELLED] * 2
    held_client.notify("exit")
    assert held_client.wait() == 0


def test_answers_that_cannot_be_read_are_none(held_client: RawClient) -> None:
    for answer in ({"result": 5}, {"error": "?"}, {"error": {"code": "x", "message": 5}}, {"result": {}}):
        settle(held_client, answer)
        held_client.check_sane()
        held_client.notify("workspace/didChangeConfiguration", {"settings": None})  # it asks again


def test_a_flood_is_answered(held_client: RawClient) -> None:
    held_client.open("untitled:sane", "theorem sane : True := by\n  \n")
    held_client.send(b"".join(encoded(request(id, "premiseSuggest/edits", EDIT)) for id in range(10_000)))
    settle(held_client)
    answers = [held_client.message(lambda one: "method" not in one, "an answer") for _ in range(10_000)]
    assert sorted(answer["id"] for answer in answers) == list(range(10_000))
    refused = [answer for answer in answers if "result" not in answer]
    assert {code(answer) for answer in refused} == {FAILED}  # which they are depends on the machine
    assert held_client.ask("premiseSuggest/edits", EDIT)["result"]
