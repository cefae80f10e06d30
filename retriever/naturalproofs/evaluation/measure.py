"""A model's ranks on a task under both protocols, and its rows of Tables 5 and 17."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from tqdm import tqdm

from retriever.documents.schema import StatementType
from retriever.metrics.bootstrap import Interval
from retriever.metrics.ranks import ranks_of
from retriever.metrics.references import AnswerRanks, intervals
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
    """`retriever.metrics.references.COLUMNS`."""
    by_type: dict[StatementType, Interval]
    """mAP of the references of one type (`AnswerRanks.by_kind`, Table 17)."""


def rows_of(
    model: Model, task: ReferenceTask, seed: int = 0, protocols: Collection[Protocol] = tuple(PROTOCOLS)
) -> list[ReferenceRow]:
    """A model's rows, one a protocol that has an example; `seed` is the bootstrap's.

    Under "excluded" a theorem is not looked for in its own proof either; an example that refers to nothing
    else drops out.
    """
    found = {protocol: AnswerRanks() for protocol in PROTOCOLS if protocol in protocols}
    for query in tqdm(task.queries, desc=model.name, leave=False, disable=None):
        scores = model.scores(query.theorem)
        for protocol, one in found.items():
            gold, without = _sought(query, protocol)
            if gold:
                one.add(ranks_of(scores, gold, without), [task.candidates[item].type for item in gold])
    return [
        ReferenceRow(
            model=model.name,
            protocol=protocol,
            examples=len(one.ranks),
            figures=intervals(one.ranks, seed),
            by_type=_by_type(one, seed),
        )
        for protocol, one in found.items()
        if one.ranks
    ]


def _by_type(found: AnswerRanks, seed: int) -> dict[StatementType, Interval]:
    by_kind = found.by_kind(seed)
    return {kind: by_kind[kind] for kind in TYPES if kind in by_kind}


def _sought(query: ReferenceQuery, protocol: Protocol) -> tuple[Sequence[int], Sequence[int]]:
    """What is looked for, and what is left out of the ranking."""
    if protocol == "among":
        return query.gold, ()
    return [item for item in query.gold if item != query.own], () if query.own is None else (query.own,)
