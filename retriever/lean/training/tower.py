"""A state tower (`retriever.training.state_tower`) as the loop trains it, over a dataset of Lean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from retriever.lean.augmentation.augment import load_augmented
from retriever.lean.dataset.dataset import load_dataset, read_manifest
from retriever.lean.training.arrays import load_arrays
from retriever.lean.training.sampling import changed_states
from retriever.lean.training.vectors import dataset_vectors
from retriever.metrics.ranking import recall_at
from retriever.models.encoder import Encoder
from retriever.models.text import GOAL, VAR
from retriever.training.arrays import (
    TrainingArrays,
    figures_by_origin,
    training_queries,
    validation_sample,
)
from retriever.training.drawing import draw_queries
from retriever.training.losses import Positives, against_all
from retriever.training.model import BertObjective, build_bert
from retriever.training.references.pairwise_model import Bag, ReadTerms, read_terms
from retriever.training.running.config import Labels, RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.state_tower import StateTower
from retriever.training.tokens import Ragged, encode_heads, joined, mark_of, open_tokenizer, titled
from retriever.training.tower_config import TermsConfig, TowerConfig, tower_data
from retriever.training.weights import load_bert, take_matching

_CHUNK = 256
_NAMES, _PAIRS = -1.5, -2.5
"""The logarithms of the weights with which the terms of names and pairs of tokens begin."""


def parse(values: Mapping[str, Any]) -> TowerConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(TowerConfig, values)


def make_objective(config: RunConfig, device: torch.device) -> TowerObjective:
    """The objective over the run's dataset folder. Raises ModelError, BadRecords."""
    own = cast(TowerConfig, config)
    encoder = Encoder.load(own.encoder)
    arrays = load_arrays(own.dataset, own.tokenizer_file)
    premises = (
        dataset_vectors(own.dataset, encoder) if own.terms is None else _named_texts(own, own.terms, arrays)
    )
    augmented = load_augmented(own.dataset, own.tokenizer_file) if own.batch.varied else ()
    data = tower_data(read_manifest(own.dataset).digest, encoder.fingerprint)
    return TowerObjective(own, arrays, augmented, encoder.token_vectors(), premises, data, device)


class TowerObjective(BertObjective):
    """States against all premises, whose vectors are computed once, or trained along (`TowerConfig.terms`)."""

    model: StateTower

    def __init__(
        self,
        config: TowerConfig,
        arrays: TrainingArrays,
        augmented: Sequence[Ragged],
        words: Floats,
        premises: Floats | Ragged,
        data: str,
        device: torch.device,
    ) -> None:
        """`words` are the encoder's vectors of tokens; `premises` vectors, or texts for the terms to embed."""
        tokenizer = open_tokenizer(config.tokenizer_file)
        self._marks = (mark_of(tokenizer, VAR), mark_of(tokenizer, GOAL))
        self._config, self._augmented = config, augmented
        self._arrays = replace(arrays, states=arrays.states.cut(config.state, keep="tail"))
        self._pools = training_queries(arrays)
        if not any(map(len, self._pools)):
            raise ModelError("No query is left to learn from.", "Use more records.")
        bag = _bag(config, config.terms, words) if config.terms else None
        model = StateTower(_layers(config, len(words)), torch.from_numpy(words), self._marks[1], bag)
        super().__init__(model, config.schedule, data, device)
        self._premises: Tensor | ReadTerms = (
            bag.read(premises)
            if bag and isinstance(premises, Ragged)
            else torch.from_numpy(premises).to(device)
        )

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """Equation (6) over a batch and all premises; a scalar."""
        config, arrays = self._config, self._arrays
        key = (config.seed, step, micro, rank)
        batch = config.batch
        generator = np.random.default_rng(list(key))
        queries = draw_queries(arrays.theorems, self._pools, batch.shares, batch.queries, generator)
        read = changed_states(arrays, self._augmented, queries, batch, self._marks, key)
        read = read.cut(config.state, keep="tail")
        rows, gold, weights = weighted_gold(arrays, queries, batch.labels)
        device = self.model.words.weight.device
        positives = Positives(*(torch.from_numpy(part).to(device) for part in (rows, gold, weights)))
        excluded = torch.from_numpy(never_negative(arrays, queries)).to(device)

        def against(states: Tensor, premises: Tensor) -> Tensor:
            return against_all(states, premises, positives, excluded, config.temperature)

        if not config.terms:
            [states] = model(read)
            return against(functional.normalize(states, dim=1), cast(Tensor, self._premises))
        states, premises, bagged = (
            functional.normalize(part, dim=1) for part in model(read, self._premises, read)
        )
        return against(states, premises) + config.terms.states * against(bagged, premises)

    def validate(self) -> dict[str, float]:
        """R@10 of fixed samples of valid steps and valid statements over all premises, the theorem's own left out."""
        sampled = validation_sample(self._arrays, self._config.schedule.evaluation_queries)
        given = self._premises
        premises = (
            given if isinstance(given, Tensor) else functional.normalize(cast(Bag, self.model.bag)(given))
        )
        return figures_by_origin(
            {origin: {"recall_at_10": self._recall(queries, premises)} for origin, queries in sampled.items()}
        )

    def _recall(self, queries: Int64s, premises: Tensor) -> float:
        arrays = self._arrays
        recalls: list[float] = []
        for start in range(0, len(queries), _CHUNK):
            part = queries[start : start + _CHUNK]
            states = functional.normalize(self.model(arrays.states.take(part))[0], dim=1)
            scores = states @ premises.T
            own = arrays.query_families[part][:, None] == arrays.families[None, :]
            scores[torch.from_numpy(own).to(scores.device)] = -1.0
            best = scores.topk(min(10, scores.shape[1]), dim=1).indices.cpu().numpy()
            golds = [set(arrays.gold[query].tolist()) for query in part]
            recalls += [recall_at(row.tolist(), gold, 10) for row, gold in zip(best, golds, strict=True)]
        return float(np.mean(recalls))


def _named_texts(config: TowerConfig, terms: TermsConfig, arrays: TrainingArrays) -> Ragged:
    """[corpus] The tokens of `[CLS] name [SEP] context goal [SEP]`. Raises BadRecords."""
    tokenizer = open_tokenizer(config.tokenizer_file)
    names = encode_heads(
        tokenizer, (premise.name for premise in load_dataset(config.dataset).corpus), terms.name
    )
    return titled(names, joined(arrays.contexts, arrays.goals).cut(terms.premise, keep="head"))


def _bag(config: TowerConfig, terms: TermsConfig, words: Floats) -> Bag:
    """A bag of terms that begins as the encoder's bag of words; names and pairs count little at first."""
    bag = Bag(read_terms(config.tokenizer_file, terms.pairs), words.shape[1], terms.dropout)
    size = len(words)
    with torch.no_grad():
        start = torch.from_numpy(words / np.linalg.norm(words, axis=1).mean())
        bag.word_embeddings.weight[: 2 * size] = start.repeat(2, 1)
        bag.log_weights[size : 2 * size] = _NAMES
        bag.log_weights[2 * size :] = _PAIRS
    return bag


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
