"""Documents of almost 4 MB: no request about one holds up the others, since work on text is off the event loop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_extract.limits import MAX_SOURCE_BYTES
from lsp_server.documents.positions import split_lines
from tests.hostile import raw_client
from tests.hostile.loop_watch import longest, watched_command
from tests.hostile.raw_client import RawClient, encoded, request
from tests.hostile.shapes import numbered, repeated

SIZE = MAX_SOURCE_BYTES - 100_000
"""Characters, all of them ASCII."""
THEOREMS = numbered("theorem t{0} (a b : Nat) : a + {0} = b := by\n  rw [foo {0}]\n  exact bar\n")(SIZE)
UNREAD = f"{THEOREMS}/-\n  simp\n  exact \n-/\n"
COMMENTED = (
    repeated("-- a line of a comment (of ordinary length)\n")(SIZE)
    + "theorem t (p : Prop) (h : p) : p := by\n  sorry\n"
)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lean takes its time."""
    monkeypatch.setattr(raw_client, "SECONDS", 120.0)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """What the server's loop did."""
    return tmp_path / "loop"


@pytest.fixture
def client(environment: dict[str, str], project: Path, record: Path, patient: None) -> Iterator[RawClient]:
    """A server whose loop is watched, for the test project."""
    found = RawClient(environment, command=watched_command(record))
    found.shake_hands(project)
    yield found
    found.close()
    found.check_quiet()


def at(uri: str, text: str, word: str, after: int = 0) -> dict[str, Any]:
    """Parameters for the last place of a word in a document."""
    offset = text.rindex(word) + after
    line = text.count("\n", 0, offset)
    place = {"line": line, "character": offset - text.rfind("\n", 0, offset) - 1}
    return {"textDocument": {"uri": uri}, "position": place}


def assert_loop_was_free(record: Path, text: str) -> None:
    """Fail where the loop worked much longer at a stretch than it takes to split the text into lines, which each
    request does."""
    begun = time.thread_time()
    split_lines(text)
    allowed = 12 * (time.thread_time() - begun)
    seconds, what = longest(record)
    assert seconds < allowed, what


@pytest.mark.lean
def test_what_needs_no_lean_is_answered_beside_others(client: RawClient, project: Path, record: Path) -> None:
    large, small = ((project / name).as_uri() for name in ("Large.lean", "Small.lean"))
    client.open(large, UNREAD)
    client.open(small, "-- nothing\n")
    slow = request("slow", "textDocument/completion", at(large, UNREAD, "exact ", 6))
    quick = request("quick", "textDocument/hover", at(small, "-- nothing\n", "nothing"))
    client.send(encoded(slow) + encoded(quick))
    first = client.message(lambda message: message.get("id") in ("slow", "quick"), "an answer")
    assert first["id"] == "quick"
    assert client.answer("slow")["result"] is None
    assert client.ask("textDocument/hover", at(large, UNREAD, "simp"))["result"] is None
    assert_loop_was_free(record, UNREAD)


@pytest.mark.lean
@pytest.mark.slow
def test_a_live_proof_below_a_long_text(client: RawClient, project: Path, record: Path) -> None:
    uri = (project / "Commented.lean").as_uri()
    client.open(uri, COMMENTED)
    there = at(uri, COMMENTED, "sorry", 2)
    found = client.ask("premiseSuggest/suggest", {**there, "tactics": True})["result"]
    assert "⊢ p" in found["goal"]
    chosen = {"start": there["position"], "end": there["position"]}
    fixes = client.ask(
        "textDocument/codeAction",
        {**there, "range": chosen, "context": {"diagnostics": [], "triggerKind": 1}},
    )
    assert fixes["result"]
    edit = {**there, "insert": "exact h", "as": "tactic", "accepted": True}
    assert client.ask("premiseSuggest/edits", edit)["result"]["edits"][0]["newText"] == "exact h"
    named = {**there, "insert": "foo", "as": "name", "import": "import Lib.Basic"}
    assert len(client.ask("premiseSuggest/edits", named)["result"]["edits"]) == 2
    client.ask("premiseSuggest/declaration", {**there, "name": "t", "module": "Commented"})
    assert_loop_was_free(record, COMMENTED)
