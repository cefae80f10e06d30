"""A ranker's rows on a part of a collection: its figures, and mAP by kind of reference, for each protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import BadSettings
from retriever.metrics.bootstrap import Interval
from retriever.metrics.ranking import columns_of
from retriever.metrics.ranks import AnswerRanks, Ranks, ranks_of
from retriever.search.backend import Backend, Collection
from retriever.search.splits import Split

Part = Literal["valid", "test", "both", "all"]
PARTS: tuple[Part, ...] = ("valid", "test", "both", "all")
Protocol = Literal["among", "excluded", "cited"]
PROTOCOLS: tuple[Protocol, ...] = ("among", "excluded", "cited")
"""The question itself is ranked; is not; and only what answers a question of some split is ranked."""
_CHUNK = 128
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class RankerTable:
    """A model and its scores."""

    name: str
    table: Callable[[Int64s, Int64s], Floats]
    """(questions, documents) to float32[questions, documents], finite, the higher the better."""


@dataclass(frozen=True, slots=True)
class RankingTask:
    """The questions, and the documents that are ranked."""

    collection: Collection
    questions: Int64s
    documents: Int64s
    columns: Int64s
    """[all documents + 1] The column of each in `documents`; -1 if it is not ranked."""
    uncited: Int64s
    """Columns of the documents that answer no question of any split."""


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """One ranker under one protocol, in percent."""

    model: str
    protocol: Protocol
    questions: int
    figures: dict[str, Interval]
    by_kind: dict[str, Interval]
    """mAP of the answers of one kind (`AnswerRanks.by_kind`)."""


def task_of(collection: Collection, part: Part) -> RankingTask:
    """The questions of a part and the documents ranked for them. Raises BadSettings when it has none."""
    splits: tuple[Split, ...] = ("valid", "test") if part == "both" else (part,) if part != "all" else ()
    questions = [
        number for number, one in enumerate(collection.questions) if part == "all" or one.split in splits
    ]
    if not questions:
        raise BadSettings(f"The collection has no question to evaluate ({part}).", "Choose another part.")
    ranked = {document for split in splits for document in collection.pools[split]}
    documents = sorted(ranked) if splits else range(len(collection.documents))
    numbers = np.array(documents, dtype=np.int64)
    cited = {document for question in collection.questions for document in question.gold}
    return RankingTask(
        collection,
        np.array(questions, dtype=np.int64),
        numbers,
        columns_of(numbers, len(collection.documents)),
        np.flatnonzero([document not in cited for document in numbers.tolist()]),
    )


def rows_of(backend: Backend, ranker: RankerTable, task: RankingTask, seed: int = 0) -> list[CollectionRow]:
    """A ranker's row for each protocol that has a question.

    If the question itself is excluded, it is no answer either; a question without other answers is left out.
    """
    found = {protocol: AnswerRanks() for protocol in PROTOCOLS}
    bar = tqdm(range(0, len(task.questions), _CHUNK), desc=ranker.name, leave=False, disable=None)
    for start in bar:
        rows = task.questions[start : start + _CHUNK]
        scores = ranker.table(rows, task.documents)
        for protocol, one in found.items():
            for number, row in zip(rows.tolist(), scores, strict=True):
                _add(one, task, number, row, protocol)
    return [
        CollectionRow(
            model=ranker.name,
            protocol=protocol,
            questions=len(one.ranks),
            figures=backend.figures(one.ranks, seed),
            by_kind=one.by_kind(seed),
        )
        for protocol, one in found.items()
        if one.ranks
    ]


def ranks_in(task: RankingTask, number: int, scores: Floats, protocol: Protocol) -> tuple[Ranks, list[int]]:
    """(the ranks of a question's answers, the numbers of these documents).

    Answers that are not ranked do not count. `scores` are those of the task's documents.
    """
    question = task.collection.questions[number]
    columns = task.columns[list(question.gold)]
    wanted = [int(column) for column in columns if column >= 0]
    if protocol == "cited":
        left_out = task.uncited
    elif protocol == "excluded" and question.own is not None and task.columns[question.own] >= 0:
        left_out = task.columns[question.own : question.own + 1]
        wanted = [column for column in wanted if column != left_out[0]]
    else:
        left_out = _NONE
    return ranks_of(scores, wanted, left_out), [int(task.documents[column]) for column in wanted]


def _add(found: AnswerRanks, task: RankingTask, number: int, scores: Floats, protocol: Protocol) -> None:
    ranks, documents = ranks_in(task, number, scores, protocol)
    if ranks:
        found.add(ranks, [task.collection.documents[document].kind for document in documents])
