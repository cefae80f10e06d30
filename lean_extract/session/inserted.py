"""Judges the document that an edit makes, beside the same document with `sorry`. Pure functions.

A tactic closes its goal there if the document has no error that the one with `sorry` has not. A tactic that leaves
goals may have caused only "unsolved goals" above it, and errors in the steps after it, which expected fewer goals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lean_extract.records import Position
from lean_extract.session.faults import is_about_compiling
from lean_extract.session.tactic_sites import Inserted
from lean_extract.syntax.axioms import axioms_in, is_doubtful, refuses_axioms

_ERROR = 1
_UNSOLVED = re.compile(r"(?:error: )?unsolved goals\n")
_MISPARSED = re.compile(r"(?:unexpected |expected )")
# With the options `pp.sorrySource` or `pp.explicit` more follows, or the constant behind `sorry`.
_USES_SORRY = re.compile(r"declaration uses [`']@?sorry(?:Ax)?(?![\w.]*\w)")
_TURNSTILE = re.compile(r"^⊢", re.MULTILINE)
_METAVARIABLE = re.compile(r"\?\w+\.\d+")

Anchor = tuple[str, int, int]
"""A position that does not depend on what an edit wrote: before or after it, relative line and column."""


@dataclass(frozen=True, slots=True)
class DocumentMessages:
    """The messages about a document after an edit.

    `begin`: where the edit wrote. `own`: the errors in what it wrote, relative to that. `elsewhere`: the errors
    before and after it, as far as the declaration goes.
    `is_unchecked`: the declaration has an error, so that Lean checks neither its recursion nor its `sorry`s.
    `uses_sorry`: Lean warns about `sorry` in the declaration. `axioms`: the axioms of each declaration that
    `#print axioms` named, in order; a name that Lean does not know is missing.
    """

    begin: Position
    own: tuple[tuple[Position, str], ...]
    elsewhere: Mapping[Anchor, tuple[str, ...]]
    is_unchecked: bool
    uses_sorry: bool
    axioms: tuple[frozenset[str], ...]

    @property
    def doubtful(self) -> frozenset[str] | None:
        """The axioms that do not count as a proof, of the last declaration that `#print axioms` named; None if Lean
        did not say."""
        if not self.axioms:
            return None
        return frozenset(filter(is_doubtful, self.axioms[-1]))


def read_inserted(diagnostics: Iterable[Mapping[str, Any]], document: Inserted) -> DocumentMessages:
    """Sort the diagnostics (columns in code points) of a document after an edit."""
    own: list[tuple[Position, str]] = []
    elsewhere: dict[Anchor, tuple[str, ...]] = {}
    axioms: list[frozenset[str]] = []
    has_sorry = is_unchecked = False
    for item in diagnostics:
        message = str(item.get("message", ""))
        start = Position(int(item["range"]["start"]["line"]), int(item["range"]["start"]["character"]))
        if (found := axioms_in(message)) is not None:
            axioms.append(frozenset(found))
        elif refuses_axioms(message):
            continue
        elif item.get("severity") != _ERROR:
            has_sorry |= uses_sorry(message) and start.line >= document.line
        elif document.start <= start < document.end:
            own.append((_relative(start, document.start), message))
            is_unchecked = True
        elif start <= document.last:
            anchor = _anchor(start, document)
            elsewhere[anchor] = (*elsewhere.get(anchor, ()), message)
            is_unchecked |= start.line >= document.line and not is_about_compiling(message)
    return DocumentMessages(
        document.start, tuple(sorted(own)), elsewhere, is_unchecked, has_sorry, tuple(axioms)
    )


def uses_sorry(message: str) -> bool:
    """Whether a message is Lean's warning that `sorry` stands in a declaration."""
    return _USES_SORRY.search(message) is not None


def is_misparsed(message: str) -> bool:
    """Whether an error is one of the parser."""
    return _MISPARSED.match(message) is not None


def problem(
    found: DocumentMessages, with_sorry: DocumentMessages, *, closes: bool, in_term: bool
) -> str | None:
    """Why a tactic is not accepted in the document that its edit makes; None if it is.

    Args:
        found: the messages with the tactic.
        with_sorry: the messages with `sorry` at the same place.
        closes: whether it closes the goal; otherwise it leaves goals.
        in_term: whether the tactic comes after `by`, which reports the goals that it leaves.
    """
    for position, message in found.own:
        may_leave = not closes and in_term and position.line == 0 and position.column <= 1
        if not (may_leave and _UNSOLVED.match(message)):
            return message
    for anchor, messages in found.elsewhere.items():
        known = list(with_sorry.elsewhere.get(anchor, ()))
        for message in messages:
            same = next((one for one in known if _is_same(message, one)), None)
            if same is not None:
                known.remove(same)
            elif closes or not _is_left(message, is_before=anchor[0] == "before"):
                return message
    return None


def same_errors(found: DocumentMessages, with_sorry: DocumentMessages) -> bool:
    """Whether a document has exactly the errors that it has with `sorry`."""
    missing = with_sorry.elsewhere.keys() - found.elsewhere.keys()
    return not missing and problem(found, with_sorry, closes=True, in_term=False) is None


def _is_left(message: str, *, is_before: bool) -> bool:
    """Whether an error only says that the goals of a step are still open."""
    if is_before:
        return _UNSOLVED.match(message) is not None
    return not is_misparsed(message)


def _is_same(message: str, known: str) -> bool:
    """Whether an error is one that is known already: other goals may print differently now, but are not more."""
    if _UNSOLVED.match(message) and _UNSOLVED.match(known):
        return len(_TURNSTILE.findall(message)) <= len(_TURNSTILE.findall(known))
    return _first_line(message) == _first_line(known)


def _first_line(message: str) -> str:
    return _METAVARIABLE.sub("?", message.strip().partition("\n")[0])


def _anchor(start: Position, document: Inserted) -> Anchor:
    if start < document.start:
        return "before", start.line, start.column
    moved = _relative(start, document.end)
    return "after", moved.line, moved.column


def _relative(position: Position, start: Position) -> Position:
    lines = position.line - start.line
    return Position(lines, position.column - (start.column if lines == 0 else 0))
