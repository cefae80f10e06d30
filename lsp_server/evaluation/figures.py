"""The figures of a run: pass rates with intervals, overall and by level; times and nodes. Pure."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from prover.evaluation.rows import ProblemRow, first_rows
from retriever.metrics.bootstrap import Bootstrap, Interval


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of problems in percent, with its 95% bootstrap interval and the number of problems."""

    problems: int
    percent: Interval


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A run in numbers.

    `pass_1`: the chance that one pass proves a problem, over all passes that there are. `pass_n`: the
    share of problems that one of the `passes` proved; None for a single pass, or where no problem has
    them all. Medians are over what was searched, `proof_seconds` over what was proved; None where there
    is nothing. `failed` counts the rows of problems that could not be searched, `refused` found proofs
    that a fresh Lean did not accept.
    """

    rows: int
    proved: int
    failed: int
    refused: int
    passes: int
    pass_1: Rate | None
    pass_n: Rate | None
    levels: Mapping[str, Rate]
    seconds: float | None
    proof_seconds: float | None
    nodes: float | None
    tactics: float | None


def figures_of(rows: Sequence[ProblemRow]) -> RunFigures:
    """The figures of a run's rows; the first of several rows for one problem and pass counts."""
    rows = list(first_rows(rows).values())
    outcomes: dict[str, list[bool]] = defaultdict(list)
    level_of: dict[str, str] = {}
    for row in rows:
        outcomes[row.name].append(row.is_proved)
        level_of[row.name] = row.level
    passes = max((len(found) for found in outcomes.values()), default=0)
    full = [found for found in outcomes.values() if len(found) == passes]
    by_level: dict[str, list[list[bool]]] = defaultdict(list)
    for name, found in outcomes.items():
        by_level[level_of[name]].append(found)
    searched = [row for row in rows if row.status != "failed"]
    proved = [row for row in rows if row.is_proved]
    return RunFigures(
        rows=len(rows),
        proved=len(proved),
        failed=sum(row.status == "failed" for row in rows),
        refused=sum(row.status == "refused" for row in rows),
        passes=passes,
        pass_1=_rate(outcomes.values(), 1),
        pass_n=_rate(full, passes) if passes > 1 else None,
        levels={level: rate for level in sorted(by_level) if (rate := _rate(by_level[level], 1))},
        seconds=_median(row.seconds for row in searched),
        proof_seconds=_median(row.seconds for row in proved),
        nodes=_median(row.nodes for row in searched),
        tactics=_median(row.tactics for row in searched),
    )


def pass_at(found: Sequence[bool], k: int) -> float:
    """The probability that at least one of k passes, drawn from all passes, proves a problem."""
    missed = len(found) - sum(found)
    return 1.0 - comb(missed, k) / comb(len(found), k)


def _rate(outcomes: Iterable[Sequence[bool]], k: int) -> Rate | None:
    shares = np.array([[100 * pass_at(found, k)] for found in outcomes], dtype=np.float64)
    if not len(shares):
        return None
    return Rate(len(shares), Bootstrap(len(shares)).intervals(shares)[0])


def _median(values: Iterable[float]) -> float | None:
    found = list(values)
    return statistics.median(found) if found else None
