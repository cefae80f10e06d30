"""Goals of the example library: a step of a proof, and what follows in its block, gives way to `sorry`.

Used by `check_shown_tactics.py`. The rest of the proof stays, so the file is whole but for the `sorry`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.records import Position, Span
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.syntax.tactic_text import brackets
from lsp_server.documents.positions import offset_of


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a proof in a file, and where the block that it begins or goes on with ends."""

    path: Path
    theorem: str
    start: Position
    end: Position

    @property
    def key(self) -> str:
        """What names it from one run to the next."""
        return f"{self.path.as_posix()}:{self.start.line + 1}:{self.start.column + 1}"

    def cut(self, text: str, goals: int) -> str:
        """The file with a `sorry` for each goal instead of the step and of what follows in its block."""
        lines = text.split("\n")
        start, end = offset_of(lines, self.start), offset_of(lines, self.end)
        return text[:start] + stacked(["sorry"] * goals, self.start.column) + text[end:]


def stacked(tactics: Sequence[str], column: int) -> str:
    """Tactics below each other; where the first one goes, the column is reached already."""
    return ("\n" + " " * column).join(tactics)


def drawn(library: Path, seed: int) -> list[Step]:
    """Every step of every proof by tactics, in an order that the seed decides."""
    found = [step for path in sorted(library.rglob("*.lean")) for step in _steps(path, library.parent)]
    random.Random(seed).shuffle(found)
    return found


def _steps(path: Path, root: Path) -> Iterator[Step]:
    text = path.read_text(encoding="utf-8")
    relative = path.relative_to(root)
    module = read_module(text, ".".join(relative.with_suffix("").parts), str(path))
    lines = text.split("\n")
    for theorem, spans in _spans(module):
        for span in spans:
            yield Step(relative, theorem, span.start, _block_end(lines, span, spans))


def _spans(module: SourceModule) -> Iterator[tuple[str, list[Span]]]:
    for proof in module.proofs:
        yield proof.theorem, [step.span for step in proof.steps]


def _block_end(lines: Sequence[str], span: Span, spans: Sequence[Span]) -> Position:
    """Where the last step ends that stands in the step's block, or deeper, behind it."""
    last = span.start.line
    for number in range(span.start.line + 1, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip()) < span.start.column:
            break
        last = number
    text = "\n".join(lines)
    start = offset_of(lines, span.start)
    ends = sorted({other.end for other in spans if other.end > span.start and other.end.line <= last})
    for end in reversed(ends):
        problem, still_open = brackets(text[start : offset_of(lines, end)])
        if problem is None and not still_open:
            return end
    return span.end
