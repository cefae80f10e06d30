"""Every method's metrics over a list of questions, and their table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.evaluation import metrics
from retriever.evaluation.bootstrap import Interval, bootstrap_mean
from retriever.evaluation.pool import Floats, Ints, Pool, Question
from retriever.evaluation.rankers import METHODS, Scored, Setting, in_setting, ranking, score
from retriever.fusion import Fusion

DEPTHS = (1, 5, 10, 32)
COLUMNS = (*(f"R@{k}" for k in DEPTHS), "nDCG@10", "MRR")
SETTINGS: tuple[Setting, ...] = ("state", "place", "importable")
HEADINGS = {
    "state": "all candidates, the state alone known",
    "place": "all candidates, file and position known too",
    "importable": "importable there only, file and position known",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One method in one setting; the figures of `COLUMNS` in percent."""

    setting: Setting
    method: str
    questions: int
    figures: dict[str, Interval]


def measure(
    pool: Pool, vectors: Floats, states: Floats, questions: Sequence[Question], weights: Fusion
) -> list[Row]:
    """Rank the pool [n, d] for every question [q, d] with every method in every setting."""
    values: dict[tuple[Setting, str], list[list[float]]] = {}
    for place, question in enumerate(questions):
        raw = score(pool, vectors, states[place], question)
        for setting in SETTINGS:
            scored = in_setting(raw, setting)
            for method in METHODS if setting != "place" else ("fused",):
                ranked = ranking(method, pool, scored, weights, seed=place)
                values.setdefault((setting, method), []).append(figures_of(pool, scored, ranked))
    return [
        Row(setting, method, len(questions), _intervals(np.array(found)))
        for (setting, method), found in values.items()
    ]


def figures_of(pool: Pool, scored: Scored, ranked: Ints) -> list[float]:
    """The figures of `COLUMNS` for one ranking, from 0 to 1."""
    gold = scored.question.gold
    order = ranked.tolist()
    modules = {int(pool.module_numbers[number]) for number in gold}
    grades = metrics.grades_of(order[:10], gold, pool.module_numbers, modules)
    beside = sum(int(scored.allowed[pool.members[module]].sum()) for module in modules)
    beside -= int(scored.allowed[list(gold)].sum())
    ideal = metrics.ideal_grades(len(gold), beside, 10)
    recalls = [metrics.recall_at(order, gold, k) for k in DEPTHS]
    return [*recalls, metrics.ndcg_at(grades, ideal, 10), metrics.reciprocal_rank(order, gold)]


def _intervals(values: NDArray[np.float64]) -> dict[str, Interval]:
    return {name: bootstrap_mean(100 * values[:, column]) for column, name in enumerate(COLUMNS)}


def markdown(rows: Sequence[Row]) -> str:
    """One table a setting, with 95% intervals."""
    parts = []
    for setting in dict.fromkeys(row.setting for row in rows):
        lines = [
            f"{HEADINGS[setting]}:",
            "",
            "| | " + " | ".join(COLUMNS) + " |",
            "|---" * (len(COLUMNS) + 1) + "|",
        ]
        for row in rows:
            if row.setting == setting:
                cells = [_cell(row.figures[name]) for name in COLUMNS]
                lines.append(f"| {row.method} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _cell(interval: Interval) -> str:
    return f"{interval.mean:.1f} [{interval.low:.1f}, {interval.high:.1f}]"


def plain(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows as JSON values."""
    return [asdict(row) for row in rows]
