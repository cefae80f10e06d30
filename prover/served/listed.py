"""Tactics as JSON, for servers with JSON schemas in place of grammars: the schema, and what is read. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from lean_extract.common.files.json_text import parse_json
from lean_extract.records import Goal, Premise
from prover.served.grammar import names_of

NOTE = 'Answer with JSON alone: {"tactics": [{"tactic": "rw", "terms": ["some_lemma"], "at": ""}, ...]}.'
"""What a model is told beside the schema, which it does not see."""
_CLOSERS = (
    "rfl",
    "simp",
    "omega",
    "decide",
    "assumption",
    "contradiction",
    "grind",
    "trivial",
    "constructor",
)
_APPLYING = ("exact", "apply", "refine", "cases")
_REWRITING = {"rw": "", "rw ←": "← ", "simp only": ""}
"""Tactics with a list, and what stands before each of its terms."""
_MOST_TERMS = 3
_BEGINS = re.compile(r'\s*+\{\s*+"')
_MAY_BEGIN = re.compile(r"\s*+(?:\{\s*+)?")
_ITEMS = 2
"""How deep the items of the list are."""


def schema_for(goal: Goal, premises: Sequence[Premise], count: int) -> str:
    """The JSON schema of at most so many tactics for a goal, over these premises and the goal's hypotheses."""
    local, known = names_of(goal, premises)
    tactic = {
        "tactic": {"enum": [*_CLOSERS, *_APPLYING, *_REWRITING]},
        "terms": {"type": "array", "items": {"enum": [*known, *local, "_", "?_"]}, "maxItems": _MOST_TERMS},
        "at": {"enum": ["", *local]},
    }
    items = _object(tactic)
    return json.dumps(
        _object({"tactics": {"type": "array", "items": items, "minItems": 1, "maxItems": count}})
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class ListedTactics:
    """Reads an answer that begins as a JSON object, in pieces of any size, as blocks of code; others pass as they are.

    An item of a list in the object is a tactic: a string, or an object of the schema. In linear time.
    """

    def __init__(self) -> None:
        self._head = ""
        self._is_json: bool | None = None
        """None: too little has come to know it."""
        self._depth = 0
        self._is_string = self._is_escaped = False
        self._item: list[str] = []
        """The characters of the item that is being written."""

    def feed(self, piece: str) -> str:
        """The next piece; of a JSON object, a block for each item that is complete."""
        if self._is_json is None:
            self._head += piece
            if _MAY_BEGIN.fullmatch(self._head):
                return ""
            self._is_json = _BEGINS.match(self._head) is not None
            piece, self._head = self._head, ""
        return "".join(map(self._read, piece)) if self._is_json else piece

    def finish(self) -> str:
        """What was held back at the end of the text."""
        return self._head

    def _read(self, character: str) -> str:
        before = self._depth
        if self._is_string:
            self._is_string = character != '"' or self._is_escaped
            self._is_escaped = character == "\\" and not self._is_escaped
        elif character == '"':
            self._is_string = True
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
        is_inside = min(before, self._depth) > _ITEMS or self._is_string
        if self._item or (before == _ITEMS and character in '{"'):
            self._item.append(character)
        if not self._item or is_inside or self._depth > _ITEMS:
            return ""
        text, self._item = "".join(self._item), []
        return _block(text)


def _block(text: str) -> str:
    """An item as a block of code; empty if it is none."""
    try:
        written = _tactic(parse_json(text))
    except ValueError:
        return ""
    return f"```lean\n{written}\n```\n" if written else ""


def _tactic(item: Any) -> str:
    """The tactic that an item stands for; empty: none."""
    if isinstance(item, str) or not isinstance(item, dict):
        return item if isinstance(item, str) else ""
    name, terms, at = item.get("tactic"), item.get("terms", []), item.get("at", "")
    if not isinstance(terms, list) or not all(isinstance(one, str) for one in (name, at, *terms)):
        return ""
    if name in _REWRITING and terms:
        rules = ", ".join(_REWRITING[name] + term for term in terms)
        return f"{name.removesuffix(' ←')} [{rules}]" + (f" at {at}" if at else "")
    return " ".join([name, *terms]) if name in _APPLYING and terms else name if name in _CLOSERS else ""
