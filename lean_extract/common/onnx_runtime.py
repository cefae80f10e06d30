"""Runs models with onnxruntime: on the CPU or a GPU, without log output and without telemetry."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from lean_extract.common.cuda import PROVIDER, find_cuda, provider_names
from lean_extract.common.devices import Device, Place
from lean_extract.common.errors import ModelError

# Without this, set before the import, onnxruntime reports its use to its vendor. Nothing leaves this machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

log = logging.getLogger("premise_suggest")

_ON_CPU = ["CPUExecutionProvider"]
# TF32, the default for matrices, keeps three digits; with float32 the GPU ranks as the CPU does.
_ON_GPU = [(PROVIDER, {"use_tf32": "0"}), *_ON_CPU]


def open_session(path: Path, threads: int, device: Device = "cpu") -> Any:
    """An onnxruntime session, with `threads` threads per operator that runs on the CPU.

    Args:
        path: of an ONNX file.
        device: where the graph is to run. On the CPU, too, where CUDA cannot be used, or not for this graph.

    Raises what onnxruntime raises, and ModelError: it is not whole itself.
    """
    import onnxruntime

    if not provider_names():
        raise ModelError("Files of onnxruntime are missing.", "Run: premise-suggest doctor")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    graph = path.read_bytes()
    if device != "cpu" and find_cuda().is_usable:
        try:
            return onnxruntime.InferenceSession(graph, options, providers=_ON_GPU, enable_fallback=0)
        except Exception as error:  # noqa: BLE001  # a full memory, for example; onnxruntime raises many kinds
            log.info("%s runs on the CPU, since the GPU refuses it: %s", path.name, error)
    return onnxruntime.InferenceSession(graph, options, providers=_ON_CPU)


def place_of(session: Any) -> Place:
    """Where an open session runs."""
    return "cuda" if PROVIDER in session.get_providers() else "cpu"
