"""How much of a goal n premises match: their conclusions and sides against its subterms, and how much that says.

A match of a side that is a single common symbol says little, and one of many rare symbols a lot. So a match counts
as much as its tokens weigh together, by their inverse document frequencies.
"""

from __future__ import annotations

import numpy as np

from lean_extract.common.arrays import Bools, Doubles, Floats, Ids, UInt32s, UInt64s
from retriever.lean.structure.hashes import EQUATION, EQUIVALENCE, Channel, channels_of
from retriever.lean.structure.index import StructureIndex
from retriever.lean.structure.subterms import TARGET_WORDS, Subterms, matches

MATCHES = (
    "match_left",  # the left side of an equation or `↔`, if it matches in the target: what it weighs
    "match_left_share",  # how much of the target the largest subterm has that it matches
    "match_right",
    "match_right_share",
    "match_side",  # a side of another relation
    "match_inside",  # the conclusion, if it is in the target
    "match_inside_share",
    "match_known_left",  # the left side of an equation or `↔`, if it matches in a hypothesis
    "match_known_right",
    "match_known",  # the conclusion, if it is in a hypothesis
)
"""The columns of `match_columns`."""


def match_columns(index: StructureIndex, subterms: Subterms, lengths: Ids, rows: UInt32s) -> Floats:
    """float32[n, len(MATCHES)]: how n premises match a goal's subterms.

    Args:
        index: for the hashes' inverse document frequencies.
        subterms: the goal's.
        lengths: int64[n], how many hashes each premise has.
        rows: all their hashes, premise after premise.
    """
    count = len(lengths)
    owners = np.repeat(np.arange(count), lengths)
    channels, weights = channels_of(rows), index.weights(rows)

    def total(chosen: Bools) -> Doubles:
        return np.asarray(np.bincount(owners[chosen], weights[chosen], minlength=count), dtype=np.float64)

    found = matches(subterms, lengths, rows)
    left, right = (total(channels == side) for side in (Channel.LEFT, Channel.RIGHT))
    whole = total(channels <= Channel.RIGHT)
    rewrites = np.bincount(owners, (rows == EQUATION) | (rows == EQUIVALENCE), minlength=count) > 0
    target, known = slice(0, TARGET_WORDS), slice(TARGET_WORDS, None)
    in_target = [any_of(one[:, target]) for one in (found.left, found.right, found.whole)]
    in_known = [any_of(one[:, known]) for one in (found.left, found.right, found.whole)]
    columns = (
        left * in_target[0] * rewrites,
        _share(subterms, found.left) * rewrites,
        right * in_target[1] * rewrites,
        _share(subterms, found.right) * rewrites,
        np.maximum(left * in_target[0], right * in_target[1]) * ~rewrites,
        whole * in_target[2],
        _share(subterms, found.whole),
        left * in_known[0] * rewrites,
        right * in_known[1] * rewrites,
        whole * in_known[2],
    )
    return np.stack(columns, axis=1).astype(np.float32)


def best_match(columns: Floats, *, is_known: bool) -> Floats:
    """float32[n]: the most that a match weighs, in the target or in hypotheses, of the columns of `match_columns`."""
    chosen = [
        place
        for place, name in enumerate(MATCHES)
        if name.startswith("match_known") == is_known and not name.endswith("_share")
    ]
    return np.asarray(columns[:, chosen].max(axis=1, initial=0.0))


def rewrite_weight(columns: Floats) -> Floats:
    """float32[n]: the most that a side weighs of what rewrites, of the columns of `match_columns`."""
    sides = [MATCHES.index(f"match_{side}") for side in ("left", "right", "known_left", "known_right")]
    return np.asarray(columns[:, sides].max(axis=1, initial=0.0))


def any_of(masks: UInt64s) -> Bools:
    """bool[n]: which of uint64[n, words] are not 0."""
    return np.asarray((masks != 0).any(axis=1))


def _share(subterms: Subterms, masks: UInt64s) -> Floats:
    """float32[n]: how much of the target the largest subterm has that is matched; 0 for none."""
    first = masks[:, 0]
    place = np.log2(
        np.maximum(first & -first.astype(np.int64).astype(np.uint64), 1).astype(np.float64)
    ).astype(np.int64)
    return np.where(first != 0, subterms.sizes[place], 0.0).astype(np.float32)
