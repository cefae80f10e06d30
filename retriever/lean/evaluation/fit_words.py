"""Fit the weights of the ranking for queries in words (`words/ranking.json`), and its floor.

    python -m retriever fit-words QUERIES [--index FOLDER ...] [--out FILE]

QUERIES is as for `evaluate-words`. Figures are of folds: each declaration's queries are ranked by weights that were
fitted without them. The weights that are written are fitted on all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Bools, Doubles, Floats
from lean_extract.common.verbs import write_json
from retriever.lean.evaluation.words import COLUMNS as FIGURES
from retriever.lean.evaluation.words import FIRST, WordQuery, add_index_options, figures_of, opened, read
from retriever.lean.search_pool import search_pool
from retriever.lean.service import PremiseService
from retriever.lean.text_search import words_ranked
from retriever.lean.words.settings import COLUMNS, word_settings
from retriever.metrics.fit import RankingExample, fit

FOLDS = 5
_RIDGE = 1e-2
_KEPT = {"kind_structure": 0.5, "kind_instance": 0.5}
"""The part of a fitted weight that is kept: two thirds of the benchmark's declarations are structures, classes and
instances, of what people look for much less."""
_LOST = 0.005
"""The share of right answers among the first ten that the floor may cost."""


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A query's candidates."""

    query: WordQuery
    rows: Floats
    """float32[m, columns]"""
    gold: Bools
    """bool[m]"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("queries", type=Path, metavar="QUERIES")
    add_index_options(parser)
    parser.add_argument("--out", type=Path, help="write the numbers to this file")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with opened(options) as service:
        ranked = [_ranked(service, query) for query in read(options.queries, shared_only=False)]
    fold_of = {
        one.query.gold: int(hashlib.sha256(one.query.gold.encode()).hexdigest(), 16) // 2 % FOLDS
        for one in ranked
    }
    by_fold = [_fitted([one for one in ranked if fold_of[one.query.gold] != fold]) for fold in range(FOLDS)]
    places = [_place(one, by_fold[fold_of[one.query.gold]]) for one in ranked]
    for name, kept in (("all", {True, False}), ("shared", {True})):
        chosen = [
            figures_of(at) for one, at in zip(ranked, places, strict=True) if one.query.is_shared in kept
        ]
        means = zip(FIGURES, np.mean(chosen, axis=0), strict=True)
        print(f"{name}: {len(chosen)} queries,", ", ".join(f"{figure} {mean:.3f}" for figure, mean in means))
    weights = _fitted(ranked)
    found = [(one, place) for one in ranked if (place := _place(one, weights)) is not None]
    best = [float((one.rows @ weights).max()) for one, place in found if place < FIRST]
    named = dict(zip(COLUMNS, weights.round(2).tolist(), strict=True))
    numbers = replace(word_settings(), weights=named, floor=round(float(np.quantile(best, _LOST)), 2))
    print(json.dumps(asdict(numbers), indent=2))
    write_json(options.out, asdict(numbers))


def _ranked(service: PremiseService, query: WordQuery) -> _Ranked:
    with service.reading() as snapshot:
        offer = search_pool(snapshot, None, None, query.text)
        found = words_ranked(offer, query.text)
        return _Ranked(query, found.table.rows, found.ids == snapshot.names.find_names([query.gold])[0])


def _fitted(ranked: Sequence[_Ranked]) -> Doubles:
    """float64[columns]: the weights; a column that says nothing keeps its own."""
    examples = [RankingExample(one.rows, one.gold) for one in ranked if one.gold.any()]
    known = np.array([word_settings().weights[name] for name in COLUMNS])
    varies = np.any([np.ptp(one.rows, axis=0) > 0 for one in ranked], axis=0)
    kept = np.array([_KEPT.get(name, 1.0) for name in COLUMNS])
    return np.where(varies, fit(examples, ridge=_RIDGE) * kept, known)


def _place(one: _Ranked, weights: Doubles) -> int | None:
    """The place of the right answer, from 0; None if it is no candidate."""
    scores = one.rows @ weights
    return int((scores > scores[one.gold].max()).sum()) if one.gold.any() else None
