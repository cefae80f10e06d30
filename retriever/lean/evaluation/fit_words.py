"""Fit the weights of the ranking for queries in words (`words/ranking.json`), and its floor.

    python -m retriever fit-words QUERIES [--keywords FILE] [--index FOLDER ...] [--bundled]
        [--out FILE]

QUERIES is as for `evaluate-words`, FILE as for `known-lemmas`. The weights fit all indexes together; each is searched
by itself. Figures are of folds: each declaration's queries, and each query of keywords, are ranked by weights that
were fitted without them. The weights that are written are fitted on all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Bools, Doubles, Floats
from lean_extract.common.verbs import write_json
from retriever.lean.evaluation.known_lemmas import read as read_known
from retriever.lean.evaluation.words import COLUMNS as FIGURES
from retriever.lean.evaluation.words import FIRST, add_index_options, figures_of, opened, read
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
_KEYWORDS = "keywords"
_OF_KEYWORDS = 3
"""How often a query of keywords counts: there are few, and people write them more than sentences."""
_LOST = 0.005
"""The share of right answers among the first ten that the floor may cost."""


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A query's candidates."""

    part: str
    """What its figures are of."""
    fold: int
    rows: Floats
    """float32[m, columns]"""
    gold: Bools
    """bool[m]"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("queries", type=Path, metavar="QUERIES")
    parser.add_argument("--keywords", type=Path, metavar="FILE", help="queries of keywords, too")
    add_index_options(parser)
    parser.add_argument("--out", type=Path, help="write the numbers to this file")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    ranked: list[_Ranked] = []
    indexes = [[folder] for folder in options.index or ()]
    if options.bundled or not indexes:
        indexes.append([])
    for number, folders in enumerate(indexes, start=1):
        with opened(folders, options.model, is_bundled=not folders) as service:
            ranked += _all_ranked(service, options.queries, options.keywords, f"index {number}")
    by_fold = [_fitted([one for one in ranked if one.fold != fold]) for fold in range(FOLDS)]
    places = [_place(one, by_fold[one.fold]) for one in ranked]
    for part in dict.fromkeys(one.part for one in ranked):
        chosen = [figures_of(at) for one, at in zip(ranked, places, strict=True) if one.part == part]
        means = zip(FIGURES, np.mean(chosen, axis=0), strict=True)
        print(f"{part}: {len(chosen)} queries,", ", ".join(f"{figure} {mean:.3f}" for figure, mean in means))
    weights = _fitted(ranked)
    found = [(one, place) for one in ranked if (place := _place(one, weights)) is not None]
    best = [float((one.rows @ weights).max()) for one, place in found if place < FIRST]
    named = dict(zip(COLUMNS, weights.round(2).tolist(), strict=True))
    numbers = replace(word_settings(), weights=named, floor=round(float(np.quantile(best, _LOST)), 2))
    print(json.dumps(asdict(numbers), indent=2))
    write_json(options.out, asdict(numbers))


def _all_ranked(service: PremiseService, queries: Path, keywords: Path | None, index: str) -> list[_Ranked]:
    """The candidates of an index for all queries."""
    found = []
    for query in read(queries, shared_only=False):
        part = f"{index}, {'shared' if query.is_shared else 'others'}"
        found.append(_ranked(service, part, query.text, query.gold, [query.gold]))
    for known in read_known(keywords) if keywords else ():
        found.append(_ranked(service, f"{index}, {_KEYWORDS}", known.text, known.text, known.accept))
    return found


def _ranked(service: PremiseService, part: str, text: str, group: str, accept: Collection[str]) -> _Ranked:
    """The candidates for a text. `group`: what has it in the same fold as others."""
    fold = int(hashlib.sha256(group.encode()).hexdigest(), 16) // 2 % FOLDS
    with service.reading() as snapshot:
        found = words_ranked(search_pool(snapshot, None, None, text), text)
        gold = snapshot.names.find_names(accept)
        return _Ranked(part, fold, found.table.rows, np.isin(found.ids, gold[gold >= 0]))


def _fitted(ranked: Sequence[_Ranked]) -> Doubles:
    """float64[columns]: the weights; a column that says nothing keeps its own."""
    examples = [
        RankingExample(one.rows, one.gold)
        for one in ranked
        if one.gold.any()
        for _ in range(_OF_KEYWORDS if one.part.endswith(_KEYWORDS) else 1)
    ]
    known = np.array([word_settings().weights[name] for name in COLUMNS])
    varies = np.any([np.ptp(one.rows, axis=0) > 0 for one in ranked], axis=0)
    kept = np.array([_KEPT.get(name, 1.0) for name in COLUMNS])
    return np.where(varies, fit(examples, ridge=_RIDGE) * kept, known)


def _place(one: _Ranked, weights: Doubles) -> int | None:
    """The place of the right answer, from 0; None if it is no candidate."""
    scores = one.rows @ weights
    return int((scores > scores[one.gold].max()).sum()) if one.gold.any() else None
