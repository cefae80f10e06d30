"""Every method asked every question: what each ranking is worth, query by query."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
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

SETTINGS: tuple[Setting, ...] = ("state", "importable", "place")
RECALL_DEPTHS = (1, 5, 10, 32)
DEPTHS = (1, 5, 10)
"""Of precision, F1 and nDCG (Table 3)."""
PER_QUERY = (
    *(f"R@{k}" for k in RECALL_DEPTHS),
    *(f"P@{k}" for k in DEPTHS),
    *(f"nDCG@{k}" for k in DEPTHS),
    "MRR",
)
COLUMNS = (*PER_QUERY[:7], *(f"F1@{k}" for k in DEPTHS), *PER_QUERY[7:])
"""What a row of the tables holds: those of PER_QUERY, and F1, which is of their means."""
CURVE = 100
"""How far the recall curve goes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method in one setting."""

    figures: Doubles
    """[questions, PER_QUERY] From 0 to 1."""
    recalls: Doubles
    """[questions, CURVE] recall@1, recall@2, ..."""


Measured = Mapping[tuple[Setting, str], Outcome]
"""By setting and method, in the order of the tables; questions in the order they were asked."""


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
    """Ask every question of every method, but for those `without`, in every setting that tells it something new."""
    methods = [method for method in methods if method.name not in without]
    found: dict[tuple[Setting, str], list[tuple[list[float], Doubles]]] = {
        (setting, method.name): [] for setting in settings for method in methods if _is_new(method, setting)
    }
    for _, asked in scored_questions(session, questions, settings, shows_progress=shows_progress):
        for method in methods:
            known = [asked[setting] for setting in settings if _is_new(method, setting)]
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
    grades = metrics.grades_of(first[: max(DEPTHS)], gold, pool.module_numbers, modules)
    beside = sum(int(scored.allowed[pool.members[module]].sum()) for module in modules)
    beside -= int(scored.allowed[inside].sum())
    ideal = metrics.ideal_grades(len(gold), beside, max(DEPTHS))
    return [
        *(metrics.recall_at(first, gold, k) for k in RECALL_DEPTHS),
        *(metrics.precision_at(first, gold, k) for k in DEPTHS),
        *(metrics.ndcg_at(grades, ideal, k) for k in DEPTHS),
        metrics.reciprocal_rank(ranked.tolist(), gold),
    ]


def recalls_of(scored: ScoredQuestion, ranked: Int64s) -> Doubles:
    """[CURVE] recall@1, recall@2, ... of one ranking."""
    gold = scored.question.gold
    hits = np.zeros(CURVE)
    first = ranked[:CURVE].tolist()
    hits[: len(first)] = [item in gold for item in first]
    return np.cumsum(hits) / len(gold)


def to_columns(means: Doubles) -> Doubles:
    """[n, COLUMNS] in percent, from means [n, PER_QUERY]; F1 is of mean precision and mean recall."""
    recalls = means[:, [RECALL_DEPTHS.index(k) for k in DEPTHS]]
    precisions = means[:, 4:7]
    f1 = metrics.f1_of(precisions, recalls)
    return 100 * np.concatenate([means[:, :7], f1, means[:, 7:]], axis=1)
