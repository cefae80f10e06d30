"""Masked language modelling (section 3.3), from whose weights retriever and re-ranker start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertForMaskedLM

from retriever.training.corpora import find_corpus
from retriever.training.masking import IGNORED, Masking, MlmTexts, masked_texts
from retriever.training.model import (
    TOKENS_PER_CHUNK,
    BertObjective,
    bert_config,
    chunks,
    padded,
)
from retriever.training.running.config import LengthConfig, RunConfig, TextRunConfig
from retriever.training.running.config_io import from_plain, require
from retriever.training.running.kinds import with_backend
from retriever.training.tokens import Ragged, open_tokenizer
from retriever.training.weights import load_bert, take_over

_CHUNK = 256


@dataclass(frozen=True, slots=True)
class MlmBatchConfig:
    """How a batch is put together."""

    texts: int = 256
    masked: float = 0.15
    """The share of tokens to predict."""

    def __post_init__(self) -> None:
        require(self.texts >= 1, "batch.texts must be at least 1")
        require(0 < self.masked < 1, "batch.masked must be between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedRunConfig(TextRunConfig):
    """One run of masked language modelling, over whatever texts."""

    batch: MlmBatchConfig = field(default_factory=MlmBatchConfig)

    def __post_init__(self) -> None:
        TextRunConfig.__post_init__(self)
        require(
            self.model.layers > 0, "model.layers must be positive: tokens are predicted from their neighbours"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MlmConfig(MaskedRunConfig):
    """One run over a backend's corpus."""

    kind: Literal["mlm"] = "mlm"
    backend: str
    """Who reads `dataset`."""
    lengths: LengthConfig = field(default_factory=LengthConfig)

    def __post_init__(self) -> None:
        MaskedRunConfig.__post_init__(self)
        self.model.check_lengths(self.lengths.state, self.lengths.premise)


def parse(values: Mapping[str, Any]) -> MlmConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(MlmConfig, with_backend(values, "mlm"))


def make_objective(config: RunConfig, device: torch.device) -> MlmObjective:
    """The objective over the run's corpus. Raises ModelError, BadRecords."""
    own = cast(MlmConfig, config)
    masking = Masking.of(open_tokenizer(own.tokenizer), own.batch.masked)
    limit = own.schedule.evaluation_queries
    texts = find_corpus(own.backend).masked_texts(own.dataset, own.tokenizer, own.lengths, limit)
    return MlmObjective(own, texts, masking, device)


class _MaskedModel(nn.Module):
    """BertForMaskedLM, run on texts of all lengths; its decoder is tied to the word embeddings."""

    def __init__(self, model: BertForMaskedLM) -> None:
        super().__init__()
        self.bert, self.head = model.bert, model.cls

    def forward(self, texts: Ragged, labels: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """([m, vocabulary], int64 [m]) The logits of every masked token, and what it was.

        `labels` go with `texts.flat` and are IGNORED where nothing is to be predicted.
        """
        device = self.bert.embeddings.word_embeddings.weight.device
        order = np.argsort(texts.lengths, kind="stable")
        targets = Ragged(labels.astype(np.int32), texts.offsets)
        limit = TOKENS_PER_CHUNK.get(device.type, TOKENS_PER_CHUNK["cpu"])
        logits: list[Tensor] = []
        originals: list[Tensor] = []
        for rows in chunks(order, texts.lengths, limit):
            ids, mask = padded(texts.take(rows), self.bert.config.pad_token_id or 0)
            hidden = self.bert(input_ids=ids.to(device), attention_mask=mask.to(device)).last_hidden_state
            wanted, _ = padded(targets.take(rows), IGNORED)
            masked = wanted != IGNORED
            logits.append(self.head(hidden[masked.to(device)]))
            originals.append(wanted[masked].to(device))
        return torch.cat(logits), torch.cat(originals)


class MlmObjective(BertObjective):
    """Masked tokens of texts, predicted from their neighbours."""

    def __init__(
        self, config: MaskedRunConfig, texts: MlmTexts, masking: Masking, device: torch.device
    ) -> None:
        self._config, self._masking = config, masking
        self._texts, self._valid = texts.train, texts.valid
        model = _MaskedModel(BertForMaskedLM(bert_config(config.model, masking.vocabulary, masking.pad)))
        if config.start_from is not None:
            take_over(model.bert, load_bert(config.start_from, masking.vocabulary))
        super().__init__(model, config.schedule, texts.digest, device)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """The mean cross-entropy of a batch's masked tokens; a scalar."""
        generator = np.random.default_rng([self._config.seed, step, micro, rank])
        rows = generator.integers(0, len(self._texts), self._config.batch.texts)
        logits, originals = model(*masked_texts(self._texts.take(rows), self._masking, generator))
        return functional.cross_entropy(logits.float(), originals)

    def validate(self) -> dict[str, float]:
        """Accuracy and mean cross-entropy over the masked tokens of a fixed sample of valid texts.

        Such a theorem's statement is in the corpus too: this measures the fit, no more.
        """
        generator = np.random.default_rng(0)
        right, loss, count = 0.0, 0.0, 0
        for start in range(0, len(self._valid), _CHUNK):
            rows = np.arange(start, min(start + _CHUNK, len(self._valid)))
            logits, originals = self.model(*masked_texts(self._valid.take(rows), self._masking, generator))
            right += float((logits.argmax(dim=1) == originals).sum().item())
            loss += float(functional.cross_entropy(logits.float(), originals, reduction="sum").item())
            count += len(originals)
        return {"masked_accuracy": right / count, "masked_loss": loss / count}
