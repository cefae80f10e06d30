"""Lean's suggestions in place of a query such as `exact?`, and those of its linters in place of any tactic."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.limits import MAX_SUGGESTED_TACTICS
from lean_extract.records import Position, TacticOutcome
from lean_extract.syntax.tactic_text import defect, proves_nothing

_QUESTION = re.compile(r"(?P<plain>[^\W\d]\w*+)\?(?![\w?!'])")
_TRY = re.compile(r"\s*Try (?:this|these):[ \t]*")
_MARK = re.compile(r"(?:\[apply\]|•)[ \t]+")
_REMARK = re.compile(r"(?:--[ \t]*)?Remaining subgoals:")
_NOTHING = "Lean accepts nothing that it suggests in its place"

_Judge = Callable[[str, TacticOutcome], Awaitable[TacticOutcome]]
"""(a tactic, the outcome of what it replaces) -> the outcome in the document that its edit makes."""


def is_query(tactic: str) -> bool:
    """Whether a tactic is a query for what to write, such as `exact?`: its first word ends with a question mark."""
    return _QUESTION.match(tactic.lstrip()) is not None


def suggested_in(message: str) -> tuple[str, ...]:
    """The tactics in a message that begins with `Try this` or `Try these`, in its order; none in other messages.

    Lean breaks long lines; a tactic is on one line here. The forms: `Try this: a`; items that begin with `•`
    (up to Lean 4.24), or with `[apply]`.
    """
    begin = _TRY.match(message)
    if begin is None:
        return ()
    return tuple(dict.fromkeys(filter(None, _items(message[begin.end() :].splitlines()))))


def _items(lines: Sequence[str]) -> Iterator[str]:
    item: list[str] = []
    for line in map(str.strip, lines):
        if _REMARK.match(line):
            break
        mark = _MARK.match(line)
        if mark is not None:
            yield " ".join(item)
            item = []
        item += line[mark.end() if mark else 0 :].split()
    yield " ".join(item)


async def as_suggested(query: TacticOutcome, suggestions: Sequence[str], judge: _Judge) -> TacticOutcome:
    """The outcome of an accepted query: that of the first suggestion, or of the query without its question mark, that
    Lean accepts. `instead` is that text."""
    for text in _worth_judging(query.tactic, suggestions):
        judged = await judge(text, replace(query, instead=text, remark=""))
        if judged.status == query.status:
            return judged
    return replace(query, status="fails", state=None, message=_NOTHING)


def _worth_judging(tactic: str, suggestions: Sequence[str]) -> Iterator[str]:
    sound = [text for text in suggestions if defect(text) is None and proves_nothing(text) is None]
    yield from [text for text in sound if not is_query(text)][:MAX_SUGGESTED_TACTICS]
    question = _QUESTION.match(tactic.lstrip())
    if question is not None and (plain := question["plain"]) not in ("exact", "apply", "try"):
        yield plain + tactic.lstrip()[question.end() :]


_APPLY = re.compile(r"apply\s+(?P<term>(?!.*(?:[;|]|<;>|\b(?:at|with|using)\b|\?_))[^\s(][^\n]*)")
_HAS_TYPE = re.compile(
    r"[Tt]ype mismatch\s.*?has type\s+(?P<type>.*?)(?:\s+of sort|\s+but is expected)", re.DOTALL
)
_BINDERS = re.compile(r"\s*∀((?:\s*(?:\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]|⦃[^⦃⦄]*⦄))+),")
_EXPLICIT = re.compile(r"\(([^:()]*):")


def exact_for(tactic: str) -> str:
    """`exact X` for `apply X`; empty for other tactics."""
    found = _APPLY.fullmatch(tactic.strip())
    return f"exact {found['term']}" if found is not None else ""


def with_arguments(exact: str, message: str) -> str:
    """`exact X _ _` if Lean says that `X` is a function whose type begins with explicit arguments; else empty.

    Only arguments that Lean can find for itself are left to it: those before the first hypothesis.
    """
    found = _HAS_TYPE.match(message.strip())
    binders = _BINDERS.match(found["type"]) if found is not None else None
    count = sum(len(names.split()) for names in _EXPLICIT.findall(binders[1])) if binders is not None else 0
    return f"{exact}{' _' * count}" if count else ""


_LINTER = re.compile(r"set_option linter\.[\w.]+ false")
_SUGGESTED = re.compile(r"^[ \t]*\[apply\] (?P<text>.+(?:\n[ \t]{4,}.+)*)", re.MULTILINE)
_HINT = re.compile(r"^Hint: [^\n]*\n(?P<diff>(?:[ \t]+\S.*\n?)+)", re.MULTILINE)
_DELETED = re.compile("(?s:.)\u0335")
_INSERTED = "\u0332"
"""Lean writes a change as text in which a stroke follows each deleted character, and a line each inserted one."""
_INSTEAD = re.compile(
    r"[Tt]ry (?P<quote>['`])(?P<new>[^'`\n]+)(?P=quote) instead of (?P<old>['`])[^'`\n]+(?P=old)"
)
_DEPRECATED = re.compile(r"`[^`\n]+` has been deprecated(?:[:,] [Uu]se `(?P<new>[^`\n]+)` instead)?")
_FIRST_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Lint:
    """A linter's warning: its first line, its range in the copy, and the suggested replacement."""

    warning: str
    start: Position
    end: Position
    suggestion: str = ""
    is_name: bool = False
    """Whether the range is a deprecated name, which the suggestion replaces."""


