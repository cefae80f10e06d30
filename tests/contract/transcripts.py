"""What an editor sends and gets: the language server over stdio, with the packaged Lean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lsp_server.protocol.structuring import plain_converter
from tests.contract.workplace import Workplace, lasting, premise_line
from tests.hostile.raw_client import RawClient
from tests.lsp_server.conftest import capabilities

_FILES = ("Unfinished/FirstSteps.lean", "Unfinished/FarAway.lean")
_TYPED = (
    "exact │",
    "exact Nat.add_c│",
    "apply │",
    "rw [│]",
    "rw [← │]",
    "simp [Nat.zero_add, │]",
    "unfold │",
    "rw [Nat.no_such_name_│]",
)
"""The proof in a file of one theorem, with the cursor."""
_THEOREM = "import Example.Nat.Order\n\ntheorem typed (m n : ℕ) : m + n = n + m := by\n  {}\n"
_COMPLETED = 10


def transcripts(place: Workplace) -> Mapping[str, Any]:
    """Answers by request; each is for a place in a file of the example library, or in one that is typed."""
    with place.server(plain_converter().unstructure(capabilities(progress=False))) as client:
        return dict(_all(client, place))


def _all(client: RawClient, place: Workplace) -> Iterator[tuple[str, Any]]:
    for file in _FILES:
        text = (place.root / file).read_text(encoding="utf-8")
        client.open((place.root / file).as_uri(), text)
        for number, line in enumerate(text.splitlines()):
            if (column := line.find("sorry")) >= 0:
                yield from _at_sorry(client, place.root, file, {"line": number, "character": column})
    for typed in _TYPED:
        yield f"completion: {typed}", _completed(client, place.root, typed)
    file = (place.root / _FILES[0]).as_uri()
    for name, method, params in _further(file):
        answer = client.ask(method, params)
        yield name, lasting(answer.get("result", answer.get("error")), place.root)


def _at_sorry(
    client: RawClient, root: Path, file: str, position: Mapping[str, int]
) -> Iterator[tuple[str, Any]]:
    at: dict[str, Any] = {"textDocument": {"uri": (root / file).as_uri()}, "position": position}
    asked: dict[str, dict[str, Any]] = {
        "premiseSuggest/suggest": {**at, "k": 4, "tactics": True},
        "textDocument/hover": at,  # shows what Lean has accepted by then
        "textDocument/codeAction": {
            "textDocument": at["textDocument"],
            "range": {"start": position, "end": position},
            "context": {"diagnostics": []},
        },
    }
    for method, params in asked.items():
        answer = lasting(client.ask(method, params), root)
        yield f"{method}: {file}:{position['line'] + 1}", _shortened(answer.get("result", answer))


def _shortened(answer: Any) -> Any:
    """A suggestion, or quick fixes, with the first tactic whole, and a line for each premise and other tactic."""
    if isinstance(answer, list):
        return [*answer[:1], *(action["title"] for action in answer[1:])]
    if isinstance(answer, dict) and "tactics" in answer:
        first, others = answer["tactics"][:1], answer["tactics"][1:]
        return {
            **answer,
            "premises": [premise_line(one) for one in answer["premises"]],
            "tactics": [*first, *(f"{one['tactic']} -- {one['status']}" for one in others)],
        }
    return answer


def _completed(client: RawClient, root: Path, typed: str) -> Any:
    """The names; which terms come before them depends on what Lean has accepted by then."""
    uri = (root / "Typed.lean").as_uri()
    client.open(uri, _THEOREM.format(typed.replace("│", "")))
    position = {"line": 3, "character": 2 + typed.index("│")}
    answer = client.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    found = lasting(answer["result"], root)
    items = [item for item in found["items"] if not item["sortText"].startswith("-")]
    labels = [item["label"] for item in items]
    return {"items": [*items[:1], *labels[1:_COMPLETED], f"{len(labels)} in all"]}


def _further(uri: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Requests of our own, and some that are refused."""
    at = {"textDocument": {"uri": uri}, "position": {"line": 17, "character": 2}}
    yield (
        "edits: a tactic",
        "premiseSuggest/edits",
        {**at, "insert": "exact Nat.add_left_comm _ _ _", "as": "tactic"},
    )
    yield (
        "edits: a name and its import",
        "premiseSuggest/edits",
        {**at, "insert": "Nat.add_left_comm", "as": "name", "import": "import Example.Nat.Order"},
    )
    declared = {"textDocument": {"uri": uri}, "name": "Nat.add_comm", "module": "Example.Nat.Basic"}
    yield "declaration", "premiseSuggest/declaration", declared
    yield "declaration: unknown", "premiseSuggest/declaration", {**declared, "name": "Nat.no_such_name"}
    yield "suggest: select", "premiseSuggest/suggest", {**at, "k": 4, "select": "b + (a + c)", "parts": True}
    yield "suggest: no such part", "premiseSuggest/suggest", {**at, "select": "b + a"}
    yield "suggest: unknown parameter", "premiseSuggest/suggest", {**at, "wrong": 1}
    yield "suggest: wrong type", "premiseSuggest/suggest", {**at, "k": "4"}
    yield "search: empty", "premiseSuggest/search", {"query": " "}
    yield "search: a pattern that cannot be read", "premiseSuggest/search", {"query": "?a + ("}
    yield "command: suggest", "workspace/executeCommand", _command("premise-suggest.suggest", {**at, "k": 2})
    yield "command: index", "workspace/executeCommand", _command("premise-suggest.index")
    yield "no such request", "premiseSuggest/nothing", {}


def _command(name: str, *arguments: Any) -> dict[str, Any]:
    return {"command": name, "arguments": [*arguments]}
