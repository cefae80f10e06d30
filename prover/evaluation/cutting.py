"""The theorems of a Lean text, with the offsets at which their proofs can be cut out. Pure."""

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
    """A theorem of a text, with offsets into the text: `begin` of its command, the end of its statement
    (`stated`) and the end of its proof (`end`)."""

    name: str
    doc: str
    begin: int
    stated: int
    end: int

    @property
    def level(self) -> str:
        """The difficulty that its doc comment states (`Level 3`), as text; empty if it states none."""
        found = _LEVEL.search(self.doc)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class CutText:
    """A module's text (with Unix line endings) and its theorems, in order."""

    text: str
    read: SourceModule
    cuts: tuple[Cut, ...]


def cut_text(text: str, module: str, path: str) -> CutText:
    """Find the theorems of a module's text.

    Theorems of a `mutual` block are left out, since none of them can stand without those below it. So are the
    helpers after a proof's `where`, which belong to the proof.
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
            index = bisect_right(starts, begin) - 1
            stated = _stated(tokens, begin, end)
            if stated is not None and index not in mutual:
                cuts.append(Cut(premise.name, premise.doc or "", starts[index], stated, end))
    return CutText(text, read, tuple(cuts))


def problem_of(source: CutText, cut: Cut, path: Path, others: Collection[str], *, hide: bool) -> Problem:
    """The theorem as a problem: without its proof and without everything below it.

    Args:
        others: the names of all problems; a retriever does not see the proofs of those above.
        hide: whether those above are removed entirely, for Lean as well.
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
    """The text with the proofs of these theorems replaced by `sorry`; line numbers do not change."""
    for cut in sorted(cuts, key=lambda one: -one.begin):
        lines = "\n" * text.count("\n", cut.stated, cut.end)
        text = f"{text[: cut.stated]} := sorry{lines}{text[cut.end :]}"
    return text


def _offset(tokens: Tokens, position: Position) -> int:
    return tokens.line_offsets()[position.line] + position.column


def _mutual(tokens: Tokens, commands: Sequence[Command]) -> frozenset[int]:
    """The indices of the commands inside a `mutual` block; no other block can be nested in one."""
    found: list[int] = []
    is_inside = False
    for index, command in enumerate(commands):
        if "mutual" in tokens.texts[command.begin : command.end]:  # perhaps after `set_option ... in`
            is_inside = True
        elif tokens.texts[command.begin] == "end":
            is_inside = False
        if is_inside:
            found.append(index)
    return frozenset(found)


def _stated(tokens: Tokens, begin: int, end: int) -> int | None:
    """The offset at which the statement of the declaration at [begin, end) ends; None for a `where` helper."""
    first, last = bisect_left(tokens.starts, begin), bisect_left(tokens.starts, end)
    prefix, keyword = parse_prefix(tokens, first, last)
    declaration = parse_declaration(tokens, prefix, first, keyword, last)
    if declaration is None:  # it has no keyword, as a `where` helper
        return None
    return tokens.end(declaration.value_begin - 1)
