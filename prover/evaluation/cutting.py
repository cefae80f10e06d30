"""The theorems of a Lean text, with the places where their proofs may be cut out. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.records import Position
from lean_extract.source.grammar.commands import Command, split_commands
from lean_extract.source.grammar.declarations import parse_declaration, parse_prefix
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.syntax.keywords import THEOREM_WORDS
from lean_extract.syntax.lexer import Tokens, tokenize
from prover.evaluation.problems import Problem
from prover.search.theorem import Theorem

_BEGUN = " := by\n  sorry\n"
_LEVEL = re.compile(r"\b[Ll]evel:?\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A theorem of a text, and offsets into that: `begin` of its command, `stated` behind its statement,
    `end` behind its proof."""

    name: str
    doc: str
    begin: int
    stated: int
    end: int

    @property
    def level(self) -> str:
        """What its doc comment says of how hard it is (`Level 3`); empty where it says nothing."""
        found = _LEVEL.search(self.doc)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class CutText:
    """A module's text (line ends as on Unix) and its theorems, in order."""

    text: str
    read: SourceModule
    cuts: tuple[Cut, ...]


def cut_text(text: str, module: str, path: str) -> CutText:
    """Find the theorems of a module's text.

    Those of a `mutual` block are left out, since none stands without the others below it, and so are the
    helpers behind a proof's `where`, which go with the proof.
    """
    text = text.replace("\r\n", "\n")
    read = read_module(text, module, path)
    tokens = tokenize(text)
    commands = split_commands(tokens)
    starts = [tokens.starts[command.begin] for command in commands]
    mutual = _mutual(tokens, commands)
    cuts = []
    for premise in read.premises:
        if premise.kind in THEOREM_WORDS and premise.generated_by is None and premise.span is not None:
            begin = _offset(tokens, premise.span.start)
            end = _offset(tokens, premise.span.end)
            place = bisect_right(starts, begin) - 1
            stated = _stated(tokens, begin, end)
            if stated is not None and place not in mutual:
                cuts.append(Cut(premise.name, premise.doc or "", starts[place], stated, end))
    return CutText(text, read, tuple(cuts))


def problem_of(source: CutText, cut: Cut, path: Path, others: Collection[str], *, hide: bool) -> Problem:
    """The theorem as a problem: its proof is gone, and all that stands below it.

    Args:
        others: the names of all problems; a retriever does not see the proofs of those above.
        hide: whether those above are gone as a whole, for Lean as well.
    """
    above = [one for one in source.cuts if one.end <= cut.begin and one.name in others]
    stated = source.text[: cut.stated]
    text = without(stated, above) if hide else stated
    position = Position(text.count("\n") + 1, 2)
    seen = "" if hide else f"{unproved(stated, above)}{_BEGUN}"
    theorem = Theorem(path, f"{text}{_BEGUN}", position)
    return Problem(cut.name, theorem, cut.name, cut.level, source.read.module.name, seen)


def without(text: str, cuts: Sequence[Cut]) -> str:
    """The text with these theorems blanked out; lines and columns of the rest stay as they are."""
    for cut in cuts:
        text = text[: cut.begin] + re.sub(r"[^\n]", " ", text[cut.begin : cut.end]) + text[cut.end :]
    return text


def unproved(text: str, cuts: Sequence[Cut]) -> str:
    """The text with `sorry` for the proofs of these theorems; lines stay as they are."""
    for cut in sorted(cuts, key=lambda one: -one.begin):
        lines = "\n" * text.count("\n", cut.stated, cut.end)
        text = f"{text[: cut.stated]} := sorry{lines}{text[cut.end :]}"
    return text


def _offset(tokens: Tokens, position: Position) -> int:
    return tokens.line_offsets()[position.line] + position.column


def _mutual(tokens: Tokens, commands: Sequence[Command]) -> frozenset[int]:
    """Which of the commands stand in a `mutual` block; no other block can stand in one."""
    found: list[int] = []
    is_inside = False
    for place, command in enumerate(commands):
        if "mutual" in tokens.texts[command.begin : command.end]:  # perhaps behind `set_option ... in`
            is_inside = True
        elif tokens.texts[command.begin] == "end":
            is_inside = False
        if is_inside:
            found.append(place)
    return frozenset(found)


def _stated(tokens: Tokens, begin: int, end: int) -> int | None:
    """The offset behind the statement of the declaration at [begin, end); None for a `where` helper."""
    first, last = bisect_left(tokens.starts, begin), bisect_left(tokens.starts, end)
    prefix, place = parse_prefix(tokens, first, last)
    declaration = parse_declaration(tokens, prefix, first, place, last)
    if declaration is None:  # no word says what it is
        return None
    return tokens.end(declaration.value_begin - 1)
