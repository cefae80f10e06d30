"""Tactics that ask Lean, such as `exact?` and `grind?`: what it suggests to write in their place."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

from lean_extract.records import TacticOutcome
from lean_extract.syntax.tactic_text import defect, proves_nothing

_QUESTION = re.compile(r"(?P<plain>[^\W\d]\w*+)\?(?![\w?!'])")
_TRY = re.compile(r"\s*Try (?:this|these):[ \t]*")
_MARK = re.compile(r"(?:\[apply\]|•)[ \t]+")
_REMARK = re.compile(r"(?:--[ \t]*)?Remaining subgoals:")
_MOST = 3
"""Suggestions that are tried in place of one tactic; Lean names the simplest first."""
_NOTHING = "Lean accepts nothing that it suggests in its place"

Judge = Callable[[str, TacticOutcome], Awaitable[TacticOutcome]]
"""(a tactic, the outcome of what it stands for) -> the outcome in the document that its edit makes."""


def asks(tactic: str) -> bool:
    """Whether a tactic asks Lean what to write: its first word ends with a question mark."""
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


async def as_suggested(asking: TacticOutcome, suggestions: Sequence[str], judge: Judge) -> TacticOutcome:
    """The outcome of an accepted tactic that asks: that of the first suggestion, or of itself without the question
    mark, which Lean accepts. `instead` is what it was."""
    for text in _worth_judging(asking.tactic, suggestions):
        judged = await judge(text, replace(asking, instead=text, remark=""))
        if judged.status == asking.status:
            return judged
    return replace(asking, status="fails", state=None, message=_NOTHING)


def _worth_judging(tactic: str, suggestions: Sequence[str]) -> Iterator[str]:
    sound = [text for text in suggestions if defect(text) is None and proves_nothing(text) is None]
    yield from [text for text in sound if not asks(text)][:_MOST]
    question = _QUESTION.match(tactic.lstrip())
    if question is not None and (plain := question["plain"]) not in ("exact", "apply", "try"):
        yield plain + tactic.lstrip()[question.end() :]
