"""Whether a folder is that of a run, and of which kind: asked before anything in it is read."""

from __future__ import annotations

from pathlib import Path

import yaml

from lean_extract.errors import ModelError


def check_run(run: Path, *kinds: str) -> None:
    """Raises ModelError unless the folder is that of a run of one of these kinds, as its config.yaml says."""
    if not run.is_dir():
        raise ModelError(f"There is no run {run}.", "Check the path.")
    hint = "Name a folder that `python -m retriever train` wrote."
    try:
        values = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{run} is not a run folder: it has no config.yaml.", hint) from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ModelError(f"{run / 'config.yaml'} cannot be read: {error}.", hint) from error
    kind = values.get("kind") if isinstance(values, dict) else None
    if kind not in kinds:
        raise ModelError(f"The run {run} is of kind {kind}, not {' or '.join(kinds)}.", "Name another run.")
