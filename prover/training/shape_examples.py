"""Pairs as examples for the classifier of shapes, and what is counted over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Int64s
from prover.shaped.shape import GROUPS, Abstracted, Shape, abstracted
from prover.shaped.situation import Situation, bags
from prover.training.pairs import TacticPair

OTHER = ""
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
        shape = abstract(pair, situation)
        written = shape.with_premises()[0] if "⟪P⟫" in shape.shape else ""
        found.append(Example(index, pair, shape, written, tuple(bags(situation))))
    return found


def abstract(pair: TacticPair, situation: Situation) -> Abstracted:
    """The shape of a pair's tactic."""
    return abstracted(pair.tactic, pair.gold, situation.others, situation.binder)


def vocabulary(examples: Sequence[Example], least: int, least_written: int) -> list[str]:
    """The shapes that enough theorems have, the most frequent first behind `OTHER`.

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
    return [OTHER, *sorted(kept, key=lambda shape: (-len(theorems[shape]), shape))]


def targets(examples: Sequence[Example], shapes: Sequence[str]) -> Int64s:
    """int64[n]: the number of each example's shape, with its premises written out where that is frequent."""
    numbers = {shape: number for number, shape in enumerate(shapes)}
    return np.array(
        [numbers.get(one.written) or numbers.get(one.found.shape, 0) for one in examples], dtype=np.int64
    )


def uses_of(pairs: Sequence[TacticPair], name: str) -> dict[str, tuple[int, ...]]:
    """In how many theorems' proofs a premise stands in a slot of each of `GROUPS`; terms count, too."""
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
