"""What `auto` means on this machine: the precision that it computes fast, the number of processors."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import cast

import torch
import yaml

from lean_extract.common.errors import ModelError
from retriever.training.running.config import Precision, RunConfig
from retriever.training.running.run_folder import CONFIG, read_config

_BF16_CPU = ("avx512_bf16", "amx_bf16")


def fast_precision(device: torch.device) -> Precision:
    """bf16 where the device multiplies it in hardware, else fp32."""
    if device.type == "cuda":
        has_bf16 = bool(torch.cuda.is_bf16_supported(including_emulation=False))
    else:
        capabilities = torch.cpu.get_capabilities()
        has_bf16 = any(capabilities.get(name, False) for name in _BF16_CPU)
    return "bf16" if has_bf16 else "fp32"


def _kept_precision(config: RunConfig) -> Precision | None:
    """The precision that the run's `config.yaml` names; None: there is no such file.

    Raises ModelError when it cannot be read, or names none.
    """
    path = config.run / CONFIG
    if not path.exists():
        return None
    try:
        return cast(Precision, read_config(config.run)["schedule"]["precision"])
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        hint = "Set schedule.precision to what the run began with, or name another run folder."
        raise ModelError(f"{path} does not say the precision of its run.", hint) from error


def usable_processors() -> int:
    """The processors that this process may run on, at most OMP_NUM_THREADS where that is set."""
    affinity = getattr(os, "sched_getaffinity", None)
    allowed = len(affinity(0)) if affinity else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return min(allowed, int(wanted)) if wanted.isdigit() and int(wanted) else allowed


def with_precision(config: RunConfig, *, resume: bool) -> RunConfig:
    """The same run with a precision in the place of `auto`: what it began with, else what is fast here.

    Raises ModelError where a run is resumed whose hardware settings are unknown.
    """
    if config.schedule.precision != "auto":
        return config
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    precision = (_kept_precision(config) if resume else None) or fast_precision(device)
    return replace(config, schedule=replace(config.schedule, precision=precision))


def set_threads(config: RunConfig, processes: int) -> int:
    """Set the CPU threads of this process and return how many; with `auto` the processes share the processors."""
    threads = max(1, usable_processors() // processes) if config.threads == "auto" else config.threads
    torch.set_num_threads(threads)
    return threads
