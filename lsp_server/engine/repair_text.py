"""The text of a declaration that is repaired: where its proof begins, blocks, names, and small edits. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault
from lean_extract.session.tactic_spans import Change, WrittenTactic, WrittenTactics
from lean_extract.syntax.brackets import DEPTH, first_outside
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_words import FACTS, FUNCTIONS, INTRODUCING, SEPARATORS

_VALUE = frozenset((":=", "by", "where"))


def proof_start(document: LeanDocument, start: int, end: int) -> int:
    """The offset after which the declaration [start, end) has its value, so that its statement is complete.

    `end` if it has none.
    """
    tokens = tokenize(document.text[start:end])
    depth = 0
    for number, text in enumerate(tokens.texts):
        depth += DEPTH.get(text, 0)
        if depth == 0 and (text in _VALUE or (text == "|" and tokens.is_first(number))):
            return start + (tokens.starts[number] if text == "by" else tokens.end(number))
    return end


_CLAUSE = frozenset((":=", "=>"))


def clause_value(document: LeanDocument, start: int, end: int, offset: int) -> WrittenTactic | None:
    """The value of the field after `where`, or of the alternative, around an offset of the declaration [start, end).

    None if there is none there, or if it is a block of tactics.
    """
    tokens = tokenize(document.text[start:end])
    firsts = [one for one in tokens.line_first if tokens.starts[one] <= offset - start]
    while len(firsts) > 1 and tokens.column(firsts[-1]) > tokens.column(firsts[1]):
        firsts.pop()
    if len(firsts) < 2:
        return None
    begin, column = firsts[-1], tokens.column(firsts[-1])
    below = (one for one in tokens.line_first if one > begin and tokens.column(one) <= column)
    last = next(below, len(tokens.texts))
    mark = first_outside(tokens.texts, begin, last, _CLAUSE)
    if mark + 1 >= last or tokens.texts[mark + 1] == "by" or start + tokens.end(mark) > offset:
        return None
    return WrittenTactic(start + tokens.starts[mark + 1], start + tokens.end(last - 1))


_BINDERS = re.compile(r"(?P<word>\b(?:intro|rintro|fun|λ))(?P<names>(?:\s+[\w₀-₉'✝]+)+)")


def without_binders(text: str, part: WrittenTactic) -> Iterator[Change]:
    """A part without one of the names that it introduces; nothing is left of an `intro` of one name."""
    for found in _BINDERS.finditer(text, part.start, part.end):
        names = found["names"].split()
        for number in range(len(names)):
            kept = [one for place, one in enumerate(names) if place != number]
            if kept:
                yield Change(found.start(), found.end(), " ".join([found["word"], *kept]))
            elif found["word"] in FUNCTIONS and (arrow := _arrow_after(text, found.end())) is not None:
                yield Change(found.start(), arrow, "")


def _arrow_after(text: str, offset: int) -> int | None:
    found = re.compile(r"\s*(?:=>|↦)\s*").match(text, offset)
    return found.end() if found else None


_HYPOTHESIS = re.compile(r"h[\w₀-₉']{0,5}")
_MOST_FREE = 4


def free_names(statement: str, proof: str) -> list[str]:
    """Names of hypotheses that a proof seems to use, but that neither it nor the statement introduces."""
    stated = frozenset(tokenize(statement).texts)
    texts = tokenize(proof).texts
    used = [one.partition(".")[0] for one in texts]
    bound = {one for before, one in pairwise(["", *texts]) if before in INTRODUCING | FUNCTIONS | FACTS}
    free = [one for one in used if _HYPOTHESIS.fullmatch(one) and one not in stated | bound]
    return [*dict.fromkeys(free)][:_MOST_FREE]


def introduced(text: str, start: int, name: str) -> Iterator[Change]:
    """A proof that begins at an offset, with a name introduced before all else: a hypothesis that was one of the
    declaration's own before."""
    found = re.compile(r"\s*by(?![\w'.])(?P<gap>\s*)").match(text, start)
    if found is None:
        begin = start + len(text[start:]) - len(text[start:].lstrip())
        yield from (Change(begin, begin, f"fun {one} => ") for one in (name, f"_ {name}"))
        return
    separator = found["gap"] if "\n" in found["gap"] else "; "
    yield from (Change(found.end(), found.end(), f"intro {one}{separator}") for one in (name, f"_ {name}"))


