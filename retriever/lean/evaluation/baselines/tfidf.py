"""TF-IDF cosine, as scikit-learn's `TfidfVectorizer` computes it when nothing is set.

    weight(t, d) = tf(t, d) * (ln((1 + N) / (1 + df(t))) + 1), every vector divided by its Euclidean norm

Once over the tokens that BM25 reads here (`tfidf`), and once over plain words, which is what the usual
library gives to somebody who passes it the texts as they are (`tfidf-words`): runs of two or more word
characters, lower-cased, so that no operator and no `a` is seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from lean_extract.records import Goal, Premise
from retriever.lean.evaluation.pool import Floats, HeldOutGoal
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.tokens import goal_tokens
from retriever.models.text import premise_texts, state_text
from retriever.search.bm25 import Postings, build_postings

_WORD = re.compile(r"\w\w+")


class TfIdf:
    """The cosines of a query with every document of some postings."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._rows = {term: row for row, term in enumerate(postings.terms)}
        df = np.diff(postings.starts)
        count = len(postings.lengths)
        self._idf: Floats = (np.log((1 + count) / (1 + df)) + 1).astype(np.float32)
        weights = postings.frequencies * np.repeat(self._idf, df)
        norms = np.sqrt(np.bincount(postings.documents, np.square(weights), minlength=count))
        self._weights: Floats = (weights / norms[postings.documents]).astype(np.float32)

    def scores(self, query: Sequence[str]) -> Floats:
        """float32[n]: the cosine of a query's tokens with each document, 0 where they share none."""
        result = np.zeros(len(self._postings.lengths), dtype=np.float32)
        counts = Counter(token for token in query if token in self._rows)
        weights = {term: count * float(self._idf[self._rows[term]]) for term, count in counts.items()}
        norm = np.sqrt(sum(weight * weight for weight in weights.values()))
        for term in sorted(weights):
            start, stop = self._postings.starts[self._rows[term] : self._rows[term] + 2]
            share = np.float32(weights[term] / norm)
            result[self._postings.documents[start:stop]] += share * self._weights[start:stop]
        return result


class TfIdfRanker:
    """TF-IDF under a way to take a goal apart."""

    def __init__(self, name: str, postings: Postings, tokens: Callable[[Goal], list[str]]) -> None:
        self.name = name
        self._index, self._tokens = TfIdf(postings), tokens

    def scores(self, question: HeldOutGoal) -> Floats:
        """The cosine of the goal with every premise."""
        return self._index.scores(self._tokens(question.goal))


def over_tokens(session: EvaluationSession) -> TfIdfRanker:
    """`tfidf`: over the tokens of `retriever.lean.tokens`."""
    [postings] = session.pool.bm25.segments
    return TfIdfRanker("tfidf", postings, goal_tokens)


def over_words(session: EvaluationSession) -> TfIdfRanker:
    """`tfidf-words`: over plain words of name and statement."""
    return TfIdfRanker("tfidf-words", build_postings(map(premise_words, session.dataset.corpus)), goal_words)


def premise_words(premise: Premise) -> list[str]:
    """The plain words of a premise, its name first."""
    return words(" ".join((premise.name, *premise_texts(premise))))


def goal_words(goal: Goal) -> list[str]:
    """The plain words of a state."""
    return words(state_text(goal))


def words(text: str) -> list[str]:
    """Runs of at least two letters, digits or underscores, in lower case."""
    return _WORD.findall(text.lower())
