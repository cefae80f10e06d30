"""The generator as a transformers T5, built from a configuration, a run or a folder of weights; and its forward pass.

The forward pass is tuned for CPUs: the same numbers as transformers' with fewer passes over memory. Position bias and
mask are added once for all layers of a stack, the residual stream keeps the precision of the matrix products, and
attention is torch's fused kernel (which on a CPU requires a bias without gradient).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import T5Config, T5ForConditionalGeneration
from transformers.models.t5.modeling_t5 import T5Attention

from lean_extract.common.errors import ModelError
from prover.generator import files
from prover.generator.prompt import END, PAD, SIZE
from prover.training.train import ShapeConfig
from retriever.training.running.checkpoint import load_checkpoint

_PREFIX = "t5."
"""The prefix of the names of T5's weights in a checkpoint (`prover.training.model`)."""
_JUDGE = "judge."
_OFFSETS = (-1, 1, -2, 2)
"""The offsets to which the encoder's first heads attend when distances are not learned: one or two bytes back or
ahead."""
_SLOPES = (0.5, 0.5, 0.1, 0.02, 0.2)
"""How fast a head's attention falls with the distance. The encoder's first heads have offsets instead, and heads
beyond this list attend anywhere."""
_ELSEWHERE = -8.0
_ALIKE = 6.0
"""The expected logit of a position with the same content, for heads that look for it."""


def _t5_config(shape: ShapeConfig) -> T5Config:
    """ByT5's architecture in another size."""
    make: Any = T5Config  # its stubs leave out what PreTrainedConfig takes
    return cast(
        T5Config,
        make(
            vocab_size=SIZE,
            d_model=shape.hidden,
            d_kv=shape.head_size,
            d_ff=shape.intermediate,
            num_layers=shape.encoder_layers,
            num_decoder_layers=shape.decoder_layers,
            num_heads=shape.heads,
            dropout_rate=shape.dropout,
            feed_forward_proj="gated-gelu",
            pad_token_id=PAD,
            eos_token_id=END,
            decoder_start_token_id=PAD,
        ),
    )


def build_model(shape: ShapeConfig) -> T5ForConditionalGeneration:
    """A model with fresh weights, drawn from torch's generator."""
    model = T5ForConditionalGeneration(_t5_config(shape))
    if not shape.learned_distances:
        set_distances(model)
        _look_for_alike(model)
    return model


def load_model(source: Path, shape: ShapeConfig) -> T5ForConditionalGeneration:
    """The model of a run's last checkpoint, or of a transformers folder. Raises ModelError."""
    saved = load_checkpoint(source)
    if saved is None:
        return load_transformers(source)
    model = T5ForConditionalGeneration(_t5_config(shape))
    try:
        own = {name: weight for name, weight in saved.model.items() if name.startswith(_PREFIX)}
        model.load_state_dict({name.removeprefix(_PREFIX): weight for name, weight in own.items()})
    except RuntimeError as error:
        hint = "Give this run the same shape."
        raise ModelError(f"The checkpoint of {source} has another shape.", hint) from error
    return model


def judge_of(source: Path) -> dict[str, Tensor] | None:
    """The weights of the judge in a run's last checkpoint; None for a folder of transformers."""
    saved = load_checkpoint(source)
    if saved is None:
        return None
    own = {name: weight for name, weight in saved.model.items() if name.startswith(_JUDGE)}
    return {name.removeprefix(_JUDGE): weight for name, weight in own.items()}


def load_transformers(folder: Path) -> T5ForConditionalGeneration:
    """Load a transformers T5 from its folder; nothing is downloaded. Raises ModelError."""
    if not files.checkpoint_files(folder):
        raise ModelError(
            f"{folder} holds no checkpoint of a run or of transformers.",
            "Give the folder of a run, or of a T5: config.json with model.safetensors or pytorch_model.bin.",
        )
    with reading_checkpoint(folder):
        model_type = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
        if model_type != "t5":
            raise ValueError(f"a model of type {model_type}, not t5")
        return T5ForConditionalGeneration.from_pretrained(folder, local_files_only=True, dtype=torch.float32)


