"""Errors above a goal's place that may have changed the goal. Pure.

Lean puts `sorry` where it cannot elaborate something and goes on; what it then says of a tactic may be untrue
once the error is mended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Position
from lean_extract.session.document import LeanDocument
from lean_extract.syntax.lexer import comment_left_open, tokenize
from lean_extract.syntax.tactic_text import OPEN_STRING, brackets, code

_SORRY = re.compile(r"(?<![\w.'!?«✝])sorry(?![\w'!?»✝])")
# What only the compiler has against a definition; Lean's logic knows it all the same.
_COMPILING = re.compile(
    r".*not supported by code generator|failed to compile|.*compiler IR check failed"
    r"|.*consider marking (?:it|definition) as ['`]noncomputable"
)
# What is left to prove elsewhere changes no goal, nor does what is about another hole.
_ELSEWHERE = re.compile(r"(?:error: )?unsolved goals(?:\n|$)|don't know how to synthesize")


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """Something wrong at a place of the user's text. `is_sorry`: it is a warning of `sorry` there."""

    position: Position
    message: str
    is_sorry: bool = False

    def __str__(self) -> str:
        what = "leaves a definition to `sorry`" if self.is_sorry else "has an error"
        return f"line {self.position.line + 1} {what}"

    @property
    def said(self) -> str:
        """Lean's own first line."""
        return next(iter(self.message.strip().splitlines()), "")

    @property
    def is_about_compiling(self) -> bool:
        """Whether only the compiler complains."""
        return not self.is_sorry and _COMPILING.match(self.message) is not None

    @property
    def is_harmless(self) -> bool:
        """Whether no goal of the same declaration can be another for it."""
        return self.is_about_compiling or (not self.is_sorry and _ELSEWHERE.match(self.message) is not None)


def mentions_sorry(goal: Goal) -> bool:
    """Whether Lean prints a `sorry` in the goal: in its target, or in the type or value of a hypothesis."""
    texts = [goal.target]
    for item in goal.hypotheses:
        texts += [item.type, item.value or ""]
    return any("sorry" in text and _SORRY.search(code(text)) is not None for text in texts)


def faults_of(faults: Iterable[Fault], line: int) -> list[Fault]:
    """Those that can have changed a goal of the declaration that begins at this line, and stand in it.

    What its attributes do comes after its goals.
    """
    return [fault for fault in faults if fault.position.line >= line and not fault.is_harmless]


def open_end(document: LeanDocument, start: int, end: int) -> Fault | None:
    """That the text does not end, if so: a comment that is never closed, or a bracket or string of the
    declaration [start, end). Then nobody knows what of the text was meant."""
    text = document.text
    opened = comment_left_open(tokenize(text)) if "/-" in text else None
    if opened is not None:
        return Fault(document.position(opened), "unterminated comment")
    problem, still_open = brackets(text[start:end])
    if problem == OPEN_STRING or (problem is None and still_open):
        return Fault(document.position(start + len(text[start:end].rstrip())), "unexpected end of input")
    return None


def fault_to_name(faults: Sequence[Fault], first: int, position: Position) -> Fault | None:
    """The fault to name where the goal at the position is broken: of the declaration, from line `first` on, the
    first up to the position, or else behind it; else the last one above."""
    counting = [fault for fault in faults if not fault.is_harmless] or list(faults)
    own = [fault for fault in counting if fault.position.line >= first]
    before = [fault for fault in own if fault.position <= position]
    above = [fault for fault in counting if fault.position.line < first]
    return next(iter([*before, *own, *above[::-1]]), None)
