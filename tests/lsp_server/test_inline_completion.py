"""Ghost text on an empty line of a proof, in a real server with a real Lean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.conftest import QUIET, place_of
from tests.lsp_server.wire import CANCELLED, CONTENT_MODIFIED, INVALID_PARAMS, code

CLIENT: dict[str, Any] = {"textDocument": {"inlineCompletion": {}}}
ON = {"inlineCompletion": {"enabled": True}}
SWAP = "import Lib.Numbers\n\ntheorem t (a b : Nat) : a + b = b + a := by\n  │\n"
LAST = """import Lib.Numbers

theorem u (𝕜 b : Nat) : 𝕜 + b = b + 𝕜 ∧ True := by
  constructor
  case right => trivial
  │"""
UNPROVED = """import Lib.Numbers

opaque P : Prop
theorem unproved : P := sorry

theorem t : P := by
  │
"""


def opened(client: RawClient, project: Path, text: str, **settings: Any) -> dict[str, Any]:
    """A request at the mark in a document that this client has opened."""
    client.shake_hands(project, CLIENT, {**QUIET, **ON, **settings})
    uri = (project / "Ghost.lean").as_uri()
    client.open(uri, text.replace("│", ""), 7)
    place = place_of(text, "│")
    where = {"line": place.line, "character": place.character}
    return {"textDocument": {"uri": uri}, "position": where, "context": {"triggerKind": 2}}


def offered(client: RawClient, params: dict[str, Any]) -> Any:
    return client.ask("textDocument/inlineCompletion", params)["result"]


@pytest.mark.parametrize(("capabilities", "is_announced"), [(CLIENT, True), ({}, False)])
def test_only_a_client_that_shows_it_has_it_announced(
    client: RawClient, capabilities: Any, is_announced: bool
) -> None:
    can = client.shake_hands(None, capabilities)["capabilities"]
    assert ("inlineCompletionProvider" in can) == is_announced


@pytest.mark.lean
@pytest.mark.parametrize("text", [SWAP, LAST])
def test_what_closes_the_goal_is_offered_as_it_was_judged(
    client: RawClient, project: Path, text: str
) -> None:
    params = opened(client, project, text)
    (item,) = offered(client, params)
    assert item["range"] == {"start": params["position"], "end": params["position"]}
    # What the text then is has no error and no goal left: Lean has nothing more to prove there.
    after = text.replace("│", item["insertText"] + "\n  │", 1)
    client.change(params["textDocument"]["uri"], [{"text": after.replace("│", "")}], 8)
    below = place_of(after, "│")
    params["position"] = {"line": below.line, "character": below.character}
    assert offered(client, params) is None
    asked = {**params, "tactics": True}
    del asked["context"]
    suggestion = client.ask("premiseSuggest/suggest", asked)
    assert "result" not in suggestion or suggestion["result"]["goal_count"] == 0


@pytest.mark.lean
@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (SWAP, {"inlineCompletion": {"enabled": False}}),
        (SWAP, {"tactics": {"enabled": False}}),
        (SWAP.replace("│", "exact│"), {}),
        (SWAP.replace("│", "│ -- a note"), {}),
        (SWAP.replace("by\n  │", "by\n  sorry\n\n│"), {}),
        (SWAP.replace("\n\ntheorem", "\n│\ntheorem").replace("  │", "  sorry"), {}),
    ],
    ids=["off", "no tactics", "typed", "comment", "below the proof", "above it"],
)
def test_elsewhere_nothing_is_offered(
    client: RawClient, project: Path, text: str, settings: dict[str, Any]
) -> None:
    assert offered(client, opened(client, project, text, **settings)) is None


@pytest.mark.lean
def test_what_rests_on_sorry_is_not_offered(client: RawClient, project: Path) -> None:
    params = opened(client, project, UNPROVED)
    assert offered(client, params) is None
    asked = {"textDocument": params["textDocument"], "position": params["position"], "tactics": True}
    first = client.ask("premiseSuggest/suggest", asked)["result"]["tactics"][0]
    assert (first["status"], first["rests_on_sorry"]) == ("closes", True)


@pytest.mark.lean
def test_it_ends_when_the_cursor_moves_or_the_text_changes(client: RawClient, project: Path) -> None:
    params = opened(client, project, SWAP)
    client.send(encoded(request("moved", "textDocument/inlineCompletion", params)))
    client.notify("$/cancelRequest", {"id": "moved"})
    assert code(client.answer("moved")) == CANCELLED
    client.send(encoded(request("old", "textDocument/inlineCompletion", params)))
    client.change(params["textDocument"]["uri"], [{"text": "\n" + SWAP}], 8)
    assert code(client.answer("old")) == CONTENT_MODIFIED
    del params["position"]
    assert code(client.ask("textDocument/inlineCompletion", params)) == INVALID_PARAMS
