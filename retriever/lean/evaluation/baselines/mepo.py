"""MePo, the relevance filter of Meng and Paulson (2009), as `Lean.LibrarySuggestions.mepoSelector` runs it.

Symbols become relevant round by round, beginning with the goal's. A fact's score is

    m / (m + number of its symbols that are not relevant),  m = sum of weight(s) over its relevant symbols s
    weight(s) = 1 + 2 / (floor(log2(facts with s)) + 1), or 1 where rarity does not count

A round accepts all facts whose score reaches `p`, best first (ties: more relevant symbols first), makes their
symbols relevant and raises p by (1 - p) / c. It ends with a round that accepts nothing, or when enough are
found; what is not accepted is not ranked. p = 0.6 and c = 2.4 are the paper's and Lean's.

One thing is not as in Lean: symbols are read from text (`retriever.lean.symbols`), not from elaborated types.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Bools, Floats, Int64s
from retriever.lean.evaluation.rankers import DEPTH, ScoredQuestion
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.symbols import goal_symbols, premise_symbols
from retriever.search.index.postings import Postings, build_postings


@dataclass(frozen=True, slots=True)
class SymbolFacts:
    """Which facts hold which symbols, both by number, in both directions."""

    symbols: dict[str, int]
    holders: Postings
    """Symbol to facts."""
    flat: NDArray[np.int32]
    """The symbols of all facts; those of fact i are `flat[starts[i]:starts[i + 1]]`."""
    starts: Int64s

    @property
    def sizes(self) -> Int64s:
        """[facts] How many symbols each has."""
        return np.diff(self.starts)

    def symbols_of(self, facts: Int64s) -> Int64s:
        """The distinct symbols of some facts."""
        parts = [self.flat[self.starts[fact] : self.starts[fact + 1]] for fact in facts]
        return np.unique(np.concatenate(parts)).astype(np.int64)

    def holders_of(self, symbol: int) -> NDArray[np.int32]:
        """The facts that hold a symbol."""
        return self.holders.documents[self.holders.starts[symbol] : self.holders.starts[symbol + 1]]


def facts_of(statements: Iterable[Iterable[str]]) -> SymbolFacts:
    """The index over the symbols of statements."""
    holders = build_postings([sorted(set(symbols)) for symbols in statements])
    rows = np.repeat(np.arange(len(holders.terms), dtype=np.int32), np.diff(holders.starts))
    order = np.argsort(holders.documents, kind="stable")
    starts = np.zeros(len(holders.lengths) + 1, dtype=np.int64)
    np.cumsum(holders.lengths, out=starts[1:])
    return SymbolFacts(
        {symbol: row for row, symbol in enumerate(holders.terms)}, holders, rows[order], starts
    )


def rarity(facts: SymbolFacts) -> Floats:
    """float32[symbols]: Meng and Paulson's weights."""
    counts = np.diff(facts.holders.starts)
    return (1 + 2 / (np.floor(np.log2(counts)) + 1)).astype(np.float32)


def select(
    facts: SymbolFacts,
    weights: Floats,
    goal: Iterable[str],
    allowed: Bools,
    *,
    limit: int,
    p: float = 0.6,
    c: float = 2.4,
) -> Int64s:
    """The accepted facts among `allowed` (bool[n]), at most `limit`, in the order of Lean's suggestions."""
    count = len(facts.sizes)
    mass, shared = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.int32)
    waiting = allowed & (facts.sizes > 0)
    relevant = np.zeros(len(facts.symbols), dtype=np.bool_)
    fresh = np.array(
        [facts.symbols[symbol] for symbol in set(goal) if symbol in facts.symbols], dtype=np.int64
    )
    accepted = np.zeros(0, dtype=np.int64)
    while len(accepted) < limit:
        relevant[fresh] = True
        for symbol in np.sort(fresh):
            holders = facts.holders_of(symbol)
            mass[holders] += weights[symbol]
            shared[holders] += 1
        indices = np.flatnonzero(waiting & (shared > 0))
        scores = mass[indices] / (mass[indices] + facts.sizes[indices] - shared[indices])
        reached = scores >= p
        new = indices[reached]
        if not len(new):
            break
        accepted = np.concatenate([accepted, new[np.lexsort((-shared[new], -scores[reached]))]])
        waiting[new] = False
        found = facts.symbols_of(new)
        fresh = found[~relevant[found]]
        p += (1 - p) / c
    return accepted[:limit]


class MePo:
    """The filter over a pool. It sees only what is offered, as in Lean it sees only what is imported."""

    reads_position = False

    def __init__(self, name: str, facts: SymbolFacts, weights: Floats) -> None:
        self.name = name
        self._facts, self._weights = facts, weights

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """What a goal's symbols lead to, at most DEPTH."""
        symbols = goal_symbols(scored.question.goal)
        return select(self._facts, self._weights, symbols, scored.allowed, limit=DEPTH)


def with_rarity(session: EvaluationSession) -> MePo:
    """`mepo`: rare symbols count more, as in the paper."""
    facts = facts_of(map(premise_symbols, session.dataset.corpus))
    return MePo("mepo", facts, rarity(facts))


def without_rarity(session: EvaluationSession) -> MePo:
    """`mepo-plain`: all symbols count alike (`useRarity := false`)."""
    facts = facts_of(map(premise_symbols, session.dataset.corpus))
    return MePo("mepo-plain", facts, np.ones(len(facts.symbols), dtype=np.float32))
