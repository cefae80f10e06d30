"""Pattern search: the statements of a shape, with these constants, with these parts in their names.

First come those whose conclusion is the shape, the shortest statements first, and of equally short ones those that
proofs use most. What is read is text: see `retriever.lean.patterns` and docs/pattern-search.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats
from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.errors import BadQuery
from lean_extract.records import Premise
from retriever.lean.eligibility import Allowed, RankedPremise
from retriever.lean.goal_context import GoalContext, notations_at
from retriever.lean.listing import SPARE, listed
from retriever.lean.patterns.matching import matching
from retriever.lean.patterns.query import NAME, Mentioned, PatternQuery, parse_pattern
from retriever.lean.patterns.trees import trees_of_premise
from retriever.lean.search_pool import SearchPool, search_pool
from retriever.lean.service import PremiseService
from retriever.lean.snapshot import Snapshot
from retriever.lean.words.name_search import NameSearch
from retriever.limits import MAX_STATEMENTS_READ
from retriever.search.index.structure_columns import TreeColumns
from retriever.search.top import top

_BY_USE = 0.02
"""The weight of the logarithm of a premise's uses in proofs, relative to its size."""
_READ_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """What a pattern search found."""

    premises: list[RankedPremise]
    """The first k, best first; scores compare within one answer."""
    count: int
    """How many statements match, before namespaces are compared."""
    unread: int
    """How many premises could not be compared, since the index has their names only, or an older version wrote it."""


def pattern_search(
    service: PremiseService,
    text: str,
    where: GoalContext | None = None,
    k: int = 32,
    *,
    allowed: Allowed | None = None,
) -> PatternMatches:
    """The k premises, of any kind, that meet a pattern (`parse_pattern`).

    Raises BadQuery: the text is no pattern, or has a name that no statement has; and what `PremiseService.reading`
    raises.
    """
    query = parse_pattern(text)
    with service.reading() as snapshot:
        offer = search_pool(snapshot, where, allowed, text)
        trees = [TreeColumns.of_rows(map(trees_of_premise, offer.own)), *_trees_of(snapshot)]
        _refuse_unknown(query, trees)
        can_compare = _has_trees(offer, trees) | query.is_of_names
        found, score = _scored(query, _shape_ways(snapshot, where, text, query), trees, offer)
        score = offer.internal_last(score)
        found &= offer.may_be_found & can_compare
        best = islice(_compatible(offer, query.mentioned, top(score, MAX_STATEMENTS_READ, found)), k + SPARE)
        premises = listed(offer.ranked_premises(list(best), score), where)[:k]
        return PatternMatches(premises, int(found.sum()), int((offer.may_be_found & ~can_compare).sum()))


def _trees_of(snapshot: Snapshot) -> list[TreeColumns]:
    return [segment.tables.trees or TreeColumns.empty(len(segment)) for segment in snapshot.view.segments]


def _has_trees(offer: SearchPool, trees: Sequence[TreeColumns]) -> Bools:
    segments = offer.snapshot.view.segments
    known = [np.full(len(segment), segment.tables.trees is not None) for segment in segments]
    return np.concatenate([np.ones(len(offer.own), dtype=np.bool_), *known])


def _refuse_unknown(query: PatternQuery, trees: Sequence[TreeColumns]) -> None:
    """Raise BadQuery for a name that no statement has."""
    for one in query.mentioned:
        if all(columns.find(one.symbol) is None for columns in trees):
            raise BadQuery(
                f"No statement that is indexed has `{one.name}` (column {one.column} of the pattern).",
                "Check the spelling; for any term write `_` or `?a`.",
            )


def _shape_ways(
    snapshot: Snapshot, where: GoalContext | None, text: str, query: PatternQuery
) -> list[PatternQuery]:
    """The pattern, and what it is with constants for its declared notations, and reversed."""
    known = notations_at(snapshot, where)
    others = [parse_pattern(text, write) for one in known for write in (one.spelled_out, one.noted)]
    return list(dict.fromkeys((query, *others)))


def _scored(
    query: PatternQuery, ways: Sequence[PatternQuery], trees: Sequence[TreeColumns], offer: SearchPool
) -> tuple[Bools, Floats]:
    """(bool[n], float32[n]): which statements meet the pattern in one of its ways, and how near they are to it."""
    found: list[Bools] = []
    scores: list[Floats] = []
    for columns in trees:
        check_cancelled()
        met = [matching(columns, way) for way in ways]
        found.append(np.logical_or.reduce([here for here, _ in met]))
        is_conclusion = np.logical_or.reduce([here & whole for here, whole in met])
        sizes = np.diff(columns.starts)
        share = np.where(sizes > 0, max(query.nodes, 1) / np.maximum(sizes, 1), 0.0)
        scores.append((is_conclusion + np.minimum(share, 1.0)).astype(np.float32))
    names = [_having(offer, part) for part in query.name_parts]
    uses = np.concatenate([np.zeros(len(offer.own), dtype=np.int32), offer.snapshot.view.uses])
    score = np.concatenate(scores) + (_BY_USE * np.log1p(uses)).astype(np.float32)
    return np.logical_and.reduce([np.concatenate(found), *names]), score


def _having(offer: SearchPool, part: str) -> Bools:
    """bool[n]: whose names have a part, in any case."""
    own = NameSearch.of_names(premise.name for premise in offer.own)
    return np.concatenate([search.holding(part) for search in (own, *offer.snapshot.searched_names)])


def _compatible(
    offer: SearchPool, mentioned: Sequence[Mentioned], numbers: npt.NDArray[np.int64]
) -> Iterator[int]:
    """The statements whose names may be those of the pattern, judging by their text."""
    dotted = [one.name for one in mentioned if "." in one.name]
    names = offer.snapshot.names

    def is_declared(name: str) -> bool:
        return bool(names.find_names([name])[0] >= 0)

    for position, number in enumerate(numbers.tolist()):
        check_cancelled()
        if dotted and position % _READ_AT_ONCE == 0:
            offer.prefetch(numbers[position : position + _READ_AT_ONCE].tolist())
        premise = offer.premise(number) if dotted else None
        if premise is None or all(_may_have(premise, name, is_declared) for name in dotted):
            yield number


def _may_have(premise: Premise, full: str, is_declared: Callable[[str], bool]) -> bool:
    """Whether a statement may have a constant of this full name, though it is written with less of it.

    `sin` may be `Real.sin`, and `Complex.sin` may not. In a premise of the namespace `Complex`, `sin` is
    `Complex.sin` if that is declared.
    """
    last = full.rpartition(".")[2]
    texts = (*premise.context, premise.conclusion)
    written = {name for text in texts for name in NAME.findall(text) if name.rpartition(".")[2] == last}
    if not written:  # a notation
        return True
    inside = premise.name.split(".")[:-1]
    nearest = (".".join((*inside[:end], last)) for end in range(len(inside), 0, -1))
    meant = next(filter(is_declared, nearest), full) if last in written else ""
    return meant == full or any(_may_be(name, full) for name in written if name != last)


def _may_be(name: str, full: str) -> bool:
    if name[:1].islower():  # `h.symm`: the namespace is that of the type of `h`
        return True
    return f".{full}".endswith(f".{name}") or name.endswith(f".{full}")
