"""Documents as the editor has them, whatever it says of them; edits are for the text they were made from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from lean_extract.limits import MAX_SOURCE_BYTES
from lsp_server.documents.open_documents import OpenDocuments
from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.conftest import place_of
from tests.lsp_server.wire import CONTENT_MODIFIED, FAILED, code

TEXT = "theorem 𝕜 : True := by\n  \n"
URI = "file:///no/such/folder/Open.lean"
TRIED = {
    "textDocument": {"uri": URI},
    "position": {"line": 1, "character": 2},
    "insert": "rfl",
    "as": "tactic",
}


def ranged(*numbers: Any, text: str = "x") -> dict[str, Any]:
    line, character, end, last = numbers
    start = {"line": line, "character": character}
    return {"range": {"start": start, "end": {"line": end, "character": last}}, "text": text}


def sent(client: RawClient) -> dict[str, Any]:
    """The answer to an edit in the document, which is in the text that the server has."""
    return client.ask("premiseSuggest/edits", TRIED)


@pytest.mark.parametrize(
    "changes",
    [
        [ranged(-1, 0, 0, 0)],
        [ranged(0, 2**40, 0, 0)],
        [{"text": TEXT}, ranged(0, -1, 0, 1)],
        [{**ranged(0, 0, 0, 1), "text": 5}],
        [{"text": 5}],
        [{}],
        [5],
        5,
        None,
    ],
    ids=str,
)
def test_a_change_that_cannot_be_read_makes_the_text_unknown_until_it_comes_whole(
    raw_client: RawClient, changes: Any
) -> None:
    raw_client.open(URI, TEXT)
    assert sent(raw_client)["result"]["version"] == 1
    raw_client.change(URI, changes, 2)
    answer = sent(raw_client)
    assert code(answer) == FAILED
    assert answer["error"]["data"] == {"hint": "Close it and open it again.", "kind": "BadSource"}
    raw_client.change(URI, [ranged(0, 0, 0, 1), {"text": TEXT}], 3)
    assert sent(raw_client)["result"]["version"] == 3
    raw_client.check_sane()


def sorries(client: RawClient, uri: str) -> Any:
    return client.ask("premiseSuggest/sorries", {"textDocument": {"uri": uri}})["result"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_typed_in_parts_is_the_text_sent_whole(raw_client: RawClient, end: str) -> None:
    lines = ["theorem 𝕜 : True := by", "  sorry", "", "theorem u : 𝕜𝕜 = 𝕜 := by sorry", ""]
    raw_client.open(URI, end.join(["theorem x : True := ", ""]))
    changes = [
        [ranged(0, 2**31 - 1, 0, 2**31 - 1, text="by" + end + "  sorr")],
        [ranged(1, 6, 1, 6, text="y"), ranged(0, 8, 0, 9, text="𝕜")],
        [ranged(99, 0, 100, 0, text=end + "theorem u : 𝕜𝕜 = x := by sorry" + end)],
        [ranged(3, 20, 3, 19, text="𝕜")],  # its end before its start
    ]
    for version, change in enumerate(changes, 2):
        raw_client.change(URI, change, version)
    found = sorries(raw_client, URI)
    raw_client.change(URI, [{"text": end.join(lines)}], 9)
    assert found == sorries(raw_client, URI)
    assert [(one["line"], one["declaration"]) for one in found["sorries"]] == [(2, "𝕜"), (4, "u")]


def test_too_many_changes_of_a_large_text_are_reported(raw_client: RawClient) -> None:
    raw_client.open(URI, "\n" * 2_000_000)
    raw_client.change(URI, [ranged(0, 0, 0, 0)] * 2000, 2)
    assert "in too many places at once" in sent(raw_client)["error"]["message"]
    raw_client.change(URI, [{"text": TEXT}], 3)
    assert sent(raw_client)["result"]["version"] == 3


def test_versions_may_go_as_they_like_and_open_twice_is_open(raw_client: RawClient) -> None:
    raw_client.open(URI, "a", 7)
    raw_client.open(URI, TEXT, 5)
    assert sent(raw_client)["result"]["version"] == 5
    raw_client.change(URI, [{"text": TEXT + "\n"}], 3)
    assert sent(raw_client)["result"]["version"] == 3
    raw_client.change(URI, [], 4)
    assert sent(raw_client)["result"]["version"] == 4
    raw_client.change(URI, [{"text": TEXT}], "five")
    assert code(sent(raw_client)) == FAILED
    raw_client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert "cannot be read" in sent(raw_client)["error"]["message"]  # from the disk, where it is not


def test_what_was_not_opened_is_told_when_it_is_changed(raw_client: RawClient) -> None:
    raw_client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    raw_client.change(URI, [{"text": TEXT}])
    assert "was changed but not opened" in sent(raw_client)["error"]["message"]
    raw_client.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "text": TEXT, "version": 1}})
    assert "a message that cannot be read" in sent(raw_client)["error"]["message"]
    raw_client.open(URI, TEXT)
    assert sent(raw_client)["result"]["edits"]


def test_a_text_of_twenty_megabytes_is_told_and_not_read(raw_client: RawClient) -> None:
    raw_client.open(URI, TEXT * 800_000)
    answer = sent(raw_client)
    assert "is larger than 4 MiB, so it is not read" in answer["error"]["message"]
    assert raw_client.ask("textDocument/hover", TRIED)["result"] is None
    raw_client.change(URI, [{"text": TEXT}], 2)
    assert sent(raw_client)["result"]["version"] == 2


def test_a_thousand_changes(raw_client: RawClient) -> None:
    raw_client.open(URI, TEXT)
    for version in range(2, 1002):
        raw_client.change(URI, [{"text": "\n" * (version % 7) + TEXT}], version)
    raw_client.change(URI, [{"text": TEXT}], 1002)
    assert sent(raw_client)["result"]["version"] == 1002


def test_what_lies_on_disk_is_read_as_far_as_it_is_a_file(raw_client: RawClient, tmp_path: Path) -> None:
    (tmp_path / "Large.lean").write_text(TEXT * 300_000, encoding="utf-8")
    (tmp_path / "Small.lean").write_text(TEXT, encoding="utf-8")
    (tmp_path / "Endless.lean").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "Fifo.lean")
    for name, said in (("Large", "larger than 4 MiB"), ("Endless", "regular file"), ("Fifo", "regular file")):
        params = {**TRIED, "textDocument": {"uri": (tmp_path / f"{name}.lean").as_uri()}}
        assert said in raw_client.ask("premiseSuggest/edits", params)["error"]["message"]
    params = {**TRIED, "textDocument": {"uri": (tmp_path / "Small.lean").as_uri()}}
    assert raw_client.ask("premiseSuggest/edits", params)["result"]["version"] is None


def item(name: str, text: str) -> types.TextDocumentItem:
    return types.TextDocumentItem(f"file:///{name}", "lean4", 1, text)


def changed(name: str, text: str) -> types.DidChangeTextDocumentParams:
    which = types.VersionedTextDocumentIdentifier(uri=f"file:///{name}", version=2)
    return types.DidChangeTextDocumentParams(which, [types.TextDocumentContentChangeWholeDocument(text)])


PLACES = st.builds(types.Position, st.integers(0, 6), st.integers(0, 9))
TEXTS = st.text(st.sampled_from("ab𝕜\n\r\ufffd"), max_size=12)
PARTS = st.builds(
    types.TextDocumentContentChangePartial, range=st.builds(types.Range, PLACES, PLACES), text=TEXTS
)


def unit_offset(units: bytes, place: types.Position) -> int:
    """Where a position is in a text in UTF-16, in bytes."""
    ends = [match.span() for match in re.finditer("\r\n|\n|\r", units.decode("utf-16-le", "replace"))]
    text = units.decode("utf-16-le", "replace")
    starts = [0, *(end for _, end in ends)]
    if place.line >= len(starts):
        return len(units)
    stops = [*(start for start, _ in ends), len(text)]
    start, stop = (
        len(text[:offset].encode("utf-16-le")) for offset in (starts[place.line], stops[place.line])
    )
    return min(start + 2 * place.character, stop)


@given(TEXTS, st.lists(PARTS, max_size=6))
def test_parts_change_a_text_as_utf16_units(
    text: str, parts: list[types.TextDocumentContentChangePartial]
) -> None:
    documents = OpenDocuments()
    documents.open(item("a", text))
    which = types.VersionedTextDocumentIdentifier(uri="file:///a", version=2)
    held = documents.change(types.DidChangeTextDocumentParams(which, parts))
    units = text.encode("utf-16-le")
    for part in parts:
        low, high = sorted(unit_offset(units, place) for place in (part.range.start, part.range.end))
        units = units[:low] + part.text.encode("utf-16-le") + units[high:]
        units = units.decode("utf-16-le", "replace").encode("utf-16-le")
    assert held.text == units.decode("utf-16-le")
    assert (held.version, held.fault) == (2, "")


WAYS = st.sampled_from(["open", "change", "close", "spoil"])


@given(st.lists(st.tuples(WAYS, st.sampled_from("abc"), st.text(max_size=9))))
def test_no_more_is_held_than_the_limit_and_nothing_of_what_is_closed(
    acts: list[tuple[str, str, str]],
) -> None:
    documents = OpenDocuments(max_held=12)
    for way, name, text in acts:
        before = documents.get(f"file:///{name}")
        if way == "open":
            held = documents.open(item(name, text))
        elif way == "change":
            held = documents.change(changed(name, text))
        elif way == "spoil":
            held = documents.spoil(f"file:///{name}", "is not known")
        else:
            documents.close(f"file:///{name}")
            assert documents.get(f"file:///{name}") is None
            continue
        assert documents.get(f"file:///{name}") is held
        assert held.text == ("" if held.fault else text)
        assert way != "change" or before is not None or held.fault
        assert sum(len(one.text) for one in documents) <= 12
    for name in "abc":
        documents.close(f"file:///{name}")
    assert not documents.open(item("d", "x" * 12)).fault
    assert documents.open(item("e", "x")).fault


def test_the_limit_is_of_bytes() -> None:
    documents = OpenDocuments()
    assert not documents.open(item("a", "x" * MAX_SOURCE_BYTES)).fault
    assert documents.open(item("a", "x" * (MAX_SOURCE_BYTES + 1))).fault
    assert documents.open(item("a", "𝕜" * (MAX_SOURCE_BYTES // 4 + 1))).fault


@pytest.fixture
def lean_client(environment: dict[str, str]) -> Iterator[RawClient]:
    client = RawClient(environment)
    yield client
    client.close()
    client.check_quiet()


def fixes(client: RawClient, project: Path) -> dict[str, Any]:
    """A request for quick fixes at the first `sorry` of an open document."""
    path = project / "Work.lean"
    text = path.read_text(encoding="utf-8")
    client.open(path.as_uri(), text, 41)
    spot = place_of(text, "sorry")
    place = {"line": spot.line, "character": spot.character}
    params = {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    return {**params, "textDocument": {"uri": path.as_uri()}}


@pytest.mark.lean
@pytest.mark.parametrize("takes_versions", [True, False])
def test_quick_fixes_are_for_a_version(lean_client: RawClient, project: Path, takes_versions: bool) -> None:
    lean_client.shake_hands(project, {"workspace": {"workspaceEdit": {"documentChanges": takes_versions}}})
    params = fixes(lean_client, project)
    uri, text = params["textDocument"]["uri"], (project / "Work.lean").read_text(encoding="utf-8")
    lean_client.send(encoded(request("old", "textDocument/codeAction", params)))  # Lean starts for it
    lean_client.change(uri, [{"text": "\n" + text}], 42)
    assert code(lean_client.answer("old")) == CONTENT_MODIFIED
    lean_client.change(uri, [{"text": text}], 43)
    actions = lean_client.ask("textDocument/codeAction", params)["result"]
    assert actions
    for action in actions:
        if takes_versions:
            (change,) = action["edit"]["documentChanges"]
            assert change["textDocument"] == {"uri": uri, "version": 43}
            assert change["edits"]
        else:
            assert list(action["edit"]["changes"]) == [uri]
    reversed_range = {"start": params["range"]["end"], "end": {"line": 0, "character": 0}}
    assert "error" not in lean_client.ask("textDocument/codeAction", {**params, "range": reversed_range})
