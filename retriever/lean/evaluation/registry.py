"""Every method by name, and what it takes to make it ready."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadSettings, ModelError
from retriever.lean.evaluation.baselines import BASELINES
from retriever.lean.evaluation.rankers import (
    Column,
    Factory,
    Method,
    Random,
    RankedMethod,
    UseCountRanker,
    served_method,
)
from retriever.lean.evaluation.reranked import DenseReranked, Reranked, logits_of
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.features import load_fusion
from retriever.lean.ranker.model import TreeRanker
from retriever.models.state_tower import FOLDER

OURS: Mapping[str, Factory] = {
    "random": lambda session: Random(len(session.pool)),
    "frequency": lambda session: UseCountRanker(session.pool.use_counts.astype(np.float32)),
    "bm25": lambda session: Column("bm25"),
    "dense": lambda session: Column("dense"),
    "tower": lambda session: _tower(session),
    "dense-reranked": lambda session: DenseReranked(logits_of(session)),
    "fused": lambda session: RankedMethod.fused(session.pool, load_fusion(session.model)),
    "ranked": lambda session: RankedMethod(
        session.pool, load_fusion(session.model).lists, open_ranker(session.model), "ranked"
    ),
    "reranked": lambda session: Reranked(
        served_method(session.pool, session.model, load_fusion(session.model)), logits_of(session)
    ),
}


def _tower(session: EvaluationSession) -> Column:
    """Raises ModelError where the model has no state tower."""
    if session.tower is None:
        folder = session.model / FOLDER
        raise ModelError(
            f"The model in {session.model} has no state tower.",
            f"Export one: python -m retriever export RUN {folder}.",
        )
    return Column("tower")


def open_ranker(model: Path) -> TreeRanker:
    """The learned ranker in a model folder. Raises ModelError when it has none, or a damaged one."""
    ranker = TreeRanker.beside(model)
    if ranker is None:
        hint = f"Fit one: python -m retriever fit-ranker {model} EXAMPLES."
        raise ModelError(f"The model in {model} has no learned ranker.", hint)
    return ranker


def factories() -> dict[str, Factory]:
    """All methods, in the order of the tables: what learns nothing, then the baselines, then ours."""
    first = ("random", "frequency", "bm25")
    names = [*first, *BASELINES, *(name for name in OURS if name not in first)]
    return {name: BASELINES.get(name) or OURS[name] for name in names}


def open_available(session: EvaluationSession) -> list[Method]:
    """All methods that are available here; why another is not is printed on standard error."""
    methods = []
    for name, make in factories().items():
        try:
            methods.append(make(session))
        except ModelError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return methods


def open_methods(session: EvaluationSession, names: Iterable[str]) -> list[Method]:
    """The methods of these names, ready. Raises BadSettings on an unknown name."""
    known = factories()
    chosen = list(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise BadSettings(f"There is no method {unknown[0]!r}.", f"The methods are: {', '.join(known)}.")
    return [known[name](session) for name in chosen]
