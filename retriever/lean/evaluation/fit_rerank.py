"""Fit the weight of the re-ranker's logit relative to the score that is served, on the `tune` half of the valid split.

    python -m retriever fit-rerank MODEL DATASET [--states FILE] [--limit 500] [--first 20] [--cache DIR]

The score is the learned ranker's, or the fusion's where MODEL has no ranker; fit that before. With `--states` traced
steps of FILE over the dataset's pool are used, too. The weight goes into the config.json of MODEL's re-ranker.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retriever.evaluation.fit_reranker import FittedWeight, filled
from retriever.lean.evaluation.measure import scored_questions
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import served_method
from retriever.lean.evaluation.registry import Logits, logits_of
from retriever.lean.evaluation.session import EvaluationSession, open_session, part_questions, read_states
from retriever.lean.features import load_fusion
from retriever.metrics.fit import RankingExample
from retriever.models.reranker import DEPTH


def _examples_of(
    session: EvaluationSession, questions: Sequence[HeldOutGoal], logits: Logits, first: int
) -> Iterator[RankingExample]:
    """The first candidates of every question in every setting, where gold and others are among them.

    Features are the score and the logit; one that is not known counts as the mean of the others.
    """
    method = served_method(session.pool, session.model, load_fusion(session.model))
    for question, settings in scored_questions(session, questions):
        for scored in settings.values():
            numbers, scores = method.first(scored)
            gold = np.isin(numbers[:first], list(question.gold))
            if gold.any() and not gold.all():
                found = logits.of(question, numbers[:first])
                yield RankingExample(np.stack([scores[:first], filled(found)], axis=1), gold)


def _fit_rerank(
    session: EvaluationSession, limit: int, first: int = DEPTH, states: Path | None = None
) -> FittedWeight:
    """The weight for a session's model.

    Args:
        session: of the model's folder.
        limit: statements to fit on, at most, and as many steps.
        first: how many candidates are re-ranked.
        states: a file of traced steps; None: statements alone.

    Raises ModelError when there is no re-ranker or nothing to fit on, BadRecords.
    """
    logits = logits_of(session)
    questions = part_questions(session.dataset, "tune", limit)
    steps = [] if states is None else read_states(states, session.pool)[:limit]
    manifest = session.dataset.manifest
    fitted_on = (
        f"{len(questions)} statements of the tune half of the valid split and of "
        f"{len(steps)} steps, revision {manifest.revision}, "
        f"data {manifest.digest[:16]}, encoder {session.encoder.fingerprint}, "
        f"re-ranker {logits.reranker.fingerprint}, first {first}"
    )
    return FittedWeight.on(list(_examples_of(session, [*questions, *steps], logits, first)), fitted_on)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with a re-ranker in it")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--states", type=Path, help="traced steps to fit on, too")
    parser.add_argument("--limit", type=int, default=500, help="theorems to fit on, at most, and steps (500)")
    parser.add_argument("--first", type=int, default=DEPTH, help="how many candidates are re-ranked")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    weights = load_fusion(options.model)
    session = open_session(options.model, options.dataset, options.cache, weights.bm25)
    fitted = _fit_rerank(session, options.limit, options.first, options.states)
    fitted.keep(options.model, options.first, "the first ranking")
