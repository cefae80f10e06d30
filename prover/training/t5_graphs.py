"""A T5 as two graphs: the encoder with the decoder's cross keys and values, and one step of the decoder.

They take one prompt at a time: the encoder has no batch axis and needs no mask, and all beams share its output.
The decoder's beams are rows. A beam's own keys and values are selected by its parent inside the graph, so that the
cache never passes through Python. `prover.generator.model` runs them.

Attention is as in T5 (Raffel et al., 2020): no scaling, a learned bias by relative position that all layers share,
RMS norms, and no additive biases. There is no dropout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import T5ForConditionalGeneration


class EncoderGraph(nn.Module):
    """A prompt int64[length] -> for each decoder layer its cross keys float32[heads, size, length] and cross
    values float32[heads, length, size]."""

    bias: Tensor

    def __init__(self, model: T5ForConditionalGeneration) -> None:
        super().__init__()
        stack: Any = model.encoder
        blocks: Any = model.decoder.block
        config = model.config
        self.embedding = stack.embed_tokens.weight
        self.layers = nn.ModuleList(
            _EncoderLayer(block, config.num_heads, config.d_kv) for block in stack.block
        )
        self.norm = stack.final_layer_norm
        self.cross = nn.ModuleList(
            _CrossMemory(block.layer[1].EncDecAttention, config.num_heads, config.d_kv) for block in blocks
        )
        self.reach = int(config.relative_attention_max_distance)
        self.register_buffer("bias", _bias_table(stack.block[0], range(-self.reach, self.reach + 1)))

    def forward(self, symbols: Tensor) -> tuple[Tensor, ...]:
        """Keys of layer 0, values of layer 0, keys of layer 1, ..."""
        hidden = self.embedding[symbols]
        positions = torch.arange(symbols.shape[0])
        distances = (positions[None, :] - positions[:, None]).clamp(-self.reach, self.reach) + self.reach
        bias = self.bias[:, distances]
        for layer in self.layers:
            hidden = layer(hidden, bias)
        hidden = _normed(self.norm, hidden)
        return tuple(tensor for cross in self.cross for tensor in cross(hidden))


class DecoderGraph(nn.Module):
    """One more symbol for every beam.

    Inputs: symbols int64[beams], the last of each beam; parents int64[beams], the row of the cache that each
    continues; for each layer past keys and values float32[rows, heads, steps, size], and the encoder's.
    Outputs: log-probabilities float32[beams, symbols], and for each layer keys and values
    float32[beams, heads, steps + 1, size].
    """

    bias: Tensor

    def __init__(self, model: T5ForConditionalGeneration) -> None:
        super().__init__()
        stack: Any = model.decoder
        config = model.config
        self.embedding = stack.embed_tokens.weight
        self.layers = nn.ModuleList(
            _DecoderLayer(block, config.num_heads, config.d_kv) for block in stack.block
        )
        self.norm = stack.final_layer_norm
        self.head = nn.Parameter(_output_weights(model), requires_grad=False)
        self.reach = int(config.relative_attention_max_distance)
        self.register_buffer("bias", _bias_table(stack.block[0], range(-self.reach, 1)))

    def forward(self, symbols: Tensor, parents: Tensor, *caches: Tensor) -> tuple[Tensor, ...]:
        """`caches`: past keys, past values, cross keys, cross values of layer 0, then of layer 1, ..."""
        hidden = self.embedding[symbols]
        steps = caches[0].shape[2]
        distances = (torch.arange(steps + 1) - steps).clamp(min=-self.reach) + self.reach
        bias = self.bias[:, distances].unsqueeze(1)
        kept: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            hidden, keys, values = layer(hidden, parents, bias, *caches[4 * number : 4 * number + 4])
            kept += [keys, values]
        logits = torch.matmul(_normed(self.norm, hidden), self.head)
        return (torch.log_softmax(logits, dim=-1), *kept)


class _EncoderLayer(nn.Module):
    def __init__(self, block: Any, heads: int, size: int) -> None:
        super().__init__()
        attention = block.layer[0].SelfAttention
        self.norm, self.heads, self.size = block.layer[0].layer_norm, heads, size
        self.project = _joined([attention.q, attention.k, attention.v])
        self.out = _joined([attention.o])
        self.feed = _FeedForward(block.layer[1])

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        parts = torch.matmul(_normed(self.norm, hidden), self.project)
        queries, keys, values = (
            part.reshape(-1, self.heads, self.size).transpose(0, 1) for part in parts.chunk(3, dim=-1)
        )
        weights = torch.softmax(torch.matmul(queries, keys.transpose(1, 2)) + bias, dim=-1)
        mixed = torch.matmul(weights, values).transpose(0, 1).reshape(-1, self.heads * self.size)
        fed: Tensor = self.feed(hidden + torch.matmul(mixed, self.out))
        return fed


class _CrossMemory(nn.Module):
    def __init__(self, attention: Any, heads: int, size: int) -> None:
        super().__init__()
        self.project, self.heads, self.size = _joined([attention.k, attention.v]), heads, size

    def forward(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = torch.matmul(hidden, self.project).chunk(2, dim=-1)
        shape = (-1, self.heads, self.size)
        return keys.reshape(shape).permute(1, 2, 0), values.reshape(shape).transpose(0, 1)


class _DecoderLayer(nn.Module):
    def __init__(self, block: Any, heads: int, size: int) -> None:
        super().__init__()
        own, cross = block.layer[0].SelfAttention, block.layer[1].EncDecAttention
        self.heads, self.size = heads, size
        self.own_norm, self.cross_norm = block.layer[0].layer_norm, block.layer[1].layer_norm
        self.project, self.own_out = _joined([own.q, own.k, own.v]), _joined([own.o])
        self.query, self.cross_out = _joined([cross.q]), _joined([cross.o])
        self.feed = _FeedForward(block.layer[2])

    def forward(
        self,
        hidden: Tensor,
        parents: Tensor,
        bias: Tensor,
        past_keys: Tensor,
        past_values: Tensor,
        cross_keys: Tensor,
        cross_values: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        parts = torch.matmul(_normed(self.own_norm, hidden), self.project)
        query, key, value = (part.reshape(-1, self.heads, 1, self.size) for part in parts.chunk(3, dim=-1))
        keys = torch.cat([past_keys[parents], key], dim=2)
        values = torch.cat([past_values[parents], value], dim=2)
        weights = torch.softmax(torch.matmul(query, keys.transpose(2, 3)) + bias, dim=-1)
        mixed = torch.matmul(weights, values).reshape(-1, self.heads * self.size)
        hidden = hidden + torch.matmul(mixed, self.own_out)
        # Beams are the rows of one product per head, so that the prompt's keys are read once for all beams.
        query = torch.matmul(_normed(self.cross_norm, hidden), self.query)
        query = query.reshape(-1, self.heads, self.size).transpose(0, 1)
        weights = torch.softmax(torch.matmul(query, cross_keys), dim=-1)
        mixed = torch.matmul(weights, cross_values).transpose(0, 1).reshape(-1, self.heads * self.size)
        return self.feed(hidden + torch.matmul(mixed, self.cross_out)), keys, values


class _FeedForward(nn.Module):
    """A feed-forward layer, plain (`relu`) or gated (`gated-gelu`, with both products of the gate in one)."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        dense = layer.DenseReluDense
        self.gated = hasattr(dense, "wi_0")
        self.norm, self.activation = layer.layer_norm, dense.act
        self.inner = _joined([dense.wi_0, dense.wi_1] if self.gated else [dense.wi])
        self.outer = _joined([dense.wo])

    def forward(self, hidden: Tensor) -> Tensor:
        inner = torch.matmul(_normed(self.norm, hidden), self.inner)
        if self.gated:
            gate, linear = inner.chunk(2, dim=-1)
            inner = self.activation(gate) * linear
        else:
            inner = self.activation(inner)
        return hidden + torch.matmul(inner, self.outer)


