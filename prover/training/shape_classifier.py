"""Steps as examples of tactic shapes, and the training of the classifier of shapes: words of the goal in, the shape of
the proof's tactic out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from lean_extract.common.arrays import Int64s
from prover.shaped.files import HIDDEN, WORD
from prover.shaped.shape import GROUPS, Abstracted, Shape, abstracted
from prover.shaped.situation import BUCKETS, FIELDS, Situation, bags
from prover.training.pairs import TacticPair


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


_Bags = Sequence[Sequence[Int64s]]
"""For each example the words of each field."""
DROPPED = 0.3
EPOCHS = EpochSettings(batch=256, rate=1.5e-3, last_rate=0.02, decay=1e-5)


class _Classifier(nn.Module):
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


def _batch_of(bags: _Bags, rows: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """(words, offsets) of each field for these examples."""
    found = []
    for field in range(len(FIELDS)):
        parts = [bags[row][field] for row in rows]
        offsets = np.cumsum([0, *map(len, parts)])[:-1]
        found.append((torch.from_numpy(np.concatenate(parts)), torch.from_numpy(offsets)))
    return found


def train(
    bags: _Bags,
    targets: Int64s,
    weights: NDArray[np.float32],
    valid: tuple[_Bags, Int64s],
    shapes: int,
    epochs: int,
    seed: int = 0,
) -> tuple[_Classifier, list[float]]:
    """The classifier after the epoch with the least loss on the valid examples, and that loss after each epoch.

    `weights`: float32[n], of each example in the loss.
    """
    torch.manual_seed(seed)
    model = _Classifier(shapes)

    def loss(rows: list[int]) -> Tensor:
        each = functional.cross_entropy(
            model(_batch_of(bags, rows)), torch.from_numpy(targets[rows]), reduction="none"
        )
        return (each * torch.from_numpy(weights[rows])).mean()

    losses = fit_epochs(
        "shapes", model, len(targets), epochs, loss, lambda: validated(model, *valid), EPOCHS, seed
    )
    return model, losses


def validated(model: _Classifier, bags: _Bags, targets: Int64s) -> float:
    """The mean cross-entropy."""
    losses = [
        float(
            functional.cross_entropy(
                model(_batch_of(bags, rows)), torch.from_numpy(targets[rows]), reduction="sum"
            )
        )
        for rows in EPOCHS.batches(len(targets))
    ]
    return sum(losses) / len(targets)


def arrays(model: _Classifier) -> dict[str, NDArray[np.float32]]:
    """The trained arrays by the names in `prover.shaped.files.sizes`."""
    state = model.state_dict()
    found = {
        name: state[name].numpy() for name in ("hidden.weight", "hidden.bias", "shapes.weight", "shapes.bias")
    }
    return {"words": state["words.weight"].numpy(), **found}


_OTHER = ""
"""The shape, number 0, of tactics whose own shape is rare."""
_LEAST_MODULES = 3
"""A shape of fewer modules belongs to one development."""
_LEAST_USES = 2
"""The fewest uses of a premise that are kept."""


@dataclass(frozen=True, slots=True)
class Example:
    """A step with its shape. `index` is the pair's."""

    index: int
    pair: TacticPair
    found: Abstracted
    written: str
    """The shape with its premises written out; empty if it has none."""
    bags: tuple[Int64s, ...]


def examples_of(pairs: Sequence[TacticPair], name: str) -> list[Example]:
    """The tactic steps, each once: two libraries may have the same one."""
    found: list[Example] = []
    seen: set[tuple[str, str, str]] = set()
    for index, pair in enumerate(tqdm(pairs, desc=name, unit="step", disable=None)):
        key = (pair.theorem, pair.tactic, pair.goal.target)
        if pair.kind == "term" or key in seen:
            continue
        seen.add(key)
        situation = Situation.of(pair.goal)
        shape = abstracted(pair.tactic, pair.gold, situation.others, situation.binder)
        written = shape.with_premises()[0] if "⟪P⟫" in shape.shape else ""
        found.append(Example(index, pair, shape, written, tuple(bags(situation))))
    return found


def vocabulary(examples: Sequence[Example], least: int, least_written: int) -> list[str]:
    """The shapes that enough theorems have, the most frequent first, after `_OTHER`.

    `least_written`: the fewest theorems of a shape with its premises written out.
    """
    theorems: dict[str, set[str]] = defaultdict(set)
    modules: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        for shape in filter(None, (example.found.shape, example.written)):
            theorems[shape].add(example.pair.theorem)
            modules[shape].add(example.pair.module)
    written = {example.written for example in examples}
    kept = [
        shape
        for shape, found in theorems.items()
        if len(found) >= (least_written if shape in written else least)
        and len(modules[shape]) >= _LEAST_MODULES
    ]
    return [_OTHER, *sorted(kept, key=lambda shape: (-len(theorems[shape]), shape))]


def targets(examples: Sequence[Example], shapes: Sequence[str]) -> Int64s:
    """int64[n]: the number of each example's shape, with its premises written out where that is frequent."""
    numbers = {shape: number for number, shape in enumerate(shapes)}
    return np.array(
        [numbers.get(one.written) or numbers.get(one.found.shape, 0) for one in examples], dtype=np.int64
    )


def uses_of(pairs: Sequence[TacticPair], name: str) -> dict[str, tuple[int, ...]]:
    """In how many theorems' proofs a premise fills a slot of each of `GROUPS`; terms count, too."""
    seen: set[tuple[str, str, str]] = set()
    found: dict[str, list[int]] = defaultdict(lambda: [0] * len(GROUPS))
    for pair in tqdm(pairs, desc=name, unit="step", disable=None):
        for premise, group in _premise_slots(pair):
            key = (pair.theorem, premise, group)
            if key not in seen:
                seen.add(key)
                found[premise][GROUPS.index(group)] += 1
    return {premise: tuple(counts) for premise, counts in sorted(found.items()) if sum(counts) >= _LEAST_USES}


def without_own(uses: Mapping[str, tuple[int, ...]], pair: TacticPair) -> Mapping[str, tuple[int, ...]]:
    """The uses as they were without a training step: one less in the slots that it fills itself."""
    changed: dict[str, tuple[int, ...]] = {}
    for premise, group in set(_premise_slots(pair)):
        counts = list(changed.get(premise) or uses.get(premise, ()))
        if counts:
            counts[GROUPS.index(group)] = max(counts[GROUPS.index(group)] - 1, 0)
            changed[premise] = tuple(counts)
    return {**uses, **changed} if changed else uses


def _premise_slots(pair: TacticPair) -> Iterator[tuple[str, str]]:
    local = {name: False for hypothesis in pair.goal.hypotheses for name in hypothesis.names}
    found = abstracted(pair.tactic, pair.gold, local)
    for slot, filler in zip(Shape.of(found.shape).slots, found.fillers, strict=True):
        if slot.kind == "P":
            yield filler, slot.group
