"""The bi-encoder (section 3.2.1): a BERT with mean pooling, and the fine-grained premise embedding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from retriever.training.config import ModelConfig
from retriever.training.tokens import Ints, Ragged

_TOKENS_PER_CHUNK = 4096


def build_bert(config: ModelConfig, vocabulary: int, pad_id: int = 0) -> BertModel:
    """A BERT of this shape with fresh weights; positions and token types start at zero."""
    bert = BertModel(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=config.hidden,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            intermediate_size=config.intermediate,
            max_position_embeddings=config.positions,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.dropout,
            pad_token_id=pad_id,
        ),
        add_pooling_layer=False,
    )
    with torch.no_grad():
        bert.embeddings.position_embeddings.weight.zero_()
        bert.embeddings.token_type_embeddings.weight.zero_()
    return bert


class BiEncoder(nn.Module):
    """Texts in, pooled vectors out. One without layers is a bag of words and runs as one."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert

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
        return self._bag(texts) if self.is_bag else self._layers(texts)

    def _bag(self, texts: Ragged) -> Tensor:
        """What BERT's embedding layer gives without positions, at the price of one sum a token."""
        embeddings = self.bert.embeddings
        device = embeddings.word_embeddings.weight.device
        kind = embeddings.token_type_embeddings.weight[0]
        table = embeddings.LayerNorm(embeddings.word_embeddings.weight + kind)
        flat = torch.from_numpy(texts.flat.astype(np.int64)).to(device)
        offsets = torch.from_numpy(texts.offsets[:-1]).to(device)
        return functional.embedding_bag(flat, table, offsets, mode="mean")

    def _layers(self, texts: Ragged) -> Tensor:
        """Texts of like length run together, so that little is padded."""
        order = np.argsort(texts.lengths, kind="stable")
        pooled = [self._run(texts.take(rows)) for rows in _chunks(order, texts.lengths)]
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        joined = torch.cat(pooled)
        return joined[torch.from_numpy(back).to(joined.device)]

    def _run(self, texts: Ragged) -> Tensor:
        ids, mask = padded(texts, self.bert.config.pad_token_id or 0)
        device = self.bert.embeddings.word_embeddings.weight.device
        mask = mask.to(device)
        hidden = self.bert(input_ids=ids.to(device), attention_mask=mask).last_hidden_state
        return mean_pool(hidden, mask)


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


def _chunks(order: Ints, lengths: Ints) -> Iterator[Ints]:
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or (end + 1 - start) * lengths[order[end]] > _TOKENS_PER_CHUNK:
            yield order[start:end]
            start = end


def take_over(target: BertModel, source: BertModel) -> None:
    """Start `target` where `source` ended.

    From a source of the same shape every weight is copied. From one without layers the embeddings are
    copied and the new layers made the identity: their residual branches give zero, the last layer norm is
    the source's and those before it are plain. Raises ValueError when the shapes do not fit.
    """
    if source.config.num_hidden_layers == target.config.num_hidden_layers:
        target.load_state_dict(source.state_dict())
        return
    if source.config.num_hidden_layers or source.config.hidden_size != target.config.hidden_size:
        raise ValueError("layers can only be put on a model without layers and of the same width")
    with torch.no_grad():
        for name, values in source.embeddings.named_parameters():
            target.embeddings.get_parameter(name).copy_(values)
        layers: Any = target.encoder.layer
        last = layers[-1].output.LayerNorm
        last.weight.copy_(source.embeddings.LayerNorm.weight)
        last.bias.copy_(source.embeddings.LayerNorm.bias)
        target.embeddings.LayerNorm.reset_parameters()
        for layer in layers:
            for projection in (layer.attention.output.dense, layer.output.dense):
                projection.weight.zero_()
                projection.bias.zero_()