def _normed(norm: Any, hidden: Tensor) -> Tensor:
    """T5's norm: division by the root mean square, without a shift."""
    mean_square = hidden.pow(2).mean(-1, keepdim=True)
    scaled: Tensor = norm.weight * (hidden * torch.rsqrt(mean_square + norm.variance_epsilon))
    return scaled


def _joined(linears: Sequence[nn.Linear]) -> nn.Parameter:
    """Linear layers with the same input, as one matrix [input, outputs of all]."""
    weight = torch.cat([linear.weight.detach() for linear in linears]).t().contiguous()
    return nn.Parameter(weight, requires_grad=False)


def _output_weights(model: T5ForConditionalGeneration) -> Tensor:
    """[dimension, symbols], with the factor that T5 1.0 applies when embeddings are tied."""
    factor = model.config.d_model**-0.5 if model.config.scale_decoder_outputs else 1.0
    weight: Tensor = model.lm_head.weight.detach().t().contiguous() * factor
    return weight


def _bias_table(first_block: Any, distances: range) -> Tensor:
    """float32[heads, distances]: the bias of a key at each distance from the query (to the left: negative).

    The table ends where T5 no longer distinguishes distances, so that the graph only has to clamp.
    """
    attention = first_block.layer[0].SelfAttention
    buckets = attention._relative_position_bucket(
        torch.tensor(list(distances)),
        bidirectional=not attention.is_decoder,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=attention.relative_attention_max_distance,
    )
    table: Tensor = attention.relative_attention_bias.weight.detach()[buckets].t().contiguous()
    return table
