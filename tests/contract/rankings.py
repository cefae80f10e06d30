"""What the language server answers to goals and searches, without Lean."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.contract.goals import BUNDLED_SEARCHES, LIBRARY_SEARCHES, library_goals, printed_goals
from tests.contract.workplace import Workplace, lasting, premise_line
from tests.hostile.raw_client import RawClient

_NO_FILE = "untitled:goal"
"""A document of no project, for which the bundled index answers."""
_TIMES = re.compile(r"\d ms\b")
_LISTED = 20
_SHOWN_BUNDLED = 10
_START = {"line": 0, "character": 0}


def library_rankings(place: Workplace) -> Mapping[str, Any]:
    """Premises for goals of the example library, by theorem and caller, as its files see them."""
    return {
        f"{goal.theorem} ({goal.file}) {goal.caller}".rstrip(): _ranked(
            place.client,
            (place.root / goal.file).as_uri(),
            goal.statement,
            caller=goal.caller,
            explain=True,
            position={"line": goal.line, "character": 0},
        )
        for goal in library_goals(place.root)
    }


def bundled_rankings(place: Workplace) -> Mapping[str, Any]:
    """Premises of the bundled index for printed goals, by goal."""
    return {
        goal: _ranked(place.client, _NO_FILE, goal, position=_START, shown=_SHOWN_BUNDLED, explain=False)
        for goal in printed_goals()
    }


def _ranked(client: RawClient, uri: str, goal: str, shown: int = _LISTED, **more: Any) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}, "goal": goal, "k": _LISTED, **more}
    answer = client.ask("premiseSuggest/suggest", params)["result"]
    first = answer["premises"][:1]
    parts = [f"{one['group']} {one['amount']:.3f}" for found in first for one in found["explanation"]]
    return {
        "premises": [premise_line(one) for one in answer["premises"][:shown]],
        **({"explanation": ", ".join(sorted(parts))} if parts else {}),
        **{kind: answer[kind] for kind in ("warnings", "notes") if answer[kind]},
    }


def searches(place: Workplace) -> Mapping[str, Any]:
    """What searches find in the example library, and without a project, by query."""
    file = (place.root / "Example/Nat/Order.lean").as_uri()
    asked: dict[str, dict[str, Any]] = {
        **{f"{query} (example)": {"query": query} for query in LIBRARY_SEARCHES},
        **{f"{query} (in scope)": _in_scope(query, file) for query in LIBRARY_SEARCHES[::3]},
        **{
            f"{query} (bundled)": {"query": query, "textDocument": {"uri": _NO_FILE}}
            for query in BUNDLED_SEARCHES
        },
        "add (modules)": {"query": "add", "modules": ["Example.Nat", "MiniCore"]},
    }
    return {name: _found(place.client, params, place.root) for name, params in asked.items()}


def _in_scope(query: str, file: str) -> dict[str, Any]:
    return {"query": query, "textDocument": {"uri": file}, "inScope": True}


def _found(client: RawClient, params: Mapping[str, Any], root: Path) -> dict[str, Any]:
    answer = client.ask("premiseSuggest/search", {"k": _LISTED, **params})
    if "error" in answer:
        return {"error": answer["error"]}
    found = answer["result"]
    return {**lasting(found, root), "premises": [premise_line(one) for one in found["premises"]]}


_STATES = ("m n : ℕ\n⊢ m + n = n + m\n", "s t : Set ℕ\nh : s ⊆ t\n⊢ s ∩ t = s\n")
_COMMANDS = (
    (("suggest", "--state", "-", "--k", "5"), _STATES[0]),
    (("suggest", "--state", "-", "--k", "5", "--explain"), _STATES[1]),
    (("suggest", "--state", "-", "--k", "3", "--explain", "--json"), _STATES[0]),
    (("suggest", "--state", "-", "--k", "3", "--json", "--caller", "rw"), _STATES[1]),
    (("search", "subgroup", "--k", "5"), ""),
    (("search", "?a * _ ≤ ?b * _", "--k", "3", "--json"), ""),
)
"""Command lines, and their standard input."""


def command_line(place: Workplace) -> Mapping[str, Any]:
    """What commands print, by command line."""
    return {
        " ".join(command): _printed(place.run(*command, stdin=stdin), place.root)
        for command, stdin in _COMMANDS
    }


def _printed(text: str, root: Path) -> Any:
    if text.startswith("{"):
        return lasting(json.loads(text), root)
    return [line for line in text.splitlines() if not _TIMES.search(line)]
