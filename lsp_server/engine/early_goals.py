"""The goal as the text of a file states it, for while Lean is on its way to it. Pure."""

from __future__ import annotations

from lean_extract.records import Goal, Position
from lean_extract.session.document import LeanDocument
from lean_extract.source.reader import read_module

EARLY_SECONDS = 1.5
"""After that, the goal that the text states is shown."""
NOTE = "This goal is read from the text: Lean is still at work above it."


def goal_in_text(text: str, position: Position) -> Goal | None:
    """The goal before the step, or the `sorry` of a term, at a position; None where the text does not determine it."""
    document = LeanDocument(text)
    _, end = document.declaration(document.offset(position))
    found: Goal | None = None
    for proof in read_module(text[:end], "", "", states=True).proofs:
        for step in (*proof.steps, *proof.terms):
            if step.span.start <= position <= step.span.end:
                found = step.before
    return found
