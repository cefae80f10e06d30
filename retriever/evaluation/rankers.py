"""The rankings that are held against each other; each gives the first candidates of a question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from retriever import fusion
from retriever.evaluation.pool import Bools, Floats, Ints, Pool, Question
from retriever.fusion import Candidates, Fusion, Place
from retriever.lexical import goal_tokens

Setting = Literal["state", "place", "importable"]
"""What is known and offered: the state alone and everything; its place too and everything; its place, and
only what can be used there."""
METHODS = ("random", "frequency", "bm25", "dense", "fused")
DEPTH = 1000
"""How many places of a ranking are looked at (for the reciprocal rank)."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A question with its raw scores over the pool; what may not be offered has -inf."""

    question: Question
    setting: Setting
    dense: Floats
    lexical: Floats
    allowed: Bools
    importable: Bools
    tokens: frozenset[str]


def score(pool: Pool, vectors: Floats, state: Floats, question: Question) -> Scored:
    """Dense and lexical scores of a question over the pool [n]; `vectors` is [n, d], `state` [d]."""
    tokens = frozenset(goal_tokens(question.goal))
    allowed = pool.offered(question)
    dense, lexical = _only(vectors @ state, allowed), _only(pool.bm25.scores(tokens), allowed)
    return Scored(question, "state", dense, lexical, allowed, pool.importable(question), tokens)


def in_setting(scored: Scored, setting: Setting) -> Scored:
    """The same question asked in a setting; `scored` is as `score` gave it."""
    if setting != "importable":
        return replace(scored, setting=setting)
    allowed = scored.allowed & scored.importable
    dense, lexical = _only(scored.dense, allowed), _only(scored.lexical, allowed)
    return replace(scored, setting=setting, allowed=allowed, dense=dense, lexical=lexical)


def ranking(method: str, pool: Pool, scored: Scored, weights: Fusion, seed: int) -> Ints:
    """The best candidates under a method, at most DEPTH. Raises KeyError on an unknown method."""
    if method == "fused":
        numbers = candidates(scored, weights)
        return numbers[fusion.top(weights.score(features(pool, scored, numbers)), DEPTH)]
    if method == "random":
        scores = np.random.default_rng(seed).random(len(pool), dtype=np.float32)
    else:
        frequency = pool.use_counts.astype(np.float32)
        scores = {"frequency": frequency, "bm25": scored.lexical, "dense": scored.dense}[method]
    return fusion.top(_only(scores, scored.allowed), DEPTH)


def candidates(scored: Scored, weights: Fusion) -> Ints:
    """The union of the two top lists, ascending; as the service draws them.

    Where the place is known and everything is offered, what can be used there has lists of its own.
    """
    filters = [scored.allowed]
    if scored.setting == "place":
        filters.append(scored.allowed & scored.importable)
    found = []
    for allowed in filters:
        found.append(fusion.top(_only(scored.dense, allowed), weights.dense_candidates))
        shared = allowed & (scored.lexical > 0)
        found.append(fusion.top(_only(scored.lexical, shared), weights.lexical_candidates))
    return np.unique(np.concatenate(found))


def _only(scores: Floats, allowed: Bools) -> Floats:
    return np.where(allowed, scores, -np.inf).astype(np.float32)


def features(pool: Pool, scored: Scored, numbers: Ints) -> Floats:
    """[len(numbers), len(FEATURES)] as `retriever.fusion` defines them."""
    known = scored.setting != "state"
    question = scored.question
    place = Place(scored.tokens, question.module if known else None, question.namespace if known else None)
    in_scope = scored.importable[numbers] if known else np.full(len(numbers), 0.5)
    return fusion.features(
        place,
        Candidates(
            names=[pool.names[number] for number in numbers],
            modules=[pool.modules[number] for number in numbers],
            dense=scored.dense[numbers],
            lexical=scored.lexical[numbers],
            use_count=pool.use_counts[numbers].astype(np.int32),
            in_scope=np.asarray(in_scope, dtype=np.float32),
        ),
    )
