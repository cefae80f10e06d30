"""Runs the two ONNX graphs: the encoder once per prompt, then the decoder, one symbol per beam at a time.

    encoder.onnx   symbols int64[length]
                   -> for each decoder layer i  cross_keys_i    float32[heads, size, length]
                                                cross_values_i  float32[heads, length, size]
    decoder.onnx   symbols int64[beams], parents int64[beams], for each layer the two above and
                   past_keys_i, past_values_i   float32[rows, heads, steps, size]
                   -> log_probabilities float32[beams, symbols], and for each layer
                      keys_i, values_i          float32[beams, heads, steps + 1, size]

They take one prompt at a time, so they need no padding and no mask, and all beams share the encoder's output.
Beam b continues row parents[b] of the cache. `prover.training.export` writes these graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Int64s

LOG_PROBABILITIES = "log_probabilities"


def memory_names(layers: int) -> list[str]:
    """The encoder's outputs, in order."""
    return [f"cross_{kind}_{layer}" for layer in range(layers) for kind in ("keys", "values")]


def past_names(layers: int) -> list[str]:
    """The decoder's inputs that hold the cache, in order."""
    return [f"past_{kind}_{layer}" for layer in range(layers) for kind in ("keys", "values")]


def kept_names(layers: int) -> list[str]:
    """The decoder's outputs that become the next step's cache, in the order of `past_names`."""
    return [f"{kind}_{layer}" for layer in range(layers) for kind in ("keys", "values")]


def decoder_inputs(layers: int) -> list[str]:
    """All of the decoder's inputs in the graph's order: for each layer the cache, then the encoder's outputs."""
    past, memory = past_names(layers), memory_names(layers)
    names = [name for at in range(0, 2 * layers, 2) for name in (*past[at : at + 2], *memory[at : at + 2])]
    return ["symbols", "parents", *names]


def decoder_outputs(layers: int) -> list[str]:
    """All of the decoder's outputs in the graph's order."""
    return [LOG_PROBABILITIES, *kept_names(layers)]


def run_encoder(session: Any, prompt: Sequence[int], layers: int) -> dict[str, Any]:
    """The encoder's outputs for a prompt as OrtValues, by the names of the decoder's inputs."""
    import onnxruntime

    # Free what attention took, hundreds of megabytes for a long prompt. This costs a tenth of the time.
    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    names = memory_names(layers)
    feeds = {"symbols": _value(np.array(prompt, dtype=np.int64))}
    values = session.run_with_ort_values(names, feeds, options)
    return dict(zip(names, values, strict=True))


class Decoding:
    """One prompt's decoding: a `Step` for `beam.search` that keeps the cache between calls."""

    def __init__(self, session: Any, memory: dict[str, Any], layers: int, heads: int, size: int) -> None:
        self._session, self._memory = session, memory
        self._past, self._outputs = past_names(layers), decoder_outputs(layers)
        empty = _value(np.zeros((1, heads, 0, size), dtype=np.float32))
        self._cache = dict.fromkeys(self._past, empty)

    def __call__(self, symbols: Int64s, parents: Int64s) -> Floats:
        """float32[beams, symbols]: log-probabilities of the symbol after each beam's last one."""
        feeds = {"symbols": _value(symbols), "parents": _value(parents), **self._cache, **self._memory}
        first, *kept = self._session.run_with_ort_values(self._outputs, feeds)
        self._cache = dict(zip(self._past, kept, strict=True))
        return np.asarray(first.numpy())


def _value(array: npt.NDArray[Any]) -> Any:
    import onnxruntime

    return onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
