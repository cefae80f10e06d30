"""TF-IDF: which proof has a statement's tokens (section 7.1), by the cosine of their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lean_extract.common.arrays import Floats
from retriever.proof_matching.schema import Token
from retriever.search.index.postings import build_postings
from retriever.search.tfidf import TfIdfIndex


def tfidf_scores(
    statements: Iterable[Sequence[Token]], proofs: Iterable[Sequence[Token]], *, damped: bool = False
) -> Floats:
    """float32[statements, proofs] in [0, 1]; 0 where there is no token in common.

    Document frequencies are the proofs'. With `damped` a frequency counts as 1 + ln(tf), since formulas repeat
    their symbols often. Raises UserError where scikit-learn is not installed.
    """
    index = TfIdfIndex(build_postings(map(_spellings, proofs)), sublinear=damped)
    return index.scores_of([_spellings(statement) for statement in statements])


def _spellings(text: Sequence[Token]) -> list[str]:
    return [token.spelled for token in text]
