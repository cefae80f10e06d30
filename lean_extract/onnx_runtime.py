"""Runs models with onnxruntime: on the CPU, without log output and without telemetry."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

# Without this, set before the import, onnxruntime reports its use to its vendor. Nothing leaves this machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def open_session(path: Path, threads: int) -> Any:
    """An onnxruntime session on the CPU, with `threads` threads per operator. Raises what onnxruntime raises."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
