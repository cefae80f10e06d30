"""Trained runs, and models without training, as tables of scores over a collection's documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import BadSettings
from retriever.evaluation.rows import RankerTable
from retriever.search.backend import Backend, Collection
from retriever.search.collections.index import fused_for_evaluation
from retriever.search.collections.rankers import Ranker as ServedRanker
from retriever.training.collection import CollectionArrays, arrays_of_collection
from retriever.training.references import autoregressive, joint, pairwise
from retriever.training.references.autoregressive_model import SequenceModel
from retriever.training.references.config import AutoregressiveConfig, JointConfig, TextLengths
from retriever.training.references.joint_model import JointModel
from retriever.training.references.objective import kind_of_run
from retriever.training.tokens import Ragged, open_tokenizer

TableModel = TypeVar("TableModel", JointModel, SequenceModel)


def lexical(backend: Backend, collection: Collection) -> list[RankerTable]:
    """The lists that serve without a model (`retriever.search.collections.rankers`); training questions vote."""
    fused = fused_for_evaluation(backend, collection)
    return [RankerTable(one.name, _table(one, collection)) for one in fused.rankers]


def _table(served: ServedRanker, collection: Collection) -> Callable[[Int64s, Int64s], Floats]:
    def table(questions: Int64s, documents: Int64s) -> Floats:
        chosen = [collection.questions[number] for number in questions.tolist()]
        return np.stack([served.scores(one.text, one.own)[documents] for one in chosen])

    return table


def trained(run: Path, collection: Collection, *, encodings: Path | None = None) -> RankerTable:
    """A run's ranker, named as its folder. `collection` may be another than it was trained on.

    A joint or autoregressive model has embeddings of the documents it was trained with only. On another
    collection it ranks by encodings of the pairwise run that it began from, or of `encodings`.
    Raises ModelError, BadSettings.
    """
    kind, data = kind_of_run(run)
    makers = {"pairwise": _pairwise, "joint": _joint, "autoregressive": _autoregressive}
    if kind not in makers:
        raise BadSettings(f"The run {run} is of kind {kind}.", f"Name one of: {', '.join(makers)}.")
    return RankerTable(run.name, makers[kind](run, collection, data, encodings))


def run_arrays(run: Path, collection: Collection, lengths: TextLengths) -> CollectionArrays:
    """A collection as a run reads it. Raises ModelError."""
    tokenizer = open_tokenizer(run / "tokenizer.json")
    return arrays_of_collection(collection, tokenizer, query=lengths.query, document=lengths.document)


def _pairwise(
    run: Path, collection: Collection, data: str, encodings: Path | None
) -> Callable[[Int64s, Int64s], Floats]:
    config, model = pairwise.load_pairwise(run)
    arrays = run_arrays(run, collection, config.lengths)
    encoded = model.of_references(arrays.documents).numpy()

    def table(questions: Int64s, documents: Int64s) -> Floats:
        left = model.of_questions(arrays.questions.take(questions)).numpy()
        return np.asarray(left @ encoded[documents].T, dtype=np.float32)

    return table


def _joint(
    run: Path, collection: Collection, data: str, encodings: Path | None
) -> Callable[[Int64s, Int64s], Floats]:
    config, model = joint.load_joint(run)
    return _of_table(run, collection, data, encodings, config, model, joint.joint_scores)


def _autoregressive(
    run: Path, collection: Collection, data: str, encodings: Path | None
) -> Callable[[Int64s, Int64s], Floats]:
    config, model = autoregressive.load_autoregressive(run)
    return _of_table(run, collection, data, encodings, config, model, autoregressive.ranking_scores)


def _of_table(
    run: Path,
    collection: Collection,
    data: str,
    encodings: Path | None,
    config: JointConfig | AutoregressiveConfig,
    model: TableModel,
    scores: Callable[[TableModel, Ragged, Int64s], Floats],
) -> Callable[[Int64s, Int64s], Floats]:
    """The scores of a model that has the references in a table."""
    arrays = run_arrays(run, collection, config.lengths)
    if data != collection.digest:
        model.table = joint.other_table(config.start, encodings, arrays)
    return lambda questions, documents: scores(model, arrays.questions.take(questions), documents)
