"""What a step of training by states and premises looks at, whatever corpus it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int64s
from retriever.search.splits import SPLITS
from retriever.training.tokens import Ragged

ORIGINS = ("statement", "inner", "step", "comment")
"""Where a query comes from: the settings of `batch.shares`."""

_VALIDATED = ("step", "statement")
"""The origins that a curve has figures of, the one that counts first."""

Pools = tuple[Int64s, ...]
"""Numbers of queries for each of `ORIGINS`."""


@dataclass(frozen=True, slots=True)
class TrainingArrays:
    """What a training step looks at. Premises and queries go by their number in the dataset."""

    contexts: Ragged
    """[corpus] Tokens of a premise's context; of its goal where it has none."""
    goals: Ragged
    """[corpus]"""
    families: Int64s
    """[corpus] A number shared by a declaration and its generated twins."""
    states: Ragged
    """[queries]"""
    gold: Ragged
    """[queries] Gold premises."""
    splits: Int64s
    """[queries] Index in `SPLITS`."""
    later: Ragged
    """[queries] What the proof uses in the steps that follow; empty rows for queries that are not steps."""
    earlier: Ragged
    """[queries] What else the proof uses."""
    origins: Int64s
    """[queries] Index in `ORIGINS`."""
    theorems: Int64s
    """[queries] A number shared by the queries of a theorem and of its generated twins."""
    query_families: Int64s
    """[queries] The family of the query's theorem; -1 if it is not in the corpus."""
    ranks: NDArray[np.float64]
    """[queries] In [0, 1), by the theorem's name: those below `batch.share` are learned from."""

    def cut(self, *, state: int, premise: int) -> TrainingArrays:
        """Texts of at most so many tokens; a long state keeps its end, where the goal is."""
        return replace(
            self,
            contexts=self.contexts.cut(premise, keep="head"),
            goals=self.goals.cut(premise, keep="head"),
            states=self.states.cut(state, keep="tail"),
        )


def training_queries(arrays: TrainingArrays, share: float = 1.0) -> Pools:
    """The queries of the training split, or of a share of its theorems, apart by origin."""
    train = (arrays.splits == SPLITS.index("train")) & (arrays.ranks < share)
    return tuple(np.flatnonzero(train & (arrays.origins == number)) for number in range(len(ORIGINS)))


def validation_sample(arrays: TrainingArrays, count: int, known: Int64s | None = None) -> dict[str, Int64s]:
    """Fixed samples of valid queries, at most `count` of each of `_VALIDATED` that there is, by origin.

    `known` are the queries to choose from; None: all.
    """
    found: dict[str, Int64s] = {}
    for origin in _VALIDATED:
        valid = (arrays.splits == SPLITS.index("valid")) & (arrays.origins == ORIGINS.index(origin))
        queries = np.flatnonzero(valid if known is None else valid & np.isin(np.arange(len(valid)), known))
        if len(queries):
            found[origin] = np.sort(np.random.default_rng(0).permutation(queries)[:count])
    return found


def figures_by_origin(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The figures of all origins: the first's under their own names, the others' with the origin in front."""
    result: dict[str, float] = {}
    for origin, figures in found.items():
        prefix = f"{origin}_" if result else ""
        result |= {f"{prefix}{name}": value for name, value in figures.items()}
    return result


def no_rows(count: int) -> Ragged:
    """Empty rows, as many as `count`."""
    return Ragged(np.zeros(0, dtype=np.int32), np.zeros(count + 1, dtype=np.int64))
