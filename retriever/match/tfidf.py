"""TF-IDF: which proof has a statement's tokens (section 7.1), by the cosine of their vectors.

    weight(t, d) = f(tf) * (ln((1 + N) / (1 + df(t))) + 1),  each vector of length 1

as in `retriever.naturalproofs.evaluation.tfidf`, here for all statements at once. N and df count the proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.match.schema import Token
from retriever.search.bm25 import build_postings

Floats = NDArray[np.float32]


def tfidf_scores(
    statements: Iterable[Sequence[Token]], proofs: Iterable[Sequence[Token]], *, damped: bool = False
) -> Floats:
    """float32[statements, proofs] in [0, 1]; 0 where there is no token in common.

    f(tf) is tf itself, or 1 + ln(tf) where it is `damped`: formulas repeat their symbols often.
    """
    postings = build_postings([token.spelled for token in proof] for proof in proofs)
    count, holders = len(postings.lengths), np.diff(postings.starts)
    rarity = np.log((1 + count) / (1 + holders)) + 1
    weights = _frequency(postings.frequencies, damped) * np.repeat(rarity, holders)
    squares = np.bincount(postings.documents, weights=weights**2, minlength=count)
    weights /= np.sqrt(squares)[postings.documents]
    numbers = {term: number for number, term in enumerate(postings.terms)}
    rows = []
    for statement in statements:
        counted = Counter(token.spelled for token in statement)
        row = np.zeros(count, dtype=np.float32)
        known = [(numbers[term], times) for term, times in counted.items() if term in numbers]
        if known:
            terms, times = np.array(known, dtype=np.int64).T
            own = _frequency(times, damped) * rarity[terms]
            own /= np.linalg.norm(own)
            for term, weight in zip(terms.tolist(), own.tolist(), strict=True):
                place = slice(postings.starts[term], postings.starts[term + 1])
                row[postings.documents[place]] += weight * weights[place]
        rows.append(row)
    return np.stack(rows) if rows else np.zeros((0, count), dtype=np.float32)


def _frequency(counts: NDArray[np.integer], damped: bool) -> NDArray[np.float64]:
    values = counts.astype(np.float64)
    return np.asarray(1 + np.log(values) if damped else values)
