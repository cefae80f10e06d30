"""Trains the classifier of shapes: words of the goal in, the shape of the proof's tactic out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Int64s
from prover.shaped.networks import HIDDEN, WORD
from prover.shaped.situation import BUCKETS, FIELDS
from prover.training.epochs import EpochSettings, fit_epochs

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
    """The trained arrays by the names in `prover.shaped.networks.sizes`."""
    state = model.state_dict()
    found = {
        name: state[name].numpy() for name in ("hidden.weight", "hidden.bias", "shapes.weight", "shapes.bias")
    }
    return {"words": state["words.weight"].numpy(), **found}
