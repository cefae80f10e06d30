"""The bi-encoder (section 3.2.1): a BERT with mean pooling, and the fine-grained premise embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel, T5Config, T5EncoderModel

from lean_extract.common.arrays import Int64s
from retriever.training.running.config import ModelConfig, ScheduleConfig
from retriever.training.tokens import Ragged

TOKENS_PER_CHUNK = {"cpu": 4096, "cuda": 65536}
"""Padded tokens that run together: few texts fit a CPU's caches, many keep a GPU busy."""
_PADDING = 0.1
_FULL = 4
"""Pieces with less than this part of their limit go on, whatever is padded: small ones cost more than padding."""
_NO_DECAY = ("bias", "LayerNorm.weight", "layer_norm.weight", "relative_attention_bias.weight")
_WORDS = ("word_embeddings.weight", "shared.weight", "words.weight")
_T5_HEAD = 64


def build_bert(config: ModelConfig, vocabulary: int, pad_id: int = 0) -> BertModel:
    """A BERT of this shape with fresh weights; positions and token types start at zero.

    For a T5 shape it is a T5's encoder, which has the same interface.
    """
    if config.architecture == "t5":
        return cast(BertModel, T5EncoderModel(_t5_config(config, vocabulary, pad_id)))
    bert = BertModel(bert_config(config, vocabulary, pad_id), add_pooling_layer=False)
    with torch.no_grad():
        bert.embeddings.position_embeddings.weight.zero_()
        bert.embeddings.token_type_embeddings.weight.zero_()
    return bert


def bert_config(config: ModelConfig, vocabulary: int, pad_id: int = 0) -> BertConfig:
    """The shape in the terms of transformers."""
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=config.hidden,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        intermediate_size=config.intermediate,
        max_position_embeddings=config.positions,
        type_vocab_size=config.token_types,
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.dropout,
        pad_token_id=pad_id,
    )


def _t5_config(config: ModelConfig, vocabulary: int, pad_id: int = 0) -> T5Config:
    """The shape of a ByT5's encoder in the terms of transformers."""
    return T5Config(
        vocab_size=vocabulary,
        d_model=config.hidden,
        d_kv=_T5_HEAD,
        d_ff=config.intermediate,
        num_layers=config.layers,
        num_heads=config.heads,
        feed_forward_proj="gated-gelu",
        dropout_rate=config.dropout,
        pad_token_id=pad_id,
    )


def fit_attention(bert: BertModel, device: torch.device) -> None:
    """Choose the attention that is fast: on a CPU the fused one takes twice as long on short texts."""
    bert.set_attn_implementation("sdpa" if device.type == "cuda" else "eager")


def groups_of(model: nn.Module, schedule: ScheduleConfig) -> list[dict[str, Any]]:
    """AdamW's groups for any model with a BERT in it, by the names of its parameters.

    Word embeddings go first and have a rate of their own; they, layer norms and biases do not decay.
    """
    words: list[nn.Parameter] = []
    plain: list[nn.Parameter] = []
    decaying: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        if name.endswith(_WORDS):
            words.append(parameter)
        else:
            (plain if name.endswith(_NO_DECAY) else decaying).append(parameter)
    rate = schedule.learning_rate
    return [
        {"params": words, "peak": schedule.embedding_learning_rate or rate, "weight_decay": 0.0},
        {"params": plain, "peak": rate, "weight_decay": 0.0},
        {"params": decaying, "peak": rate, "weight_decay": schedule.weight_decay},
    ]


