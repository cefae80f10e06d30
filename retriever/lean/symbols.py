"""The symbols of a statement, and how much of a premise's symbols a goal shares.

Lean's own relevance filter (MePo, after Meng and Paulson 2009) compares the constants of elaborated
statements. What is read here is text, so a symbol is an operator by its word in Mathlib's names
(`lean_extract.syntax.words`) or the last part of an identifier: `Finset.sum s f`, `s.sum f` and `∑ i ∈ s, f i` have
`sum` in common whatever is opened. Constants that are not written (coercions, instances, implicit arguments)
are not seen.

The overlap of a goal with a premise is MePo's measure with inverse document frequencies as weights:

    overlap(g, p) = (sum of idf(s) over s in both) / (sum of idf(s) over s in p)
    idf(s) = ln((1 + N) / (1 + df(s))) + 1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats
from lean_extract.records import Goal, Premise
from lean_extract.syntax.words import NOISE, WORDS
from retriever.lean.tokens import VARIABLE, bound_names, raw_tokens
from retriever.models.text import binder_parts
from retriever.search.index.postings import Postings


def goal_symbols(goal: Goal) -> frozenset[str]:
    """The symbols of a goal's target and of its hypotheses' types."""
    bound = {name for hypothesis in goal.hypotheses for name in hypothesis.names}
    return target_symbols(goal).union(
        *(text_symbols(hypothesis.type, bound) for hypothesis in goal.hypotheses)
    )


def target_symbols(goal: Goal) -> frozenset[str]:
    """The symbols of a goal's target alone."""
    bound = {name for hypothesis in goal.hypotheses for name in hypothesis.names}
    return text_symbols(goal.target, bound)


def premise_symbols(premise: Premise) -> frozenset[str]:
    """The symbols of a premise's conclusion and of its binders' types; its name is not among them."""
    bound = bound_names(premise.context)
    types = (binder_parts(binder)[1] for binder in premise.context)
    return text_symbols(premise.conclusion, bound).union(*(text_symbols(type_, bound) for type_ in types))


def text_symbols(text: str, bound: Set[str] = frozenset()) -> frozenset[str]:
    """The symbols of a statement's text; without variables, punctuation and projections by number."""
    found = (_symbol(raw, bound) for raw in raw_tokens(text))
    return frozenset(symbol for symbol in found if symbol)


def _symbol(raw: str, bound: Set[str]) -> str:
    if raw in WORDS:
        return WORDS[raw]
    if raw in NOISE or raw in bound:
        return ""
    head, *rest = raw.split(".") if "«" not in raw else [raw]
    last = rest[-1] if rest else head
    if last.isdigit() if rest else VARIABLE.match(head):
        return ""
    return WORDS.get(last, last)


def symbol_overlap(goal: Set[str], premises: Iterable[Set[str]], idf: Callable[[str], float]) -> Floats:
    """float32[n]: the overlap of a goal's symbols with those of each premise; 0 for one without symbols."""
    found = []
    for symbols in premises:
        total = sum(map(idf, symbols))
        found.append(sum(idf(symbol) for symbol in symbols & goal) / total if total else 0.0)
    return np.array(found, dtype=np.float32)


class Mepo:
    """The overlap with every document of an index, from the postings that BM25 has of it.

    Documents are counted on from one segment to the next, and frequencies are over all of them. Their tokens
    take the place of symbols: a premise whose statement was not kept has those of its name.
    """

    def __init__(self, segments: Sequence[Postings]) -> None:
        self._segments = segments
        self._bounds = np.cumsum([0, *(len(segment.lengths) for segment in segments)])
        counts = [np.diff(segment.starts) for segment in segments]
        if len(segments) > 1:
            counts = _over_all(segments, counts)
        totals = [_totals(segment, self._idf(df)) for segment, df in zip(segments, counts, strict=True)]
        self._totals: Floats = np.concatenate(totals) if totals else np.zeros(0, dtype=np.float32)

    def __len__(self) -> int:
        return int(self._bounds[-1])

    def scores(self, query: Iterable[str]) -> Floats:
        """float32[n]: every document's overlap with a query's distinct tokens, from 0 to 1."""
        result = np.zeros(len(self), dtype=np.float32)
        for term in sorted(set(query)):
            found = [segment.find(term)[0] for segment in self._segments]
            idf = self.idf(sum(map(len, found)))
            for start, documents in zip(self._bounds, found, strict=False):
                result[start + documents] += idf
        return np.asarray(np.minimum(result / self._totals, 1.0))

    def rarest(self, query: Iterable[str]) -> Floats:
        """float32[n]: the largest weight of a token that the document shares with a query; 0 for none."""
        result = np.zeros(len(self), dtype=np.float32)
        found = [[segment.find(term)[0] for segment in self._segments] for term in sorted(set(query))]
        for parts in sorted(found, key=lambda parts: -sum(map(len, parts))):
            idf = self.idf(sum(map(len, parts)))
            for start, documents in zip(self._bounds, parts, strict=False):
                result[start + documents] = idf  # from the most frequent token to the rarest
        return result

    def rarest_of_texts(self, query: Set[str], texts: Sequence[Iterable[str]]) -> Floats:
        """float32[len(texts)]: the same for texts outside the index, by the index's statistics."""
        weights = {term: self._weight(term) for term in query}
        rows = [[weights[term] for term in frozenset(text) & query] for text in texts]
        return np.array([max(row, default=0.0) for row in rows], dtype=np.float32)

    def score_texts(self, query: Iterable[str], texts: Sequence[Iterable[str]]) -> Floats:
        """float32[len(texts)]: the overlap with texts outside the index, by the index's statistics."""
        sets = [frozenset(text) for text in texts]
        weights = {term: self._weight(term) for term in frozenset[str]().union(*sets)}
        return symbol_overlap(frozenset(query), sets, weights.__getitem__)

    def _weight(self, term: str) -> float:
        return self.idf(sum(len(segment.find(term)[0]) for segment in self._segments))

    def idf(self, df: int) -> float:
        """The weight of a token that occurs in `df` documents."""
        return float(self._idf(np.array(df)))

    def _idf(self, df: npt.NDArray[np.int64]) -> Floats:
        return np.asarray(np.log((1 + len(self)) / (1 + df)) + 1, dtype=np.float32)


def _over_all(
    segments: Sequence[Postings], counts: Sequence[npt.NDArray[np.int64]]
) -> list[npt.NDArray[np.int64]]:
    """The document frequencies of each segment's terms, over all segments."""
    total: Counter[str] = Counter()
    for segment, df in zip(segments, counts, strict=True):
        total.update(dict(zip(segment.terms, df.tolist(), strict=True)))
    return [np.array([total[term] for term in segment.terms], dtype=np.int64) for segment in segments]


def _totals(segment: Postings, idf: Floats) -> Floats:
    """float32[n]: the weight of all distinct tokens of each document; 1 where there are none."""
    weights = np.repeat(idf, np.diff(segment.starts))
    totals = np.bincount(segment.documents, weights, minlength=len(segment.lengths))
    return np.asarray(np.where(totals > 0, totals, 1.0), dtype=np.float32)
