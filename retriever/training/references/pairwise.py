"""The pairwise model (NaturalProofs, section 5 and appendix B.1) as the loop trains it.

Two encoders, one of questions and one of references, over any backend's collection; the score of a pair is
the inner product. Each question of a batch brings one of its references, and all references of the batch are
its negatives but its own others and the document that it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.metrics.ranks import mean_average_precision, ranks_of
from retriever.metrics.selection import columns_of
from retriever.search.backends import find_backend
from retriever.training.collection import CollectionArrays, load_collection
from retriever.training.losses.contrastive import contrastive_loss
from retriever.training.model import BiEncoder, fit_attention, groups_of
from retriever.training.references.pairwise_best import FIGURE, keep_best, load_best
from retriever.training.references.pairwise_config import PairwiseConfig
from retriever.training.references.pairwise_data import Training, draw_pairs, never_negative, training_of
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


def read_arrays(config: PairwiseConfig) -> CollectionArrays:
    """The collection of a run. Raises ModelError, BadRecords, UserError."""
    lengths = config.lengths
    return load_collection(
        find_backend(config.backend),
        config.dataset,
        config.tokenizer,
        query=lengths.query,
        document=lengths.document,
    )


def build_towers(config: PairwiseConfig, tokenizer: Path) -> TwoTowers:
    """The model of a configuration with fresh weights. Raises ModelError."""
    tower = build_tower(config.model, read_terms(tokenizer, config.pairs), config.batch.word_dropout)
    return TwoTowers(tower, normalised=config.loss.normalised)


class PairwiseObjective:
    """Questions against one of their references, other questions' references and random documents."""

    def __init__(self, config: PairwiseConfig, arrays: CollectionArrays, device: torch.device) -> None:
        self._config, self._arrays, self.data = config, arrays, arrays.digest
        self._training = training_of(arrays)
        self._sample, self._pool = validation_of(arrays, self._training, config.schedule.evaluation_queries)
        self._steps = 0
        self.model = build_towers(config, config.tokenizer)
        for tower in (self.model.question, self.model.reference):
            if isinstance(tower, Bag):
                tower.weigh(arrays.documents.take(arrays.pools["train"]))
            elif isinstance(tower, BiEncoder):
                if config.start_from is not None:
                    take_over(tower.bert, load_bert(config.start_from, arrays.vocabulary))
                fit_attention(tower.bert, device)
        self.model.to(device)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Word embeddings have a rate of their own; they, layer norms and biases do not decay."""
        return groups_of(self.model, self._config.schedule)

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

    def validate(self) -> dict[str, float]:
        """mAP of valid questions (a fixed sample where there are many) over their whole pool, themselves
        excluded. Keeps the weights where it is the run's best."""
        arrays, pool = self._arrays, self._pool
        questions = self.model.of_questions(arrays.questions.take(self._sample))
        references = self.model.of_references(arrays.documents.take(pool))
        scores = (questions @ references.T).numpy()
        figure = validation_figure(scores, self._sample, pool, self._training, arrays)
        keep_best(self._config, self.model, self.data, self._steps, figure)
        return {FIGURE: figure}


def validation_of(arrays: CollectionArrays, training: Training, limit: int) -> tuple[Int64s, Int64s]:
    """(a fixed sample of the valid questions, ascending, the documents ranked for them).

    Of the training ones where there are no valid ones.
    """
    valid = arrays.rows("valid")
    valid = valid[training.gold.lengths[valid] > 0]
    rows, pool = (valid, arrays.pools["valid"]) if len(valid) else (training.rows, training.pool)
    sample = np.random.default_rng(0).permutation(rows)[:limit]
    return np.sort(sample), pool


def validation_figure(
    scores: np.ndarray, rows: Int64s, pool: Int64s, training: Training, arrays: CollectionArrays
) -> float:
    """mAP of float32[rows, pool] scores, in [0, 1]; each question's own document excluded.

    Raises ModelError when a score is not finite.
    """
    if not np.isfinite(scores).all():
        hint = "Lower schedule.learning_rate, or raise schedule.warmup."
        raise ModelError("The model's scores are not finite any more.", hint)
    columns = columns_of(pool, len(arrays.documents))
    own = columns[arrays.own[rows]]
    return mean_average_precision(
        ranks_of(found, columns[training.gold[row]].tolist(), [left_out] if left_out >= 0 else [])
        for found, row, left_out in zip(scores, rows.tolist(), own.tolist(), strict=True)
    )


def load_pairwise(run: Path) -> tuple[PairwiseConfig, TwoTowers]:
    """The configuration of a run, and its model as it did best, in evaluation mode. Raises ModelError."""
    saved = load_best(run, "pairwise")
    config = replace(parse(saved.config), run=run)
    model = build_towers(config, run / "tokenizer.json")
    try:
        model.load_state_dict(saved.model)
    except RuntimeError as error:
        raise ModelError(f"The run {run} was trained with another tokenizer.", "Train it again.") from error
    return config, model.eval()
