"""The bi-encoder (section 3.2.1) as the loop trains it: its batches, its loss (eq. 6), its validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.lean.augmentation.augment import load_augmented
from retriever.lean.dataset.dataset import read_manifest
from retriever.lean.training.arrays import load_arrays
from retriever.lean.training.sampling import (
    changed_states,
    draw_batch,
    excluded,
)
from retriever.metrics.ranking import recall_at
from retriever.models.text import GOAL, VAR
from retriever.search.splits import SPLITS
from retriever.training.arrays import ORIGINS, TrainingArrays, training_queries
from retriever.training.losses import matryoshka_loss
from retriever.training.model import BertObjective, BiEncoder, build_bert
from retriever.training.reranking.mined import Mined, load_mined
from retriever.training.running.config import RunConfig, TrainConfig
from retriever.training.running.config_io import from_plain
from retriever.training.tokens import Ragged, concatenate, joined, mark_of, open_tokenizer
from retriever.training.weights import load_bert, take_over

_CHUNK = 2048
_MINER = "retriever mine"
_STATEMENT = ORIGINS.index("statement")


def parse(values: Mapping[str, Any]) -> TrainConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(TrainConfig, values)


def make_objective(config: RunConfig, device: torch.device) -> BiEncoderObjective:
    """The objective over the run's dataset folder. Raises ModelError, BadRecords."""
    own = cast(TrainConfig, config)
    tokenizer = open_tokenizer(own.tokenizer)
    vocabulary = tokenizer.get_vocab_size()
    marks = (mark_of(tokenizer, VAR), mark_of(tokenizer, GOAL))
    data = read_manifest(own.dataset).digest
    mined = load_mined(own.batch.hard, data, _MINER) if own.batch.hard else None
    arrays = load_arrays(own.dataset, own.tokenizer)
    augmented = load_augmented(own.dataset, own.tokenizer) if own.batch.varied else ()
    return BiEncoderObjective(own, arrays, vocabulary, data, device, marks, mined, augmented)


class BiEncoderObjective(BertObjective):
    """Queries against their positives, random premises and mined ones, over arrays in memory."""

    def __init__(
        self,
        config: TrainConfig,
        arrays: TrainingArrays,
        vocabulary: int,
        data: str,
        device: torch.device,
        marks: tuple[int, int],
        mined: Mined | None = None,
        augmented: Sequence[Ragged] = (),
    ) -> None:
        self._config, self._mined, self._marks = config, mined, marks
        self._augmented = [rows.cut(config.lengths.state, keep="tail") for rows in augmented]
        self._arrays = arrays.cut(state=config.lengths.state, premise=config.lengths.premise)
        cut = self._arrays
        fine = config.loss.similarity == "fine"
        self._premise_parts = [cut.goals, cut.contexts] if fine else [joined(cut.contexts, cut.goals)]
        self._pools = training_queries(arrays, config.batch.share)
        if not any(map(len, self._pools)):
            raise ModelError("No query is left to learn from.", "Raise batch.share, or use more records.")
        model = BiEncoder(build_bert(config.model, vocabulary))
        if config.start_from is not None:
            take_over(model.bert, load_bert(config.start_from, vocabulary))
        super().__init__(model, config.schedule, data, device)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """Equation (6) over a batch; a scalar."""
        config, arrays = self._config, self._arrays
        key = (config.seed, step, micro, rank)
        batch = draw_batch(arrays, self._pools, config.batch, key, self._mined)
        read = changed_states(arrays, self._augmented, batch.queries, config.batch, self._marks, key)
        read = read.cut(config.lengths.state, keep="tail")
        states, *parts = self._pooled(model, read, batch.premises)
        return matryoshka_loss(
            states,
            parts,
            torch.from_numpy(batch.positives).to(states.device),
            torch.from_numpy(excluded(arrays, batch)).to(states.device),
            config.loss.temperature,
            config.loss.dimensions or (config.model.hidden,),
        )

    def _pooled(self, model: nn.Module, states: Ragged, premises: Int64s) -> tuple[Tensor, ...]:
        """Pooled states and premise parts (eq. 3: two, eq. 2: one), run as one list of texts."""
        texts = [states, *(part.take(premises) for part in self._premise_parts)]
        pooled: Tensor = model(concatenate(texts))
        return torch.split(pooled.float(), [len(part) for part in texts])

    def validate(self) -> dict[str, float]:
        """R@10 of a fixed sample of valid statements over their gold premises and a sample of the corpus."""
        queries, pool = self._validation_sample()
        size = self._config.dimension
        premises = torch.cat(
            [self._premises(pool[start : start + _CHUNK], size) for start in range(0, len(pool), _CHUNK)]
        )
        read = self._arrays.states.take(queries)
        states = functional.normalize(self._pooled(self.model, read, pool[:1])[0][:, :size], dim=1)
        families = self._arrays.families[pool]
        scores = states @ premises.T
        own = self._arrays.query_families[queries][:, None] == families[None, :]
        scores[torch.from_numpy(own).to(scores.device)] = -1.0
        rankings = pool[scores.topk(min(10, len(pool)), dim=1).indices.cpu().numpy()]
        gold = [set(self._arrays.gold[query].tolist()) for query in queries]
        recalls = [recall_at(row.tolist(), own, 10) for row, own in zip(rankings, gold, strict=True)]
        return {"recall_at_10": float(np.mean(recalls))}

    def _premises(self, numbers: Int64s, size: int) -> Tensor:
        _, *parts = self._pooled(self.model, self._arrays.states.take(np.zeros(1, dtype=np.int64)), numbers)
        return torch.stack([functional.normalize(part[:, :size], dim=1) for part in parts]).mean(dim=0)

    def _validation_sample(self) -> tuple[Int64s, Int64s]:
        arrays, schedule = self._arrays, self._config.schedule
        generator = np.random.default_rng(0)
        is_statement = arrays.origins == _STATEMENT
        valid = np.flatnonzero((arrays.splits == SPLITS.index("valid")) & is_statement)
        if not len(valid):
            valid = np.flatnonzero(is_statement)
        queries = np.sort(generator.permutation(valid)[: schedule.evaluation_queries])
        others = generator.permutation(len(arrays.families))[: schedule.evaluation_pool]
        return queries, np.union1d(arrays.gold.take(queries).flat, others).astype(np.int64)
