"""What is not a message: each request over the real wire is answered once, with a code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hostile.raw_client import EDIT, RawClient, encoded, frame, request
from tests.lsp_server.wire import (
    FAILED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHODS,
    NO_METHOD,
    PARSE_ERROR,
    asked,
    code,
)

NO_PLACES = [-1, 2**31, 2**63, 1.5, "3", None, [], {}, True]


@pytest.mark.parametrize("method", METHODS)
def test_positions_that_are_none_are_invalid_parameters(raw_client: RawClient, method: str) -> None:
    for wrong in NO_PLACES:
        for place in ({"line": wrong, "character": 0}, {"line": 0, "character": wrong}, wrong):
            if place is None and method.endswith("search"):
                continue  # there it may be left out
            assert code(raw_client.ask(method, asked(method, place))) == INVALID_PARAMS, (method, place)
    raw_client.check_sane()


@pytest.mark.parametrize("method", METHODS)
def test_documents_that_are_none_are_invalid_parameters(raw_client: RawClient, method: str) -> None:
    good = asked(method, {"line": 0, "character": 0})
    for document in ({"uri": 5}, {"uri": None}, {"uri": []}, {}, [], "uri", 5):
        params = {**good, "textDocument": document}
        assert code(raw_client.ask(method, params)) == INVALID_PARAMS, (method, document)
    for params in ([], [good], "text", 5, True, None):
        assert code(raw_client.ask(method, params)) == INVALID_PARAMS, (method, params)
    raw_client.send(encoded({"jsonrpc": "2.0", "id": "no params", "method": method}))
    assert code(raw_client.answer("no params")) == INVALID_PARAMS
    raw_client.check_sane()


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "file:",
        "http://x/a.lean",
        "file:///\0.lean",
        "file:///%zz%00%ff.lean",
        "file://[",
        "file:///\ud800.lean",
        "file:///" + "a" * 1_000_000,
        "file:///" + "a" * 3000 + ".lean",
        "file:///dev/zero",
        "file:///dev/tty.lean",
    ],
    ids=lambda uri: ascii(uri[:24]),
)
def test_uris_of_nothing_are_answered(raw_client: RawClient, uri: str) -> None:
    for method in METHODS:
        params = {**asked(method, {"line": 0, "character": 0}), "textDocument": {"uri": uri}}
        answer = raw_client.ask(method, params)
        assert ("result" in answer) or code(answer) == FAILED
    raw_client.check_sane()


@pytest.mark.parametrize("command", ["", "no-such", "x" * 1_000_000, "\ud800", None, 5])
def test_commands_of_nothing_are_invalid_parameters(raw_client: RawClient, command: Any) -> None:
    assert code(raw_client.ask("workspace/executeCommand", {"command": command})) == INVALID_PARAMS


@pytest.mark.parametrize("arguments", [5, [5], [[]], [{"uri": 1}], [{"textDocument": {"uri": 5}}]])
def test_arguments_of_commands_are_checked(raw_client: RawClient, arguments: Any) -> None:
    params = {"command": "premise-suggest.suggest", "arguments": arguments}
    assert code(raw_client.ask("workspace/executeCommand", params)) == INVALID_PARAMS


@pytest.mark.parametrize(
    "method",
    [
        "",
        "no/such",
        "$/no",
        "\ud800",
        "x" * 1_000_000,
        "codeAction/resolve",
        "completionItem/resolve",
        "exit",
        "textDocument/didOpen",
        "$/cancelRequest",
        "window/showMessage",
        "notebookDocument/didOpen",
    ],
    ids=lambda method: ascii(method[:24]),
)
def test_requests_that_we_do_not_know_are_told_so(raw_client: RawClient, method: str) -> None:
    assert code(raw_client.ask(method, {"data": {"tactic": 5}})) == NO_METHOD
    raw_client.check_sane()


@pytest.mark.parametrize(
    "id", [1.5, 1.0, None, [], {}, True, 2**63, 10**30, "x" * 1_000_000], ids=lambda id: ascii(id)[:24]
)
def test_ids_that_are_none_are_invalid_requests(raw_client: RawClient, id: Any) -> None:
    raw_client.send(encoded(request(id, "premiseSuggest/edits", EDIT)))
    assert code(raw_client.answer(None)) == INVALID_REQUEST
    raw_client.check_sane()


@pytest.mark.parametrize(
    "id", [0, -1, 2**31, 2**53, "", "\ud800", "☃", "x" * 1000], ids=lambda id: ascii(id)[:24]
)
def test_ids_come_back_as_they_were(raw_client: RawClient, id: Any) -> None:
    assert raw_client.ask("premiseSuggest/edits", {}, id=id)["id"] == id


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"{", PARSE_ERROR),
        (b"", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b'"\xed\xa0\x80"', PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"method":"shutdown","params":NaN}', PARSE_ERROR),
        (b"1" * 10_000, PARSE_ERROR),
        (b"[" * 1_000_000, PARSE_ERROR),
        (b'{"a":' * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (json.dumps([request(1, "shutdown")]).encode(), INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b"5", INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc":"2.0"}', INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","method":"initialized"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":["exit"]}', INVALID_REQUEST),
    ],
    ids=lambda value: ascii(value[:30]) if isinstance(value, bytes) else "",
)
def test_bodies_that_are_no_message_are_told_so(raw_client: RawClient, body: bytes, expected: int) -> None:
    raw_client.send(frame(body))
    assert code(raw_client.answer(None)) == expected
    raw_client.check_sane()


def test_a_bad_request_is_answered_under_its_id(raw_client: RawClient) -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    raw_client.send(encoded({"jsonrpc": "1.0", "id": "old", "method": "premiseSuggest/edits"}))
    raw_client.send(encoded({"jsonrpc": "2.0", "id": "odd", "method": 5}))
    raw_client.send(encoded(request("deep", "premiseSuggest/edits", {"insert": deep})))
    raw_client.send(encoded({"jsonrpc": "2.0", "id": "none"}))
    assert [code(raw_client.answer(id)) for id in ("old", "odd", "deep", "none")] == [INVALID_REQUEST] * 4


@pytest.mark.parametrize(
    "message",
    [
        {"id": "nobody's", "result": 5},
        {"id": None, "error": {"code": -32700, "message": "?"}},
        {"id": [], "result": 5},
        {"id": 1, "error": "?"},
        {"method": "$/no", "params": 5},
        {"method": "no/such", "params": [[]]},
        {"method": "premiseSuggest/suggest", "params": {}},
        {"method": "$/cancelRequest", "params": {"id": "no such"}},
        {"method": "$/cancelRequest", "params": {"id": [1]}},
        {"method": "$/cancelRequest", "params": {"id": True}},
        {"method": "$/cancelRequest", "params": 5},
        {"method": "$/cancelRequest"},
        {"method": "$/setTrace", "params": {"value": "loud"}},
        {"method": "window/workDoneProgress/cancel", "params": {"token": "no such"}},
        {"method": "window/workDoneProgress/cancel", "params": {"token": [1]}},
        {"method": "workspace/didChangeConfiguration", "params": {"settings": [5]}},
        {"method": "workspace/didChangeWorkspaceFolders", "params": {"event": {"added": 5}}},
        {"method": "textDocument/didSave", "params": {"textDocument": {"uri": "file://["}}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///never.lean"}}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": 5}}},
        {"method": "initialized", "params": 5},
    ],
    ids=lambda message: ascii(str(message)[1:60]),
)
def test_what_asks_for_nothing_gets_no_answer(raw_client: RawClient, message: dict[str, Any]) -> None:
    raw_client.send(encoded({"jsonrpc": "2.0", **message}))
    raw_client.check_sane()
    assert [other for other in raw_client.others if "method" not in other] == []


def test_lone_surrogates_go_through(raw_client: RawClient) -> None:
    raw_client.open("untitled:\ud800", "theorem \ud800 : True := by\n  \n")
    edit = {**EDIT, "textDocument": {"uri": "untitled:\ud800"}, "insert": "exact \udfff"}
    (answer,) = raw_client.ask("premiseSuggest/edits", edit, id="\udbff")["result"]["edits"]
    assert answer["newText"] == "exact \ufffd"
    found = raw_client.ask("premiseSuggest/search", {"query": "\ud800 swap", "modules": ["\udc00"]})
    assert found["result"]["premises"] == []
