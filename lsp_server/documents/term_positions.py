"""Finds where a term is being typed inside another one, and makes a document with a hole there. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lean_extract.session.document import LeanDocument
from lean_extract.session.places import HOLE
from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.tactic_text import brackets, code
from lsp_server.limits import TYPED_TERM_CHARACTERS

_SLOT = re.compile(r"(?:[(⟨,]|:=|=>|↦|<\||(?<![\w.'!?])from)\s*$")
_PROOF = re.compile(r":=|=>|(?<![\w.'!?])by(?![\w'!?])")
_TACTIC_WITH_VALUE = re.compile(
    r"(?:^|(?<=[\s;·(]))(?:have|obtain|rcases|suffices|replace|let|set)(?![\w'!?])"
)
_BINDERS = frozenset("∀∃∑∏⨆⨅⋃⋂λ")
_APPLIED = re.compile(r"[\w'!?)\]}⟩»][ \t]*\($")
_MOST_FIELDS = 3
"""The most further parts of an anonymous constructor to try after the hole."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The slot of a term: the offsets of its declaration and of its typed prefix, and the brackets around it."""

    start: int
    name: tuple[int, int]
    end: int
    opened: tuple[str, ...]
    tactic: int | None
    """The beginning of a tactic that names a value without its type (`have := …`)."""


def slot_at(text: str, name: tuple[int, int]) -> Slot | None:
    """The slot for a term that a name at these offsets would begin; None elsewhere."""
    near = text[max(0, name[0] - TYPED_TERM_CHARACTERS) : name[0]].rstrip()
    if not _SLOT.search(near) or (near.endswith(",") and not _separates(near)):
        return None
    document = LeanDocument(text)
    start, end = document.declaration(name[0])
    if document.declaration(start)[1] < name[0]:
        return None
    head = text[start : name[0]]
    problem, opened = brackets(head)
    if problem is not None or not _PROOF.search(code(head)):
        return None
    if near.endswith(",") and (not opened or opened[-1] not in "(⟨"):
        return None
    return Slot(start, name, end, tuple(opened), _tactic_with_value(text, name[0]))


def _tactic_with_value(text: str, end: int) -> int | None:
    """The beginning of the tactic whose value begins at `end`."""
    bare = text[:end].rstrip()
    if not bare.endswith(":="):
        return None
    step = max(bare.rfind("\n"), bare.rfind(";")) + 1
    found = _TACTIC_WITH_VALUE.search(bare[step:])
    return None if found is None else step + found.start()


def _separates(near: str) -> bool:
    """Whether the comma at the end separates terms, and does not follow a binder's names."""
    depth = 0
    for character in reversed(near[:-1]):
        if character in PAIRS.values():
            depth += 1
        elif character in PAIRS:
            if depth == 0:
                return True
            depth -= 1
        elif depth == 0 and character in _BINDERS:
            return False
        elif depth == 0 and character == ",":
            return True
    return False


def holes(text: str, slot: Slot) -> Iterator[tuple[str, int]]:
    """Documents with a hole in the slot, each with the hole's offset; the likeliest continuation first.

    Brackets that nothing closes are closed on the hole's line. Lean elaborates no anonymous constructor with
    too few parts, so some are added; `..` replaces the missing arguments of a function.
    """
    begin, end = slot.name
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    after = text[end:line_end]
    closers = _closers(text[slot.start : begin] + HOLE + text[end : slot.end])
    if closers:
        after = after.split("--", 1)[0].rstrip()
        closers = _closers(text[slot.start : begin] + HOLE + after)
    if closers is None:
        after, closers = "", _closers(text[slot.start : begin]) or ""
    for written in _variants(text[slot.start : begin], slot.opened, after + closers):
        yield f"{text[:begin]}{HOLE}{written}{text[line_end:]}", begin


def _variants(head: str, opened: tuple[str, ...], after: str) -> Iterator[str]:
    yield after
    if opened and opened[-1] == "⟨":
        for number in range(1, _MOST_FIELDS + 1):
            yield f", {HOLE}" * number + after
    elif opened and _APPLIED.search(head.rstrip()) and after.lstrip().startswith(")"):
        closed = after.index(")") + 1
        yield f"{after[:closed]} ..{after[closed:]}"


def _closers(text: str) -> str | None:
    """The closing brackets that a text lacks; None if it closes others, or ends inside a string."""
    problem, still_open = brackets(text)
    return None if problem is not None else "".join(PAIRS[one] for one in reversed(still_open))
