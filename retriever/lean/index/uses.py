"""What the proofs of a project's own files mention, as its index keeps it: by these mentions its theorems vote."""

from __future__ import annotations

from lean_extract.source.open_file import possible_uses
from lean_extract.source.reader import SourceModule
from retriever.search.index.mention_columns import MentionColumns

_MOST_MENTIONS = 500
"""Mentions of one proof."""


def read_mentions(source: SourceModule) -> MentionColumns:
    """The mentions in a module's proofs, by their theorems' positions."""
    positions = {premise.name: number for number, premise in enumerate(source.premises)}
    proofs = [proof for proof in source.proofs if proof.theorem in positions]
    found = zip(proofs, possible_uses(source, proofs), strict=True)
    rows = [
        (positions[proof.theorem], names) for proof, mentions in found for names in mentions[:_MOST_MENTIONS]
    ]
    return MentionColumns.of_names(sorted(rows, key=lambda row: row[0]))
