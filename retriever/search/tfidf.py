"""TF-IDF over postings, by scikit-learn.

    weight(t, d) = f(tf(t, d)) * (ln((1 + N) / (1 + df(t))) + 1),  each vector divided by its Euclidean norm

f(tf) is tf, or 1 + ln(tf) with sublinear frequencies. A baseline: nothing that is served uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats
from lean_extract.common.terminal_text import import_extra
from retriever.search.index.postings import Postings

_PURPOSE = "TF-IDF"


class TfIdfIndex:
    """Documents as TF-IDF vectors.

    Args:
        postings: of n documents.
        sublinear: whether repetition counts by its logarithm.

    Raises:
        UserError: scikit-learn is not installed.
    """

    def __init__(self, postings: Postings, *, sublinear: bool = False) -> None:
        text = import_extra("sklearn.feature_extraction.text", "baselines", _PURPOSE)
        self._sparse = import_extra("scipy.sparse", "baselines", _PURPOSE)
        self._documents = len(postings.lengths)
        self._columns = {term: column for column, term in enumerate(postings.terms)}
        if not self._columns:
            return  # scikit-learn refuses an empty vocabulary; every cosine is 0
        self._transformer = text.TfidfTransformer(sublinear_tf=sublinear)
        counts = self._sparse.csc_array(
            (postings.frequencies.astype(np.float64), postings.documents, postings.starts),
            shape=(self._documents, len(self._columns)),
        )
        self._by_term = self._transformer.fit_transform(counts).T.tocsr()

    def scores(self, query: Sequence[str]) -> Floats:
        """float32[n] in [0, 1]: the cosine of a query's tokens with each document; 0 if they share none."""
        return np.asarray(self.scores_of([query])[0], dtype=np.float32)

    def scores_of(self, queries: Sequence[Sequence[str]]) -> Floats:
        """float32[queries, n]: `scores` of each query."""
        found = np.zeros((len(queries), self._documents), dtype=np.float32)
        if self._columns and queries:
            vectors = self._transformer.transform(self._counts(queries))
            for row, start, stop in zip(found, vectors.indptr, vectors.indptr[1:], strict=False):
                # The terms' own rows alone: a product of two sparse matrices takes twice the time.
                row[:] = self._by_term[vectors.indices[start:stop]].T @ vectors.data[start:stop]
        return found

    def _counts(self, queries: Sequence[Sequence[str]]) -> Any:
        """Sparse float64[queries, terms]."""
        known = [list(self._known(query)) for query in queries]
        flat = np.array([pair for pairs in known for pair in pairs], dtype=np.int64).reshape(-1, 2)
        starts = np.cumsum([0, *map(len, known)])
        entries: tuple[npt.NDArray[Any], ...] = (flat[:, 1].astype(np.float64), flat[:, 0], starts)
        return self._sparse.csr_array(entries, shape=(len(queries), len(self._columns)))

    def _known(self, query: Sequence[str]) -> Iterator[tuple[int, int]]:
        """(column, count) of the terms that some document has."""
        for term, count in Counter(query).items():
            if (column := self._columns.get(term)) is not None:
                yield column, count
