"""Models without training (Table 5): random, frequency, TF-IDF; and BM25.

Each is a table of scores over the documents of one task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from retriever.evaluation.rows import RankerTable, RankingTask
from retriever.naturalproofs.backend import SEPARATOR
from retriever.naturalproofs.tokens import pieces, words_and_pairs
from retriever.search.bm25 import Bm25
from retriever.search.index.postings import build_postings
from retriever.search.tfidf import TfIdfIndex

Tokens = Callable[[str], Sequence[str]]


def baselines(task: RankingTask, seed: int = 0) -> Iterator[RankerTable]:
    """The rows of Table 5 that need no training, one after the other, and two better ones.

    Without training examples (a textbook) there is no frequency to count. Raises UserError when scikit-learn
    is not installed.
    """
    yield _random_order(task, seed)
    training = [question.references for question in task.collection.of("train")]
    if training:
        yield _frequency("frequency", training)
    yield _tf_idf("TF-IDF, the paper's", task, pieces)
    yield _tf_idf("TF-IDF, words and pairs", task, words_and_pairs, sublinear=True)
    yield _bm25("BM25, words and pairs", task)


def paper_frequency(task: RankingTask) -> RankerTable:
    """Frequency as the authors' code counts it: in the proofs of the evaluated part, which is the answer.

    Their figures for Stacks (Table 5: mAP 0.91, R@100 11.27) are those of this, not of training proofs. Do not
    compare a model with it.
    """
    evaluated = (task.collection.questions[number].references for number in task.questions.tolist())
    return _frequency("frequency in the evaluated proofs", evaluated)


def _random_order(task: RankingTask, seed: int) -> RankerTable:
    """Another random order for each theorem, the same for the same seed."""

    def order(question: int, count: int) -> Floats:
        theorem = int(task.collection.questions[question].key.partition("/")[0])
        return np.random.default_rng((seed, theorem % 2**32)).permutation(count).astype(np.float32)

    return RankerTable(
        "random",
        lambda questions, documents: np.stack([order(one, len(documents)) for one in questions.tolist()]),
    )


def _frequency(name: str, proofs: Iterable[Sequence[int]]) -> RankerTable:
    """One order for all theorems: how often proofs refer to a document, repeats counted."""
    counts = Counter(document for references in proofs for document in references)

    def table(questions: Int64s, documents: Int64s) -> Floats:
        scores = np.array([counts[document] for document in documents.tolist()], dtype=np.float32)
        return np.broadcast_to(scores, (len(questions), len(documents)))

    return RankerTable(name, table)


def _tf_idf(name: str, task: RankingTask, tokens: Tokens, *, sublinear: bool = False) -> RankerTable:
    """The cosine of TF-IDF vectors."""
    index = TfIdfIndex(build_postings(_documents(task, tokens)), sublinear=sublinear)
    return RankerTable(name, lambda questions, _: index.scores_of(_questions(task, questions, tokens)))


def _bm25(name: str, task: RankingTask) -> RankerTable:
    scorer = Bm25([build_postings(_documents(task, words_and_pairs))])

    def table(questions: Int64s, _documents: Int64s) -> Floats:
        return np.stack(
            [scorer.scores(question) for question in _questions(task, questions, words_and_pairs)]
        )

    return RankerTable(name, table)


def _documents(task: RankingTask, tokens: Tokens) -> Iterator[Sequence[str]]:
    documents = task.collection.documents
    return (tokens(_plain(documents[number].text)) for number in task.documents.tolist())


def _questions(task: RankingTask, numbers: Int64s, tokens: Tokens) -> list[Sequence[str]]:
    questions = task.collection.questions
    return [tokens(_plain(questions[number].text)) for number in numbers.tolist()]


def _plain(text: str) -> str:
    """Title and contents, without the mark between them."""
    return text.replace(SEPARATOR, "\n", 1)
