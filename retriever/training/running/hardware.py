"""What `auto` stands for on this machine: the precision that it computes fast, the number of threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import torch
import yaml
from accelerate import Accelerator

from lean_extract.common.errors import ModelError
from retriever.training.running.config import Precision, RunConfig
from retriever.training.running.loop import Loop
from retriever.training.running.past import CONFIG

_BF16_CPU = ("avx512_bf16", "amx_bf16")


def fast_precision(device: torch.device) -> Precision:
    """bf16 where the device multiplies it in hardware, else fp32."""
    if device.type == "cuda":
        has_bf16 = bool(torch.cuda.is_bf16_supported(including_emulation=False))
    else:
        capabilities = torch.cpu.get_capabilities()
        has_bf16 = any(capabilities.get(name, False) for name in _BF16_CPU)
    return "bf16" if has_bf16 else "fp32"


def kept_precision(config: RunConfig) -> Precision | None:
    """The precision that the run's `config.yaml` names; None: there is no such file.

    Raises ModelError when it cannot be read, or names none.
    """
    path = config.run / CONFIG
    if not path.exists():
        return None
    try:
        return cast(Precision, yaml.safe_load(path.read_text(encoding="utf-8"))["schedule"]["precision"])
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        hint = "Set schedule.precision to what the run began with, or name another run folder."
        raise ModelError(f"{path} does not say the precision of its run.", hint) from error


def thread_counts(processors: int) -> list[int]:
    """The numbers of threads to try, rising: all up to 4, then powers of two, and all processors."""
    small = range(1, min(processors, 4) + 1)
    powers = (2**power for power in range(3, processors.bit_length()))
    return sorted({*small, *powers, processors})


def usable_processors() -> int:
    """The processors that this process may run on, at most OMP_NUM_THREADS where that is set."""
    affinity = getattr(os, "sched_getaffinity", None)
    allowed = len(affinity(0)) if affinity else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return min(allowed, int(wanted)) if wanted.isdigit() and int(wanted) else allowed


def fastest(seconds: Mapping[int, float]) -> int:
    """The number of threads with the least time; of times within 5 %, that with the fewest threads."""
    limit = 1.05 * min(seconds.values())
    return min(count for count, time in seconds.items() if time <= limit)


def settled(config: RunConfig, *, resume: bool) -> RunConfig:
    """The same run with a precision in the place of `auto`: what it began with, else what is fast here.

    Raises ModelError where it goes on and its own cannot be told.
    """
    if config.schedule.precision != "auto":
        return config
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    precision = (kept_precision(config) if resume else None) or fast_precision(device)
    return replace(config, schedule=replace(config.schedule, precision=precision))


def set_threads(config: RunConfig, loop: Loop, accelerator: Accelerator) -> tuple[int, dict[str, float]]:
    """Set the CPU threads of this process: (how many, the seconds of a pass by the numbers tried).

    `auto` tries them only where this process alone trains on the CPU; several share the processors.
    """
    if config.threads != "auto":
        torch.set_num_threads(config.threads)
        return config.threads, {}
    if accelerator.num_processes > 1 or accelerator.device.type != "cpu":
        threads = max(1, usable_processors() // accelerator.num_processes)
        torch.set_num_threads(threads)
        return threads, {}
    seconds = {count: loop.pass_seconds(count) for count in thread_counts(usable_processors())}
    threads = fastest(seconds)
    torch.set_num_threads(threads)
    return threads, {str(count): round(time, 4) for count, time in seconds.items()}
