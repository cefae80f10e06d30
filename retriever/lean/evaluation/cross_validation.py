"""The learned ranker judged on examples that it was not fitted to: a fold of theorems at a time is left out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats
from retriever.lean.evaluation.ranking_examples import RankingExamples
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.metrics import ranking as metrics
from retriever.metrics.tables import table

Scores = Callable[[Floats], Floats]
"""float32[rows]: the scores of float32[rows, RANKER_FEATURES]."""
Fit = Callable[[Sequence[RankingExamples]], Scores]
"""Fits a ranker to examples."""
_COLUMNS = ("rankings", "R@1", "R@10", "MRR")


def fold_of(theorem: str, folds: int) -> int:
    """The fold of a theorem, by the hash of its name."""
    return int(hashlib.sha256(f"fold {theorem}".encode()).hexdigest(), 16) % folds


def chosen(part: RankingExamples, keep: npt.NDArray[np.bool_]) -> RankingExamples:
    """The rankings (bool[rankings]) of some examples."""
    rows = np.repeat(keep, part.lengths)
    return RankingExamples(
        part.features[rows],
        part.gold[rows],
        part.lengths[keep],
        part.missing[keep],
        part.settings[keep],
        part.theorems[keep],
        part.about,
    )


def without_features(part: RankingExamples, names: Sequence[str]) -> RankingExamples:
    """The examples with the columns whose names begin with one of `names` set to 0."""
    columns = [name.startswith(tuple(names)) for name in RANKER_FEATURES]
    features = part.features.copy()
    features[:, columns] = 0.0
    return RankingExamples(
        features, part.gold, part.lengths, part.missing, part.settings, part.theorems, part.about
    )


def cross_validated(parts: Sequence[RankingExamples], folds: int, fit: Fit) -> list[Floats]:
    """float32[rows] of each part: the scores by rankers that were fitted without the theorem's fold."""
    places = [np.array([fold_of(name, folds) for name in part.theorems.tolist()]) for part in parts]
    scores = [np.zeros(len(part.gold), dtype=np.float32) for part in parts]
    for fold in range(folds):
        score = fit([chosen(part, place != fold) for part, place in zip(parts, places, strict=True)])
        for part, place, found in zip(parts, places, scores, strict=True):
            rows = np.repeat(place == fold, part.lengths)
            if rows.any():
                found[rows] = score(part.features[rows])
    return scores


def figures(part: RankingExamples, scores: Floats) -> dict[str, list[float]]:
    """(rankings, R@1, R@10, MRR) in percent, by setting; gold that is no candidate counts as missed."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    bounds = np.cumsum([0, *part.lengths.tolist()])
    for place, setting in enumerate(part.settings.tolist()):
        rows = slice(bounds[place], bounds[place + 1])
        order = np.argsort(-scores[rows], kind="stable").tolist()
        gold = np.flatnonzero(part.gold[rows]).tolist()
        gold += range(len(order), len(order) + int(part.missing[place]))
        recalls = (metrics.recall_at(order, gold, 1), metrics.recall_at(order, gold, 10))
        found.setdefault(setting, []).append((*recalls, metrics.reciprocal_rank(order, gold)))
    return {
        setting: [float(len(rows)), *(100 * np.mean(rows, axis=0)).tolist()]
        for setting, rows in found.items()
    }


def figures_table(names: Sequence[str], parts: Sequence[RankingExamples], scores: Sequence[Floats]) -> str:
    """The figures of all parts in Markdown."""
    rows = [
        [name, setting, f"{values[0]:.0f}", *(f"{value:.1f}" for value in values[1:])]
        for name, part, found in zip(names, parts, scores, strict=True)
        for setting, values in figures(part, found).items()
    ]
    return table(["examples", "asked", *_COLUMNS], rows)
