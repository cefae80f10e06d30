"""The weights of a run's best validation, which is what the paper evaluates (appendix B.1)."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from lean_extract.errors import ModelError
from retriever.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from retriever.training.config import RunConfig
from retriever.training.plain import to_plain
from retriever.training.tracking import CURVE, read_curve

FIGURE = "mAP"
_FOLDER = "best"


def keep_best(config: RunConfig, model: nn.Module, data: str, step: int, figure: float) -> None:
    """Write the model to the run's folder `best` where no point of its curve is as good."""
    points = read_curve(config.run) if (config.run / CURVE).exists() else []
    if figure > max((point[FIGURE] for point in points if FIGURE in point), default=-1.0):
        saved = Checkpoint(step, model.state_dict(), {}, to_plain(config), data, 0.0)
        save_checkpoint(config.run / _FOLDER, saved)


def load_best(run: Path, kind: str) -> Checkpoint:
    """A run's best weights. Raises ModelError when it has none, or is of another kind."""
    saved = _read(run)
    if saved.kind != kind:
        raise ModelError(f"The run {run} is of kind {saved.kind}, not {kind}.", "Name another run.")
    return saved


def kind_of_run(run: Path) -> tuple[str, str]:
    """(the kind of a run with validated weights, the digest of its data). Raises ModelError."""
    saved = _read(run)
    return saved.kind, saved.data


def _read(run: Path) -> Checkpoint:
    saved = load_checkpoint(run / _FOLDER)
    if saved is None:
        hint = "Train it first, as far as its first validation."
        raise ModelError(f"The run {run} has no validated weights.", hint)
    return saved
