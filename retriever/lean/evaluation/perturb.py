"""What a ranking loses when a goal is put differently (section 4.4.1, Figure 5).

`shuffle` the context and `drop` a fifth of it where it is long are the paper's; `rename` bound variables and
turn `notation` off are what users meet. Each is a pure function of a goal and a seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from lean_extract.records import Goal
from lean_extract.syntax.without_notation import functional
from retriever.lean.augmentation.renaming import renamed
from retriever.lean.evaluation.measure import COLUMNS, HEADINGS, Measured, Outcome, to_columns
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import Setting
from retriever.metrics.bootstrap import Bootstrap, Interval, cell, table

LONG_CONTEXT = 15
"""From how many hypotheses on some are dropped."""
_DROPPED = 0.2
_RATIOS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Which share of the questions is put differently: Figure 5's axis."""
_SHOWN = (*(f"{name}@{k}" for name in ("R", "P", "F1", "nDCG") for k in (1, 5, 10)),)


def shuffled(goal: Goal, random: Random) -> Goal:
    """The context in another order."""
    return replace(goal, hypotheses=tuple(random.sample(goal.hypotheses, len(goal.hypotheses))))


def _thinned(goal: Goal, random: Random) -> Goal:
    """A fifth of the context left out where it has at least LONG_CONTEXT hypotheses."""
    count = len(goal.hypotheses)
    if count < LONG_CONTEXT:
        return goal
    kept = sorted(random.sample(range(count), count - round(_DROPPED * count)))
    return replace(goal, hypotheses=tuple(goal.hypotheses[index] for index in kept))


PERTURBATIONS: Mapping[str, Callable[[Goal, Random], Goal]] = {
    "shuffle": shuffled,
    "drop": _thinned,
    "rename": renamed,
    "notation": lambda goal, random: goal.rewritten(functional),
}


def perturbed(question: HeldOutGoal, name: str, seed: int = 0) -> HeldOutGoal:
    """The question put differently; the same seed gives the same goal. Raises KeyError on an unknown name."""
    random = Random(zlib.crc32(f"{seed} {name} {question.theorem} {question.goal.target}".encode()))
    return replace(question, goal=PERTURBATIONS[name](question.goal, random))


@dataclass(frozen=True, slots=True)
class Robustness:
    """One method in one setting under one perturbation."""

    setting: Setting
    method: str
    perturbation: str
    changed: float
    """The share of the questions whose goal did change."""
    figures: dict[str, tuple[float, ...]]
    """The figures of COLUMNS, in percent, with each share of _RATIOS perturbed."""
    change: dict[str, Interval]
    """Points gained where all are perturbed, paired over questions."""

    def normalised(self, column: str) -> tuple[float, ...]:
        """The figures over the unperturbed one (Figure 5); nan where that is 0."""
        first = self.figures[column][0]
        return tuple(value / first if first else float("nan") for value in self.figures[column])


def robustness(
    before: Measured, after: Measured, perturbation: str, changed: NDArray[np.bool_]
) -> list[Robustness]:
    """Compare the same questions `before` and `after`; `changed` [questions] says whose goal is another."""
    order = np.random.default_rng(0).permutation(len(changed))
    found = []
    for (setting, method), outcome in before.items():
        other = after[setting, method]
        mixed = [to_columns(_mean(outcome, other, order, ratio))[0] for ratio in _RATIOS]
        change = Bootstrap(len(changed)).intervals(other.figures, to_columns, outcome.figures)
        found.append(
            Robustness(
                setting,
                method,
                perturbation,
                float(changed.mean()),
                {name: tuple(float(row[at]) for row in mixed) for at, name in enumerate(COLUMNS)},
                dict(zip(COLUMNS, change, strict=True)),
            )
        )
    return found


def _mean(before: Outcome, after: Outcome, order: NDArray[np.int64], ratio: float) -> NDArray[np.float64]:
    """[1, PER_QUERY] Means with the first `ratio` of the questions, in this order, perturbed."""
    values = before.figures.copy()
    chosen = order[: round(ratio * len(order))]
    values[chosen] = after.figures[chosen]
    means: NDArray[np.float64] = values.mean(axis=0, keepdims=True)
    return means


def changes(found: Sequence[Robustness]) -> str:
    """One table a setting: what perturbing every question does to each method."""
    parts = []
    for setting in dict.fromkeys(row.setting for row in found):
        lines = [
            [
                row.perturbation,
                f"{100 * row.changed:.0f}%",
                row.method,
                f"{row.figures['R@10'][0]:.1f}",
                f"{row.figures['R@10'][-1]:.1f}",
                *(cell(row.change[column], signed=True) for column in ("R@1", "R@10", "nDCG@10")),
            ]
            for row in found
            if row.setting == setting
        ]
        head = [
            "",
            "goals changed",
            "method",
            "R@10",
            "perturbed",
            "R@1, points",
            "R@10, points",
            "nDCG@10, points",
        ]
        parts.append(f"{HEADINGS[setting]}:\n\n{table(head, lines)}")
    return "\n\n".join(parts)


def figure_5(found: Sequence[Robustness], setting: Setting, method: str) -> str:
    """Figure 5 of one method as a table: each metric over the unperturbed one, by the share perturbed."""
    lines = [
        [row.perturbation, f"{ratio:.0%}", *(f"{row.normalised(column)[at]:.3f}" for column in _SHOWN)]
        for row in found
        if (row.setting, row.method) == (setting, method)
        for at, ratio in enumerate(_RATIOS)
    ]
    title = f"{method}, {HEADINGS[setting]}; each figure over the unperturbed one"
    return f"{title}:\n\n{table(['', 'perturbed', *_SHOWN], lines)}"
