"""The features that the learned ranker reads: those of the fusion, and those below, relative to all candidates.

| group | what |
|---|---|
| votes | what the proofs of near theorems use: `retriever.lean.ranker.votes` |
| dense, lexical | scores of the goal's target alone, and ranks and distances among the candidates |
| structure | how a premise could be used on the goal: `retriever.lean.ranker.patterns` |
| matches | how much of the goal it matches: `retriever.lean.ranker.matches` |
| names | the parts of a premise's name against the goal's tokens |
| place | what proofs of the same place use: `retriever.lean.ranker.place` |
| kinds | what a premise is, where it is no theorem: `retriever.lean.ranker.kinds` |
| caller | the tactic that premises are for: `retriever.lean.callers`; the same for all candidates |
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats
from retriever.lean.callers import CALLERS, Caller
from retriever.lean.features import FEATURES, CandidateColumns, ranks
from retriever.lean.ranker.kinds import KIND_COLUMNS
from retriever.lean.ranker.matches import MATCHES, best_match
from retriever.lean.ranker.patterns import PATTERNS
from retriever.lean.ranker.place import PLACE, USES, declaration_gaps
from retriever.lean.ranker.votes import VOTES
from retriever.lean.tokens import name_parts

_RELATIVE = (
    "votes_share",  # votes_512 by the most that a candidate has
    "votes_lift",  # votes_512 / sqrt(1 + how many training proofs use it)
    "votes_log_rank",
    "used_together",  # ln(1 + how often it is used with the candidates that have most votes)
    "together_lift",
    "dense_log_rank",
    "dense_gap",  # cosine less the best candidate's
    "dense_deviation",  # cosine in standard deviations above the candidates' mean
    "dense_target",  # cosine of the target without hypotheses
    "tower",  # cosine of the state as the state tower reads it; `dense` where the model has no tower
    "tower_log_rank",
    "tower_gap",
    "tower_deviation",
    "lexical_score",  # BM25, not divided
    "lexical_log_rank",
    "target_lexical",  # BM25 of the target alone, by the best candidate's
    "target_lexical_log_rank",
    "target_overlap",  # MePo's measure with the target's tokens alone
    "rarest_shared",  # the largest idf of a token that goal and premise share
    "hypotheses_fit",
    "assumed_fit",
    "name_parts",
    "name_missing",  # how many parts of the name are no tokens of the goal
    "name_target",  # share of the name's parts among the target's tokens
    *(name.replace("uses", "lift") for name in USES),  # a count by place / sqrt(1 + how many proofs use it)
    "declaration_gap",  # 1 / (1 + declarations between it and the goal) above the goal in the open file
    "match_log_rank",  # by the most that it matches of the target; 0 for what matches nothing
    "match_known_log_rank",  # the same for the hypotheses
)
_CALLERS = tuple(f"caller_{name}" for name in CALLERS if name)
RANKER_FEATURES = (*FEATURES, *VOTES, *PATTERNS, *MATCHES, *PLACE, *KIND_COLUMNS, *_RELATIVE, *_CALLERS)
"""The names of the columns, in order."""


@dataclass(frozen=True, slots=True)
class RankerColumns:
    """Further columns over n candidates, parallel to `CandidateColumns`."""

    votes: Floats
    """float32[n, len(VOTES)]"""
    patterns: Floats
    """float32[n, len(PATTERNS)]"""
    matches: Floats
    """float32[n, len(MATCHES)]"""
    place: Floats
    """float32[n, len(PLACE)], counts as they are."""
    kinds: Floats
    """float32[n, len(KIND_COLUMNS)]"""
    dense_target: Floats
    """float32[n], like all below: cosine of the goal's target alone."""
    tower: Floats
    target_lexical: Floats
    target_overlap: Floats
    rarest_shared: Floats


