"""The position of a goal in a document: its cache key, the text around it, and what can be used there.

Pure, except that a file is read if the editor has not sent its text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lean_extract.common.files.reading import read_source
from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault
from lean_extract.source.names.scopes import namespaces_of
from lean_extract.source.reader import SourceModule
from prover.verify import GoalPosition
from retriever.lean.goal_context import GoalContext


def cache_key(position: GoalPosition) -> tuple[Path, int, Position]:
    """A cache key for a position, which holds a hash instead of the text."""
    return position.path, hash(position.text), position.position


def declaration_key(position: GoalPosition) -> tuple[Path, int | None, Position]:
    """A cache key for Lean's verdicts at a position: nothing below the declaration changes them.

    Raises BadPosition.
    """
    if position.text is None:
        return position.path, None, position.position
    document = LeanDocument(position.text)
    _, end = document.declaration(document.offset(position.position))
    return position.path, hash(document.text[:end]), position.position


def text_to_line(position: GoalPosition) -> str:
    """The file up to the position's line; later declarations cannot be used there. Raises BadSource."""
    return "\n".join(text_of(position).split("\n")[: position.position.line + 1])


def goal_context(source: SourceModule, text: str, line: int) -> GoalContext:
    """What a goal on a line can use, given the file's content up to that line.

    The theorem being proved is the declaration that reaches the line, or the last one if only empty lines
    are between: a goal is always inside a declaration. That theorem is not a premise there.
    """
    around = [p for p in source.premises if p.span and p.span.start.line <= line <= p.span.end.line]
    if not around:
        written = _last_written(text, line)
        around = [p for p in source.premises if p.span and p.span.end >= written]
    theorem = around[0].name if around else None
    local = tuple(p for p in source.premises if theorem is None or theorem not in (p.name, p.generated_from))
    imports = tuple(item.module for item in source.module.imports)
    scope = source.scopes[source.premises.index(around[0])] if around else source.scope
    namespace = scope.namespace if theorem is None else namespaces_of(theorem)[1]
    return GoalContext(source.module.name, imports, line, local, theorem, source, namespace, scope.opens)


def broken_names(faults: Sequence[Fault], context: GoalContext) -> Iterator[str]:
    """The declarations of the open file that contain these errors."""
    for premise in context.local if faults else ():
        span = premise.span
        if span is not None and any(span.start <= fault.position <= span.end for fault in faults):
            yield premise.name


def text_of(position: GoalPosition) -> str:
    """The text of a position's document. Raises BadSource."""
    return position.text if position.text is not None else read_source(position.path)


def _last_written(text: str, line: int) -> Position:
    """The offset after the last non-blank character up to the end of a line."""
    rows = text.split("\n")[: line + 1]
    while rows and not rows[-1].strip():
        rows.pop()
    return Position(len(rows) - 1, len(rows[-1].rstrip())) if rows else Position(0, 0)
