"""BM25 over the inverted lists of one or several segments.

BM25 is the standard one (Robertson and Zaragoza 2009) with the never-negative idf of Lucene:

    score(q, d) = sum over distinct t in q:  idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avgdl))
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Int32s
from retriever.search.index.postings import Postings


@dataclass(frozen=True, slots=True)
class Bm25Parameters:
    """`k1` >= 0: how soon repetition stops counting; `b` in [0, 1]: how much a text's length counts."""

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (self.k1 >= 0 and 0 <= self.b <= 1):
            raise ValueError(f"BM25 needs k1 >= 0 and 0 <= b <= 1, not {self.k1} and {self.b}")


class Bm25:
    """BM25 over one or several segments with statistics over all of them.

    Args:
        segments: the postings, document ids counted on from one segment to the next.
        alive: bool[n] over all segments; the others count nowhere and score 0. None: all.
    """

    def __init__(
        self,
        segments: Sequence[Postings],
        parameters: Bm25Parameters = Bm25Parameters(),
        alive: Bools | None = None,
    ) -> None:
        self._segments = segments
        self._parameters = parameters
        self._bounds = np.cumsum([0, *(len(segment.lengths) for segment in segments)])
        lengths = (
            np.concatenate([segment.lengths for segment in segments])
            if segments
            else np.zeros(0, dtype=np.int32)
        ).astype(np.float32)
        self._alive = alive if alive is not None and not alive.all() else None
        counted = lengths if self._alive is None else lengths[self._alive]
        self._count = len(counted)
        self._average = float(counted.mean()) if self._count else 0.0
        k1, b = parameters.k1, parameters.b
        self._norms: Floats = k1 * (1 - b + b * lengths / max(self._average, 1e-9))

    def __len__(self) -> int:
        return int(self._bounds[-1])

    @property
    def segments(self) -> Sequence[Postings]:
        """The postings that it scores."""
        return self._segments

    def scores(self, query: Iterable[str]) -> Floats:
        """float32[n]: the score of every document for a query's distinct tokens."""
        result = np.zeros(len(self), dtype=np.float32)
        for term in sorted(set(query)):
            self._add(term, result)
        if self._alive is not None:
            result[~self._alive] = 0.0
        return result

    def score_texts(self, query: Iterable[str], texts: Sequence[Sequence[str]]) -> Floats:
        """float32[len(texts)]: scores of texts outside the index, by the index's statistics."""
        k1, b = self._parameters.k1, self._parameters.b
        result = np.zeros(len(texts), dtype=np.float32)
        counts = [Counter(text) for text in texts]
        norms = [k1 * (1 - b + b * len(text) / max(self._average, 1e-9)) for text in texts]
        for term in sorted(set(query)):
            if not any(term in count for count in counts):
                continue
            found = [segment.find(term)[0] for segment in self._segments]
            df = sum(self._frequency(index, documents) for index, documents in enumerate(found))
            idf = self._idf(df)
            for index, count in enumerate(counts):
                tf = count[term]
                result[index] += idf * tf * (k1 + 1) / (tf + norms[index]) if tf else 0.0
        return result

    def _idf(self, df: int) -> float:
        return float(np.log1p((max(self._count, df) - df + 0.5) / (df + 0.5)))

    def _add(self, term: str, result: Floats) -> None:
        found = [segment.find(term) for segment in self._segments]
        df = sum(self._frequency(index, documents) for index, (documents, _) in enumerate(found))
        if not df:
            return
        idf = self._idf(df)
        for index, (documents, frequencies) in enumerate(found):
            start, stop = self._bounds[index], self._bounds[index + 1]
            tf = frequencies.astype(np.float32)
            tf *= np.float32(idf * (self._parameters.k1 + 1)) / (tf + self._norms[start:stop][documents])
            result[start:stop][documents] += tf

    def _frequency(self, index: int, documents: Int32s) -> int:
        if self._alive is None:
            return len(documents)
        start, stop = self._bounds[index], self._bounds[index + 1]
        return int(np.count_nonzero(self._alive[start:stop][documents]))