@dataclass(frozen=True, slots=True)
class RankerQuestion:
    """What the features need to know of the question."""

    goal_tokens: Set[str]
    """The lexical tokens of target and hypotheses."""
    target_tokens: Set[str]
    """Those of the target alone."""
    lines: npt.NDArray[np.int64]
    """int64[k], ascending: where the declarations above the goal in its file begin."""
    caller: Caller = ""


def ranker_features(
    table: Floats,
    candidates: CandidateColumns,
    further: RankerColumns,
    together: Floats,
    question: RankerQuestion,
) -> Floats:
    """float32[n, len(RANKER_FEATURES)].

    Args:
        table: float32[n, len(FEATURES)], the fusion's.
        candidates: the columns it was made of.
        further: the other columns.
        together: float32[n], how often each is used with the candidates that have most votes.
        question: what does not depend on the candidates.
    """
    votes = further.votes[:, VOTES.index("votes_512")]
    rarity = np.sqrt(1.0 + candidates.use_count)
    dense, lexical = candidates.dense, candidates.lexical
    parts = [name_parts(name) for name in candidates.names]
    is_near = table[:, FEATURES.index("same_module")] > 0
    columns = {
        "votes_share": votes / max(float(votes.max(initial=0.0)), 1e-6),
        "votes_lift": votes / rarity,
        "votes_log_rank": _log_rank(votes),
        "used_together": np.log1p(together),
        "together_lift": together / rarity,
        "dense_log_rank": _log_rank(dense),
        "dense_gap": _gap(dense),
        "dense_deviation": _deviation(dense),
        "dense_target": further.dense_target,
        "tower": further.tower,
        "tower_log_rank": _log_rank(further.tower),
        "tower_gap": _gap(further.tower),
        "tower_deviation": _deviation(further.tower),
        "lexical_score": lexical,
        "lexical_log_rank": _log_rank(lexical),
        "target_lexical": further.target_lexical / max(float(further.target_lexical.max(initial=0.0)), 1e-6),
        "target_lexical_log_rank": _log_rank(further.target_lexical),
        "target_overlap": further.target_overlap,
        "rarest_shared": further.rarest_shared,
        "hypotheses_fit": candidates.fit.hypotheses,
        "assumed_fit": candidates.fit.assumed,
        "name_parts": [len(one) for one in parts],
        "name_missing": [sum(part not in question.goal_tokens for part in one) for one in parts],
        "name_target": _share(parts, question.target_tokens),
        **_lifts(further.place, rarity),
        "declaration_gap": declaration_gaps(question.lines, candidates.lines, is_near),
        "match_log_rank": _match_rank(further.matches, is_known=False),
        "match_known_log_rank": _match_rank(further.matches, is_known=True),
    }
    relative = np.stack([np.asarray(columns[name], dtype=np.float32) for name in _RELATIVE], axis=1)
    place = np.log1p(further.place)
    callers = np.tile(
        np.array([name == question.caller for name in CALLERS if name], np.float32), (len(table), 1)
    )
    parts_of = [
        *(table, further.votes, further.patterns, further.matches),
        *(place, further.kinds, relative, callers),
    ]
    return np.concatenate(parts_of, axis=1, dtype=np.float32)


def _lifts(place: Floats, rarity: Floats) -> dict[str, Floats]:
    return {name.replace("uses", "lift"): place[:, PLACE.index(name)] / rarity for name in USES}


def _log_rank(scores: Floats) -> Floats:
    return -np.log1p(ranks(scores)).astype(np.float32)


def _match_rank(matches: Floats, *, is_known: bool) -> Floats:
    best = best_match(matches, is_known=is_known)
    return np.where(best > 0, 1.0 / (1.0 + np.log1p(ranks(best))), 0.0).astype(np.float32)


def _gap(scores: Floats) -> Floats:
    return scores - scores.max() if len(scores) else scores


def _deviation(scores: Floats) -> Floats:
    return (scores - scores.mean()) / (scores.std() + 1e-6) if len(scores) else scores


def _share(parts: Sequence[Sequence[str]], wanted: Set[str]) -> list[float]:
    return [sum(part in wanted for part in one) / max(len(one), 1) for one in parts]
