"""Why a premise has its score: what each group of features adds to it.

A group's contribution is found by occlusion (Zeiler and Fergus 2014): the premise's score, less the score that it
has when the group's features are set to their medians over all candidates. The features of a group can replace
each other, so the effect of one alone would be hidden by the others. In a weighted sum contributions are exact: weight
times distance from the median. In trees they depend on each other, and need not add up to the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Protocol

import numpy as np

from lean_extract.common.arrays import Floats, Ids

GROUPS = {
    "meaning": "dense dense_* tower tower_*",
    "words": "lexical lexical_* target_lexical target_lexical_* target_overlap symbol_overlap rarest_shared",
    "proofs": "neighbours votes_* user_* named_votes",
    "together": "used_together together_*",
    "shape": (
        "instance exact_match assumed assumed_* hypotheses_* structure_overlap foreign_types head left_* right_* "
        "is_equation is_equivalence rewrites conclusion_weight match_*"
    ),
    "name": "name_* theorem_name",
    "use": "use_count use_count_*",
    "place": (
        "used_nearby last_use same_* line_distance declaration_gap directory_* folder_* namespace_* import_*"
    ),
    "kind": "kind_* caller_*",
    "scope": "in_scope",
}
"""The features of each group, `*` for the rest of a name; of several groups that match, the first counts."""
RERANKER = "reranker"
"""The group of what the re-ranker adds."""
OTHER = "other"
"""The group of a feature that is in no other one."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a group of features adds to a premise's score; negative where it takes away."""

    group: str
    amount: float


Explanation = tuple[Contribution, ...]
"""One contribution of each group, the largest first."""


class Scorer(Protocol):
    """What makes scores of features: a weighted sum, or trees."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns."""

    def score(self, matrix: Floats, /) -> Floats:
        """float32[n]: the score of each row."""


@dataclass(frozen=True, slots=True)
class ScoredTable:
    """n candidates as they were scored."""

    scorer: Scorer
    rows: Floats
    """float32[n, len(scorer.features)]"""


def group_of(feature: str) -> str:
    """The group of a feature by its name."""
    for group, patterns in GROUPS.items():
        if any(fnmatchcase(feature, pattern) for pattern in patterns.split()):
            return group
    return OTHER


def explanations(tables: Sequence[ScoredTable], chosen: Ids) -> list[Explanation]:
    """The explanation of each chosen candidate.

    Args:
        tables: the candidates, in parts.
        chosen: int64[k], positions in the concatenation of all parts.
    """
    found: dict[int, Explanation] = {}
    first = 0
    for table in tables:
        end = first + len(table.rows)
        here = chosen[(first <= chosen) & (chosen < end)]
        found.update(zip(here.tolist(), _explained(table, here - first), strict=True))
        first = end
    return [found[position] for position in chosen.tolist()]


def with_reranker(explanation: Explanation, amount: float) -> Explanation:
    """The explanation with what the re-ranker added; an empty one, where none was requested, stays empty."""
    return _largest_first([*explanation, Contribution(RERANKER, amount)]) if explanation else ()


def _largest_first(contributions: Iterable[Contribution]) -> Explanation:
    return tuple(sorted(contributions, key=lambda one: -one.amount))


def _explained(table: ScoredTable, chosen: Ids) -> list[Explanation]:
    """The explanations of k rows; the scorer is called once, for k * (1 + number of groups) rows."""
    if not len(chosen):
        return []
    groups = _columns(table.scorer.features)
    medians = np.median(table.rows, axis=0).astype(np.float32)
    batch = np.repeat(table.rows[chosen][None], 1 + len(groups), axis=0)
    for rows, (_, columns) in zip(batch[1:], groups, strict=True):
        rows[:, columns] = medians[list(columns)]
    scores = table.scorer.score(batch.reshape(-1, table.rows.shape[1])).reshape(len(batch), len(chosen))
    amounts = (scores[0] - scores[1:]).astype(np.float64).T.tolist()
    names = [name for name, _ in groups]
    return [_largest_first(map(Contribution, names, row)) for row in amounts]


@lru_cache(maxsize=8)
def _columns(features: tuple[str, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Each group that has any of the features, with their columns."""
    groups = [group_of(name) for name in features]
    return tuple(
        (group, tuple(at for at, one in enumerate(groups) if one == group))
        for group in (*GROUPS, OTHER)
        if group in groups
    )
