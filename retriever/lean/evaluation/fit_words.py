"""Fit the weights of the ranking for queries in words (`words/ranking.json`), and its floor.

    python -m retriever fit-words QUERIES [--index FOLDER ...] [--out FILE]

QUERIES is as for `evaluate-words`. Figures are of folds: each declaration's queries are ranked by weights that were
fitted without them. The weights that are written are fitted on all.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Bools, Doubles, Floats
from lean_extract.common.verbs import write_json
from retriever.lean.evaluation.words import COLUMNS as FIGURES
from retriever.lean.evaluation.words import WordQuery, add_index_options, opened, read, word_figures
from retriever.lean.service import PremiseService
from retriever.lean.text_search import rank_in_words
from retriever.lean.words.settings import COLUMNS, word_settings
from retriever.metrics.fit import RankingExample, fit

_FOLDS = 5
_RIDGE = 1e-2
_KEPT = {"kind_structure": 0.5, "kind_instance": 0.5}
"""The part of a fitted weight that is kept: two thirds of the benchmark's declarations are structures, classes and
instances, of what people look for much less."""
_LOST = 0.02
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
    folds = np.array([_hash(one.query.gold) % _FOLDS for one in ranked])
    by_fold = {fold: _fitted([one for one, its in zip(ranked, folds, strict=True) if its != fold]) for fold in range(_FOLDS)}
    ranks = [_rank(one, by_fold[fold]) for one, fold in zip(ranked, folds.tolist(), strict=True)]
    shared = [rank for one, rank in zip(ranked, ranks, strict=True) if one.query.is_shared]
    for name, chosen in (("shared", shared), ("all", ranks)):
        means = np.mean([word_figures(rank) for rank in chosen], axis=0)
        print(name, len(chosen), ", ".join(f"{figure} {mean:.3f}" for figure, mean in zip(FIGURES, means, strict=True)))
    weights = _fitted(ranked)
    best = [float((one.rows @ weights).max()) for one in ranked if (_rank(one, weights) or FIRST + 1) <= FIRST]
    found = replace(word_settings(), weights=_named(weights), floor=round(float(np.quantile(best, _LOST)), 2))
    print(found.weights, found.floor)
    write_json(options.out, asdict(found))
