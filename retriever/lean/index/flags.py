"""What a premise is, in bits."""

from __future__ import annotations

from enum import IntFlag

from lean_extract.records import Premise
from retriever.lean.theorems import is_theorem


class Flag(IntFlag):
    """What a premise is, one bit each."""

    PRIVATE = 1
    PROTECTED = 2
    THEOREM = 4
    GENERATED = 8
    SORRY = 16
    """Its own text has a `sorry`; never set in segments that were written before there was this bit."""
    DEPRECATED = 32
    """The same of the attribute `deprecated`."""


def flags_of(premise: Premise) -> int:
    """All that hold of a premise."""
    return (
        Flag.PRIVATE * premise.is_private
        | Flag.PROTECTED * premise.is_protected
        | Flag.THEOREM * is_theorem(premise)
        | Flag.GENERATED * (premise.generated_by is not None)
        | Flag.SORRY * premise.has_sorry
        | Flag.DEPRECATED * premise.is_deprecated
    )