def lint_of(message: str, start: Position, end: Position) -> Iterator[Lint]:
    """Yields the lint, if the message is a linter's warning."""
    if deprecated := _DEPRECATED.match(message):
        yield Lint(message.splitlines()[0], start, end, deprecated["new"] or "", is_name=True)
    elif _LINTER.search(message):
        yield Lint(message.strip().splitlines()[0].rstrip(":"), start, end, _suggestion(message))


def _suggestion(message: str) -> str:
    """What a linter suggests in place of the text; empty if it suggests nothing."""
    if found := _SUGGESTED.search(message):
        return " ".join(found["text"].split())
    if tried := _INSTEAD.search(message):
        return tried["new"]
    changed = next((hint["diff"] for hint in _HINT.finditer(message)), "")
    is_diff = _INSERTED in changed or _DELETED.search(changed)
    return " ".join(_DELETED.sub("", changed).replace(_INSERTED, "").split()) if is_diff else ""


def apply_suggestion(tactic: str, lints: Sequence[Lint], begin: Position) -> str | None:
    """The tactic with the first usable suggestion of a linter; None if there is none.

    `begin` is the position of the tactic in the copy. The warning may cover the call to be replaced, or only
    one of its arguments. In the latter case the call begins at the nearest word before the argument that equals
    the first word of the suggestion, and ends with the bracket around the argument. The result has to be checked
    by Lean.
    """
    for lint in lints:
        if lint.suggestion and lint.start.line == begin.line and "\n" not in tactic.strip():
            text = tactic.strip()
            start, end = (position.column - begin.column for position in (lint.start, lint.end))
            if lint.is_name and 0 <= start < end <= len(text):
                return f"{text[:start]}{lint.suggestion}{text[end:]}"
            found = _replaced(text, start, end, lint.suggestion)
            if found is not None and found != text:
                return found
    return None


def _replaced(text: str, start: int, end: int, suggestion: str) -> str | None:
    word = _FIRST_WORD.match(suggestion)
    own = _FIRST_WORD.match(text, start)
    if word is None or not 0 <= start < end <= len(text):
        return None
    # `simpa` is replaced by `simp`: the warning covers the whole call.
    if own is not None and own[0].startswith(word[0]):
        return f"{text[:start]}{suggestion}{text[end:]}"
    calls = [match.start() for match in re.finditer(rf"(?<![\w.]){word[0]}(?!\w)", text[:start])]
    close = text.find("]", end)
    return f"{text[: calls[-1]]}{suggestion}{text[close + 1 :]}" if calls and close >= 0 else None
