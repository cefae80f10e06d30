"""Fit the weight of a re-ranker's logit relative to the weighted sum, on a collection's valid questions.

    python -m retriever fit-collection-rerank MODEL SOURCE [--backend NAME] [--first 20]

MODEL is a folder that `python -m retriever export-towers` wrote, with a re-ranker in it. The weight goes into
the re-ranker's config.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import ModelError
from lean_extract.common.option_types import positive
from retriever.metrics.fit import RankingExample, fit
from retriever.metrics.ranking import reciprocal_rank
from retriever.models.reranker import DEPTH, FOLDER, blend, write_weight
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection
from retriever.search.backends import find_backend
from retriever.search.collections.index import fused_for_evaluation, reranked_of
from retriever.search.collections.measure import outside_of, questions_of
from retriever.search.collections.rankers import RerankedRanker
from retriever.training.running.kinds import add_backend_argument


@dataclass(frozen=True, slots=True)
class FittedWeight:
    """A weight, and what it does on the questions that it was fitted on."""

    weight: float
    before: float
    """Mean reciprocal rank among the first candidates, as they were ranked before."""
    after: float
    """The same as the blend ranks them."""
    fitted_on: str
    """In words."""

    @classmethod
    def on(cls, examples: Sequence[RankingExample], fitted_on: str) -> FittedWeight:
        """The weight that does best. Raises ModelError when there is no example."""
        if not examples:
            hint = "Choose a larger dataset or --limit."
            raise ModelError("No question has an answer among its first candidates.", hint)
        weight = round(fit_weight(examples), 5)
        before, after = (mean_reciprocal_rank(examples, one) for one in (0.0, weight))
        return cls(weight, before, after, f"{len(examples)} rankings of {fitted_on}")

    def keep(self, model: Path, first: int, by: str) -> None:
        """Write it into the re-ranker of a model folder and print it; `by` names what ranked the first ones before."""
        write_weight(model / FOLDER, self.weight, self.fitted_on)
        before, after = f"{self.before:.4f} by {by}", f"{self.after:.4f} blended"
        print(f"weight {self.weight:g}; MRR of the first {first}: {before}, {after} ({self.fitted_on})")


def fit_weight(examples: Sequence[RankingExample]) -> float:
    """The logit's weight relative to a fused score of weight 1, where both are fitted; 0 if it does not help.

    Raises ValueError when there is nothing to fit.
    """
    of_fused, of_logit = fit(examples)
    return max(0.0, float(of_logit) / max(float(of_fused), 1e-3))


def mean_reciprocal_rank(examples: Sequence[RankingExample], weight: float) -> float:
    """The mean reciprocal rank of the blend with this weight among each example's candidates."""
    ranks = []
    for example in examples:
        mixed = blend(example.features[:, 0], example.features[:, 1], weight)
        order = np.argsort(-mixed, kind="stable").tolist()
        ranks.append(reciprocal_rank(order, set(np.flatnonzero(example.gold).tolist())))
    return float(np.mean(ranks))


def filled(logits: Floats) -> Floats:
    """float32[n]: the logits, one that is not known as the mean of the others."""
    known = np.isfinite(logits)
    mean = logits[known].mean() if known.any() else 0.0
    return np.where(known, logits, mean).astype(np.float32)


def _examples_of(reread: RerankedRanker, collection: Collection, limit: int) -> Iterator[RankingExample]:
    """The first candidates of valid questions where an answer and something else are among them."""
    for question in tqdm(questions_of(collection, "valid")[:limit], unit="question", disable=None):
        scores = reread.ranking.scores(question.text, question.own)
        head = reread.head(scores, question.own)
        gold = np.isin(head, question.gold)
        if gold.any() and not gold.all():
            logits = filled(reread.logits(question.text, head))
            yield RankingExample(np.stack([scores[head], logits], axis=1), gold)


def _fit_collection(
    backend: Backend, collection: Collection, towers: Towers, limit: int, first: int = DEPTH
) -> FittedWeight:
    """The weight for a model's re-ranker. Raises ModelError when it has none; or there is nothing to fit."""
    fused = fused_for_evaluation(backend, collection, towers)
    reread = reranked_of(fused, collection.documents, towers, first, outside_of(collection, "valid"))
    if reread is None:
        raise ModelError("The model has no re-ranker.", f"Export one into its folder {FOLDER}.")
    fitted_on = (
        f"valid questions, data {collection.digest[:16]}, encoders {towers.fingerprint}, "
        f"re-ranker {reread.reranker.fingerprint}, first {first}"
    )
    return FittedWeight.on(list(_examples_of(reread, collection, limit)), fitted_on)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with a re-ranker in it")
    parser.add_argument("source", type=Path, help="what the backend reads")
    add_backend_argument(parser, "reranker weight")
    parser.add_argument("--limit", type=positive, default=400, help="questions to fit on, at most")
    parser.add_argument("--first", type=positive, default=DEPTH, help="how many candidates are re-ranked")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    backend, towers = find_backend(options.backend), Towers.load(options.model)
    fitted = _fit_collection(backend, backend.read(options.source), towers, options.limit, options.first)
    fitted.keep(options.model, options.first, "the sum")
