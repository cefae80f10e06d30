"""The weighted sum of rankers over a collection, its weights found on valid questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from retriever.evaluation.rows import RankerTable, RankingTask, ranks_in
from retriever.metrics.ranks import mean_average_precision
from retriever.search.collections.measure import search_weights
from retriever.search.collections.rankers import levelled


def fused(rankers: Sequence[RankerTable], valid: RankingTask) -> tuple[RankerTable, dict[str, float]]:
    """The sum, and the weight of each ranker by name, as do best on the questions of `valid`, themselves
    excluded."""
    summed = tuple(rankers)
    tables = [levelled(ranker.table(valid.questions, valid.documents)) for ranker in summed]
    weights = best_weights(tables, valid)

    def table(questions: Int64s, documents: Int64s) -> Floats:
        return _sum([levelled(ranker.table(questions, documents)) for ranker in summed], weights)

    named = {ranker.name: weight for ranker, weight in zip(summed, weights, strict=True)}
    return RankerTable("weighted sum", table), named


def best_weights(tables: Sequence[Floats], valid: RankingTask) -> tuple[float, ...]:
    """One weight a table, those with which mAP is highest."""
    return search_weights(len(tables), lambda weights: _figure(tables, weights, valid))


def _figure(tables: Sequence[Floats], weights: Sequence[float], valid: RankingTask) -> float:
    scores = _sum(tables, weights)
    found = (
        ranks_in(valid, number, row, "excluded")[0]
        for number, row in zip(valid.questions.tolist(), scores, strict=True)
    )
    return mean_average_precision(one for one in found if one)


def _sum(tables: Sequence[Floats], weights: Sequence[float]) -> Floats:
    total = sum(np.float32(weight) * table for weight, table in zip(weights, tables, strict=True))
    return np.asarray(total, dtype=np.float32)
