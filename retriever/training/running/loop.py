"""The one training loop, for every kind of run, over accelerate (one process, or several under its launcher).

A batch, and the dropout in it, is a pure function of (seed, step, micro-batch, rank). So a run that was
stopped and resumed ends with the weights of one that never stopped, and several processes need no sampler.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from torch import Tensor, nn

from lean_extract.common.errors import ModelError
from retriever.training.running.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from retriever.training.running.config import RunConfig, ScheduleConfig
from retriever.training.running.config_io import to_plain
from retriever.training.running.curve import Point
from retriever.training.running.stopping import Stopping
from retriever.training.running.tracking import NullTracker

_BETAS = (0.9, 0.98)


class Objective(Protocol):
    """What a kind of run learns."""

    model: nn.Module
    """On its device. The loop runs its forward pass in the schedule's precision; what it gives is float32."""
    data: str
    """The digest of the data."""

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Each with `params`, `peak` (its learning rate at the top) and `weight_decay`."""

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """The scalar loss of a batch, which depends on the run's seed and these numbers alone.

        `model` is the objective's own, wrapped where several processes train it.
        """

    def validate(self) -> dict[str, float]:
        """Figures for the curve, in evaluation mode; the first is the one that counts."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """The progress of a run."""

    steps: int
    seconds: float
    """Spent in training, over all calls."""
    stopped: str = ""
    """Why it stopped before the requested step; empty if it did not."""
    signal: int = 0
    """The signal that stopped it; 0 if none did."""


def accelerator_for(schedule: ScheduleConfig) -> Accelerator:
    """On CUDA where there is one, else on the CPU; one process, or those that `accelerate launch` started."""
    # Precision is kept for the whole process otherwise, and a second run in it could not have another.
    AcceleratorState._reset_state()
    return Accelerator(
        cpu=not torch.cuda.is_available(),
        mixed_precision="bf16" if schedule.precision == "bf16" else "no",
        gradient_accumulation_steps=schedule.accumulate,
    )


class Loop:
    """A run: its objective, the optimiser, and how far it is."""

    def __init__(self, config: RunConfig, objective: Objective, accelerator: Accelerator) -> None:
        self._config, self._objective, self._accelerator = config, objective, accelerator
        groups = [group for group in objective.parameter_groups() if group["params"]]
        self._optimiser = torch.optim.AdamW(groups, lr=config.schedule.learning_rate, betas=_BETAS)
        self._model, self._prepared = accelerator.prepare(objective.model, self._optimiser)
        self._losses: list[Tensor] = []
        self.progress = TrainingProgress(0, 0.0)

    def resume(self) -> bool:
        """Go on from the run's checkpoint, if it has one. Raises ModelError when it is of another run."""
        saved = load_checkpoint(self._config.run)
        if saved is None:
            return False
        _refuse_other_runs(saved, self._config, self._objective.data)
        _refuse_other_processes(saved, self._config, self._accelerator.num_processes)
        try:
            self._objective.model.load_state_dict(saved.model)
            self._optimiser.load_state_dict(saved.optimiser)
        except (RuntimeError, ValueError) as error:
            hint = "Name another run folder, or resume with the configuration and tokenizer it began with."
            raise ModelError(f"The checkpoint of {self._config.run} is of another model.", hint) from error
        self.progress = TrainingProgress(saved.step, saved.seconds)
        return True

    def train(
        self, tracker: NullTracker, stopping: Stopping, *, until: int | None = None
    ) -> TrainingProgress:
        """Train to the end, to step `until`, or until it has to stop, and write a checkpoint.

        Raises ModelError when the loss is not finite any more, and when the run's folder was deleted; the
        checkpoint is then the last good one.
        """
        schedule = self._config.schedule
        end = schedule.steps if until is None else min(until, schedule.steps)
        began = time.monotonic() - self.progress.seconds
        stopped = ""
        for step in range(self.progress.steps, end):
            self._step(step)
            done = step + 1
            self.progress = TrainingProgress(done, time.monotonic() - began)
            tracker.advance()
            stopped = self._agree(stopping)
            last = done == end or bool(stopped)
            if done % schedule.log_every == 0:
                tracker.point(self._point(loss=self._mean_loss(), rate=_rate_at(step, schedule)))
            if done % schedule.evaluate_every == 0 or done == schedule.steps:
                self._evaluate(tracker)
            if done % schedule.checkpoint_every == 0 or last:
                self.save(tracker)
            if last:
                break
        return replace(self.progress, stopped=stopped, signal=int(stopping.signal or 0))

    def save(self, tracker: NullTracker) -> None:
        """Write the checkpoint. Raises ModelError when a loss is not finite, or the run's folder was deleted."""
        self._refuse_infinite(self._losses)
        tracker.check()
        if self._accelerator.is_main_process:
            config, progress = to_plain(self._config), self.progress
            model, optimiser = self._objective.model.state_dict(), self._optimiser.state_dict()
            data = self._objective.data
            processes = self._accelerator.num_processes
            saved = Checkpoint(progress.steps, model, optimiser, config, data, progress.seconds, processes)
            save_checkpoint(self._config.run, saved)
        self._accelerator.wait_for_everyone()

    def _step(self, step: int) -> None:
        accelerator, schedule = self._accelerator, self._config.schedule
        for group in self._optimiser.param_groups:
            group["lr"] = group["peak"] * _rate_at(step, schedule)
        self._model.train()
        self._prepared.zero_grad(set_to_none=True)
        losses: list[Tensor] = []
        for micro in range(schedule.accumulate - 1):
            with accelerator.no_sync(self._model):
                losses.append(self._backward(step, micro))
        losses.append(self._backward(step, schedule.accumulate - 1))
        accelerator.clip_grad_norm_(self._model.parameters(), schedule.clip)
        self._prepared.step()
        self._losses.append(torch.stack(losses).mean())

    def _backward(self, step: int, micro: int) -> Tensor:
        rank = self._accelerator.process_index
        torch.manual_seed(_seed_of(self._config.seed, step, micro, rank))
        loss = self._objective.loss(self._model, step, micro, rank)
        self._accelerator.backward(loss)  # divides by the number of batches a step
        return loss.detach()

    def _mean_loss(self) -> float:
        """Of the steps since the last call, over all processes. Raises ModelError."""
        self._refuse_infinite(self._losses)
        mean = torch.stack(self._losses).mean()
        self._losses.clear()
        return float(self._accelerator.reduce(mean, "mean").item())

    def _refuse_infinite(self, losses: list[Tensor]) -> None:
        if losses and not math.isfinite(float(torch.stack(losses).sum().item())):
            hint = "Lower schedule.learning_rate, or raise schedule.warmup."
            raise ModelError(f"The loss is not finite any more at step {self.progress.steps}.", hint)

    def _evaluate(self, tracker: NullTracker) -> None:
        if self._accelerator.is_main_process:
            tracker.check()
            with torch.no_grad():
                self._objective.model.eval()
                tracker.point(self._point(**self._objective.validate()))
        self._accelerator.wait_for_everyone()

    def _agree(self, stopping: Stopping) -> str:
        """Why to stop, the same for all processes: their clocks differ, and a signal may reach only one."""
        reason = stopping.reason()
        if self._accelerator.num_processes == 1:
            return reason
        flag = torch.tensor(float(bool(reason)), device=self._accelerator.device)
        anyone = bool(self._accelerator.reduce(flag, "sum").item())
        return (reason or "another process stopped") if anyone else ""

    def _point(self, **values: float) -> Point:
        return {"step": self.progress.steps, "seconds": round(self.progress.seconds, 1), **values}