class BertObjective:
    """What the objectives of models with a BERT share (`retriever.training.running.loop.Objective`)."""

    def __init__(self, model: nn.Module, schedule: ScheduleConfig, data: str, device: torch.device) -> None:
        """`model` has its BERT as `bert`, and goes to the device; `data` is the digest of the data."""
        self.model, self.data, self._schedule = model, data, schedule
        fit_attention(cast(BertModel, model.bert), device)
        model.to(device)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Word embeddings have a rate of their own; they, layer norms and biases do not decay."""
        return groups_of(self.model, self._schedule)


class BiEncoder(nn.Module):
    """Texts in, pooled vectors out. One without layers is a bag of words and runs as one."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        if self.is_bag:
            bert.embeddings.position_embeddings.requires_grad_(False)

    @property
    def hidden(self) -> int:
        """The length of a pooled vector."""
        return int(self.bert.config.hidden_size)

    @property
    def is_bag(self) -> bool:
        """Whether there are no layers. Then positions are not trained, and stay at zero."""
        return int(self.bert.config.num_hidden_layers) == 0

    def forward(self, texts: Ragged) -> Tensor:
        """[rows, hidden] The mean of the last hidden states of every text; not normalised."""
        return self._bag(texts) if self.is_bag else by_length(texts, self.bert.device, self._run)

    def _bag(self, texts: Ragged) -> Tensor:
        """What BERT's embedding layer gives without positions, at the price of one sum a token."""
        embeddings = self.bert.embeddings
        device = embeddings.word_embeddings.weight.device
        kind = embeddings.token_type_embeddings.weight[0]
        table = embeddings.LayerNorm(embeddings.word_embeddings.weight + kind)
        flat = torch.from_numpy(texts.flat.astype(np.int64)).to(device)
        offsets = torch.from_numpy(texts.offsets[:-1]).to(device)
        return functional.embedding_bag(flat, table, offsets, mode="mean")

    def _run(self, texts: Ragged) -> Tensor:
        ids, mask = padded(texts, self.bert.config.pad_token_id or 0)
        mask = mask.to(self.bert.device)
        hidden = self.bert(input_ids=ids.to(self.bert.device), attention_mask=mask).last_hidden_state
        return mean_pool(hidden, mask)


class _Rows(Protocol):
    """Rows of unequal length."""

    @property
    def lengths(self) -> Int64s:
        """[n] The length of each row."""

    def take(self, rows: Int64s) -> Self:
        """The given rows, in the given order."""


AnyRows = TypeVar("AnyRows", bound=_Rows)


def by_length(texts: AnyRows, device: torch.device, run: Callable[[AnyRows], Tensor]) -> Tensor:
    """[n, ...] What `run` gives for all rows, in their order; those of like length run together."""
    order = np.argsort(texts.lengths, kind="stable")
    limit = TOKENS_PER_CHUNK.get(device.type, TOKENS_PER_CHUNK["cpu"])
    found = torch.cat([run(texts.take(rows)) for rows in chunks(order, texts.lengths, limit)])
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return found[torch.from_numpy(back).to(device)]


def padded(texts: Ragged, pad_id: int) -> tuple[Tensor, Tensor]:
    """(ids, mask), both int64 [rows, longest]."""
    lengths = texts.lengths
    mask = np.arange(int(lengths.max(initial=1)))[None, :] < lengths[:, None]
    ids = np.full(mask.shape, pad_id, dtype=np.int64)
    ids[mask] = texts.flat
    return torch.from_numpy(ids), torch.from_numpy(mask.astype(np.int64))


def mean_pool(hidden: Tensor, mask: Tensor) -> Tensor:
    """[b, h] float32: the mean of [b, s, h] over the positions that the mask [b, s] admits."""
    weights = mask.unsqueeze(2).float()
    return (hidden.float() * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1.0)


def chunks(order: Int64s, lengths: Int64s, limit: int) -> Iterator[Int64s]:
    """`order`, rows by rising length, in pieces that have at most `limit` tokens when padded (or one row).

    A piece with a quarter of that in tokens ends where a longer row would make a tenth of it padding.
    """
    start, tokens = 0, 0
    for end in range(1, len(order) + 1):
        tokens += int(lengths[order[end - 1]])
        if end < len(order):
            longer = int(lengths[order[end]])
            padded_tokens = (end + 1 - start) * longer
            is_sparse = tokens + longer < (1 - _PADDING) * padded_tokens
            if padded_tokens <= limit and not (is_sparse and tokens >= limit // _FULL):
                continue
        yield order[start:end]
        start, tokens = end, 0
