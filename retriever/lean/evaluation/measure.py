"""Every method on every question: what each ranking is worth, query by query."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Doubles, Int64s
from retriever.lean.evaluation.pool import HeldOutGoal, Pool
from retriever.lean.evaluation.rankers import (
    ContextualMethod,
    Method,
    ScoredQuestion,
    Setting,
    rankings,
    score,
)
from retriever.lean.evaluation.session import EvaluationSession, encode_questions
from retriever.metrics import ranking as metrics
from retriever.metrics.bootstrap import Bootstrap, Interval, cell, table
from retriever.metrics.charts import LinePanel, PlotLine, line_chart

SETTINGS: tuple[Setting, ...] = ("state", "importable", "place")
RECALL_DEPTHS = (1, 5, 10, 32)
_DEPTHS = (1, 5, 10)
"""Of precision, F1 and nDCG (Table 3)."""
PER_QUERY = (
    *(f"R@{k}" for k in RECALL_DEPTHS),
    *(f"P@{k}" for k in _DEPTHS),
    *(f"nDCG@{k}" for k in _DEPTHS),
    "MRR",
)
COLUMNS = (*PER_QUERY[:7], *(f"F1@{k}" for k in _DEPTHS), *PER_QUERY[7:])
"""What a row of the tables holds: those of PER_QUERY, and F1, which is of their means."""
_CURVE = 100
"""How far the recall curve goes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method in one setting."""

    figures: Doubles
    """[questions, PER_QUERY] From 0 to 1."""
    recalls: Doubles
    """[questions, CURVE] recall@1, recall@2, ..."""


Measured = Mapping[tuple[Setting, str], Outcome]
"""By setting and method, in the order of the tables; questions in their order."""


class Measure(Protocol):
    """Asks questions of the methods of a session, here or elsewhere."""

    def __call__(
        self,
        questions: Sequence[HeldOutGoal],
        settings: Sequence[Setting] = SETTINGS,
        without: Collection[str] = (),
        /,
    ) -> Measured:
        """As `measure`."""
        ...


def scored_questions(
    session: EvaluationSession,
    questions: Sequence[HeldOutGoal],
    settings: Sequence[Setting] = SETTINGS,
    *,
    shows_progress: bool = True,
) -> Iterator[tuple[HeldOutGoal, dict[Setting, ScoredQuestion]]]:
    """Each question with what all candidates are by every signal, in each setting."""
    states = encode_questions(session, questions)
    for row, question in enumerate(
        tqdm(questions, unit="question", disable=None if shows_progress else True)
    ):
        scored = score(session.pool, session.vectors, states[row], question, settings)
        yield question, dict(zip(settings, scored, strict=True))


def measure(
    session: EvaluationSession,
    methods: Sequence[Method],
    questions: Sequence[HeldOutGoal],
    settings: Sequence[Setting] = SETTINGS,
    without: Collection[str] = (),
    *,
    shows_progress: bool = True,
) -> Measured:
    """Rank every question by every method but those `without`, in every setting that adds something for it."""
    methods = [method for method in methods if method.name not in without]
    found: dict[tuple[Setting, str], list[tuple[list[float], Doubles]]] = {
        (setting, method.name): [] for setting in settings for method in methods if _is_new(method, setting)
    }
    for _, by_setting in scored_questions(session, questions, settings, shows_progress=shows_progress):
        for method in methods:
            known = [by_setting[setting] for setting in settings if _is_new(method, setting)]
            for scored, ranked in zip(known, rankings(method, known), strict=True):
                result = figures_of(session.pool, scored, ranked), recalls_of(scored, ranked)
                found[scored.setting, method.name].append(result)
    return {
        key: Outcome(np.array([each[0] for each in results]), np.array([each[1] for each in results]))
        for key, results in found.items()
    }


def _is_new(method: Method, setting: Setting) -> bool:
    return setting != "place" or (isinstance(method, ContextualMethod) and method.reads_position)


def figures_of(pool: Pool, scored: ScoredQuestion, ranked: Int64s) -> list[float]:
    """The figures of PER_QUERY for one ranking, from 0 to 1."""
    gold = scored.question.gold
    inside = [number for number in gold if number < len(pool)]
    first = ranked[: max(RECALL_DEPTHS)].tolist()
    modules = {int(pool.module_numbers[number]) for number in inside}
    grades = metrics.grades_of(first[: max(_DEPTHS)], gold, pool.module_numbers, modules)
    others = sum(int(scored.allowed[pool.members[module]].sum()) for module in modules)
    others -= int(scored.allowed[inside].sum())
    ideal = metrics.ideal_grades(len(gold), others, max(_DEPTHS))
    return [
        *(metrics.recall_at(first, gold, k) for k in RECALL_DEPTHS),
        *(metrics.precision_at(first, gold, k) for k in _DEPTHS),
        *(metrics.ndcg_at(grades, ideal, k) for k in _DEPTHS),
        metrics.reciprocal_rank(ranked.tolist(), gold),
    ]


def recalls_of(scored: ScoredQuestion, ranked: Int64s) -> Doubles:
    """[CURVE] recall@1, recall@2, ... of one ranking."""
    gold = scored.question.gold
    hits = np.zeros(_CURVE)
    first = ranked[:_CURVE].tolist()
    hits[: len(first)] = [item in gold for item in first]
    return np.cumsum(hits) / len(gold)


def to_columns(means: Doubles) -> Doubles:
    """[n, COLUMNS] in percent, from means [n, PER_QUERY]; F1 is of mean precision and mean recall."""
    recalls = means[:, [RECALL_DEPTHS.index(k) for k in _DEPTHS]]
    precisions = means[:, 4:7]
    f1 = metrics.f1_of(precisions, recalls)
    return 100 * np.concatenate([means[:, :7], f1, means[:, 7:]], axis=1)


COMPACT = ("R@1", "R@5", "R@10", "R@32", "nDCG@10", "MRR")
HEADINGS: dict[Setting, str] = {
    "state": "all candidates, the state alone known",
    "importable": "importable there only, file and position known",
    "place": "all candidates, file and position known too",
}


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One method in one setting; the figures of `COLUMNS` in percent."""

    setting: Setting
    method: str
    questions: int
    figures: dict[str, Interval]
    differences: dict[str, Interval] = field(default_factory=dict)
    """To the method that all are held against, on the same questions; none for that one itself."""


