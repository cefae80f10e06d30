"""What known proofs use, and how the proofs nearest to a query vote (as in MaSh, Kühlwein et al. 2013):

    votes(p) = sum over voters t whose proof uses p of  w_t / sqrt(number of documents that t uses)

The weights w_t of the voters are the caller's: `by_rank`, or `by_similarity`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from lean_extract.common.arrays import Bools, Doubles, Floats, Ids, Int32s
from retriever.search.index.table import rows_of


class ProofGraph:
    """The uses of m proofs as compressed sparse rows: proof i uses `uses[starts[i]:starts[i + 1]]`.

    Args:
        starts: int64[m + 1].
        uses: int32, positions of documents, each once in a row.
        count: how many documents there are; None: one for each proof, which is its own.
        owners: int64[m], the document that each proof is of; None: document i has proof i.
    """

    def __init__(
        self, starts: Ids, uses: Int32s, count: int | None = None, owners: Ids | None = None
    ) -> None:
        self.starts = starts
        self.uses = uses
        self.count = len(starts) - 1 if count is None else count
        self.owners: Ids = np.arange(len(starts) - 1) if owners is None else owners
        self.known: Bools = np.diff(starts) > 0
        """bool[m]: which proofs are known to use anything."""

    @classmethod
    def of_rows(cls, count: int, rows: Mapping[int, Sequence[int]]) -> ProofGraph:
        """The graph of `count` documents; a document without a row has no known proof."""
        lengths = np.zeros(count + 1, dtype=np.int64)
        for number, row in rows.items():
            lengths[number + 1] = len(row)
        uses = [used for number in sorted(rows) for used in rows[number]]
        return cls(np.cumsum(lengths), np.array(uses, dtype=np.int32))

    def __len__(self) -> int:
        """How many proofs there are."""
        return len(self.starts) - 1

    def votes(self, proofs: Ids, weights: Doubles) -> Floats:
        """float32[count]: the votes of proofs (int64[k]) with these weights (float64[k])."""
        counts = self.starts[proofs + 1] - self.starts[proofs]
        return self._sum(proofs, np.repeat(weights / np.sqrt(np.maximum(counts, 1)), counts))

    def counts(self, proofs: Ids) -> Floats:
        """float32[count]: how many of these proofs use each document."""
        return self._sum(proofs, None)

    def users(self, document: int) -> Ids:
        """int64: the proofs that use a document, ascending."""
        starts, proofs = self._users
        return proofs[starts[document] : starts[document + 1]]

    @cached_property
    def _users(self) -> tuple[Ids, Ids]:
        """The graph read backwards, as compressed sparse rows: (starts int64[count + 1], proofs)."""
        starts = np.zeros(self.count + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.uses, minlength=self.count), out=starts[1:])
        proofs = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return starts, proofs[np.argsort(self.uses, kind="stable")]

    def _sum(self, rows: Ids, weights: Doubles | None) -> Floats:
        first, counts = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        used = self.uses[rows_of(first, counts)]
        return np.bincount(used, weights, minlength=self.count).astype(np.float32)


def by_rank(count: int) -> Doubles:
    """float64[count]: the weights of voters given nearest first, 1 / sqrt(1 + rank)."""
    return np.asarray(1.0 / np.sqrt(1.0 + np.arange(count)))


def by_similarity(similarities: Floats, power: float) -> Doubles:
    """float64[k]: the weights of voters with these positive similarities, (similarity / the largest) ** power."""
    similar = similarities.astype(np.float64)
    return np.asarray((similar / similar.max(initial=0.0)) ** power)
