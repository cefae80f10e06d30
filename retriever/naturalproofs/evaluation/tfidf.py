"""TF-IDF vectors of statements, compared by their cosine.

    weight(t, d) = f(tf) * idf(t),  idf(t) = ln((1 + N) / (1 + df(t))) + 1,  each vector of length 1

N and df count the candidates. f is tf itself, or with sublinear frequencies 1 + ln(tf): what scikit-learn's
TfidfVectorizer does, which the authors used with f(tf) = tf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.documents.schema import Statement
from retriever.naturalproofs.tokens import text_of
from retriever.search.bm25 import Postings, build_postings

Floats = NDArray[np.float32]
Tokens = Callable[[str], Sequence[str]]


def postings_of(candidates: Iterable[Statement], tokens: Tokens) -> Postings:
    """Which candidate has which token how often."""
    return build_postings(tokens(text_of(candidate)) for candidate in candidates)


class TfIdf:
    """Cosines of a theorem with all candidates.

    Args:
        name: of its row.
        postings: `postings_of` the candidates, by the same `tokens`.
        tokens: cuts a text into tokens.
        sublinear: whether repetition counts by its logarithm.
    """

    def __init__(self, name: str, postings: Postings, tokens: Tokens, *, sublinear: bool = False) -> None:
        self.name = name
        self._tokens = tokens
        self._sublinear = sublinear
        self._starts, self._documents = postings.starts, postings.documents
        self._numbers = {term: number for number, term in enumerate(postings.terms)}
        count, holders = len(postings.lengths), np.diff(postings.starts)
        self._idf = np.log((1 + count) / (1 + holders)) + 1
        weights = self._frequency(postings.frequencies) * np.repeat(self._idf, holders)
        squares = np.bincount(postings.documents, weights=weights**2, minlength=count)
        lengths = np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
        self._weights: Floats = (weights / lengths[postings.documents]).astype(np.float32)
        self._count = count

    def scores(self, theorem: Statement) -> Floats:
        """float32[candidates] in [0, 1]; 0 where there is no token in common."""
        counted = Counter(self._tokens(text_of(theorem)))
        known = [(self._numbers[term], count) for term, count in counted.items() if term in self._numbers]
        result = np.zeros(self._count, dtype=np.float32)
        if not known:
            return result
        terms, counts = np.array(known, dtype=np.int64).T
        weights = self._frequency(counts) * self._idf[terms]
        weights /= np.linalg.norm(weights)
        for term, weight in zip(terms.tolist(), weights.astype(np.float32), strict=True):
            place = slice(self._starts[term], self._starts[term + 1])
            result[self._documents[place]] += weight * self._weights[place]
        return result

    def _frequency(self, counts: NDArray[np.integer]) -> NDArray[np.float64]:
        values = counts.astype(np.float64)
        return np.asarray(1 + np.log(values) if self._sublinear else values)
