"""The re-ranker over a collection: query and document read together (section 3.2.2, eqs. (4) and (5))."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bools, Floats
from retriever.models.reranker import DEPTH, Reranker
from retriever.search.backend import Document
from retriever.search.collections.measure import best
from retriever.search.collections.rankers import Ranker
from retriever.search.reranking import reranked


@dataclass(frozen=True, slots=True)
class RerankedRanker:
    """A ranking whose first documents are re-ranked."""

    ranking: Ranker
    reranker: Reranker
    documents: Sequence[Document]
    first: int = DEPTH
    """How many are re-ranked."""
    outside: Bools | None = None
    """bool[documents]: those that are not ranked, and not read."""
    name: str = "re-ranked"

    def scores(self, text: str, own: int | None = None) -> Floats:
        """The ranking's scores, those of its first documents blended with the re-ranker's."""
        return self.again(text, self.ranking.scores(text, own), own)

    def again(self, text: str, scores: Floats, own: int | None = None) -> Floats:
        """float32[documents]: `scores` with the first ones in their new order, the others still behind them.

        Args:
            text: what models read of the query.
            scores: float32[documents], as the ranking gave them.
            own: the document that the query is; it is not read.
        """
        head, behind = self._head(scores, own)
        if not head:
            return scores
        just_above = None if behind is None else float(np.nextafter(behind, np.float32(np.inf)))
        _, mixed = reranked(scores[head], self.logits(text, head), self.reranker.weight, just_above)
        result = scores.copy()
        result[head] = mixed
        return result

    def logits(self, text: str, numbers: Sequence[int]) -> Floats:
        """float32[len(numbers)] The re-ranker's logits alone; NaN for a document without text."""
        return self.reranker.pair_scores(text, [("", self.documents[number].text) for number in numbers])

    def head(self, scores: Floats, own: int | None = None) -> list[int]:
        """The documents that are re-ranked, best first."""
        return self._head(scores, own)[0]

    def _head(self, scores: Floats, own: int | None) -> tuple[list[int], np.float32 | None]:
        """(the first documents, the score of the next one if there is any)."""
        ranked = scores if self.outside is None else np.where(self.outside, -np.inf, scores)
        order = best(ranked, self.first + 2)
        order = [number for number in order if number != own and np.isfinite(ranked[number])]
        rest = order[self.first :]
        return order[: self.first], np.float32(scores[rest[0]]) if rest else None
