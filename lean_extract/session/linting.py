"""What Lean's linters have against a tactic that Lean accepts, and the tactic without it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.records import Position

_LINTER = re.compile(r"set_option linter\.[\w.]+ false")
_SUGGESTED = re.compile(r"^[ \t]*\[apply\] (?P<text>.+(?:\n[ \t]{4,}.+)*)", re.MULTILINE)
_TRY = re.compile(r"try (?P<quote>['`])(?P<new>[^'`\n]+)(?P=quote) instead of (?P<old>['`])[^'`\n]+(?P=old)")
_FIRST_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Lint:
    """A linter's warning: its first line, where in the copy, and what it would write there."""

    said: str
    start: Position
    end: Position
    suggestion: str = ""


def lint_of(message: str, start: Position, end: Position) -> Iterator[Lint]:
    """The warning as a linter's, if it is one."""
    if _LINTER.search(message):
        found = _SUGGESTED.search(message)
        suggestion = " ".join(found["text"].split()) if found else ""
        if not found and (tried := _TRY.search(message)):
            suggestion = tried["new"]
        yield Lint(message.strip().splitlines()[0].rstrip(":"), start, end, suggestion)


def mended(tactic: str, lints: Sequence[Lint], begin: Position) -> str | None:
    """The tactic as the first linter that says so would write it; None if none does.

    `begin` is where the tactic's text begins in the copy. The warning may cover the call that is to be
    replaced, or one argument of it; the call then begins at the nearest word before it that the suggestion
    begins with, and ends with the brackets around the argument. Lean has to be asked about what comes out.
    """
    for lint in lints:
        if lint.suggestion and lint.start.line == begin.line and "\n" not in tactic.strip():
            text = tactic.strip()
            start, end = (position.column - begin.column for position in (lint.start, lint.end))
            found = _replaced(text, start, end, lint.suggestion)
            if found is not None and found != text:
                return found
    return None


def _replaced(text: str, start: int, end: int, suggestion: str) -> str | None:
    word = _FIRST_WORD.match(suggestion)
    own = _FIRST_WORD.match(text, start)
    if word is None or not 0 <= start < end <= len(text):
        return None
    # `simpa` gives way to `simp`: the warning covers the whole call.
    if own is not None and own[0].startswith(word[0]):
        return f"{text[:start]}{suggestion}{text[end:]}"
    calls = [match.start() for match in re.finditer(rf"(?<![\w.]){word[0]}(?!\w)", text[:start])]
    close = text.find("]", end)
    return f"{text[: calls[-1]]}{suggestion}{text[close + 1 :]}" if calls and close >= 0 else None
