"""A further feature of the language server is one module with `register`, and one name in the list."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.raw_client import RawClient

ADDED = """
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters

REQUEST = "premiseSuggest/lines"


def register(server):
    @server.feature(REQUEST)
    @active(server, "count")
    async def lines(params=None, *_):
        given = Parameters(REQUEST, params, frozenset({"textDocument"}))
        return {"lines": len(server.text_document(given.uri()).lines)}
"""
SERVE = """
import sys

from lsp_server.serving.features import FEATURES, create_server
from lsp_server.serving.running import serve_stdio

sys.exit(serve_stdio(create_server({}, (*FEATURES, *sys.argv[1:]))))
"""
DOCUMENT = {"textDocument": {"uri": "untitled:one"}}


@pytest.fixture
def start(tmp_path: Path, bare_environment: dict[str, str]) -> Iterator[object]:
    """Starts a server with these further features."""
    (tmp_path / "added_feature.py").write_text(ADDED, encoding="utf-8")
    (tmp_path / "serve.py").write_text(SERVE, encoding="utf-8")
    clients: list[RawClient] = []

    def begin(*features: str) -> RawClient:
        command = (sys.executable, str(tmp_path / "serve.py"))
        clients.append(RawClient(bare_environment, *features, command=command))
        clients[-1].shake_hands()
        return clients[-1]

    yield begin
    for client in clients:
        client.close()
        client.check_quiet()


def test_an_added_feature_is_served_beside_the_others(start) -> None:  # type: ignore[no-untyped-def]
    client = start("added_feature")
    client.open("untitled:one", "theorem a : p := by\n  sorry\n")
    assert client.ask("premiseSuggest/lines", DOCUMENT)["result"] == {"lines": 3}
    refused = client.ask("premiseSuggest/lines", {"line": 1})["error"]
    assert "'line' is not a parameter" in refused["message"]
    client.check_sane()


def test_what_is_not_listed_is_not_served(start) -> None:  # type: ignore[no-untyped-def]
    client = start()
    assert "no method" in client.ask("premiseSuggest/lines", DOCUMENT)["error"]["message"]
    client.check_sane()
