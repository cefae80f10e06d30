"""Whether a folder is that of a run, and of which kind: asked before anything in it is read."""

from __future__ import annotations

from pathlib import Path

import yaml

from lean_extract.common.errors import ModelError

CONFIG = "config.yaml"
"""A run's configuration, in its folder."""
_HINT = "Name a folder that `python -m retriever train` wrote."


def check_run_folder(run: Path) -> None:
    """Raises ModelError unless the folder is that of a run, of whatever kind."""
    if not run.is_dir():
        raise ModelError(f"There is no run {run}.", _HINT)
    if not (run / CONFIG).is_file():
        raise ModelError(f"{run} is not a run folder: it has no {CONFIG}.", _HINT)


def check_run(run: Path, *kinds: str) -> None:
    """Raises ModelError unless the folder is that of a run of one of these kinds, as its config.yaml says."""
    check_run_folder(run)
    try:
        values = yaml.safe_load((run / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ModelError(f"{run / CONFIG} cannot be read: {error}.", _HINT) from error
    kind = values.get("kind") if isinstance(values, dict) else None
    if kind not in kinds:
        raise ModelError(f"The run {run} is of kind {kind}, not {' or '.join(kinds)}.", "Name another run.")
