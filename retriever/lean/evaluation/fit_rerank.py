"""Fit how much the re-ranker's logit counts beside the fused score, on the `tune` half of the valid split.

    python -m retriever.lean.evaluation.fit_rerank MODEL DATASET [--limit 500] [--first 20] [--cache DIR]

MODEL's fusion must have been fitted before. The weight goes into the config.json of MODEL's re-ranker.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.errors import ModelError, PremiseSuggestError
from retriever.lean.evaluation.measure import SETTINGS
from retriever.lean.evaluation.pool import Floats
from retriever.lean.evaluation.rankers import fused_first, in_setting, score
from retriever.lean.evaluation.reranked import Logits, logits_of
from retriever.lean.evaluation.session import EvaluationSession, encode_states, open_session, part_questions
from retriever.lean.features import load_fusion
from retriever.metrics.fit import RankingExample, fit
from retriever.metrics.ranking import reciprocal_rank
from retriever.models.reranker import DEPTH, FOLDER, blend, write_weight
from retriever.search.fusion import Fusion


@dataclass(frozen=True, slots=True)
class Fitted:
    """A weight, and what it does on the questions that it was fitted on."""

    weight: float
    before: float
    """Mean reciprocal rank among the first candidates, as the fusion ranks them."""
    after: float
    """The same as the blend ranks them."""
    told: str
    """On what it was fitted, in words."""

    def line(self, first: int, by: str) -> str:
        """All of it for a terminal; `by` names what ranked before."""
        before, after = f"{self.before:.4f} by {by}", f"{self.after:.4f} blended"
        return f"weight {self.weight:g}; MRR of the first {first}: {before}, {after} ({self.told})"


def examples_of(
    session: EvaluationSession, weights: Fusion, logits: Logits, limit: int, first: int
) -> Iterator[RankingExample]:
    """The first candidates of every `tune` question in every setting, where gold and others are among them.

    Features are the fused score and the logit; one that is not known counts as the mean of the others.
    """
    questions = part_questions(session.dataset, "tune", limit)
    states = encode_states(session.encoder, questions)
    for place, question in enumerate(tqdm(questions, unit="question", disable=None)):
        raw = score(session.pool, session.vectors, states[place], question)
        for setting in SETTINGS:
            numbers, scores = fused_first(session.pool, weights, in_setting(raw, setting))
            gold = np.isin(numbers[:first], list(question.gold))
            if gold.any() and not gold.all():
                found = logits.of(question, numbers[:first])
                yield RankingExample(np.stack([scores[:first], filled(found)], axis=1), gold)


def fit_weight(examples: Sequence[RankingExample]) -> float:
    """The logit's weight beside a fused score of weight 1, where both are fitted; 0 if it does not help.

    Raises ValueError when there is nothing to fit.
    """
    of_fused, of_logit = fit(examples)
    return max(0.0, float(of_logit) / max(float(of_fused), 1e-3))


def fit_rerank(session: EvaluationSession, limit: int, first: int = DEPTH) -> Fitted:
    """The weight for a session's model. Raises ModelError when there is no re-ranker or nothing to fit on."""
    logits = logits_of(session)
    found = list(examples_of(session, load_fusion(session.model), logits, limit, first))
    if not found:
        hint = "Choose a larger dataset or --limit."
        raise ModelError("No `tune` question has a gold premise among its first candidates.", hint)
    weight = round(fit_weight(found), 5)
    manifest = session.dataset.manifest
    told = (
        f"{len(found)} rankings of the tune half of the valid split, revision {manifest.revision}, "
        f"data {manifest.digest[:16]}, encoder {session.encoder.fingerprint}, "
        f"re-ranker {logits.reranker.fingerprint}, first {first}"
    )
    return Fitted(weight, mean_rank(found, 0.0), mean_rank(found, weight), told)


def mean_rank(examples: Sequence[RankingExample], weight: float) -> float:
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


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m retriever.lean.evaluation.fit_rerank", description=__doc__
    )
    parser.add_argument("model", type=Path, help="a model folder with a re-ranker in it")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--limit", type=int, default=500, help="theorems to fit on, at most")
    parser.add_argument("--first", type=int, default=DEPTH, help="how many candidates are re-ranked")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")
    chosen = parser.parse_args(arguments)
    try:
        weights = load_fusion(chosen.model)
        session = open_session(chosen.model, chosen.dataset, chosen.cache, weights.bm25)
        fitted = fit_rerank(session, chosen.limit, chosen.first)
        write_weight(chosen.model / FOLDER, fitted.weight, fitted.told)
    except PremiseSuggestError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(fitted.line(chosen.first, "the fusion"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
