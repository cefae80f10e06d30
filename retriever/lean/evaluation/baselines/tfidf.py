"""TF-IDF cosine, as scikit-learn's `TfidfVectorizer` computes it with its default settings.

`tfidf` reads the tokens that BM25 reads here. `tfidf-words` reads plain words, as the library does if it is given
the texts as they are: runs of two or more word characters in lower case, so no operator and no `a`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lean_extract.common.arrays import Floats
from lean_extract.records import Goal, Premise
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.tokens import goal_tokens
from retriever.models.text import premise_texts, state_text
from retriever.search.index.postings import Postings, build_postings
from retriever.search.tfidf import TfIdfIndex

_WORD = re.compile(r"\w\w+")


class TfIdfRanker:
    """TF-IDF over the tokens that a tokenizer gives for a goal."""

    def __init__(self, name: str, postings: Postings, tokens: Callable[[Goal], list[str]]) -> None:
        self.name = name
        self._index, self._tokens = TfIdfIndex(postings), tokens

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
