"""The autoregressive model (NaturalProofs, section 5, appendix B.2) as the loop trains it.

It is trained by the cross-entropy of a proof's references, in order and repeated as they are, and of the end
mark after them. As a ranker it lists what it writes greedily, nothing twice, then the others by the
probabilities of its first step.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Floats, Int64s
from retriever.metrics.ranking import columns_of
from retriever.training.collection import CollectionArrays
from retriever.training.references.autoregressive_model import SequenceModel, build_decoder, greedy, sequences
from retriever.training.references.config import AutoregressiveConfig
from retriever.training.references.joint import OverReferences
from retriever.training.references.joint_model import ReferenceTable
from retriever.training.references.objective import load_model, read_arrays
from retriever.training.references.pairwise_model import build_tower, read_terms
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.running.kinds import with_backend
from retriever.training.tokens import Ragged

_CHUNK = 128


def parse(values: Mapping[str, Any]) -> AutoregressiveConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(AutoregressiveConfig, with_backend(values, "autoregressive"))


def make_objective(config: RunConfig, device: torch.device) -> SequenceObjective:
    """The objective over the run's collection. Raises ModelError, BadRecords, UserError."""
    own = cast(AutoregressiveConfig, config)
    return SequenceObjective(own, read_arrays(own), device)


def _build_sequence_model(config: AutoregressiveConfig, tokenizer: Path, references: int) -> SequenceModel:
    """The model of a configuration with fresh weights."""
    shape, hidden = config.decoder, config.model.hidden
    return SequenceModel(
        build_tower(config.model, read_terms(tokenizer, config.pairs), config.batch.word_dropout),
        ReferenceTable(references, hidden),
        build_decoder(hidden, shape.layers, shape.heads, shape.intermediate, shape.dropout),
        shape.longest,
        normalised=config.loss.normalised,
        temperature=config.loss.temperature,
    )


class SequenceObjective(OverReferences):
    """Questions and the references of their proofs in order."""

    model: SequenceModel

    def __init__(self, config: AutoregressiveConfig, arrays: CollectionArrays, device: torch.device) -> None:
        self._config = config
        model = _build_sequence_model(config, config.tokenizer, len(arrays.documents))
        super().__init__(config, arrays, model, device)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """The mean cross-entropy over a batch's references and end marks; a scalar."""
        config, arrays = self._config, self._arrays
        self._steps = step + 1
        generator = np.random.default_rng([config.seed, step, micro, rank])
        rows = generator.choice(self._training.rows, config.batch.questions)
        written, counts = sequences(arrays.references, rows, config.decoder.longest)
        columns = np.where(written >= 0, self._columns[written], -1)
        targets = with_end(columns, counts, arrays.references.lengths[rows], len(self._training.pool))
        wanted = torch.from_numpy(targets).to(self._ranked.device)
        before = torch.from_numpy(np.maximum(written, 0)).to(self._ranked.device)
        steps = wanted >= 0
        logits = model(arrays.questions.take(rows), before, self._ranked, steps).float()
        if config.batch.without_own:
            logits = self._without_own(logits, rows, columns, torch.nonzero(steps)[:, 0])
        return functional.cross_entropy(logits, wanted[steps])

    def _without_own(self, logits: Tensor, rows: Int64s, columns: Int64s, questions: Tensor) -> Tensor:
        """Rules out the document that a question itself is, where its proof does not refer to it."""
        own = self._columns[self._arrays.own[rows]]
        barred = np.where((columns == own[:, None]).any(axis=1), -1, own)
        barred_steps = torch.from_numpy(barred).to(logits.device)[questions]
        numbers = torch.arange(logits.shape[1], device=logits.device)
        return logits.masked_fill(numbers[None, :] == barred_steps[:, None], float("-inf"))

    def _valid_scores(self) -> Floats:
        questions = self._arrays.questions.take(self._sample)
        return ranking_scores(self.model, questions, self._pool, self._arrays.own[self._sample])


def with_end(columns: Int64s, counts: Int64s, lengths: Int64s, end: int) -> Int64s:
    """[n, t + 1] The target of each step: the next reference, then `end`; -1 is passed over.

    Args:
        columns: [n, t] the references; -1 after the last, and where one cannot be written.
        counts: [n] references of each row.
        lengths: [n] references of the whole proof; one that was cut has no end mark.
        end: the number of the end mark.
    """
    targets = np.full((len(columns), columns.shape[1] + 1), -1, dtype=np.int64)
    targets[:, :-1] = columns
    whole = np.flatnonzero(counts == lengths)
    targets[whole, counts[whole]] = end
    return targets


def ranking_scores(
    model: SequenceModel, questions: Ragged, pool: Int64s, own: Int64s | None = None
) -> Floats:
    """float32[questions, pool] The higher the better: what is written first, then by the first step.

    `own` [questions] are documents that are not written; -1: none.
    """
    columns = columns_of(pool, len(model.table.bias))
    parts = []
    for start in range(0, len(questions), _CHUNK):
        rows: Int64s = np.arange(start, min(start + _CHUNK, len(questions)))
        barred = None if own is None else columns[own[rows]]
        first, written = greedy(model, questions.take(rows), pool, barred)
        top = first.max(axis=1) + 1
        for row, sequence in enumerate(written):
            for position, column in enumerate(reversed(sequence)):
                first[row, column] = top[row] + position
        parts.append(first)
    return np.concatenate(parts)


def load_autoregressive(run: Path) -> tuple[AutoregressiveConfig, SequenceModel]:
    """The configuration of a run, and its model as it did best, in evaluation mode. Raises ModelError."""
    return load_model(run, "autoregressive", parse, _build_sequence_model)
