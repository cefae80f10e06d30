"""Drawing a batch's queries by origin, each theorem once, and one positive of each query."""

from __future__ import annotations

import numpy as np

from lean_extract.common.arrays import Int64s
from retriever.training.arrays import ORIGINS, Pools, TrainingArrays
from retriever.training.running.config import Labels, Shares

_SPARE = 16
"""Draws beyond twice as many as are needed, for the theorems that come up again."""


def draw_queries(
    theorems: Int64s, pools: Pools, shares: Shares, count: int, generator: np.random.Generator
) -> Int64s:
    """[count] Queries of the origins in their shares, of different theorems.

    A theorem comes up again only where twice as many draws find too few, as in a small library.

    Args:
        theorems: [queries] the theorem of each query (`TrainingArrays.theorems`).
        pools: numbers of queries for each origin; not all are empty.
        shares: those of the origins.
        count: how many to draw.
        generator: what they are drawn from.
    """
    found = np.zeros(0, dtype=np.int64)
    for pool, wanted in zip(pools, counts_of(pools, shares, count), strict=True):
        if wanted:
            drawn = generator.choice(pool, 2 * wanted + _SPARE)
            new = _different(drawn, theorems, theorems[found])[:wanted]
            found = np.concatenate([found, new, drawn[: wanted - len(new)]])
    return found


def _different(drawn: Int64s, theorems: Int64s, taken: Int64s) -> Int64s:
    """The first query of each theorem that is not taken, in the order of the draw."""
    _, first = np.unique(theorems[drawn], return_index=True)
    kept = drawn[np.sort(first)]
    return kept[~np.isin(theorems[kept], taken)]


def counts_of(pools: Pools, shares: Shares, count: int) -> list[int]:
    """How many of `count` queries come from each pool; an empty pool leaves its share to the others.

    Where all pools with a share are empty, the others are drawn from alike.
    """
    weights = np.array(
        [shares.of(origin) if len(pool) else 0.0 for origin, pool in zip(ORIGINS, pools, strict=True)]
    )
    if not weights.any():
        weights = np.array([float(len(pool) > 0) for pool in pools])
    ends = np.rint(np.cumsum(weights / weights.sum()) * count).astype(np.int64)
    return [int(size) for size in np.diff(ends, prepend=0)]


def draw_positives(
    arrays: TrainingArrays, queries: Int64s, labels: Labels, generator: np.random.Generator
) -> Int64s:
    """[b] A premise of each query: of its own, of the rest of the proof, or of the whole proof.

    Which of the three is drawn by the chances of `labels`, then one premise, all alike.
    """
    parts = (arrays.gold, arrays.later, arrays.earlier)
    lengths = np.stack([part.offsets[queries + 1] - part.offsets[queries] for part in parts])
    ends = np.cumsum(lengths, axis=0)  # [3, b]: where each part ends when they are concatenated
    rows = np.arange(len(queries))
    reach = generator.choice(3, len(queries), p=[labels.step, labels.rest, labels.proof])
    place = generator.integers(0, ends[reach, rows])
    part = (place >= ends).sum(axis=0)
    place -= (ends - lengths)[part, rows]
    flat = np.concatenate([one.flat for one in parts])
    bases = np.cumsum([0, *(len(one.flat) for one in parts[:-1])])
    starts = np.stack([one.offsets[queries] for one in parts])[part, rows]
    positives: Int64s = flat[bases[part] + starts + place].astype(np.int64)
    return positives