def rows_of(measured: Measured, against: str | None = None) -> list[MethodRow]:
    """A row a method and setting, in the order measured; intervals are bootstrapped over questions."""
    rows = []
    for (setting, method), outcome in measured.items():
        bootstrap = Bootstrap(len(outcome.figures))
        figures = bootstrap.intervals(outcome.figures, to_columns)
        other = measured.get((setting, against)) if against and method != against else None
        apart = bootstrap.intervals(outcome.figures, to_columns, other.figures) if other else []
        named = dict(zip(COLUMNS, figures, strict=True))
        above = dict(zip(COLUMNS, apart, strict=True)) if apart else {}
        rows.append(MethodRow(setting, method, len(outcome.figures), named, above))
    return rows


def markdown(rows: Sequence[MethodRow], columns: Sequence[str] = COMPACT, *, intervals: bool = True) -> str:
    """One table a setting."""
    parts = []
    for setting in dict.fromkeys(row.setting for row in rows):
        lines = [
            [row.method, *(cell(row.figures[name], intervals=intervals) for name in columns)]
            for row in rows
            if row.setting == setting
        ]
        parts.append(f"{HEADINGS[setting]}:\n\n{table(['', *columns], lines)}")
    return "\n\n".join(parts)


def differences(rows: Sequence[MethodRow], against: str) -> str:
    """One table a setting of what each method is above the one held against; empty if none has been."""
    parts = []
    for setting in dict.fromkeys(row.setting for row in rows if row.differences):
        lines = [
            [row.method, *(cell(row.differences[name], signed=True) for name in COMPACT)]
            for row in rows
            if row.setting == setting and row.differences
        ]
        heading = f"{HEADINGS[setting]}, points above {against} on the same questions"
        parts.append(f"{heading}:\n\n{table(['', *COMPACT], lines)}")
    return "\n\n".join(parts)


def plain(rows: Sequence[MethodRow]) -> list[dict[str, object]]:
    """The rows as JSON values."""
    return [asdict(row) for row in rows]


def recall_plot(curves: Mapping[tuple[Setting, str], Doubles]) -> str:
    """Recall@k of every method with all candidates and with importable ones; a curve is [recall@1, ...].

    Raises UserError without matplotlib.
    """
    titles: dict[Setting, str] = {"state": "all candidates", "importable": "importable only"}
    panels = []
    for setting, title in titles.items():
        lines = [
            PlotLine(name, [(k + 1, 100 * float(value)) for k, value in enumerate(curve)])
            for (where, name), curve in curves.items()
            if where == setting
        ]
        panels.append(LinePanel(title, lines, "k", "recall@k, %", (1, 2, 5, 10, 20, 50, 100), is_log=True))
    return line_chart(panels)
