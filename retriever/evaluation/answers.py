"""The ranks of the answers to many questions, and mean average precision by kind of answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from retriever.metrics.bootstrap import Interval, mean_interval
from retriever.metrics.ranks import Ranks, average_precision


@dataclass(slots=True)
class AnswerRanks:
    """What the questions ranked so far came to."""

    ranks: list[Ranks] = field(default_factory=list)
    _precisions: dict[str, list[float]] = field(default_factory=dict)

    def add(self, ranks: Ranks, kinds: Sequence[str]) -> None:
        """One question: the ranks of its answers, and their kinds in the same order. Raises ValueError."""
        self.ranks.append(ranks)
        for kind in set(kinds):
            own = [rank for rank, found in zip(ranks, kinds, strict=True) if found == kind]
            self._precisions.setdefault(kind, []).append(average_precision(own))

    def by_kind(self, seed: int = 0) -> dict[str, Interval]:
        """mAP in percent of the answers of one kind, over the questions that have one.

        Ranks are those among all candidates (NaturalProofs, Table 17, as the authors' code has it).
        """
        return {kind: mean_interval(values, seed) for kind, values in sorted(self._precisions.items())}
