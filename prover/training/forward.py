"""T5's forward pass on transformers' weights, tuned for CPUs: the same numbers with fewer passes over memory.

Position bias and mask are added once for all layers of a stack, the residual stream keeps the precision of the
matrix products, and attention is torch's fused kernel (which on a CPU requires a bias without gradient).
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import T5ForConditionalGeneration


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