def deleted(text: str, part: WrittenTactic) -> Change | None:
    """A document without a tactic that has a line of its own, or that follows another in a line; None for others."""
    line = text.rfind("\n", 0, part.start) + 1
    if not text[line : part.start].strip():
        return Change(max(line - 1, 0), part.end, "")
    before = text[: part.start].rstrip()
    mark = next((mark for mark in sorted(SEPARATORS, key=len, reverse=True) if before.endswith(mark)), None)
    return None if mark is None else Change(len(before) - len(mark), part.end, "")


class Block:
    """The block of tactics in which one is: those that begin in its column, below it.

    Args:
        written: the tactics of the declaration.
        tactic: one of them.
    """

    def __init__(self, written: WrittenTactics, tactic: WrittenTactic) -> None:
        position = written.document.position
        column = position(tactic.start).column
        self.tactics = [tactic]
        for one in written.tactics:
            if one.start < tactic.end:
                continue
            begin = position(one.start).column
            if begin < column or (begin == column and not _follows(written.document.text, one)):
                break
            if begin == column:
                self.tactics.append(one)

    @property
    def rest(self) -> WrittenTactic:
        """From the tactic to the end of the block."""
        return WrittenTactic(self.tactics[0].start, max(one.end for one in self.tactics))

    @classmethod
    def below(cls, written: WrittenTactics, offset: int) -> Block | None:
        """The block that a mark at an offset opens; None if it opens none."""
        first = next((one for one in written.tactics if one.start > offset), None)
        return None if first is None else cls(written, first)


def _follows(text: str, one: WrittenTactic) -> bool:
    """Whether a tactic begins its line."""
    return not text[text.rfind("\n", 0, one.start) + 1 : one.start].strip()


def applied(text: str, change: Change) -> str:
    """The text after a change."""
    return f"{text[: change.start]}{change.written}{text[change.end :]}"


def renamed(text: str, start: int, end: int, old: str, new: str, count: int = 0) -> str:
    """A text with another name in [start, end), so often (0: everywhere); one that begins with a dot is a field."""
    if old.startswith("."):
        pattern = re.compile(rf"(?<=[\w'!?»)⟩\]]){re.escape(old)}(?![\w'!?»])")
    else:
        pattern = re.compile(rf"(?<![\w.'!?«✝]){re.escape(old)}(?![\w'!?»✝])")
    return f"{text[:start]}{pattern.sub(lambda _: new, text[start:end], count)}{text[end:]}"


def is_echo(fault: Fault) -> bool:
    """Whether an error only says that a definition has another error."""
    return fault.message.startswith("`sorryAx`")


def difference(before: str, after: str) -> Change:
    """The smallest change of whole words, or of whole lines if it is of several, that makes one text of another."""
    start = next((place for place, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), None)  # noqa: B905
    if start is None:
        start = min(len(before), len(after))
    most = min(len(before), len(after)) - start
    same = 0
    while same < most and before[len(before) - 1 - same] == after[len(after) - 1 - same]:
        same += 1
    is_inside = (
        _is_within
        if "\n" not in before[start : len(before) - same] + after[start : len(after) - same]
        else _is_in_line
    )
    while start and (is_inside(before, start) or is_inside(after, start)):
        start -= 1
    while same and (is_inside(before, len(before) - same) or is_inside(after, len(after) - same)):
        same -= 1
    return Change(start, len(before) - same, after[start : len(after) - same])


def _is_in_line(text: str, place: int) -> bool:
    """Whether an offset is between the first and the last visible character of a line."""
    begin, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    return bool(text[begin:place].strip()) and bool(text[place : end if end >= 0 else None].strip())


def _is_within(text: str, place: int) -> bool:
    """Whether an offset is inside a word."""
    return place < len(text) and _is_word(text[place - 1]) and _is_word(text[place])


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter in "_'!?.«»"
