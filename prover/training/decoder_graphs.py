"""A decoder-only model of transformers as one graph, which reads a prompt and then a symbol at a time.

`prover.generator.model` runs it. The model's own layers are traced; mask, positions and cache are made here, so that
a beam goes on from its parent's row within the graph.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import DynamicCache

from lean_extract.common.errors import ModelError
from lean_extract.common.onnx_runtime import open_session
from prover.generator.files import DECODER
from prover.generator.model import KEPT, LOG_PROBABILITIES, PAST, Decoding, decoder_outputs, layer_names
from retriever.training.onnx_graphs import export_graph

_SAMPLE = (3, 5, 7, 4, 6, 9, 8)
_TOLERANCE = 1e-2


class _DecoderGraph(nn.Module):
    """Symbols int64[rows, length], parents int64[rows], for each layer past keys and values float32[rows before,
    heads, steps, size] -> log-probabilities float32[rows, symbols] after the last one, and the longer cache."""

    def __init__(self, model: Any, layers: int) -> None:
        super().__init__()
        self.model, self._layers = model, layers

    def forward(self, symbols: Tensor, parents: Tensor, *past: Tensor) -> tuple[Tensor, ...]:
        """Keys of layer 0, values of layer 0, keys of layer 1, ..."""
        steps, length = past[0].shape[2], symbols.shape[1]
        cache: Any = DynamicCache(
            [(past[2 * n][parents], past[2 * n + 1][parents]) for n in range(self._layers)]
        )
        positions = torch.arange(length) + steps
        is_seen = torch.arange(steps + length)[None, :] <= positions[:, None]
        mask = torch.where(is_seen, 0.0, torch.finfo(torch.float32).min)
        found = self.model(
            input_ids=symbols,
            attention_mask=mask[None, None],
            position_ids=positions[None],
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        kept = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
        return (torch.log_softmax(found.logits[:, -1], dim=-1), *kept)


def export_decoder(model: Any, folder: Path) -> tuple[int, int, int]:
    """Write the graph; its layers, heads of keys, and their size.

    Raises ModelError: the graph does not give what the model gives.
    """
    with torch.no_grad():
        cache = model(input_ids=torch.tensor([_SAMPLE]), use_cache=True).past_key_values
    shapes = {tuple(tensor.shape[1::2]) for layer in cache.layers for tensor in (layer.keys, layer.values)}
    if len(shapes) != 1:
        raise ModelError("The layers of the model have caches of several shapes.", "Let a server run it.")
    (heads, size), layers = shapes.pop(), len(cache.layers)
    past, kept = layer_names(PAST, layers), layer_names(KEPT, layers)
    axes = {"symbols": {0: "rows", 1: "length"}, "parents": {0: "rows"}, LOG_PROBABILITIES: {0: "rows"}}
    axes |= {name: {0: "before", 2: "steps"} for name in past} | {
        name: {0: "rows", 2: "kept"} for name in kept
    }
    inputs = (
        torch.tensor([[3, 4], [5, 6]]),
        torch.tensor([0, 2]),
        *[torch.zeros(3, heads, 2, size)] * (2 * layers),
    )
    export_graph(
        _DecoderGraph(model, layers),
        inputs,
        folder / DECODER,
        ["symbols", "parents", *past],
        decoder_outputs(layers),
        axes,
    )
    _compare(model, folder, layers, heads, size)
    return layers, heads, size


def _compare(model: Any, folder: Path, layers: int, heads: int, size: int) -> None:
    """Raise ModelError unless the graph gives a short text the probabilities that the model gives it."""
    prompt, written = _SAMPLE[:4], _SAMPLE[4:]
    step = Decoding(open_session(folder / DECODER, 1), {}, layers, heads, size, prompt=prompt)
    zero = np.array([0])
    given = [step(zero, zero)[0]] + [step(np.array([symbol]), zero)[0] for symbol in written]
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([_SAMPLE])).logits[0, len(prompt) - 1 :]
    wanted = torch.log_softmax(logits, dim=-1).numpy()
    if not np.allclose(np.stack(given), wanted, atol=_TOLERANCE):
        raise ModelError("The exported graph does not give what the model gives.", "Let a server run it.")
