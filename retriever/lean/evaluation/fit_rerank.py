"""Fit how much the re-ranker's logit counts beside the fused score, on the `tune` half of the valid split.

    python -m retriever fit-rerank MODEL DATASET [--limit 500] [--first 20] [--cache DIR]

MODEL's fusion must have been fitted before. The weight goes into the config.json of MODEL's re-ranker.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.errors import ModelError
from retriever.evaluation.reranker_weight import FittedWeight, filled, fit_weight, mean_reciprocal_rank
from retriever.lean.evaluation.measure import SETTINGS
from retriever.lean.evaluation.rankers import fused_first, in_setting, score
from retriever.lean.evaluation.reranked import Logits, logits_of
from retriever.lean.evaluation.session import (
    EvaluationSession,
    encode_questions,
    open_session,
    part_questions,
)
from retriever.lean.features import load_fusion
from retriever.metrics.fit import RankingExample
from retriever.models.reranker import DEPTH, FOLDER, write_weight
from retriever.search.fusion import Fusion


def examples_of(
    session: EvaluationSession, weights: Fusion, logits: Logits, limit: int, first: int
) -> Iterator[RankingExample]:
    """The first candidates of every `tune` question in every setting, where gold and others are among them.

    Features are the fused score and the logit; one that is not known counts as the mean of the others.
    """
    questions = part_questions(session.dataset, "tune", limit)
    states = encode_questions(session, questions)
    for row, question in enumerate(tqdm(questions, unit="question", disable=None)):
        raw = score(session.pool, session.vectors, states[row], question)
        for setting in SETTINGS:
            numbers, scores = fused_first(session.pool, weights, in_setting(raw, setting))
            gold = np.isin(numbers[:first], list(question.gold))
            if gold.any() and not gold.all():
                found = logits.of(question, numbers[:first])
                yield RankingExample(np.stack([scores[:first], filled(found)], axis=1), gold)


def fit_rerank(session: EvaluationSession, limit: int, first: int = DEPTH) -> FittedWeight:
    """The weight for a session's model. Raises ModelError when there is no re-ranker or nothing to fit on."""
    logits = logits_of(session)
    found = list(examples_of(session, load_fusion(session.model), logits, limit, first))
    if not found:
        hint = "Choose a larger dataset or --limit."
        raise ModelError("No `tune` question has a gold premise among its first candidates.", hint)
    weight = round(fit_weight(found), 5)
    manifest = session.dataset.manifest
    fitted_on = (
        f"{len(found)} rankings of the tune half of the valid split, revision {manifest.revision}, "
        f"data {manifest.digest[:16]}, encoder {session.encoder.fingerprint}, "
        f"re-ranker {logits.reranker.fingerprint}, first {first}"
    )
    return FittedWeight(
        weight, mean_reciprocal_rank(found, 0.0), mean_reciprocal_rank(found, weight), fitted_on
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with a re-ranker in it")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--limit", type=int, default=500, help="theorems to fit on, at most")
    parser.add_argument("--first", type=int, default=DEPTH, help="how many candidates are re-ranked")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    weights = load_fusion(options.model)
    session = open_session(options.model, options.dataset, options.cache, weights.bm25)
    fitted = fit_rerank(session, options.limit, options.first)
    write_weight(options.model / FOLDER, fitted.weight, fitted.fitted_on)
    print(fitted.line(options.first, "the fusion"))
