"""The joint model (NaturalProofs, section 5, eq. 7, appendix B.3) as the loop trains it.

One pass over a question scores every document; training asks for the uniform distribution over a question's
references. The paper's is one step of its encoder-decoder, so that it is like its autoregressive model; this
is the encoder alone, which the paper names as the other way: a decoder's only step has nothing to add.

Training ranks the training pool. Documents outside of it, the theorems to evaluate, keep what they begin as.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from lean_extract.common.arrays import Bools, Floats, Int64s
from lean_extract.common.errors import ModelError
from retriever.metrics.ranking import columns_of
from retriever.training.collection import CollectionArrays
from retriever.training.references.autoregressive_model import SequenceModel
from retriever.training.references.config import AutoregressiveConfig, JointConfig, StartConfig
from retriever.training.references.joint_model import JointModel, ReferenceTable, reference_loss
from retriever.training.references.objective import ReferencesObjective, Training, load_model, read_arrays
from retriever.training.references.pairwise import load_pairwise
from retriever.training.references.pairwise_model import Bag, Tower, build_tower, read_terms
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.running.kinds import with_backend
from retriever.training.tokens import Ragged

_CHUNK = 256


def parse(values: Mapping[str, Any]) -> JointConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(JointConfig, with_backend(values, "joint"))


def make_objective(config: RunConfig, device: torch.device) -> JointObjective:
    """The objective over the run's collection. Raises ModelError, BadRecords, UserError."""
    own = cast(JointConfig, config)
    return JointObjective(own, read_arrays(own), device)


def _build_joint(config: JointConfig, tokenizer: Path, references: int) -> JointModel:
    """The model of a configuration with fresh weights. Raises ModelError."""
    tower = build_tower(config.model, read_terms(tokenizer, config.pairs), config.batch.word_dropout)
    table = ReferenceTable(references, config.model.hidden)
    loss = config.loss
    return JointModel(tower, table, normalised=loss.normalised, temperature=loss.temperature)


def _start_parts(tower: Tower, table: ReferenceTable, start: StartConfig, arrays: CollectionArrays) -> None:
    """Table 11's initialisations. Raises ModelError when the pairwise run does not fit."""
    if isinstance(tower, Bag):
        tower.weigh(arrays.documents.take(arrays.pools["train"]))
    if start.pairwise is not None:
        _, towers = load_pairwise(start.pairwise)
        try:
            if start.encoder == "pairwise":
                tower.load_state_dict(towers.question.state_dict())
            if start.embeddings == "pairwise":
                table.begin_as(towers.of_references(arrays.documents))
        except RuntimeError as error:
            hint = "Give both runs the same model and pairs."
            raise ModelError(f"The run {start.pairwise} has another shape.", hint) from error
    table.learned.requires_grad_(not start.frozen)


def other_table(start: StartConfig, encodings: Path | None, arrays: CollectionArrays) -> ReferenceTable:
    """A table for a collection that the model was not trained on: the encodings of its documents by the
    pairwise run `encodings`, else by the one that training began from. Raises ModelError."""
    run = encodings or start.pairwise
    if run is None:
        hint = "Name a pairwise run that encodes the documents."
        raise ModelError("The model knows only the documents that it was trained with.", hint)
    _, towers = load_pairwise(run)
    found = towers.of_references(arrays.documents)
    table = ReferenceTable(*found.shape)
    table.begin_as(found)
    return table


class OverReferences(ReferencesObjective):
    """What the joint and the autoregressive objective share: a table of all references, scored at once."""

    def __init__(
        self,
        config: JointConfig | AutoregressiveConfig,
        arrays: CollectionArrays,
        model: JointModel | SequenceModel,
        device: torch.device,
    ) -> None:
        _start_parts(model.question, model.table, config.start, arrays)
        super().__init__(config, arrays, model, (model.question,), device)
        self._columns = columns_of(self._training.pool, len(arrays.documents))
        self._ranked = torch.from_numpy(self._training.pool).to(device)


class JointObjective(OverReferences):
    """Questions against all documents of the training pool at once."""

    model: JointModel

    def __init__(self, config: JointConfig, arrays: CollectionArrays, device: torch.device) -> None:
        self._config = config
        super().__init__(
            config, arrays, _build_joint(config, config.tokenizer, len(arrays.documents)), device
        )

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """The mean KL divergence of a batch; a scalar."""
        config, arrays = self._config, self._arrays
        self._steps = step + 1
        generator = np.random.default_rng([config.seed, step, micro, rank])
        rows = generator.choice(self._training.rows, config.batch.questions)
        wanted, left_out = self._marks(rows)
        logits = model(arrays.questions.take(rows), self._ranked)
        return reference_loss(logits, wanted.to(logits.device), left_out.to(logits.device))

    def _marks(self, rows: Int64s) -> tuple[Tensor, Tensor]:
        own = self._columns[self._arrays.own[rows]]
        left_out = np.zeros((len(rows), len(self._training.pool)), dtype=np.bool_)
        if self._config.batch.without_own:
            left_out[np.flatnonzero(own >= 0), own[own >= 0]] = True
        wanted = _marks_of(self._training, rows, self._columns)
        return torch.from_numpy(wanted), torch.from_numpy(left_out)

    def _valid_scores(self) -> Floats:
        return joint_scores(self.model, self._arrays.questions.take(self._sample), self._pool)


def _marks_of(training: Training, rows: Int64s, columns: Int64s) -> Bools:
    """[rows, pool] Which documents of the training pool are references of each question."""
    gold = training.gold.take(rows)
    found = np.zeros((len(rows), len(training.pool)), dtype=np.bool_)
    gold_columns = columns[gold.flat]
    inside = gold_columns >= 0
    found[np.repeat(np.arange(len(rows)), gold.lengths)[inside], gold_columns[inside]] = True
    return found


def joint_scores(model: JointModel, questions: Ragged, pool: Int64s) -> Floats:
    """float32[questions, pool] The logits, without gradients."""
    numbers = torch.from_numpy(pool).to(model.table.bias.device)
    with torch.no_grad():
        parts = [
            model(questions.take(np.arange(start, min(start + _CHUNK, len(questions)))), numbers).cpu()
            for start in range(0, len(questions), _CHUNK)
        ]
    return cast(Floats, torch.cat(parts).numpy())


def load_joint(run: Path) -> tuple[JointConfig, JointModel]:
    """The configuration of a run, and its model as it did best, in evaluation mode. Raises ModelError."""
    return load_model(run, "joint", parse, _build_joint)
