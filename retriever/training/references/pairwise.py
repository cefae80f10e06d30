"""The pairwise model (NaturalProofs, section 5 and appendix B.1) as the loop trains it.

Two encoders, one of questions and one of references, over any backend's collection; the score of a pair is
the inner product. Each question of a batch brings one of its references, and all references of the batch are
its negatives but its own others and the document that it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from lean_extract.common.arrays import Bools, Floats, Int64s
from retriever.training.collection import CollectionArrays
from retriever.training.losses import contrastive_loss
from retriever.training.references.config import PairwiseConfig
from retriever.training.references.objective import ReferencesObjective, Training, load_model, read_arrays
from retriever.training.references.pairwise_model import Bag, TwoTowers, build_tower, read_terms
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.running.kinds import with_backend
from retriever.training.weights import load_bert, take_over


def parse(values: Mapping[str, Any]) -> PairwiseConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(PairwiseConfig, with_backend(values, "pairwise"))


def make_objective(config: RunConfig, device: torch.device) -> PairwiseObjective:
    """The objective over the run's collection. Raises ModelError, BadRecords, UserError."""
    own = cast(PairwiseConfig, config)
    return PairwiseObjective(own, read_arrays(own), device)


def _build_towers(config: PairwiseConfig, tokenizer: Path, documents: int = 0) -> TwoTowers:
    """The model of a configuration with fresh weights, whatever the number of documents. Raises ModelError."""
    tower = build_tower(config.model, read_terms(tokenizer, config.pairs), config.batch.word_dropout)
    return TwoTowers(tower, normalised=config.loss.normalised)


class PairwiseObjective(ReferencesObjective):
    """Questions against one of their references, other questions' references and random documents."""

    model: TwoTowers

    def __init__(self, config: PairwiseConfig, arrays: CollectionArrays, device: torch.device) -> None:
        self._config = config
        model = _build_towers(config, config.tokenizer)
        towers = (model.question, model.reference)
        for tower in towers:
            if isinstance(tower, Bag):
                tower.weigh(arrays.documents.take(arrays.pools["train"]))
            elif config.start_from is not None:
                take_over(tower.bert, load_bert(config.start_from, arrays.vocabulary))
        super().__init__(config, arrays, model, towers, device)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """The mean over questions of -log softmax at the positive; a scalar."""
        config, arrays = self._config, self._arrays
        self._steps = step + 1
        key = (config.seed, step, micro, rank)
        batch = draw_pairs(self._training, config.batch.questions, config.batch.corpus_negatives, key)
        questions, references = model(
            arrays.questions.take(batch.questions), arrays.documents.take(batch.documents)
        )
        return contrastive_loss(
            questions,
            references,
            torch.from_numpy(batch.positives).to(questions.device),
            torch.from_numpy(never_negative(self._training, arrays.own, batch)).to(questions.device),
            config.loss.temperature,
        )

    def _valid_scores(self) -> Floats:
        questions = self.model.of_questions(self._arrays.questions.take(self._sample))
        references = self.model.of_references(self._arrays.documents.take(self._pool))
        return np.asarray((questions @ references.T).numpy(), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """One step's work."""

    questions: Int64s
    """[b]"""
    documents: Int64s
    """[d] Distinct, ascending: all positives and the negatives drawn."""
    positives: Int64s
    """[b] The index of each question's positive in `documents`."""


def draw_pairs(training: Training, questions: int, negatives: int, key: Sequence[int]) -> PairBatch:
    """Questions with one reference each, and documents of the training pool.

    `key` is what it is drawn from: (seed, step, micro-batch, rank).
    """
    generator = np.random.default_rng(list(key))
    rows = generator.choice(training.rows, questions)
    starts, counts = training.gold.offsets[rows], training.gold.lengths[rows]
    chosen = training.gold.flat[starts + generator.integers(0, counts)].astype(np.int64)
    drawn = generator.choice(training.pool, negatives) if negatives else training.pool[:0]
    documents, indices = np.unique(np.concatenate([chosen, drawn]), return_inverse=True)
    return PairBatch(rows, documents, indices[:questions])


def never_negative(training: Training, own: Int64s, batch: PairBatch) -> Bools:
    """[b, d] Which documents are never used as negatives of a question: its other references, and itself."""
    result: Bools = own[batch.questions][:, None] == batch.documents[None, :]
    gold = training.gold.take(batch.questions)
    rows = np.repeat(np.arange(len(batch.questions)), gold.lengths)
    indices = np.searchsorted(batch.documents, gold.flat)
    present = indices < len(batch.documents)
    present[present] = batch.documents[indices[present]] == gold.flat[present]
    result[rows[present], indices[present]] = True
    result[np.arange(len(batch.questions)), batch.positives] = False
    return result


def load_pairwise(run: Path) -> tuple[PairwiseConfig, TwoTowers]:
    """The configuration of a run, and its model as it did best, in evaluation mode. Raises ModelError."""
    return load_model(run, "pairwise", parse, _build_towers)
