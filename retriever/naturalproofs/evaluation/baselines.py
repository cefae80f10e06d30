"""Models without training (Table 5): random, frequency, TF-IDF; and BM25."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from lean_extract.common.arrays import Floats
from retriever.documents.schema import Statement
from retriever.naturalproofs.evaluation.tfidf import TfIdf, postings_of
from retriever.naturalproofs.task import References, ReferenceTask
from retriever.naturalproofs.tokens import pieces, text_of, words_and_pairs
from retriever.search.bm25 import Bm25
from retriever.search.index.postings import Postings


class Model(Protocol):
    """Anything that scores every candidate for a theorem."""

    name: str

    def scores(self, theorem: Statement) -> Floats:
        """float32[candidates], finite, the higher the better."""
        ...


class RandomOrder:
    """Another random order for each theorem, the same for the same seed."""

    name = "random"

    def __init__(self, candidates: int, seed: int) -> None:
        self._candidates = candidates
        self._seed = seed

    def scores(self, theorem: Statement) -> Floats:
        """float32[candidates]: a permutation."""
        source = np.random.default_rng((self._seed, theorem.id % 2**32))
        return source.permutation(self._candidates).astype(np.float32)


class ReferenceFrequency:
    """One order for all theorems: how often proofs refer to a candidate, repeats counted."""

    def __init__(self, name: str, task: ReferenceTask, proofs: Iterable[References]) -> None:
        self.name = name
        counts = Counter(id for references in proofs for id in references)
        self._scores: Floats = np.array([counts[candidate.id] for candidate in task.candidates], np.float32)

    def scores(self, theorem: Statement) -> Floats:
        """float32[candidates]."""
        return self._scores


class WordBm25:
    """BM25 (`retriever.search.bm25`) over words and pairs of words."""

    name = "BM25, words and pairs"

    def __init__(self, postings: Postings) -> None:
        self._scorer = Bm25([postings])

    def scores(self, theorem: Statement) -> Floats:
        """float32[candidates], 0 or more."""
        return self._scorer.scores(words_and_pairs(text_of(theorem)))


def baselines(task: ReferenceTask, seed: int = 0) -> Iterator[Model]:
    """The rows of Table 5 that need no training, one after the other, and two better ones.

    Without training examples (a textbook) there is no frequency to count.
    """
    yield RandomOrder(len(task.candidates), seed)
    if task.training:
        yield ReferenceFrequency("frequency", task, task.training)
    yield TfIdf("TF-IDF, the paper's", postings_of(task.candidates, pieces), pieces)
    paired = postings_of(task.candidates, words_and_pairs)
    yield TfIdf("TF-IDF, words and pairs", paired, words_and_pairs, sublinear=True)
    yield WordBm25(paired)


def paper_frequency(task: ReferenceTask) -> Model:
    """Frequency as the authors' code counts it: in the proofs of the evaluated part, which is the answer.

    Their figures for Stacks (Table 5: mAP 0.91, R@100 11.27) are those of this, not of training proofs. It is
    no row to hold a model against.
    """
    return ReferenceFrequency(
        "frequency in the evaluated proofs", task, (query.references for query in task.queries)
    )
