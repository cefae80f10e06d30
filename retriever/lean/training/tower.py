"""A state tower (`retriever.training.state_tower`) as the loop trains it, over a dataset of Lean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import ModelError
from retriever.lean.dataset.dataset import read_manifest
from retriever.lean.training.arrays import load_arrays
from retriever.lean.training.sampling import with_unrelated, without_hypotheses
from retriever.lean.training.vectors import dataset_vectors
from retriever.metrics.ranking import recall_at
from retriever.models.encoder import Encoder
from retriever.models.text import GOAL, VAR
from retriever.training.arrays import (
    ORIGINS,
    TrainingArrays,
    figures_by_origin,
    training_queries,
    validation_sample,
)
from retriever.training.drawing import draw_queries
from retriever.training.losses import Positives, against_all
from retriever.training.model import BertObjective, build_bert
from retriever.training.running.config import Labels, RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.state_tower import StateTower
from retriever.training.tokens import Ragged, mark_of, open_tokenizer
from retriever.training.tower_config import TowerConfig, tower_data
from retriever.training.weights import load_bert, take_matching

_CHUNK = 256
_STATEMENT = ORIGINS.index("statement")


def parse(values: Mapping[str, Any]) -> TowerConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(TowerConfig, values)


def make_objective(config: RunConfig, device: torch.device) -> TowerObjective:
    """The objective over the run's dataset folder. Raises ModelError, BadRecords."""
    own = cast(TowerConfig, config)
    encoder = Encoder.load(own.encoder)
    tokenizer = open_tokenizer(own.tokenizer_file)
    marks = (mark_of(tokenizer, VAR), mark_of(tokenizer, GOAL))
    premises = dataset_vectors(own.dataset, encoder)
    data = tower_data(read_manifest(own.dataset).digest, encoder.fingerprint)
    arrays = load_arrays(own.dataset, own.tokenizer_file)
    return TowerObjective(own, arrays, encoder.token_vectors(), premises, data, device, marks)


class TowerObjective(BertObjective):
    """States against all premises, whose vectors are computed once."""

    def __init__(
        self,
        config: TowerConfig,
        arrays: TrainingArrays,
        words: Floats,
        premises: Floats,
        data: str,
        device: torch.device,
        marks: tuple[int, int],
    ) -> None:
        self._config, self._marks = config, marks
        self._arrays = replace(arrays, states=arrays.states.cut(config.state, keep="tail"))
        self._pools = training_queries(arrays)
        if not any(map(len, self._pools)):
            raise ModelError("No query is left to learn from.", "Use more records.")
        self._premises = torch.from_numpy(premises).to(device)
        model = StateTower(_layers(config, len(words)), torch.from_numpy(words), marks[1])
        super().__init__(model, config.schedule, data, device)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """Equation (6) over a batch and all premises; a scalar."""
        config, arrays = self._config, self._arrays
        key = (config.seed, step, micro, rank)
        generator = np.random.default_rng(list(key))
        batch = config.batch
        queries = draw_queries(arrays.theorems, self._pools, batch.shares, batch.queries, generator)
        chances = np.where(arrays.origins[queries] == _STATEMENT, 0.0, batch.dropped)
        read = without_hypotheses(arrays.states.take(queries), chances, self._marks, key)
        read = with_unrelated(read, batch.unrelated, self._marks, key).cut(config.state, keep="tail")
        states = functional.normalize(model(read), dim=1)
        rows, premises, weights = weighted_gold(arrays, queries, batch.labels)
        positives = Positives(
            *(torch.from_numpy(part).to(states.device) for part in (rows, premises, weights))
        )
        excluded = torch.from_numpy(never_negative(arrays, queries)).to(states.device)
        return against_all(states, self._premises, positives, excluded, config.temperature)

    def validate(self) -> dict[str, float]:
        """R@10 of fixed samples of valid steps and valid statements over all premises, the theorem's own left out."""
        sampled = validation_sample(self._arrays, self._config.schedule.evaluation_queries)
        return figures_by_origin(
            {origin: {"recall_at_10": self._recall(queries)} for origin, queries in sampled.items()}
        )

    def _recall(self, queries: Int64s) -> float:
        arrays = self._arrays
        recalls: list[float] = []
        for start in range(0, len(queries), _CHUNK):
            part = queries[start : start + _CHUNK]
            states = functional.normalize(self.model(arrays.states.take(part)), dim=1)
            scores = states @ self._premises.T
            own = arrays.query_families[part][:, None] == arrays.families[None, :]
            scores[torch.from_numpy(own).to(scores.device)] = -1.0
            best = scores.topk(min(10, scores.shape[1]), dim=1).indices.cpu().numpy()
            golds = [set(arrays.gold[query].tolist()) for query in part]
            recalls += [recall_at(row.tolist(), gold, 10) for row, gold in zip(best, golds, strict=True)]
        return float(np.mean(recalls))


def _layers(config: TowerConfig, vocabulary: int) -> BertModel:
    """The tower's BERT: fresh, or with the first layers of another run. Raises ModelError: they do not fit."""
    bert = build_bert(config.model, vocabulary)
    if config.start_from is not None:
        source = load_bert(config.start_from, vocabulary)
        fits = _shape(source) == _shape(bert)
        if not fits or source.config.num_hidden_layers < config.model.layers:
            hint = "Start from a run of the same width and heads and at least as many layers, or leave start_from out."
            raise ModelError("The run to start from has another shape.", hint)
        take_matching(bert, source)
    return bert


def _shape(bert: BertModel) -> tuple[int, int, int]:
    shape = bert.config
    return shape.hidden_size, shape.num_attention_heads, shape.intermediate_size


def weighted_gold(
    arrays: TrainingArrays, queries: Int64s, labels: Labels
) -> tuple[Int64s, Int64s, NDArray[np.float32]]:
    """(rows [p], premises [p], weights [p]): each query's positives; the weights of a query add up to 1.

    A weight is the chance with which `draw_positives` draws the premise.
    """
    parts = (arrays.gold, arrays.later, arrays.earlier)
    taken = [part.take(queries) for part in parts]
    lengths = np.cumsum([part.lengths for part in taken], axis=0)
    shares = np.array([labels.step, labels.rest, labels.proof])[:, None] / np.maximum(lengths, 1)
    rows = [np.repeat(np.arange(len(queries)), part.lengths) for part in taken]
    weights = [shares[number:].sum(axis=0)[own] for number, own in enumerate(rows)]
    premises = np.concatenate([part.flat for part in taken]).astype(np.int64)
    kept = np.concatenate(weights) > 0
    return (
        np.concatenate(rows)[kept],
        premises[kept],
        np.concatenate(weights)[kept].astype(np.float32),
    )


def never_negative(arrays: TrainingArrays, queries: Int64s) -> Int64s:
    """int64[2, x] (row, premise): what else a query's proof uses, its own theorem and that one's twins."""
    pairs: list[Int64s] = []
    for part in (arrays.gold, arrays.later, arrays.earlier):
        used: Ragged = part.take(queries)
        pairs.append(np.stack([np.repeat(np.arange(len(queries)), used.lengths), used.flat.astype(np.int64)]))
    order = np.argsort(arrays.families, kind="stable")
    own = arrays.query_families[queries]
    starts, ends = (np.searchsorted(arrays.families[order], own, side) for side in ("left", "right"))
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        pairs.append(np.stack([np.full(end - start, row), order[start:end]]))
    return np.concatenate(pairs, axis=1).astype(np.int64)
