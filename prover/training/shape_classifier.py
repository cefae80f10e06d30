"""Trains the classifier of shapes: words of the goal in, the shape of the proof's tactic out. Passes over examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from lean_extract.common.arrays import Int64s
from prover.shaped.files import HIDDEN, WORD
from prover.shaped.situation import BUCKETS, FIELDS


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


Bags = Sequence[Sequence[Int64s]]
"""For each example the words of each field."""
DROPPED = 0.3
EPOCHS = EpochSettings(batch=256, rate=1.5e-3, last_rate=0.02, decay=1e-5)


class Classifier(nn.Module):
    """The mean of each field's words, a hidden layer, and a score for each shape."""

    def __init__(self, shapes: int) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(BUCKETS, WORD, mode="sum")
        nn.init.normal_(self.words.weight, std=0.1)
        self.hidden = nn.Linear(len(FIELDS) * WORD, HIDDEN)
        self.shapes = nn.Linear(HIDDEN, shapes)
        self.dropout = nn.Dropout(DROPPED)

    def forward(self, fields: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """[batch, shapes] from (words, offsets) of each field."""
        means = []
        for words, offsets in fields:
            ends = torch.cat([offsets[1:], torch.tensor([len(words)])])
            roots = torch.sqrt((ends - offsets).clamp(min=1).float())
            means.append(self.words(words, offsets) / roots[:, None])
        hidden = torch.relu(self.hidden(self.dropout(torch.cat(means, dim=1))))
        found: Tensor = self.shapes(self.dropout(hidden))
        return found


def batch_of(bags: Bags, rows: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """(words, offsets) of each field for these examples."""
    found = []
    for field in range(len(FIELDS)):
        parts = [bags[row][field] for row in rows]
        offsets = np.cumsum([0, *map(len, parts)])[:-1]
        found.append((torch.from_numpy(np.concatenate(parts)), torch.from_numpy(offsets)))
    return found


def train(
    bags: Bags,
    targets: Int64s,
    weights: NDArray[np.float32],
    valid: tuple[Bags, Int64s],
    shapes: int,
    epochs: int,
    seed: int = 0,
) -> tuple[Classifier, list[float]]:
    """The classifier after the epoch with the least loss on the valid examples, and that loss after each epoch.

    `weights`: float32[n], of each example in the loss.
    """
    torch.manual_seed(seed)
    model = Classifier(shapes)

    def loss(rows: list[int]) -> Tensor:
        each = functional.cross_entropy(
            model(batch_of(bags, rows)), torch.from_numpy(targets[rows]), reduction="none"
        )
        return (each * torch.from_numpy(weights[rows])).mean()

    losses = fit_epochs(
        "shapes", model, len(targets), epochs, loss, lambda: validated(model, *valid), EPOCHS, seed
    )
    return model, losses


def validated(model: Classifier, bags: Bags, targets: Int64s) -> float:
    """The mean cross-entropy."""
    losses = [
        float(
            functional.cross_entropy(
                model(batch_of(bags, rows)), torch.from_numpy(targets[rows]), reduction="sum"
            )
        )
        for rows in EPOCHS.batches(len(targets))
    ]
    return sum(losses) / len(targets)


def arrays(model: Classifier) -> dict[str, NDArray[np.float32]]:
    """The trained arrays by the names in `prover.shaped.files.sizes`."""
    state = model.state_dict()
    found = {
        name: state[name].numpy() for name in ("hidden.weight", "hidden.bias", "shapes.weight", "shapes.bias")
    }
    return {"words": state["words.weight"].numpy(), **found}
