"""Masked language modelling on statements and proofs, from which ScratchBERT starts (section 5.2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
import torch

from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.training.config import MatchLengths
from retriever.proof_matching.training.data import pair_arrays
from retriever.training.masking import Masking, MlmTexts, sample_of
from retriever.training.mlm import MaskedRunConfig, MlmObjective
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.tokens import concatenate, open_tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchMlmConfig(MaskedRunConfig):
    """One run over a file of pairs, or a folder of the authors' release."""

    kind: Literal["match-mlm"] = "match-mlm"
    lengths: MatchLengths = field(default_factory=MatchLengths)

    def __post_init__(self) -> None:
        MaskedRunConfig.__post_init__(self)
        self.model.check_lengths(self.lengths.statement, self.lengths.proof)


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
    return MlmObjective(own, texts, Masking.of(tokenizer, own.batch.masked), device)