def _refuse_other_runs(saved: Checkpoint, config: RunConfig, data: str) -> None:
    """Raises ModelError when the checkpoint is of other data or another kind of run."""
    if saved.data != data:
        hint = "Name another run folder, or build the dataset from the same records."
        raise ModelError(f"The run {config.run} was trained on other data.", hint)
    if saved.kind != config.kind:
        hint = "Name another run folder."
        raise ModelError(f"The run {config.run} is of kind {saved.kind}, not {config.kind}.", hint)


def _refuse_other_processes(saved: Checkpoint, config: RunConfig, processes: int) -> None:
    """Raises ModelError: a step would see other batches than those that the run has had so far."""
    if saved.processes and saved.processes != processes:
        raise ModelError(
            f"The run {config.run} is trained with {saved.processes} of the launcher's processes, not {processes}.",
            f"Resume it with {saved.processes}; to use another number, begin a new run.",
        )


def _seed_of(seed: int, step: int, micro: int, rank: int) -> int:
    """What dropout is drawn from in a batch."""
    return int(
        np.random.SeedSequence([seed, step, micro, rank]).generate_state(1, np.uint64)[0] >> np.uint64(1)
    )


def _rate_at(step: int, schedule: ScheduleConfig) -> float:
    """The share of the peak learning rate at a step: linear warm-up, then linear to zero."""
    warmup = max(1, round(schedule.steps * schedule.warmup))
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, (schedule.steps - step) / max(1, schedule.steps - warmup))
