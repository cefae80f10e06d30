"""Which of the ranked premises are listed, in which order: copies once, what is deprecated after its replacement.

A course has its exercises twice: unproved, and in a file of solutions. Both are premises to everybody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lean_extract.common.arrays import Bools, Floats
from lean_extract.records import Premise
from lean_extract.syntax.dotted import undotted
from retriever.lean.eligibility import RankedPremise
from retriever.lean.goal_context import GoalContext
from retriever.lean.tokens import raw_tokens

SPARE = 16
"""How many more premises than requested are ranked, since some are left out."""
_PROVED = frozenset(("theorem", "lemma"))


def listed(ranked: Sequence[RankedPremise], where: GoalContext | None) -> list[RankedPremise]:
    """The premises to list, best first.

    If a lemma has unproved copies, the lemma is listed, at the place of the best; if all are unproved, the first. A
    copy of the declaration that is being proved is not the first.
    """
    return _not_itself_first(_replacements_first(_once(ranked)), where)


def with_proved_first(names: Sequence[str], scores: Floats, unproved: Bools) -> Floats:
    """float32[n]: the scores, where of one name a proved declaration has the best, and the unproved ones less.

    Args:
        names: of n candidates.
        scores: float32[n].
        unproved: bool[n], whose own text has a `sorry`.
    """
    waiting = {names[number] for number in np.flatnonzero(unproved).tolist()}
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        if name in waiting:
            places.setdefault(name, []).append(number)
    scores = scores.copy()
    for same in places.values():
        if len(same) > 1:
            best = scores[same].max()
            scores[same] = np.where(unproved[same], np.nextafter(best, np.float32(-np.inf)), best)
    return scores


def without_replaced(premises: Sequence[Premise]) -> list[Premise]:
    """The premises without the deprecated ones whose replacement is among them."""
    replaced = _replaced(premises)
    return [premise for number, premise in enumerate(premises) if number not in replaced]


def _once(ranked: Sequence[RankedPremise]) -> list[RankedPremise]:
    left_out: set[int] = set()
    moved: dict[int, int] = {}
    for group in _copies([one.premise for one in ranked]):
        proved = [number for number in group if not ranked[number].premise.has_sorry]
        kept = proved or group[:1]
        moved[group[0]] = kept[0]
        left_out.update(group[1:] if len(proved) < 2 else {*group[1:]} - {*kept[1:]})
    return [
        replace(ranked[moved.get(number, number)], score=one.score)
        for number, one in enumerate(ranked)
        if number not in left_out
    ]


def _copies(premises: Sequence[Premise]) -> list[list[int]]:
    """The theorems of one last name and statement, if there are several and one is not proved."""
    by_name: dict[str, list[int]] = {}
    for number, premise in enumerate(premises):
        if premise.conclusion and premise.kind in _PROVED:
            by_name.setdefault(_last(premise.name), []).append(number)
    found: dict[object, list[int]] = {}
    for name, numbers in by_name.items():
        if len(numbers) > 1 and any(premises[number].has_sorry for number in numbers):
            for number in numbers:
                found.setdefault((name, _statement(premises[number])), []).append(number)
    return [
        group
        for group in found.values()
        if len(group) > 1 and any(premises[number].has_sorry for number in group)
    ]


def _replacements_first(ranked: Sequence[RankedPremise]) -> list[RankedPremise]:
    replaced = _replaced([one.premise for one in ranked])
    places = [
        (max(number, replaced.get(number, number)), number in replaced) for number in range(len(ranked))
    ]
    order = sorted(range(len(ranked)), key=lambda number: places[number])
    scores = [ranked[place].score for place, _ in places]
    return [replace(ranked[number], score=scores[number]) for number in order]


def _replaced(premises: Sequence[Premise]) -> dict[int, int]:
    """For each deprecated premise whose replacement is among these, where that is."""
    old = [number for number, premise in enumerate(premises) if premise.is_deprecated]
    if not old:
        return {}
    current = {
        premise.name: number
        for number, premise in reversed([*enumerate(premises)])
        if not premise.is_deprecated
    }
    stated = {
        _statement(premises[number]): number
        for number in sorted(current.values(), reverse=True)
        if premises[number].conclusion
    }
    found = {}
    for number in old:
        premise = premises[number]
        named = (current[name] for name in replacements(premise) if name in current)
        place = next(named, None)
        if place is None and premise.conclusion:
            place = stated.get(_statement(premise))
        if place is not None:
            found[number] = place
    return found


def replacements(premise: Premise) -> list[str]:
    """The full names that the replacement of a premise may have, the nearest namespace first."""
    inside = premise.name.split(".")[:-1]
    if not premise.replacement:
        return []
    return [".".join([*inside[:end], premise.replacement]) for end in range(len(inside), -1, -1)]


def _not_itself_first(ranked: list[RankedPremise], where: GoalContext | None) -> list[RankedPremise]:
    if where is None or where.theorem is None:
        return ranked
    declared = where.source.premises if where.source is not None else where.local
    proved = next((premise for premise in declared if premise.name == where.theorem), None)
    rest = [one for one in ranked if one.premise.name != where.theorem]
    if proved is None or not proved.conclusion:
        return rest
    copies = 0
    while copies < len(rest) and _is_copy(rest[copies].premise, proved):
        copies += 1
    if not copies or copies == len(rest):
        return rest
    first = replace(rest[copies], score=rest[0].score)
    return [first, *rest[:copies], *rest[copies + 1 :]]


def _is_copy(one: Premise, other: Premise) -> bool:
    return _last(one.name) == _last(other.name) and _statement(one) == _statement(other)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _statement(premise: Premise) -> tuple[str, ...]:
    """A statement's tokens, equal for those that are written in other namespaces or in dot notation."""
    return tuple(_last(token) or token for token in undotted(raw_tokens(premise.statement)))
