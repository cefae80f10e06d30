"""What a step of training by states and premises looks at, whatever corpus it comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from retriever.search.splits import SPLITS
from retriever.training.tokens import Ints, Ragged


@dataclass(frozen=True, slots=True)
class TrainingArrays:
    """What a training step looks at. Premises and queries go by their number in the dataset."""

    contexts: Ragged
    """[corpus] Tokens of a premise's context; of its goal where it has none."""
    goals: Ragged
    """[corpus]"""
    families: Ints
    """[corpus] A number shared by a declaration and its generated twins."""
    states: Ragged
    """[queries]"""
    gold: Ragged
    """[queries] Gold premises."""
    splits: Ints
    """[queries] Index in `SPLITS`."""
    inner: NDArray[np.bool_]
    """[queries] Whether the state is a goal inside a proof."""
    query_families: Ints
    """[queries] The family of the query's theorem; -1 if it is not in the corpus."""
    ranks: NDArray[np.float64]
    """[queries] In [0, 1), by the theorem's name: those below `batch.share` are learned from."""

    def cut(self, *, state: int, premise: int) -> TrainingArrays:
        """Texts of at most so many tokens; of a long state its end is kept, where the goal stands."""
        return replace(
            self,
            contexts=self.contexts.cut(premise, keep="head"),
            goals=self.goals.cut(premise, keep="head"),
            states=self.states.cut(state, keep="tail"),
        )


def training_queries(arrays: TrainingArrays, share: float = 1.0) -> tuple[Ints, Ints]:
    """(statements and steps, inner goals) of the training split, or of a share of its theorems."""
    train = (arrays.splits == SPLITS.index("train")) & (arrays.ranks < share)
    return np.flatnonzero(train & ~arrays.inner), np.flatnonzero(train & arrays.inner)
