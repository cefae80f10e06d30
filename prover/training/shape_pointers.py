"""Trains the pointers: which premise, or which local, fills a slot of the proof's own shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.records import Premise
from prover.shaped.files import HEAD, POINTER, TYPE
from prover.shaped.model import wanted
from prover.shaped.pointing import (
    HEAD_BUCKETS,
    LOCAL_FEATURES,
    PREMISE_FEATURES,
    TYPE_BUCKETS,
    Ranked,
    Uses,
    eligible,
    head_bucket,
    local_table,
    premise_table,
    ranked,
    type_buckets,
)
from prover.shaped.shape import GROUPS, Shape
from prover.shaped.situation import Situation
from prover.templates import PremiseView
from prover.training.shape_classifier import EpochSettings, Example, fit_epochs

_DROPPED = 0.1
_EPOCHS = EpochSettings(batch=128, rate=2e-3, last_rate=0.05, decay=1e-3)
_PADDING = -1e4


@dataclass(frozen=True, slots=True)
class Choice:
    """A slot with its possible fillers, and which of them the proof chose."""

    table: Floats
    """float32[n, features]"""
    types: Int64s
    """int64[n]: a bucket of each local's type; zeros for premises."""
    group: int
    head: int
    chosen: int


def premise_choices(example: Example, offered: Sequence[Premise], uses: Uses) -> Iterator[Choice]:
    """The premise slots of an example whose premise was offered."""
    shape = Shape.of(example.found.shape)
    if not any(slot.kind == "P" for slot in shape.slots):
        return
    known = ranked(Situation.of(example.pair.goal), offered)
    places = _places(known)
    for number, slot in enumerate(shape.slots):
        chosen = _place(places, example.found.fillers[number]) if slot.kind == "P" else -1
        if chosen >= 0:
            table = premise_table(slot, known, uses, example.found.fillers[:number])
            none = np.zeros(len(table), dtype=np.int64)
            yield Choice(table, none, GROUPS.index(slot.group), head_bucket(shape.texts[0]), chosen)


def _places(known: Sequence[Ranked]) -> dict[str, int]:
    """The index of each name; of equal names, that of the first."""
    found: dict[str, int] = {}
    for place, one in enumerate(known):
        found.setdefault(one.premise.name, place)
    return found


def _place(places: Mapping[str, int], name: str) -> int:
    """The index of a premise, by its full name or as a goal may print it; -1 if it is absent."""
    parts = name.split(".")
    endings = (".".join(parts[start:]) for start in range(len(parts)))
    return next((places[ending] for ending in endings if ending in places), -1)


def local_choices(example: Example, premises: Mapping[str, Premise]) -> Iterator[Choice]:
    """The slots of an example that locals fill, where there is more than one of the kind."""
    shape = Shape.of(example.found.shape)
    if not any(slot.kind in ("H", "V") for slot in shape.slots):
        return
    situation = Situation.of(example.pair.goal)
    names = [local.name for local in situation.locals]
    types = type_buckets(situation)
    views: dict[str, PremiseView | None] = {
        name: PremiseView.of(premises[name]) for name in example.found.fillers if name in premises
    }
    for number, slot in enumerate(shape.slots):
        filler, taken = example.found.fillers[number], example.found.fillers[:number]
        fits = eligible(slot, situation.locals) if slot.kind in ("H", "V") else np.zeros(0, dtype=np.bool_)
        if fits.sum() < 2 or filler not in names:
            continue
        # Of names that hide each other, the last one is meant.
        at = len(names) - 1 - names[::-1].index(filler)
        if not fits[at]:
            continue
        argument = wanted(slot, taken, views)
        of = views.get(taken[slot.of]) if argument else None
        table = local_table(slot, situation, taken, argument, of)[fits]
        head = head_bucket(shape.texts[0])
        yield Choice(table, types[fits], GROUPS.index(slot.group), head, int(fits[:at].sum()))


class Pointer(nn.Module):
    """Scores each possible filler of a slot by its features, the slot's group and the tactic's first word."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        features = len(PREMISE_FEATURES if kind == "premise" else LOCAL_FEATURES)
        self.types = nn.Embedding(TYPE_BUCKETS, TYPE) if kind == "local" else None
        width = features + (TYPE if kind == "local" else 0) + len(GROUPS) + HEAD
        self.heads = nn.Embedding(HEAD_BUCKETS, HEAD)
        nn.init.normal_(self.heads.weight, std=0.1)
        self.hidden = nn.Linear(width, POINTER)
        self.out = nn.Linear(POINTER, 1, bias=False)
        self.dropout = nn.Dropout(_DROPPED)

    def forward(self, batch: Sequence[Choice]) -> Tensor:
        """[batch, most]: the scores, very low where there is no filler."""
        most = max(len(choice.table) for choice in batch)
        rows = torch.stack([_padded(torch.from_numpy(choice.table), most) for choice in batch])
        groups = functional.one_hot(torch.tensor([choice.group for choice in batch]), len(GROUPS)).float()
        heads = self.heads(torch.tensor([choice.head for choice in batch]))
        slots = torch.cat([groups, heads], dim=1)[:, None].expand(-1, most, -1)
        parts = [rows, slots]
        if self.types is not None:
            types = torch.stack([_padded(torch.from_numpy(choice.types), most) for choice in batch])
            parts = [rows, self.types(types), slots]
        hidden = torch.relu(self.hidden(torch.cat(parts, dim=2)))
        scores: Tensor = self.out(self.dropout(hidden))[:, :, 0]
        lengths = torch.tensor([len(choice.table) for choice in batch])
        return scores.masked_fill(torch.arange(most)[None] >= lengths[:, None], _PADDING)

    def arrays(self, kind: str) -> dict[str, Floats]:
        """The trained arrays by the names in `prover.shaped.files.sizes`."""
        found = {
            f"{kind}.heads": self.heads.weight,
            f"{kind}.weight": self.hidden.weight,
            f"{kind}.bias": self.hidden.bias,
            f"{kind}.out": self.out.weight[0],
        }
        if self.types is not None:
            found[f"{kind}.types"] = self.types.weight
        return {name: value.detach().numpy() for name, value in found.items()}


def _padded(rows: Tensor, most: int) -> Tensor:
    return functional.pad(rows, (0, 0) * (rows.dim() - 1) + (0, most - len(rows)))


def train(
    kind: str, choices: Sequence[Choice], valid: Sequence[Choice], epochs: int, seed: int = 0
) -> tuple[Pointer, list[float]]:
    """The pointer after the epoch with the least loss on the valid choices, and that loss after each epoch."""
    torch.manual_seed(seed)
    model = Pointer(kind)

    def loss(rows: list[int]) -> Tensor:
        batch = [choices[row] for row in rows]
        return functional.cross_entropy(model(batch), _chosen(batch))

    losses = fit_epochs(
        kind, model, len(choices), epochs, loss, lambda: _validated(model, valid), _EPOCHS, seed
    )
    return model, losses


def _validated(model: Pointer, choices: Sequence[Choice]) -> float:
    """The mean cross-entropy; 0 where there is nothing to choose."""
    total = 0.0
    for rows in _EPOCHS.batches(len(choices)):
        batch = [choices[row] for row in rows]
        total += float(functional.cross_entropy(model(batch), _chosen(batch), reduction="sum"))
    return total / max(len(choices), 1)


def _chosen(batch: Sequence[Choice]) -> Tensor:
    return torch.tensor([choice.chosen for choice in batch])
