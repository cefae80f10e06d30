"""MATcH's encoders and its bilinear score (sections 5.2 and 5.3)."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from retriever.proof_matching.training.config import MatchConfig, NptConfig
from retriever.training.model import build_bert, by_length, padded
from retriever.training.tokens import Ragged, concatenate

_DEVIATION = 0.1
"""Of an NPT's fresh embeddings."""
_NPT_SCALE, _BERT_SCALE = 0.3, 0.05
"""Of W in the beginning; a BERT's vectors come out of a layer norm and are that much longer."""


class _SelfAttention(nn.Module):
    """A self-attention layer (eq. 5.1 and 5.2), its input normalised, with a residual connection around it.

    It begins as the identity: what it adds is zero until it has learned.
    """

    def __init__(self, config: NptConfig) -> None:
        super().__init__()
        self.heads, self.width = config.heads, config.key
        self.LayerNorm = nn.LayerNorm(config.hidden)
        self.queries = nn.Linear(config.hidden, config.heads * config.key)
        self.keys = nn.Linear(config.hidden, config.heads * config.key)
        self.values = nn.Linear(config.hidden, config.hidden)
        self.output = nn.Linear(config.hidden, config.hidden)
        self.dropout = nn.Dropout(config.dropout)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, hidden: Tensor, encodings: Tensor, outside: Tensor) -> Tensor:
        """[b, s, d] of [b, s, d]; `encodings` [s, d]: of the positions; `outside` [b, s]: where no token is."""
        inner = self.LayerNorm(hidden) + encodings
        queries, keys, values = (
            part(inner).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for part in (self.queries, self.keys, self.values)
        )
        weights = (queries / math.sqrt(self.width)) @ keys.transpose(2, 3)
        weights = weights.masked_fill(outside[:, None, None, :], -torch.inf).softmax(dim=3)
        mixed = (self.dropout(weights).to(values.dtype) @ values).transpose(1, 2).flatten(2)
        result: Tensor = hidden + self.dropout(self.output(mixed))
        return result


class NptEncoder(nn.Module):
    """Self-attention layers over embedded tokens, then max pooling (section 5.2.2).

    Positions (eq. 5.3 and 5.4) are read by the attention alone, so that without layers a text is the
    maximum over its tokens' embeddings, a bag of words, and is run as one.
    """

    def __init__(self, config: NptConfig, vocabulary: int, pad: int = 0) -> None:
        super().__init__()
        self.hidden, self.pad = config.hidden, pad
        self.word_embeddings = nn.Embedding(vocabulary, config.hidden)
        nn.init.normal_(self.word_embeddings.weight, std=_DEVIATION)
        self.layers = nn.ModuleList(_SelfAttention(config) for _ in range(config.layers))

    def forward(self, texts: Ragged) -> Tensor:
        """[rows, d] float32."""
        if not len(self.layers):
            return _largest(texts, self.word_embeddings.weight)
        return by_length(texts, self.word_embeddings.weight.device, self._run)

    def _run(self, texts: Ragged) -> Tensor:
        device = self.word_embeddings.weight.device
        ids, mask = (part.to(device) for part in padded(texts, self.pad))
        hidden, outside = self.word_embeddings(ids), mask == 0
        encodings = positions(ids.shape[1], self.hidden, device)
        for layer in self.layers:
            hidden = layer(hidden, encodings, outside)
        return _max_pool(hidden, outside)


class BertEncoder(nn.Module):
    """A BERT's last hidden states, max pooled; without layers its embedding layer without positions."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert

    @property
    def hidden(self) -> int:
        """The length of a pooled vector."""
        return int(self.bert.config.hidden_size)

    def forward(self, texts: Ragged) -> Tensor:
        """[rows, d] float32."""
        if int(self.bert.config.num_hidden_layers):
            return by_length(texts, self.bert.device, self._run)
        embeddings = self.bert.embeddings
        kind = embeddings.token_type_embeddings.weight[0]
        return _largest(texts, embeddings.LayerNorm(embeddings.word_embeddings.weight + kind))

    def _run(self, texts: Ragged) -> Tensor:
        ids, mask = (part.to(self.bert.device) for part in padded(texts, self.bert.config.pad_token_id or 0))
        hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return _max_pool(hidden, mask == 0)


def _max_pool(hidden: Tensor, outside: Tensor) -> Tensor:
    """[b, d] float32: the maximum of [b, s, d] over the positions that are not `outside` [b, s]."""
    return hidden.float().masked_fill(outside[:, :, None], -torch.inf).amax(dim=1)


def _largest(texts: Ragged, table: Tensor) -> Tensor:
    """[rows, d] The maximum of the rows of a table [vocabulary, d] over every text's tokens."""
    flat = torch.from_numpy(texts.flat.astype(np.int64)).to(table.device)
    offsets = torch.from_numpy(texts.offsets[:-1]).to(table.device)
    return functional.embedding_bag(flat, table, offsets, mode="max")


def positions(count: int, width: int, device: torch.device) -> Tensor:
    """[count, width] Equations (5.3) and (5.4)."""
    rates = torch.exp(torch.arange(0, width, 2, device=device) * (-math.log(10_000.0) / width))
    angles = torch.arange(count, device=device)[:, None] * rates[None, :]
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


class Matcher(nn.Module):
    """One encoder for statements and proofs, and score(s, p) = s' W p + b (section 5.3).

    W begins as `scale` times the identity: texts that share tokens are alike from the start.
    """

    def __init__(self, encoder: NptEncoder | BertEncoder, scale: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.weight = nn.Parameter(scale * torch.eye(encoder.hidden))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, statements: Ragged, proofs: Ragged) -> Tensor:
        """[statements, proofs] float32: the matrix M."""
        vectors = self.encoder(concatenate([statements, proofs]))
        return self.score(vectors[: len(statements)], vectors[len(statements) :])

    def score(self, statements: Tensor, proofs: Tensor) -> Tensor:
        """[n, m] of encoded texts [n, d] and [m, d]."""
        with torch.autocast(statements.device.type, enabled=False):
            return statements.float() @ self.weight @ proofs.float().T + self.bias


def build_matcher(config: MatchConfig, vocabulary: int, pad: int = 0) -> Matcher:
    """A matcher with fresh weights."""
    if config.encoder == "npt":
        return Matcher(NptEncoder(config.npt, vocabulary, pad), _NPT_SCALE)
    return Matcher(BertEncoder(build_bert(config.model, vocabulary, pad)), _BERT_SCALE)
