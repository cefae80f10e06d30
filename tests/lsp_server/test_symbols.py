"""Symbols of the workspace: names of all that is indexed, with their places, in a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hostile.raw_client import RawClient
from tests.lsp_server.conftest import QUIET

RESOLVES = {"workspace": {"symbol": {"resolveSupport": {"properties": ["location.range"]}}}}


def symbols(client: RawClient, query: str) -> Any:
    return client.ask("workspace/symbol", {"query": query})["result"]


def declared_at(path: Path, place: Any) -> str:
    """What the text has in a range of one line."""
    line: str = path.read_text(encoding="utf-8").splitlines()[place["start"]["line"]]
    return line[place["start"]["character"] : place["end"]["character"]]


def test_names_are_found_in_modules_that_no_open_file_imports(client: RawClient, project: Path) -> None:
    can = client.shake_hands(project)["capabilities"]
    assert can["workspaceSymbolProvider"]["resolveProvider"] is True
    client.open((project / "Other.lean").as_uri(), "theorem other : True := trivial\n")
    (first, *_) = symbols(client, "and_swap_iff")
    assert first["name"] == "Lib.and_swap_iff"
    assert (first["containerName"], first["kind"]) == ("Lib.Basic", 6)
    path = project / "Lib" / "Basic.lean"
    assert first["location"]["uri"] == path.as_uri()
    start, end = first["location"]["range"]["start"], first["location"]["range"]["end"]
    assert start == end
    assert "theorem and_swap_iff" in path.read_text(encoding="utf-8").splitlines()[start["line"]]
    assert "data" not in first
    assert symbols(client, "Lib.double")[0]["kind"] == 12
    assert symbols(client, "plus_sw")[0]["name"] == "Lib.plus_swap"


def test_a_client_that_resolves_is_given_ranges_when_it_asks(client: RawClient, project: Path) -> None:
    client.shake_hands(project, RESOLVES)
    (first, *_) = symbols(client, "plus_swap")
    path = project / "Lib" / "Numbers.lean"
    assert first["location"] == {"uri": path.as_uri()}
    resolved = client.ask("workspaceSymbol/resolve", first)["result"]
    assert declared_at(path, resolved["location"]["range"]) == "plus_swap"
    assert resolved["name"] == "Lib.plus_swap"
    client.open(path.as_uri(), "\n\n" + path.read_text(encoding="utf-8"))
    moved = client.ask("workspaceSymbol/resolve", first)["result"]["location"]["range"]
    assert moved["start"]["line"] == resolved["location"]["range"]["start"]["line"] + 2


@pytest.mark.parametrize("uri", ["file:///no/such/File.lean", "file:///etc/passwd", "untitled:x", "file://["])
def test_what_cannot_be_read_resolves_to_its_line(client: RawClient, uri: str) -> None:
    client.shake_hands(None, RESOLVES)
    symbol = {"name": "x", "kind": 6, "location": {"uri": uri}, "data": 3}
    place = {"line": 3, "character": 0}
    answer = client.ask("workspaceSymbol/resolve", symbol)["result"]
    assert answer["location"] == {"uri": uri, "range": {"start": place, "end": place}}


def test_the_answer_is_bounded_and_empty_for_nothing(client: RawClient, project: Path) -> None:
    client.shake_hands(project)
    for nothing in ("", "  ", "\n\t"):
        assert symbols(client, nothing) == []
    assert symbols(client, "\ud800") == []
    assert len(symbols(client, "le")) == 100
    assert isinstance(symbols(client, "x" * 1_000_000), list)
    assert symbols(client, "zzqqxx") == []


def test_all_projects_that_are_open_are_searched(client: RawClient, project: Path, own_project: Path) -> None:
    (own_project / "Lib" / "Own.lean").write_text(
        "theorem swap_of_my_own : True := trivial\n", encoding="utf-8"
    )
    client.shake_hands(project, RESOLVES, {**QUIET, "index": {"auto": False, "onSave": True}})
    for root in (project, own_project):
        uri = (root / "Lib" / "Basic.lean").as_uri()
        client.open(uri, "")
        params = {"textDocument": {"uri": uri}, "query": "swap"}
        assert client.ask("premiseSuggest/search", params)["result"]["premises"]
    found = {(one["name"], one["location"]["uri"]) for one in symbols(client, "swap")}
    for root in (project, own_project):
        assert ("Lib.and_swap", (root / "Lib" / "Basic.lean").as_uri()) in found
    assert "swap_of_my_own" in {one["name"] for one in symbols(client, "swap_of_my_own")}


def test_a_folder_without_an_index_has_no_symbols(client: RawClient, tmp_path: Path) -> None:
    client.shake_hands(tmp_path)
    assert symbols(client, "add_comm") == []
