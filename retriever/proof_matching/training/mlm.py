"""Masked language modelling on statements and proofs, from which ScratchBERT starts (section 5.2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.training.config import MatchLengths
from retriever.proof_matching.training.data import pair_arrays
from retriever.training.masking import Masking, MlmTexts, sample_of
from retriever.training.mlm import MlmBatchConfig, MlmConfig, MlmObjective
from retriever.training.running.config import (
    LengthConfig,
    ModelConfig,
    RunConfig,
    ScheduleConfig,
    Threads,
    require_threads,
)
from retriever.training.running.plain import from_plain, require
from retriever.training.tokens import concatenate, open_tokenizer


@dataclass(frozen=True, slots=True)
class MatchMlmConfig:
    """One run. Paths are relative to the folder the command runs in."""

    dataset: Path
    """The file of pairs, or a folder of the authors' release."""
    tokenizer: Path
    run: Path
    kind: str = "match-mlm"
    start_from: Path | None = None
    """The run whose embeddings and layers are taken over."""
    seed: int = 0
    threads: Threads = 1
    model: ModelConfig = field(default_factory=ModelConfig)
    lengths: MatchLengths = field(default_factory=MatchLengths)
    batch: MlmBatchConfig = field(default_factory=MlmBatchConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        require(self.kind == "match-mlm", f"masked language modelling is asked for, not `kind: {self.kind}`")
        require_threads(self.threads)
        self.inner()
        longest = max(self.lengths.statement, self.lengths.proof)
        require(longest <= self.model.positions, "lengths must not exceed model.positions")

    def inner(self) -> MlmConfig:
        """The configuration of masked language modelling in general; its lengths are not read."""
        return MlmConfig(
            dataset=self.dataset,
            tokenizer=self.tokenizer,
            run=self.run,
            backend="match",
            start_from=self.start_from,
            seed=self.seed,
            threads=self.threads,
            model=self.model,
            lengths=LengthConfig(self.model.positions, self.model.positions),
            batch=self.batch,
            schedule=self.schedule,
        )


def parse(values: Mapping[str, Any]) -> MatchMlmConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(MatchMlmConfig, values)


def make_objective(config: RunConfig, device: torch.device) -> MlmObjective:
    """The objective over the training part's statements and proofs. Raises ModelError, BadRecords."""
    own = cast(MatchMlmConfig, config)
    tokenizer = open_tokenizer(own.tokenizer)
    loaded = load_pairs(own.dataset)
    train, valid = (
        pair_arrays(loaded.pairs.part(part), tokenizer, own.lengths, "both") for part in ("train", "valid")
    )
    held = concatenate([valid.statements, valid.proofs])
    texts = MlmTexts(
        concatenate([train.statements, train.proofs]),
        sample_of(held, np.arange(len(held)), own.schedule.evaluation_queries),
        loaded.digest,
    )
    return MlmObjective(own.inner(), texts, Masking.of(tokenizer, own.batch.masked), device)