@contextmanager
def reading_checkpoint(folder: Path) -> Iterator[None]:
    """Turns what transformers raises at a checkpoint into a ModelError. It reads tensors alone, and runs no code."""
    try:
        yield
    except Exception as error:  # transformers, safetensors and torch raise many kinds of errors
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise ModelError(
            f"The checkpoint in {folder} cannot be read: {reason}.", "Download or save it again."
        ) from error


def set_distances(model: T5ForConditionalGeneration) -> None:
    """Set the relative position biases by hand, and freeze them.

    Single bytes carry little meaning, so some of the encoder's heads attend to one neighbour each; then the first
    layer already sees parts of words. One further head attends nearby, the others anywhere but to their own
    position (slopes after ALiBi, Press et al. 2022). Without a gradient for the bias, torch can use its fused
    attention on a CPU.
    """
    for stack, both_ways in ((model.encoder, True), (model.decoder, False)):
        attention = cast(Any, stack).block[0].layer[0].SelfAttention
        assert isinstance(attention, T5Attention)
        table = attention.relative_attention_bias.weight
        distances = _bucket_distances(attention, both_ways)
        with torch.no_grad():
            for head in range(table.shape[1]):
                if both_ways and head < len(_OFFSETS):
                    table[:, head] = torch.where(distances == _OFFSETS[head], 0.0, _ELSEWHERE)
                else:
                    slope = _SLOPES[head] if head < len(_SLOPES) else 0.0
                    table[:, head] = -slope * distances.abs()
                    if both_ways and not slope:
                        table[distances == 0, head] = _ELSEWHERE
        table.requires_grad_(False)


def _look_for_alike(model: T5ForConditionalGeneration) -> None:
    """Initialise the keys of the encoder's far-reaching heads to their queries, except in the first layer.

    These heads then attend to positions with the same content: where a premise's name has a word of the state.
    With independent keys, a small byte-level model does not learn this in the time available on a CPU.
    """
    size, heads = model.config.d_kv, model.config.num_heads
    deviation = (_ALIKE / (size * model.config.d_model)) ** 0.5
    with torch.no_grad():
        for block in cast(Any, model.encoder).block[1:]:
            attention = block.layer[0].SelfAttention
            for head in range(len(_SLOPES), heads):
                rows = slice(head * size, (head + 1) * size)
                attention.q.weight[rows] = deviation * torch.randn(size, model.config.d_model)
                attention.k.weight[rows] = attention.q.weight[rows]


def _bucket_distances(attention: T5Attention, both_ways: bool) -> Tensor:
    """[buckets] The mean distance (key minus query) of each bucket; unused buckets count as far."""
    reach = 4 * attention.relative_attention_max_distance
    relative = torch.arange(-reach, reach + 1)
    buckets = cast(Any, attention)._relative_position_bucket(
        relative,
        bidirectional=both_ways,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=attention.relative_attention_max_distance,
    )
    far = float(attention.relative_attention_max_distance)
    means = [
        relative[buckets == bucket].float().mean().clamp(-far, far)
        for bucket in range(attention.relative_attention_num_buckets)
    ]
    return torch.stack([mean if not math.isnan(mean) else torch.tensor(-far) for mean in means])


