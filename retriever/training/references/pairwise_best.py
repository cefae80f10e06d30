"""The weights of a run's best validation, which is what the paper evaluates (appendix B.1)."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from lean_extract.common.errors import ModelError
from retriever.training.running.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import to_plain
from retriever.training.running.curve import CURVE, read_curve
from retriever.training.running.run_folder import check_run

FIGURE = "mAP"
KINDS = ("pairwise", "joint", "autoregressive")
"""The kinds of runs that keep their best weights."""
_FOLDER = "best"


def keep_best(config: RunConfig, model: nn.Module, data: str, step: int, figure: float) -> None:
    """Write the model to the run's folder `best` where no point of its curve is as good."""
    points = read_curve(config.run) if (config.run / CURVE).exists() else []
    if figure > max((point[FIGURE] for point in points if FIGURE in point), default=-1.0):
        saved = Checkpoint(step, model.state_dict(), {}, to_plain(config), data, 0.0)
        save_checkpoint(config.run / _FOLDER, saved)


def load_best(run: Path, kind: str) -> Checkpoint:
    """A run's best weights. Raises ModelError when it has none, or is of another kind."""
    return _read(run, kind)


def kind_of_run(run: Path) -> tuple[str, str]:
    """(the kind of a run with validated weights, the digest of its data). Raises ModelError."""
    saved = _read(run, *KINDS)
    return saved.kind, saved.data


def _read(run: Path, *kinds: str) -> Checkpoint:
    check_run(run, *kinds)
    saved = load_checkpoint(run / _FOLDER)
    if saved is None:
        hint = "Train it first, as far as its first validation."
        raise ModelError(f"The run {run} has no validated weights.", hint)
    return saved
