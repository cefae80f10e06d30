"""One of several goals by itself: a copy in which `case TAG =>` comes before the place for a tactic. Pure."""

from __future__ import annotations

import textwrap

from lean_extract.session.document import LeanDocument
from lean_extract.session.places import HOLE, places
from lean_extract.session.tactic_spans import Change, Copy
from prover.verify import GoalPosition


def opening(tag: str) -> str:
    """What chooses the goal with a tag."""
    return f"case {tag} =>"


def opened(tag: str, tactic: str) -> str:
    """A tactic for the goal with a tag."""
    if "\n" in tactic:
        return f"{opening(tag)}\n{textwrap.indent(tactic, '  ')}"
    return f"{opening(tag)} {tactic}"


def without_opening(tag: str, tactic: str) -> str | None:
    """The tactic for the goal with a tag; None if it chooses no goal, or another."""
    head = opening(tag)
    return textwrap.dedent(tactic[len(head) :]).strip() if tactic.startswith(head) else None


def in_case(at: GoalPosition, tag: str) -> Copy | None:
    """The document with a placeholder for the goal with a tag where a tactic would go; None if a term would."""
    document = LeanDocument(at.text or "")
    place = places(document, at.position)[0]
    if place.in_term:
        return None
    written = f"{place.before}{opening(tag)} {HOLE}{place.after}"
    return Copy(document, Change(place.start, place.end, written))
