"""TF-IDF vectors of statements, compared by their cosine: the authors' baseline (Table 5), with f(tf) = tf."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lean_extract.common.arrays import Floats
from retriever.documents.schema import Statement
from retriever.naturalproofs.tokens import text_of
from retriever.search.index.postings import Postings, build_postings
from retriever.search.tfidf import TfIdfIndex

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

    Raises:
        UserError: scikit-learn is not installed.
    """

    def __init__(self, name: str, postings: Postings, tokens: Tokens, *, sublinear: bool = False) -> None:
        self.name = name
        self._tokens = tokens
        self._index = TfIdfIndex(postings, sublinear=sublinear)

    def scores(self, theorem: Statement) -> Floats:
        """float32[candidates] in [0, 1]; 0 where there is no token in common."""
        return self._index.scores(self._tokens(text_of(theorem)))
