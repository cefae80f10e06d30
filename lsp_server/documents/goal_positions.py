"""Places in documents: how caches tell them apart, and what can be used at one. Pure but for a file that
is read where the editor has not sent its text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lean_extract.reading import read_source
from lean_extract.records import Position
from lean_extract.source.reader import SourceModule
from lsp_server.documents.contexts import offset_of
from lsp_server.documents.insertion import stands_in_term, with_by
from lsp_server.engine.schema import TacticItem
from prover.verify import GoalPosition
from retriever.lean.goal_context import GoalContext


def key_of(place: GoalPosition) -> tuple[Path, int, Position]:
    """What stands for a place in a cache: not the text itself, which may be large."""
    return place.path, hash(place.text), place.position


def text_before(place: GoalPosition) -> str | None:
    """The document up to the place; None where the text is on disk."""
    if place.text is None:
        return None
    return place.text[: offset_of(place.text.split("\n"), place.position)]


def in_term(place: GoalPosition) -> bool:
    """Whether a tactic at the place stands where a term does. Raises BadSource."""
    text = place.text if place.text is not None else read_source(place.path)
    return stands_in_term(text.split("\n"), place.position)


def as_placed(item: TacticItem, is_term: bool) -> TacticItem:
    """A tactic as it is shown for a place: with `by` where a term stands."""
    return replace(item, tactic=with_by(item.tactic)) if is_term else item


def text_to_line(place: GoalPosition) -> str:
    """The file up to the place's line: what follows cannot be used there. Raises BadSource."""
    whole = place.text if place.text is not None else read_source(place.path)
    return "\n".join(whole.split("\n")[: place.position.line + 1])


def where_in(source: SourceModule, text: str, line: int) -> GoalContext:
    """The place of a goal on a line of a file that was read up to that line.

    The theorem being proved is the declaration that reaches the line, or the last one if nothing but empty
    lines stand between: a goal is always inside of one. It is no premise there.
    """
    around = [p for p in source.premises if p.span and p.span.start.line <= line <= p.span.end.line]
    if not around:
        written = _last_written(text, line)
        around = [p for p in source.premises if p.span and p.span.end >= written]
    theorem = around[0].name if around else None
    local = tuple(p for p in source.premises if theorem is None or theorem not in (p.name, p.generated_from))
    imports = tuple(item.module for item in source.module.imports)
    return GoalContext(source.module.name, imports, line, local, theorem, source)


def _last_written(text: str, line: int) -> Position:
    """Behind the last that is written up to the end of a line."""
    rows = text.split("\n")[: line + 1]
    while rows and not rows[-1].strip():
        rows.pop()
    return Position(len(rows) - 1, len(rows[-1].rstrip())) if rows else Position(0, 0)
