"""What the models over a backend's collection share: how they are trained, validated, kept and loaded.

The weights of a run's best validation are kept, which is what the paper evaluates (appendix B.1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import BadRecords, ModelError
from retriever.metrics.ranking import columns_of
from retriever.metrics.ranks import mean_average_precision, ranks_of
from retriever.search.backends import find_backend
from retriever.training.collection import CollectionArrays, load_collection
from retriever.training.model import BiEncoder, fit_attention, groups_of
from retriever.training.references.config import AutoregressiveConfig, JointConfig, PairwiseConfig
from retriever.training.running.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from retriever.training.running.config_io import to_plain
from retriever.training.running.curve import CURVE, read_curve
from retriever.training.running.run_folder import check_run
from retriever.training.tokens import Ragged, ragged
from retriever.training.weights import fill

_FIGURE = "mAP"
_KINDS = ("pairwise", "joint", "autoregressive")
_BEST = "best"
"""The folder of the best weights in that of a run."""

ReferencesConfig = PairwiseConfig | JointConfig | AutoregressiveConfig
C = TypeVar("C", PairwiseConfig, JointConfig, AutoregressiveConfig)
M = TypeVar("M", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class Training:
    """What may be learned from."""

    rows: Int64s
    """Training questions that a document of the pool answers, other than themselves, and whose theorem's
    name does not hold them out (`retriever.search.splits`)."""
    gold: Ragged
    """[questions] The distinct references of every question, of all splits, ascending, itself left out."""
    pool: Int64s
    """Documents of the training split."""


def training_of(arrays: CollectionArrays) -> Training:
    """Raises BadRecords when no question is left to learn from."""
    gold = _gold_of(arrays.references, arrays.own)
    rows = arrays.rows("train")
    rows = rows[~arrays.held[rows]]
    pool = arrays.pools["train"]
    inside = np.zeros(len(arrays.documents), dtype=np.bool_)
    inside[pool] = True
    rows = rows[np.array([bool(inside[gold[row]].any()) for row in rows.tolist()], dtype=np.bool_)]
    if not len(rows):
        hint = "Make the split again, or take a larger corpus."
        raise BadRecords("The collection has no training question with a reference.", hint)
    return Training(rows, gold, pool)


def _gold_of(references: Ragged, own: Int64s) -> Ragged:
    """[n] Distinct references, ascending, without the document that the question is."""
    found = [np.unique(references[row]) for row in range(len(references))]
    return ragged([one[one != itself] for one, itself in zip(found, own.tolist(), strict=True)])


def read_arrays(config: ReferencesConfig) -> CollectionArrays:
    """The collection of a run. Raises ModelError, BadRecords, UserError."""
    return load_collection(
        find_backend(config.backend),
        config.dataset,
        config.tokenizer,
        query=config.lengths.query,
        document=config.lengths.document,
    )


class ReferencesObjective(ABC):
    """Questions and their references, from which a model is trained; its best weights are kept.

    Args:
        config: of the run.
        arrays: the run's collection.
        model: with fresh weights.
        towers: the encoders in it.
        device: where it is trained.
    """

    def __init__(
        self,
        config: ReferencesConfig,
        arrays: CollectionArrays,
        model: nn.Module,
        towers: tuple[nn.Module, ...],
        device: torch.device,
    ) -> None:
        self._run, self._arrays, self.data, self.model = config, arrays, arrays.digest, model
        self._training = training_of(arrays)
        self._sample, self._pool = _validation_of(arrays, self._training, config.schedule.evaluation_queries)
        self._steps = 0
        for tower in towers:
            if isinstance(tower, BiEncoder):
                fit_attention(tower.bert, device)
        model.to(device)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Word embeddings have a rate of their own; they, layer norms and biases do not decay."""
        return groups_of(self.model, self._run.schedule)

    def validate(self) -> dict[str, float]:
        """mAP of valid questions (a fixed sample where there are many) over their whole pool, themselves
        excluded. Keeps the weights where it is the run's best."""
        scores = self._valid_scores()
        figure = _validation_figure(scores, self._sample, self._pool, self._training, self._arrays)
        run = self._run.run
        points = read_curve(run) if (run / CURVE).exists() else []
        if figure > max((point[_FIGURE] for point in points if _FIGURE in point), default=-1.0):
            weights, config = self.model.state_dict(), to_plain(self._run)
            save_checkpoint(run / _BEST, Checkpoint(self._steps, weights, {}, config, self.data, 0.0))
        return {_FIGURE: figure}

    @abstractmethod
    def _valid_scores(self) -> Floats:
        """float32[sample, pool] of the valid questions."""


def _validation_of(arrays: CollectionArrays, training: Training, limit: int) -> tuple[Int64s, Int64s]:
    """(a fixed sample of the valid questions, ascending, the documents ranked for them).

    If there are no valid ones, those of the training part.
    """
    valid = arrays.rows("valid")
    valid = valid[training.gold.lengths[valid] > 0]
    rows, pool = (valid, arrays.pools["valid"]) if len(valid) else (training.rows, training.pool)
    sample = np.random.default_rng(0).permutation(rows)[:limit]
    return np.sort(sample), pool


def _validation_figure(
    scores: Floats, rows: Int64s, pool: Int64s, training: Training, arrays: CollectionArrays
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


def kind_of_run(run: Path) -> tuple[str, str]:
    """(the kind of a run with validated weights, the digest of its data). Raises ModelError."""
    saved = _load_best(run, *_KINDS)
    return saved.kind, saved.data


def load_model(
    run: Path, kind: str, parse: Callable[[Mapping[str, Any]], C], build: Callable[[C, Path, int], M]
) -> tuple[C, M]:
    """The configuration of a run, and its model as it did best, in evaluation mode.

    Args:
        run: the folder.
        kind: of the run.
        parse: reads the configuration.
        build: the model of a configuration, a tokenizer's file and a number of documents.

    Raises ModelError when it has no validated weights, is of another kind, or does not fit its tokenizer.
    """
    saved = _load_best(run, kind)
    config = replace(parse(saved.config), run=run)
    documents = len(saved.model.get("table.bias", ()))
    model = build(config, run / "tokenizer.json", documents)
    fill(model, saved.model, run)
    return config, model.eval()


def _load_best(run: Path, *kinds: str) -> Checkpoint:
    check_run(run, *kinds)
    saved = load_checkpoint(run / _BEST)
    if saved is None:
        hint = "Train it first, as far as its first validation."
        raise ModelError(f"The run {run} has no validated weights.", hint)
    return saved
