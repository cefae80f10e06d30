"""How premises could be used on a goal, by the hashes of their structure (`retriever.lean.structure.hashes`)."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from lean_extract.common.arrays import Doubles, Floats, Ids, UInt32s
from retriever.lean.structure.goal_patterns import GoalPatterns
from retriever.lean.structure.hashes import EQUATION, EQUIVALENCE, Channel, channels_of
from retriever.lean.structure.index import StructureIndex, among

PATTERNS = (
    "head",
    "left_of_target",
    "right_of_target",
    "left_inside",
    "right_inside",
    "left_subterms",
    "hypotheses_met",
    "is_equation",
    "is_equivalence",
    "rewrites",
    "conclusion_weight",
    "hypotheses_weight",
)
"""The columns of `pattern_columns`."""


def pattern_columns(index: StructureIndex, patterns: GoalPatterns, lengths: Ids, rows: UInt32s) -> Floats:
    """float32[n, len(PATTERNS)]: how n premises match a goal's patterns.

    Args:
        index: for the hashes' inverse document frequencies.
        patterns: the goal's.
        lengths: int64[n], how many hashes each premise has.
        rows: all their hashes, premise after premise.
    """
    count = len(lengths)
    owners = np.repeat(np.arange(count), lengths)
    weights = index.weights(rows)

    def total(values: Doubles) -> Doubles:
        return np.asarray(np.bincount(owners, values, minlength=count), dtype=np.float64)

    met = among(rows, *(getattr(patterns, one.name) for one in fields(patterns)), [EQUATION], [EQUIVALENCE])
    head, left, right, left_inside, right_inside, left_subterms, hypotheses, *relations = met * 1.0
    equation, equivalence = map(total, relations)
    left_met = total(left_inside)
    channels = channels_of(rows)
    columns = (
        *map(total, (head, left, right)),
        left_met,
        total(right_inside),
        total(weights * left_subterms),
        total(hypotheses),
        equation,
        equivalence,
        (equation + equivalence) * np.minimum(left_met, 1.0),
        np.log1p(total(weights * (channels <= Channel.RIGHT))),
        np.log1p(total(weights * (channels == Channel.HYPOTHESES))),
    )
    return np.stack(columns, axis=1).astype(np.float32)
