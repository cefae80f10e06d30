"""Search by symbols, as in Loogle or Mathlib's search: every symbol of the target, shortest statement first.

Where nothing has them all, the premises that have the most of them come first.
"""

from __future__ import annotations

import numpy as np

from lean_extract.common.arrays import Floats
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.symbols import premise_symbols, target_symbols
from retriever.search.index.postings import Postings, build_postings


class Keyword:
    """Counts the target's symbols in each premise; the length of its statement decides between equals."""

    name = "keyword"

    def __init__(self, holders: Postings, lengths: Floats) -> None:
        self._holders = holders
        self._brevity = -lengths / (lengths.max(initial=0) + 1)

    def scores(self, question: HeldOutGoal) -> Floats:
        """float32[n]: how many symbols match, less a part of 1 that grows with the length, or -inf."""
        found = np.zeros(len(self._brevity), dtype=np.float32)
        for symbol in target_symbols(question.goal):
            found[self._holders.find(symbol)[0]] += 1
        return np.where(found > 0, found + self._brevity, -np.inf).astype(np.float32)


def keyword(session: EvaluationSession) -> Keyword:
    """`keyword`, over the symbols of all statements."""
    corpus = session.dataset.corpus
    lengths = [len(premise.conclusion) + sum(map(len, premise.context)) for premise in corpus]
    holders = build_postings(sorted(premise_symbols(premise)) for premise in corpus)
    return Keyword(holders, np.array(lengths, dtype=np.float32))
