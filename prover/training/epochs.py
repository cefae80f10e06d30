"""Passes over examples in memory, for the small models of the generator of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm


@dataclass(frozen=True, slots=True)
class EpochSettings:
    """How examples are passed over."""

    batch: int
    """Examples of a step."""
    rate: float
    """The learning rate at the beginning."""
    last_rate: float
    """The share of it to which it falls, linearly."""
    decay: float
    """Of the weights (AdamW)."""

    def batches(self, count: int, generator: np.random.Generator | None = None) -> Iterator[list[int]]:
        """The numbers of `count` examples by batches; in order, or as a generator mixes them."""
        order = generator.permutation(count) if generator else np.arange(count)
        for start in range(0, count, self.batch):
            yield order[start : start + self.batch].tolist()


def fit_epochs(
    name: str,
    model: nn.Module,
    count: int,
    epochs: int,
    loss: Callable[[list[int]], Tensor],
    validate: Callable[[], float],
    settings: EpochSettings,
    seed: int,
) -> list[float]:
    """Fit a model, which ends in evaluation mode as after the epoch with the least loss on the valid examples.

    Args:
        name: what the progress bar shows.
        model: on the CPU.
        count: the number of examples.
        epochs: passes over them.
        loss: of the examples of these numbers; a scalar.
        validate: the loss on the valid examples, in evaluation mode.
        settings: how they are passed over.
        seed: what the order of the examples is drawn from.

    Returns the loss on the valid examples after each epoch.
    """
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=settings.decay)
    steps = epochs * -(-count // settings.batch)
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimiser, 1.0, settings.last_rate, total_iters=max(steps, 1)
    )
    losses: list[float] = []
    best = _copied(model)
    with tqdm(total=steps, desc=name, unit="step", disable=None) as bar:
        for epoch in range(epochs):
            model.train()
            for rows in settings.batches(count, np.random.default_rng([seed, epoch])):
                value = loss(rows)
                optimiser.zero_grad()
                value.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                schedule.step()
                bar.update()
            model.eval()
            with torch.no_grad():
                losses.append(validate())
            bar.set_postfix(valid=losses[-1])
            if losses[-1] == min(losses):
                best = _copied(model)
    model.load_state_dict(best)
    model.eval()
    return losses


def _copied(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}
