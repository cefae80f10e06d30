"""Stop a training run after its current step.

    python -m retriever train-stop RUN [--seconds S]

The run writes its checkpoint and goes on with `train PRESET --resume`. The command waits for that.
"""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path

from lean_extract.common.errors import ModelError, UserError
from lean_extract.common.option_types import seconds
from retriever.training.running.process import wait_until_ended
from retriever.training.running.progress import read_progress

_PATIENCE = 600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, help="the run's folder")
    parser.add_argument(
        "--seconds", type=seconds, default=_PATIENCE, help=f"how long to wait for its end ({_PATIENCE:g})"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises UserError where nothing runs here, ModelError where it does not stop in time."""
    progress = read_progress(options.run)
    process = progress.process
    if progress.state != "running":
        raise UserError(f"The run {options.run} is not running: it is {progress.state}.")
    if not process.is_here:
        raise UserError(f"The run {options.run} runs on {process.host}.", "Stop it there.")
    os.kill(process.number, signal.SIGTERM)
    if not wait_until_ended(process, options.seconds):
        raise ModelError(
            f"Process {process.number} was told to stop, and has not ended in {options.seconds:g} seconds.",
            "A step or a validation takes longer; look again with `train-status`.",
        )
    after = read_progress(options.run)
    said = f": {after.reason}" if after.reason else ""
    print(f"The run {options.run} is {after.state} at step {after.step:,} of {after.steps:,}{said}.")
