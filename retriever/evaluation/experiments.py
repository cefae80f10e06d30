"""Experiments that train many models one after the other, stop at a deadline, and go on where they were."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from lean_extract.common.errors import BadSettings, PremiseSuggestError
from retriever.training.running.checkpoint import FILE
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import read_values
from retriever.training.running.loop import TrainingProgress
from retriever.training.running.stopping import RunLimits
from retriever.training.running.train import kind_of, run_training

_AGAIN = "Run the same command again to go on."


class _ExperimentStopped(PremiseSuggestError):
    """A time limit or a signal ended the work; what was done is kept."""


class _NamedRow(Protocol):
    """A model of a plan."""

    @property
    def name(self) -> str:
        """Unique in the plan."""


PlanRow = TypeVar("PlanRow", bound=_NamedRow)


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """One call of a command that makes the models of a plan."""

    deadline: float | None = None
    """By time.monotonic(); None: no limit."""

    @classmethod
    def of_minutes(cls, minutes: float | None) -> ExperimentRun:
        """A run that begins now and may take this many minutes."""
        return cls(None if minutes is None else time.monotonic() + 60 * minutes)

    def check_time(self) -> None:
        """Raises ExperimentStopped at the deadline."""
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise _ExperimentStopped("The time limit was reached.", _AGAIN)

    def train(self, config: RunConfig) -> TrainingProgress:
        """Train a model to its end, from its checkpoint where it has one.

        Raises ExperimentStopped at the deadline or on a signal, ModelError, BadRecords.
        """
        self.check_time()
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 1.0) / 60
        progress = run_training(config, resume=(config.run / FILE).exists(), limits=RunLimits(minutes=left))
        if progress.stopped:
            raise _ExperimentStopped(f"{config.run.name} stopped: {progress.stopped}.", _AGAIN)
        return progress


def make_rows(
    rows: Iterable[PlanRow],
    only: Collection[str],
    is_finished: Callable[[PlanRow], bool],
    make: Callable[[PlanRow], None],
) -> None:
    """Make the rows of a plan that are not finished, one after the other; prints where the work was stopped.

    Args:
        rows: the plan's, in its order.
        only: the names of those to make; empty: all.
        is_finished: whether a row was made before. May raise BadSettings: it was planned otherwise then.
        make: trains and measures a row, and keeps its figures. May raise ExperimentStopped.

    Raises BadSettings when the plan has no row of a name, and what `make` raises.
    """
    planned = list(rows)
    names = [row.name for row in planned]
    unknown = sorted(set(only) - set(names))
    if unknown:
        raise BadSettings(f"The plan has no row {unknown[0]!r}.", f"The plan has {', '.join(names)}.")
    try:
        for row in planned:
            if (not only or row.name in only) and not is_finished(row):
                print(f"== {row.name}", flush=True)
                make(row)
    except _ExperimentStopped as stopped:
        print(stopped, file=sys.stderr)


def stage_config(
    preset: str,
    own: Mapping[str, object],
    override: Mapping[str, Any] = MappingProxyType({}),
    presets: Sequence[Path] | None = None,
) -> RunConfig:
    """The configuration of one training run of a row. Raises BadSettings.

    Args:
        preset: the name or file of a preset.
        own: settings of this row in place of the preset's; paths are written as text.
        override: what the plan changes in the preset, nested as in it.
        presets: the folders to read presets from; None: those of the corpora.
    """
    values = merged(read_values(Path(preset), presets), override)
    values |= {name: str(value) if isinstance(value, Path) else value for name, value in own.items()}
    return kind_of(values).parse(values)


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the changes, nested ones merged."""
    result = dict(base)
    for name, value in changes.items():
        below = result.get(name)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[name] = merged(below, value) if both else value  # type: ignore[arg-type]
    return result
