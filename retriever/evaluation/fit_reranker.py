"""Fit how much a re-ranker's logit counts beside the weighted sum, on a collection's valid questions.

    python -m retriever fit-collection-rerank MODEL SOURCE [--backend NAME] [--first 20]

MODEL is a folder that `python -m retriever export-towers` wrote, with a re-ranker in it. The weight goes into
the re-ranker's config.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.errors import ModelError
from lean_extract.common.option_types import positive
from retriever.evaluation.reranker_weight import FittedWeight, filled, fit_weight, mean_reciprocal_rank
from retriever.metrics.fit import RankingExample
from retriever.models.reranker import DEPTH, FOLDER, write_weight
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection
from retriever.search.backends import find_backend
from retriever.search.collections.index import fused_for_evaluation, reranked_of
from retriever.search.collections.measure import outside_of, questions_of
from retriever.search.collections.rankers import RerankedRanker
from retriever.training.running.kinds import add_backend_argument


def examples_of(reread: RerankedRanker, collection: Collection, limit: int) -> Iterator[RankingExample]:
    """The first candidates of valid questions where an answer and something else are among them."""
    for question in tqdm(questions_of(collection, "valid")[:limit], unit="question", disable=None):
        scores = reread.ranking.scores(question.text, question.own)
        head = reread.head(scores, question.own)
        gold = np.isin(head, question.gold)
        if gold.any() and not gold.all():
            logits = filled(reread.logits(question.text, head))
            yield RankingExample(np.stack([scores[head], logits], axis=1), gold)


def fit_collection(
    backend: Backend, collection: Collection, towers: Towers, limit: int, first: int = DEPTH
) -> FittedWeight:
    """The weight for a model's re-ranker. Raises ModelError when it has none; or there is nothing to fit."""
    fused = fused_for_evaluation(backend, collection, towers)
    reread = reranked_of(fused, collection.documents, towers, first, outside_of(collection, "valid"))
    if reread is None:
        raise ModelError("The model has no re-ranker.", f"Export one into its folder {FOLDER}.")
    found = list(examples_of(reread, collection, limit))
    if not found:
        hint = "Choose a larger collection or --limit."
        raise ModelError("No valid question has an answer among its first candidates.", hint)
    weight = round(fit_weight(found), 5)
    fitted_on = (
        f"{len(found)} rankings of valid questions, data {collection.digest[:16]}, encoders "
        f"{towers.fingerprint}, re-ranker {reread.reranker.fingerprint}, first {first}"
    )
    return FittedWeight(
        weight, mean_reciprocal_rank(found, 0.0), mean_reciprocal_rank(found, weight), fitted_on
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with a re-ranker in it")
    parser.add_argument("source", type=Path, help="what the backend reads")
    add_backend_argument(parser, "reranker weight")
    parser.add_argument("--limit", type=positive, default=400, help="questions to fit on, at most")
    parser.add_argument("--first", type=positive, default=DEPTH, help="how many candidates are re-ranked")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    _fit(options)


def _fit(chosen: argparse.Namespace) -> None:
    backend, towers = find_backend(chosen.backend), Towers.load(chosen.model)
    fitted = fit_collection(backend, backend.read(chosen.source), towers, chosen.limit, chosen.first)
    write_weight(chosen.model / FOLDER, fitted.weight, fitted.fitted_on)
    print(fitted.line(chosen.first, "the sum"))
