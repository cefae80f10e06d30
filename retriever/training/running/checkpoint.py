"""Checkpoints that are there whole or not at all, so that a killed run goes on from its last one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing_bytes

FILE = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a run needs to go on: the weights, the optimiser's moments, and what has been done.

    No random state: batches and dropout are drawn from seed and step (`retriever.training.running.loop`).
    """

    step: int
    """Steps finished."""
    model: dict[str, torch.Tensor]
    optimiser: dict[str, Any]
    config: dict[str, Any]
    """As in `config_io.to_plain`."""
    data: str
    """The dataset's digest."""
    seconds: float
    """Time spent in training so far."""
    processes: int = 0
    """How many processes train it; 0: an older version wrote it, and did not say."""

    @property
    def kind(self) -> str:
        """Which kind of run it is; the first ones, all bi-encoders, did not say."""
        return str(self.config.get("kind", "biencoder"))


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Replace the run's last checkpoint."""
    with replacing_bytes(folder / FILE) as stream:
        torch.save({key: getattr(checkpoint, key) for key in Checkpoint.__slots__}, stream)


def load_checkpoint(folder: Path) -> Checkpoint | None:
    """The run's last checkpoint, on the CPU; None if there is none. Raises ModelError when it is damaged."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        values = torch.load(path, map_location="cpu", weights_only=True)
        return Checkpoint(
            **{"processes": 0, **{key: values[key] for key in values if key in Checkpoint.__slots__}}
        )
    except Exception as error:  # torch raises many kinds for a damaged file
        hint = "Remove it to begin the run anew."
        raise ModelError(f"The checkpoint {path} is damaged: {error}.", hint) from error