class FastT5(nn.Module):
    """A T5 for training. `t5` holds the weights; `judge`, used only in training, predicts which premises are used."""

    def __init__(self, t5: T5ForConditionalGeneration, precision: torch.dtype) -> None:
        """`precision`: that of the residual stream and, under autocast, of the matrix products."""
        super().__init__()
        self.t5, self._precision = t5, precision
        self.judge = nn.Linear(t5.config.d_model, 1)
        self._dropout = float(t5.config.dropout_rate)

    def forward(self, prompts: Tensor, mask: Tensor, written: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the next symbols [batch, symbols, alphabet], and the judge's logits [batch, length].

        The judge's logit at a pointer says whether the tactic uses that premise.

        Args:
            prompts: int64[batch, length].
            mask: bool[batch, length], false at padding.
            written: int64[batch, symbols], the start symbol and then the tactic.
        """
        memory = self._stack(self.t5.encoder, prompts, mask, None, None)
        hidden = self._stack(self.t5.decoder, written, None, memory, mask)
        if self.t5.config.scale_decoder_outputs:
            hidden = hidden * self.t5.config.d_model**-0.5
        return self.t5.lm_head(hidden), self.judge(memory).squeeze(-1)

    def _stack(
        self,
        stack: Any,
        symbols: Tensor,
        mask: Tensor | None,
        memory: Tensor | None,
        memory_mask: Tensor | None,
    ) -> Tensor:
        hidden = self._drop(self.t5.shared(symbols).to(self._precision))
        bias = self._bias(stack, symbols.shape[1], mask)
        over = None if memory_mask is None else _blocked(memory_mask, self._precision)
        for block in stack.block:
            own = block.layer[0]
            normed = _normed(own.layer_norm, hidden)
            hidden = hidden + self._drop(_attend(own.SelfAttention, normed, normed, bias))
            if memory is not None:
                cross = block.layer[1]
                normed = _normed(cross.layer_norm, hidden)
                hidden = hidden + self._drop(_attend(cross.EncDecAttention, normed, memory, over))
            last = block.layer[-1]
            hidden = hidden + self._drop(self._between(last.DenseReluDense, _normed(last.layer_norm, hidden)))
        return self._drop(_normed(stack.final_layer_norm, hidden))

    def _bias(self, stack: Any, length: int, mask: Tensor | None) -> Tensor:
        """[batch or 1, heads, length, length] The biases of relative positions, plus the attention mask."""
        attention = stack.block[0].layer[0].SelfAttention
        bias = attention.compute_bias(length, length, device=attention.relative_attention_bias.weight.device)
        bias = bias.to(self._precision)
        if mask is not None:
            return cast(Tensor, bias + _blocked(mask, self._precision))
        ahead = torch.ones(length, length, dtype=torch.bool, device=bias.device).triu(1)
        return cast(Tensor, bias.masked_fill(ahead, torch.finfo(self._precision).min / 2))

    def _between(self, dense: Any, hidden: Tensor) -> Tensor:
        if hasattr(dense, "wi_0"):
            inner = functional.gelu(dense.wi_0(hidden), approximate="tanh") * dense.wi_1(hidden)
        else:
            inner = functional.relu(dense.wi(hidden))
        return cast(Tensor, dense.wo(self._drop(inner)))

    def _drop(self, hidden: Tensor) -> Tensor:
        if not self._dropout or not self.training:
            return hidden
        return functional.dropout(hidden, self._dropout)


def _blocked(mask: Tensor, precision: torch.dtype) -> Tensor:
    """[batch, 1, 1, length] Zero where the mask is true, a large negative number elsewhere."""
    far = torch.finfo(precision).min / 2
    return torch.zeros(mask.shape, dtype=precision, device=mask.device).masked_fill(~mask, far)[:, None, None]


def _normed(norm: Any, hidden: Tensor) -> Tensor:
    weight = norm.weight.to(hidden.dtype)
    return functional.rms_norm(hidden, (hidden.shape[-1],), weight, norm.variance_epsilon)


def _attend(attention: Any, hidden: Tensor, memory: Tensor, bias: Tensor | None) -> Tensor:
    """T5's attention, without scaling; all layers share one bias."""
    heads, size = attention.n_heads, attention.key_value_proj_dim

    def parted(projected: Tensor) -> Tensor:
        return projected.view(*projected.shape[:2], heads, size).transpose(1, 2)

    query = parted(attention.q(hidden))
    key, value = parted(attention.k(memory)), parted(attention.v(memory))
    over = (
        None
        if bias is None
        else bias.to(query.dtype).expand(query.shape[0], heads, query.shape[2], key.shape[2])
    )
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=over, scale=1.0)
    return cast(Tensor, attention.o(mixed.transpose(1, 2).flatten(2)))
