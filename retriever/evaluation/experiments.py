"""Experiments that train many models one after the other, stop at a deadline, and go on where they were."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lean_extract.common.errors import BadSettings, PremiseSuggestError
from retriever.training.running.checkpoint import FILE
from retriever.training.running.config import RunConfig
from retriever.training.running.limits import RunLimits
from retriever.training.running.loop import TrainingProgress
from retriever.training.running.train import run_training

_AGAIN = "Run the same command again to go on."


class ExperimentStopped(PremiseSuggestError):
    """A time limit or a signal ended the work; what was done is kept."""


class Named(Protocol):
    """A model of a plan."""

    @property
    def name(self) -> str:
        """Unique in the plan."""


NamedModel = TypeVar("NamedModel", bound=Named)


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """One call of a command that makes the models of a plan."""

    deadline: float | None = None
    """By time.monotonic(); None: no limit."""

    @classmethod
    def of_minutes(cls, minutes: float | None) -> ExperimentRun:
        """A run that begins now and may take so many minutes."""
        return cls(None if minutes is None else time.monotonic() + 60 * minutes)

    def check_time(self) -> None:
        """Raises ExperimentStopped at the deadline."""
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise ExperimentStopped("The time is over.", _AGAIN)

    def train(self, config: RunConfig) -> TrainingProgress:
        """Train a model to its end, from its checkpoint where it has one.

        Raises ExperimentStopped at the deadline or on a signal, ModelError, BadRecords.
        """
        self.check_time()
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 1.0) / 60
        progress = run_training(config, resume=(config.run / FILE).exists(), limits=RunLimits(minutes=left))
        if progress.stopped:
            raise ExperimentStopped(f"{config.run.name} stopped: {progress.stopped}.", _AGAIN)
        return progress


def until_stopped(work: Callable[[], None]) -> None:
    """Do the work; say on standard error where it was stopped. Raises what else the work raises."""
    try:
        work()
    except ExperimentStopped as stopped:
        print(stopped, file=sys.stderr)


def chosen_by_name(models: Sequence[NamedModel], only: Sequence[str]) -> list[NamedModel]:
    """The models of these names in the plan's order, all without names. Raises BadSettings on an unknown one."""
    unknown = sorted(set(only) - {model.name for model in models})
    if unknown:
        hint = f"The plan has {', '.join(model.name for model in models)}."
        raise BadSettings(f"The plan has no row {unknown[0]!r}.", hint)
    return [model for model in models if not only or model.name in only]
