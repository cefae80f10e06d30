"""The theorems that proofs split cases with (`obtain`, `rcases`), whatever the goal: `data/case_splits.txt`.

`python -m retriever case-splits` makes the table, and says how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from retriever.lean.eligibility import RankedPremise

SHIPPED = Path(__file__).parent.parent / "data" / "case_splits.txt"
SPLITTING = frozenset(("obtain", "rcases", "cases", "cases'", "rintro", "choose"))
"""First words of tactics that take a statement apart."""
_WEIGHT = 1.5
"""Of the table's log-odds beside the ranker's score. Chosen on val-tune of LeanDojo Benchmark 4."""


def for_case_splits(ranked: Sequence[RankedPremise]) -> list[RankedPremise]:
    """The premises in the order in which a tactic is likely to take them apart, with other scores."""
    more = _log_odds()
    found = [replace(one, score=one.score + _WEIGHT * more.get(one.premise.name, 0.0)) for one in ranked]
    return sorted(found, key=lambda one: -one.score)


@cache
def _log_odds() -> Mapping[str, float]:
    """The logarithm of how much more often a theorem is used to split cases than elsewhere, by its name."""
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()[1:]
    return {name: float(odds) for name, odds in (line.split() for line in lines)}
