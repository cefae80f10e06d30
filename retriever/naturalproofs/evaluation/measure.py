"""A model's places on a task under both protocols, and its rows of Tables 5 and 17."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tqdm import tqdm

from retriever.documents.schema import StatementType
from retriever.metrics.bootstrap import Interval
from retriever.metrics.references import Ranks, average_precision, intervals, mean_interval, places_of
from retriever.naturalproofs.evaluation.baselines import Model
from retriever.naturalproofs.task import ReferenceQuery, ReferenceTask

Protocol = Literal["among", "excluded"]
PROTOCOLS: dict[Protocol, str] = {
    "among": "the theorem itself among the candidates (the paper's protocol)",
    "excluded": "the theorem itself excluded (ours)",
}
TYPES: tuple[StatementType, ...] = ("theorem", "definition", "other")


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One model under one protocol, in percent."""

    model: str
    protocol: Protocol
    examples: int
    figures: dict[str, Interval]
    """`metrics.COLUMNS`."""
    by_type: dict[StatementType, Interval]
    """mAP of the references of one type over the examples that have one, at their places among all
    (Table 17, as the authors' code has it)."""


@dataclass(slots=True)
class _Found:
    """What one protocol's examples gave so far."""

    places: list[Ranks] = field(default_factory=list)
    by_type: dict[StatementType, list[float]] = field(default_factory=lambda: {kind: [] for kind in TYPES})

    def add(self, places: Ranks, types: Sequence[StatementType]) -> None:
        """An example: the places of its references, and their types in the same order."""
        self.places.append(places)
        for kind, values in self.by_type.items():
            own = [place for place, found in zip(places, types, strict=True) if found == kind]
            if own:
                values.append(average_precision(own))


def rows_of(
    model: Model, task: ReferenceTask, seed: int = 0, protocols: Collection[Protocol] = tuple(PROTOCOLS)
) -> list[ReferenceRow]:
    """A model's rows, one a protocol that has an example; `seed` is the bootstrap's.

    Under "excluded" a theorem is not looked for in its own proof either; an example that refers to nothing
    else drops out.
    """
    found = {protocol: _Found() for protocol in PROTOCOLS if protocol in protocols}
    for query in tqdm(task.queries, desc=model.name, leave=False, disable=None):
        scores = model.scores(query.theorem)
        for protocol, one in found.items():
            gold, without = _sought(query, protocol)
            if gold:
                one.add(places_of(scores, gold, without), [task.candidates[item].type for item in gold])
    return [
        ReferenceRow(
            model=model.name,
            protocol=protocol,
            examples=len(one.places),
            figures=intervals(one.places, seed),
            by_type={kind: mean_interval(values, seed) for kind, values in one.by_type.items() if values},
        )
        for protocol, one in found.items()
        if one.places
    ]


def _sought(query: ReferenceQuery, protocol: Protocol) -> tuple[Sequence[int], int | None]:
    """What is looked for, and what is left out of the ranking."""
    if protocol == "among":
        return query.gold, None
    return [item for item in query.gold if item != query.own], query.own
