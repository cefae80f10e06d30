"""Which of our hypotheses plays the part of each hypothesis that a neighbour's tactic mentions. Pure.

The neighbour's target is laid over ours, and its hypotheses' types over those of ours. Names that meet in the same
place, above all in types that are equal up to a renaming of variables, are taken for each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal
from lean_extract.source.budget import Budget
from lean_extract.syntax.inaccessible import DAGGER
from lean_extract.syntax.lexer import is_identifier
from prover.shapes import last_named, last_parts, symbols, tokens
from prover.terms import Term, parse

_UNKNOWN = "_"
"""The type of a hypothesis that is not known."""
_MOST_PARTS = 200
"""Nodes of two trees that are compared."""
_MOST_COMPARED = 64
"""Pairs of types that are compared for one tactic, the nearest hypotheses first."""
_MOST_WANTED = 12
"""Names of one tactic."""
_MOST_HYPOTHESES = 100
"""Hypotheses of a goal that are looked at, the nearest to the target; those that the target names are added."""
MOST_PAIRS = 20_000
"""Pairs of hypotheses that are looked at for all neighbours of a goal, the nearest neighbours first."""
_ALIKE = 0.25
"""The least likeness of two types whose names are taken for each other."""
_SAME_NAME, _SAME_PLACE, _LATER = 0.25, 0.6, 0.01
"""What is added to the likeness of two hypotheses: for equal names, for places in the targets that they share,
and for each hypothesis that stands before it."""


@dataclass(frozen=True, slots=True)
class Named:
    """A hypothesis's name with its type."""

    name: str
    tokens: tuple[str, ...]
    term: Term
    symbols: frozenset[str]
    """The last parts of the names, and the operators, of the type that are no names of the context."""

    @property
    def is_known(self) -> bool:
        """Whether its type is known."""
        return self.tokens != (_UNKNOWN,)


@dataclass(frozen=True, slots=True)
class ContextView:
    """What is compared of a goal: its target, and its accessible hypotheses."""

    target: Term
    hypotheses: tuple[Named, ...]
    local: frozenset[str]

    @classmethod
    def of(cls, goal: Goal, others: Iterable[str] = ()) -> ContextView:
        """The view of a goal. `others`: further names of its context, whose types are not known."""
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        local |= frozenset(others)
        named = frozenset(token.partition(".")[0] for token in tokens(goal.target))
        hypotheses = last_named(goal)
        found = []
        for place, hypothesis in enumerate(hypotheses, start=_MOST_HYPOTHESES - len(hypotheses)):
            if place < 0 and named.isdisjoint(hypothesis.names):
                continue
            parts = tokens(hypothesis.type)
            term = parse(parts, frozenset(), local)
            own = last_parts(symbols(parts, local))
            found += [Named(name, parts, term, own) for name in hypothesis.names if DAGGER not in name]
        target = parse(tokens(goal.target), frozenset(), local)
        return cls(target, tuple(found), local)


def meanings(theirs: ContextView, ours: ContextView, wanted: Sequence[str], pairs: Budget) -> dict[str, str]:
    """Our name for each wanted name of a neighbour's context; those that nothing fits are left out.

    Each of ours is taken at most once. `pairs`: how many more of theirs and ours may be compared.
    """
    comparison = _Comparison(theirs, ours)
    chances: list[tuple[float, str, str]] = []
    for name in wanted[:_MOST_WANTED]:
        if not pairs.take(len(ours.hypotheses)):
            break
        for position, mine in enumerate(reversed(ours.hypotheses)):
            fit = comparison.fit(name, mine) - _LATER * min(position, 10)
            if fit >= _ALIKE:
                chances.append((fit, name, mine.name))
    chances.sort(key=lambda chance: -chance[0])
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, name, mine_name in chances:
        if name not in found and mine_name not in taken:
            found[name] = mine_name
            taken.add(mine_name)
    return found


class _Comparison:
    """How well our hypotheses play the parts of theirs. The number of types that are compared is bounded."""

    def __init__(self, theirs: ContextView, ours: ContextView) -> None:
        self._theirs, self._ours = theirs, ours
        self._typed = {one.name: one for one in theirs.hypotheses}
        self._places = _overlaid(theirs, ours)
        self._left = _MOST_COMPARED

    def fit(self, name: str, mine: Named) -> float:
        """How well our hypothesis plays the part of theirs; 0 if not at all."""
        met = self._places.get(name)
        shared = met[mine.name] / met.total() if met else 0.0
        bonus = _SAME_PLACE * shared + _SAME_NAME * (name == mine.name)
        known = self._typed.get(name)
        if known is None or not known.is_known:
            return bonus
        likeness = self._likeness(known, mine)
        return likeness + bonus if likeness > 0 or shared > 0 else 0.0

    def _likeness(self, one: Named, other: Named) -> float:
        """How alike two types are, 0 to 1: 1 if they are equal up to renaming, and the names meet in the targets."""
        if one.symbols == other.symbols and self._left > 0:
            self._left -= 1
            meeting: list[tuple[str, str]] = []
            if _overlay(one.term, other.term, self._theirs.local, self._ours.local, meeting):
                agreed = [self._places[name][mine] > 0 for name, mine in meeting if name in self._places]
                return 0.75 + 0.25 * (sum(agreed) / len(agreed) if agreed else 0.5)
        every = one.symbols | other.symbols
        share = len(one.symbols & other.symbols) / len(every) if every else 0.0
        outer = 0.25 if (one.term.head, one.term.kind) == (other.term.head, other.term.kind) else 0.0
        return 0.5 * share + outer


def _overlaid(theirs: ContextView, ours: ContextView) -> dict[str, Counter[str]]:
    """How often each of their names meets each of ours in the targets."""
    meeting: list[tuple[str, str]] = []
    _overlay(theirs.target, ours.target, theirs.local, ours.local, meeting)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, mine in meeting:
        found[name][mine] += 1
    return found


def _overlay(
    one: Term,
    other: Term,
    theirs: frozenset[str],
    ours: frozenset[str],
    meeting: list[tuple[str, str]],
) -> bool:
    """Lay a tree over another, and collect the names of the contexts that meet.

    Returns whether the trees are equal up to a renaming of these names.
    """
    waiting = [(one, other)]
    is_same = True
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        left, right = waiting.pop()
        if left.head in theirs and left.kind == "name":
            if right.head in ours and right.kind == "name" and len(left.args) == len(right.args):
                meeting.append((left.head, right.head))
            else:
                is_same = False
        elif not _same_head(left, right):
            is_same = False
        if len(left.args) == len(right.args):
            waiting += zip(left.args, right.args, strict=True)
        else:
            is_same = False
    renaming: dict[str, str] = {}
    for name, mine in meeting:
        is_same = is_same and renaming.setdefault(name, mine) == mine
    return is_same and not waiting


def _same_head(one: Term, other: Term) -> bool:
    """Whether two heads are equal; names are compared without their namespaces."""
    if one.kind != other.kind:
        return False
    is_name = one.kind == "name" and is_identifier(one.head)
    return one.head == other.head or (
        is_name and one.head.rpartition(".")[2] == other.head.rpartition(".")[2]
    )
