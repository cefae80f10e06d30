"""Stop a training run after its current step.

    python -m retriever train-stop RUN [--seconds S]

The run writes its checkpoint and goes on with `train PRESET --resume`. The command waits for that.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from pathlib import Path

from lean_extract.common.errors import ModelError, UserError
from lean_extract.common.option_types import seconds
from retriever.limits import RUN_STOP_POLL_SECONDS, RUN_STOP_SECONDS
from retriever.training.running.run_folder import is_trained, read_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, help="the run's folder")
    parser.add_argument(
        "--seconds",
        type=seconds,
        default=RUN_STOP_SECONDS,
        help=f"how long to wait for its end ({RUN_STOP_SECONDS:g})",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises UserError where nothing runs here, ModelError where it does not stop in time."""
    progress = read_progress(options.run)
    if progress.state != "running":
        raise UserError(f"The run {options.run} is not running: it is {progress.state}.")
    if not progress.is_here:
        raise UserError(f"The run {options.run} runs on {progress.host}.", "Stop it there.")
    os.kill(progress.process, signal.SIGTERM)
    end = time.monotonic() + options.seconds
    while is_trained(options.run):
        if time.monotonic() > end:
            raise ModelError(
                f"Process {progress.process} has not stopped after {options.seconds:g} seconds.",
                "A step or a validation takes longer; look again with `train-status`.",
            )
        time.sleep(RUN_STOP_POLL_SECONDS)
    after = read_progress(options.run)
    why = f": {after.reason}" if after.reason else ""
    print(f"The run {options.run} is {after.state} at step {after.step:,} of {after.steps:,}{why}.")
