"""What the proofs of the theorems nearest to a goal use, counted in several ways.

The voters are the nearest by embedding, the best by BM25, and both merged by reciprocal rank fusion (Cormack et al.
2009). Only the premises that some voter uses have a row, so the cost does not depend on the size of the index.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bools, Doubles, Floats, Ids
from retriever.search.index.table import rows_of
from retriever.search.votes import ProofGraph, by_rank

NEAREST = 512
"""Voters by embedding."""
LEXICAL = 128
"""Voters by BM25."""
VOTES = (
    "votes_16",
    "votes_512",
    "votes_similar",
    "votes_lexical",
    "votes_lexical_16",
    "votes_merged",
    "user_best",
    "user_total",
    "user_first",
)
"""The columns of `VotedPremises`."""
_MERGED = 64
_RRF = 60.0
"""The constant of reciprocal rank fusion."""
_SHARPNESS = 20.0
"""How fast a vote falls with the distance to the nearest voter's similarity."""
_USERS = 300
"""At most this many proofs of each premise are looked at for what they also use."""
_SEEDS = 6


@dataclass(frozen=True, slots=True)
class VotedPremises:
    """The u premises that voters use, with one row each."""

    ids: Ids
    """int64[u], ascending."""
    table: Floats
    """float32[u, len(VOTES)]"""

    def of(self, ids: Ids) -> Floats:
        """float32[len(ids), len(VOTES)]; 0 for a premise that no voter uses, and for -1."""
        result = np.zeros((len(ids), len(VOTES)), dtype=np.float32)
        if len(self.ids):
            row = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
            found = self.ids[row] == ids
            result[found] = self.table[row[found]]
        return result

    def best(self, k: int, allowed: Bools) -> Ids:
        """int64[<= k]: the premises with most votes of the nearest theorems among `allowed` (bool[n])."""
        votes = np.where(allowed[self.ids], self.table[:, VOTES.index("votes_512")], 0.0)
        order = np.argsort(-votes, kind="stable")[:k]
        return self.ids[order[votes[order] > 0]]


def voted(graph: ProofGraph, nearest: Ids, similarity: Floats, lexical: Ids) -> VotedPremises:
    """Count the votes.

    Args:
        graph: what the proofs of n theorems use.
        nearest: int64[<= NEAREST], the theorems nearest to the goal by embedding, nearest first.
        similarity: float32[len(nearest)], their cosines with the goal.
        lexical: int64[<= LEXICAL], the best by BM25, best first.
    """
    merged = _merged(nearest, lexical)
    groups = [_edges(graph, voters) for voters in (nearest, lexical, merged)]
    ids, rows = np.unique(np.concatenate([used for used, _ in groups]), return_inverse=True)
    bounds = np.cumsum([len(used) for used, _ in groups])[:-1]
    (near, by_text, by_both) = np.split(rows, bounds)
    voters = [voter for _, voter in groups]
    size = len(ids)
    share = [1.0 / np.sqrt(np.maximum(np.diff(graph.starts)[v], 1)) for v in (nearest, lexical, merged)]

    def votes(used: Ids, voter: Ids, weights: Doubles) -> Doubles:
        return np.asarray(np.bincount(used, weights[voter], minlength=size), dtype=np.float64)

    ranked = [by_rank(len(v)) * s for v, s in zip((nearest, lexical, merged), share, strict=True)]
    first = np.full(size, np.inf)
    np.minimum.at(first, near, voters[0].astype(np.float64))
    similar = similarity.astype(np.float64)
    best = np.zeros(size)
    np.maximum.at(best, near, similar[voters[0]])
    distance = np.exp(_SHARPNESS * (similar - similar.max(initial=0.0)))
    columns = (
        np.log1p(votes(near, voters[0], np.where(np.arange(len(nearest)) < 16, ranked[0], 0.0))),
        votes(near, voters[0], ranked[0]),
        np.log1p(100.0 * votes(near, voters[0], distance * share[0])),
        np.log1p(votes(by_text, voters[1], ranked[1])),
        np.log1p(votes(by_text, voters[1], np.where(np.arange(len(lexical)) < 16, ranked[1], 0.0))),
        np.log1p(votes(by_both, voters[2], ranked[2])),
        best,
        np.log1p(votes(near, voters[0], np.exp(10.0 * similar))),
        1.0 / (1.0 + first),
    )
    return VotedPremises(ids, np.stack(columns, axis=1).astype(np.float32))


def _merged(nearest: Ids, lexical: Ids) -> Ids:
    """The best of both lists by the sum of 1 / (60 + rank)."""
    ids, rows = np.unique(np.concatenate([nearest, lexical]), return_inverse=True)
    weights = np.concatenate([1.0 / (_RRF + np.arange(len(found))) for found in (nearest, lexical)])
    sums = np.bincount(rows, weights, minlength=len(ids))
    return np.asarray(ids[np.argsort(-sums, kind="stable")[:_MERGED]])


def _edges(graph: ProofGraph, proofs: Ids) -> tuple[Ids, Ids]:
    """(what the proofs use, the index in `proofs` of the proof that uses it)."""
    first = graph.starts[proofs]
    counts = graph.starts[proofs + 1] - first
    used = graph.uses[rows_of(first, counts)].astype(np.int64)
    return used, np.repeat(np.arange(len(proofs)), counts)


def used_together(graph: ProofGraph, ids: Ids, votes: Floats, voters: Bools) -> Floats:
    """float32[n]: how often premises are used in one proof with the candidates that have most votes.

    This is pseudo-relevance feedback: each proof that uses one of those counts 1 / sqrt(premises it uses).

    Args:
        graph: what the proofs of n theorems use.
        ids: int64[n], the candidates' numbers; -1 for one that is not indexed.
        votes: float32[n], their votes.
        voters: the proofs that may vote, as bool over all theorems.
    """
    result = np.zeros(len(ids), dtype=np.float32)
    if not len(ids):
        return result
    seeds = ids[np.argsort(-votes, kind="stable")[:_SEEDS]]
    users = [graph.users(int(seed))[:_USERS] for seed in seeds if seed >= 0]
    proofs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *users]))
    proofs = proofs[voters[proofs]]
    used, voter = _edges(graph, proofs)
    weights = 1.0 / np.sqrt(np.maximum(np.diff(graph.starts)[proofs], 1))
    order = np.argsort(ids, kind="stable")
    row = np.minimum(np.searchsorted(ids[order], used), len(ids) - 1)
    found = ids[order][row] == used
    result[order] = np.bincount(row[found], weights[voter[found]], minlength=len(ids))
    return result


def _column(table: Floats, name: str) -> Floats:
    """float32[n]: one column of a table of VOTES."""
    return table[:, VOTES.index(name)]
