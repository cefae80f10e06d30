"""Errors above a goal that may have changed the goal. Pure functions.

Where Lean cannot elaborate something, it inserts `sorry` and continues. Its verdict on a tactic may then become
wrong once the error is fixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Position
from lean_extract.session.document import LeanDocument
from lean_extract.syntax.lexer import comment_left_open, tokenize
from lean_extract.syntax.tactic_text import OPEN_STRING, brackets, code

_SORRY = re.compile(r"(?<![\w.'!?«✝])sorry(?:Ax)?(?![\w'!?»✝])")
# Errors of the compiler alone. The definition is still available in proofs.
_COMPILING = re.compile(
    r".*not supported by code generator|code generator (?:does not support|failed)|failed to compile"
    r"|.*compiler IR check failed"
    r"|.*consider marking (?:it|definition) as ['`]noncomputable"
)
# Goals that are unsolved elsewhere, and errors about other holes, do not change this goal.
_ELSEWHERE = re.compile(r"(?:error: )?unsolved goals(?:\n|$)|don't know how to synthesize")


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """An error at a position in the user's text, or, if `is_sorry`, a warning that `sorry` is used there."""

    position: Position
    message: str
    is_sorry: bool = False

    def __str__(self) -> str:
        what = "leaves a definition to `sorry`" if self.is_sorry else "has an error"
        return f"line {self.position.line + 1} {what}"

    @property
    def first_line(self) -> str:
        """The first line of Lean's message."""
        return next(iter(self.message.strip().splitlines()), "")

    @property
    def is_about_compiling(self) -> bool:
        """Whether it is an error of the compiler alone."""
        return not self.is_sorry and is_about_compiling(self.message)

    @property
    def is_harmless(self) -> bool:
        """Whether it cannot have changed a goal of the same declaration."""
        return self.is_about_compiling or (not self.is_sorry and _ELSEWHERE.match(self.message) is not None)


def is_about_compiling(message: str) -> bool:
    """Whether an error is one of the compiler alone: the definition is still available in proofs."""
    return _COMPILING.match(message) is not None


def mentions_sorry(goal: Goal) -> bool:
    """Whether Lean prints `sorry` in the goal: in its target, or in the type or value of a hypothesis."""
    texts = [goal.target]
    for item in goal.hypotheses:
        texts += [item.type, item.value or ""]
    return any("sorry" in text and _SORRY.search(code(text)) is not None for text in texts)


def faults_of(faults: Iterable[Fault], line: int) -> list[Fault]:
    """The faults in the declaration that begins at this line which can have changed one of its goals.

    Its attributes, which come before that line, take effect only after its goals.
    """
    return [fault for fault in faults if fault.position.line >= line and not fault.is_harmless]


def open_end(document: LeanDocument, start: int, end: int) -> Fault | None:
    """A fault if the text is incomplete: it has a comment that is not closed, or the declaration [start, end)
    has a bracket or string that is not closed. It is then unclear how the text continues. None otherwise."""
    text = document.text
    opened = comment_left_open(tokenize(text)) if "/-" in text else None
    if opened is not None:
        return Fault(document.position(opened), "unterminated comment")
    problem, still_open = brackets(text[start:end])
    if problem == OPEN_STRING or (problem is None and still_open):
        return Fault(document.position(start + len(text[start:end].rstrip())), "unexpected end of input")
    return None


def fault_to_name(faults: Sequence[Fault], first: int, position: Position) -> Fault | None:
    """The fault to report if the goal at the position is broken.

    It is the first fault of the declaration, which begins in line `first`, up to the position; otherwise the
    first one after the position; otherwise the last one above the declaration.
    """
    counting = [fault for fault in faults if not fault.is_harmless] or list(faults)
    own = [fault for fault in counting if fault.position.line >= first]
    before = [fault for fault in own if fault.position <= position]
    above = [fault for fault in counting if fault.position.line < first]
    return next(iter([*before, *own, *above[::-1]]), None)
