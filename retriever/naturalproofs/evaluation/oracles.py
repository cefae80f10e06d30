"""The three oracles of Table 8: what a model would get that knew part of a true sequence (section 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retriever.naturalproofs.task import References

Oracle = Callable[[References, np.random.Generator], References]


def _set(true: References, rng: np.random.Generator) -> References:
    return _shuffled(sorted(set(true)), rng)


def _multiset(true: References, rng: np.random.Generator) -> References:
    return _shuffled(true, rng)


def _half(true: References, _: np.random.Generator) -> References:
    return true[: len(true) // 2]


ORACLES: dict[str, Oracle] = {"*-set": _set, "*-multiset": _multiset, "*-halfseq": _half}
"""The distinct references, and all of them, in random order; the first half in order, rounded down, so of one
reference nothing (the paper's row never matches exactly, and so does this)."""


def oracle_sequences(true: Sequence[References], seed: int = 0) -> dict[str, list[References]]:
    """What each oracle predicts for every true sequence; the same seed gives the same orders."""
    found = {}
    for name, oracle in ORACLES.items():
        rng = np.random.default_rng(seed)
        found[name] = [oracle(sequence, rng) for sequence in true]
    return found


def _shuffled(ids: Sequence[int], rng: np.random.Generator) -> References:
    return tuple(ids[index] for index in rng.permutation(len(ids)))
