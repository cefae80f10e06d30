"""Fit the fusion's weights on the `tune` half of the valid split and write them into a model folder.

python -m retriever fit-fusion MODEL DATASET [--limit 1500] [--cache DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadRecords
from retriever.lean.evaluation.measure import scored_questions
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import feature_rows
from retriever.lean.evaluation.session import EvaluationSession, open_session, part_questions
from retriever.lean.features import FEATURES
from retriever.metrics.fit import RankingExample, fit
from retriever.search.fusion import Fusion

IN_SCOPE_CEILING = 2.0
"""The most that being importable may weigh. A finished proof uses what its file imports, so the labels
cannot show what a lemma is worth that needs one more import; the fitted weight hides all of those."""

EXACT_MATCH_FLOOR = 2.0
"""The least that stating the very goal weighs. Mathlib's proofs hardly ever need what states the same, so
their labels cannot show its worth; people's goals do. Chosen on the tune half and on the 60 statements of
tests/retriever/corpora/known_statements_tune.jsonl: more finds little more, and loses premises of proofs."""


def examples_of(
    session: EvaluationSession, questions: Sequence[HeldOutGoal], lists: Fusion
) -> Iterator[RankingExample]:
    """Every question in every setting that leaves it a gold premise among its candidates."""
    for question, settings in scored_questions(session, questions):
        for scored in settings.values():
            numbers, table = feature_rows(session.pool, lists.lists, FEATURES, scored)
            gold = np.isin(numbers, list(question.gold))
            if gold.any():
                yield RankingExample(table, gold)


def fit_fusion(session: EvaluationSession, limit: int, kept: Collection[str] = FEATURES) -> Fusion:
    """Weights for a session's model, zero for features that are not `kept`.

    Raises BadRecords when no `tune` question of the dataset has a gold premise among its candidates.
    """
    questions = part_questions(session.dataset, "tune", limit)
    lists = Fusion(FEATURES, (0.0,) * len(FEATURES))
    found = list(examples_of(session, questions, lists))
    if not found:
        message = "No theorem of the dataset's `tune` half has a gold premise among its candidates."
        raise BadRecords(message, "Fit on a larger dataset, or with a larger --limit.")
    manifest = session.dataset.manifest
    origin = (
        f"{len(questions)} theorems of the tune half of the valid split, revision {manifest.revision}, "
        f"data {manifest.digest[:16]}, encoder {session.encoder.fingerprint}"
    )
    weights = tuple(round(weight, 5) for weight in refit(found, kept))
    return Fusion(FEATURES, weights, lists.lists, lists.bm25, origin)


def refit(examples: Sequence[RankingExample], kept: Collection[str]) -> tuple[float, ...]:
    """The weights of FEATURES fitted with those of `kept` alone; the others get none."""
    columns = [column for column, name in enumerate(FEATURES) if name in kept]
    narrow = [RankingExample(example.features[:, columns], example.gold) for example in examples]
    weights = [0.0] * len(FEATURES)
    for column, weight in zip(columns, fit(narrow), strict=True):
        weights[column] = float(weight)
    return bounded(weights, kept)


def bounded(weights: Sequence[float], kept: Collection[str] = FEATURES) -> tuple[float, ...]:
    """The weights, that of `in_scope` at most IN_SCOPE_CEILING, that of `exact_match` at least its floor."""
    by_name = dict(zip(FEATURES, weights, strict=True))
    by_name["in_scope"] = min(by_name["in_scope"], IN_SCOPE_CEILING)
    if "exact_match" in kept:
        by_name["exact_match"] = max(by_name["exact_match"], EXACT_MATCH_FLOOR)
    return tuple(by_name[name] for name in FEATURES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--limit", type=int, default=1500, help="theorems to fit on, at most")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    weights = fit_fusion(open_session(options.model, options.dataset, options.cache), options.limit)
    weights.save(options.model)
    for name, weight in zip(FEATURES, weights.weights, strict=True):
        print(f"{name:>16} {weight:9.4f}")
