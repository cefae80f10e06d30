"""A neighbour's tactic rewritten for our goal, with our hypotheses in the place of those that it mentions. Pure.

The neighbour's target is laid over ours, and its hypotheses' types over those of ours. Names that meet in the same
place, above all in types that are equal up to a renaming of variables, are taken for each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, NearStep
from lean_extract.source.budget import Budget
from lean_extract.syntax.inaccessible import DAGGER
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from prover.limits import (
    MAX_ADAPTED_HYPOTHESES,
    MAX_NAMES_OF_A_TACTIC,
    MAX_TREE_NODES,
    MAX_TYPE_PAIRS,
)
from prover.shapes import last_named, last_parts, symbols, tokens
from prover.terms import Term, parse

_BINDING = frozenset(
    ("intro", "intros", "rintro", "ext", "ext1", "funext", "obtain", "fun", "λ", "by_contra", "by_contra!",
     "choose", "rename_i", "with", "have", "let", "set", "by_cases")
)  # fmt: skip
"""Words after which names are introduced."""
_ENDING = frozenset(("=>", "↦", ":=", ":", "at", "using", ",", "]", "from", "by", "in", "generalizing"))
"""Tokens after which names are no longer introduced."""
_FUNCTIONS = frozenset(
    ("exact", "refine", "refine'", "apply", "simpa", "convert", "rwa", "rw", "have", "calc")
)
_STATING = frozenset(("have", "haveI", "replace", "suffices", "obtain"))
"""First words of tactics that state something, where nothing can be left open."""
_MOST_FRESH = 20


@dataclass(frozen=True, slots=True)
class Adapted:
    """A tactic for our goal, and what became of the neighbour's."""

    tactic: str
    mentioned: int
    """How many names of its context the neighbour's tactic mentions."""
    mapped: int
    """How many of these have one of ours."""

    @property
    def share(self) -> float:
        """How many of the names have one of ours, as a share; 1 without names."""
        return self.mapped / self.mentioned if self.mentioned else 1.0


def adapted(step: NearStep, theirs: ContextView, ours: ContextView, pairs: Budget) -> Adapted | None:
    """The neighbour's tactic with our hypotheses in place of its own; None where one that it needs has no match.

    An argument that nothing fits is left open (`_`, or `?_` in `refine`). `pairs`: see `_meanings`.
    """
    texts = raw_tokens(step.tactic)
    if not texts:
        return None
    introduced = introduced_at(texts)
    mentioned = dict.fromkeys(
        name
        for position, text in enumerate(texts)
        if position not in introduced and (name := text.rstrip().split(".")[0]) in theirs.local
    )
    ours_for = _meanings(theirs, ours, list(mentioned), pairs) if mentioned else {}
    fresh = _fresh(texts, introduced, ours.local)
    stated = _stated_at(texts)
    hole = "?_" if texts[0].rstrip() in ("refine", "refine'") else "_"
    written: list[str] = []
    for position, raw in enumerate(texts):
        token = raw.rstrip()
        first, dot, rest = token.partition(".")
        if position in introduced:
            written.append(fresh.get(first, first) + raw[len(first) :])
        elif first in mentioned and first in ours_for:
            written.append(ours_for[first] + dot + rest + raw[len(token) :])
        elif first in mentioned:
            if dot or position in stated or not _is_argument(texts, position):
                return None
            written.append(hole + raw[len(token) :])
        else:
            written.append((fresh[first] + raw[len(first) :]) if first in fresh else raw)
    return Adapted("".join(written), len(mentioned), len(ours_for))


def introduced_at(texts: Sequence[str]) -> frozenset[int]:
    """The positions of the tokens that introduce names (`x` in `intro x`, `a` in `obtain ⟨a, b⟩ := h`), and of those
    that mention them on further lines."""
    found: set[int] = set()
    above, names = set[str](), set[str]()
    is_open, is_nested = False, 0
    for position, raw in enumerate(texts):
        token = raw.rstrip()
        if position and "\n" in texts[position - 1]:
            above, is_open = above | names, False
        if token.partition(".")[0] in above:
            found.add(position)
        elif token in _BINDING:
            is_open, is_nested = True, 0
        elif not is_open:
            continue
        elif token in ("⟨", "("):
            is_nested += 1
        elif token in ("⟩", ")"):
            is_nested -= 1
            is_open = is_nested >= 0
        elif token in _ENDING and not (token == "," and is_nested):
            is_open = token == ":" and is_nested > 0
        elif is_identifier(token) and token not in ("rfl", "_") and "." not in token:
            found.add(position)
            names.add(token)
    return frozenset(found)


def _stated_at(texts: Sequence[str]) -> range:
    """The positions of what `have h : p` states; none of another tactic."""
    plain = [raw.rstrip() for raw in texts]
    if plain[0] not in _STATING or ":" not in plain:
        return range(0)
    begin = plain.index(":")
    return range(begin, next((at for at, one in enumerate(plain) if at > begin and one == ":="), len(plain)))


def _fresh(texts: Sequence[str], introduced: frozenset[int], local: frozenset[str]) -> dict[str, str]:
    """A new name for each introduced one that would hide one of ours."""
    found: dict[str, str] = {}
    names = dict.fromkeys(texts[position].rstrip() for position in sorted(introduced))
    for name in names:
        if name in local:
            found[name] = next(
                (new for i in range(1, _MOST_FRESH) if (new := name + _subscript(i)) not in local), name
            )
    return found


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def _is_argument(texts: Sequence[str], position: int) -> bool:
    """Whether the token is an argument of what comes before it, so that `_` can take its place."""
    if not position:
        return False
    before = texts[position - 1].rstrip()
    if before in (")", "⟩", "_", "?_"):
        return True
    return is_identifier(before) and before not in _FUNCTIONS and before not in ("at", "using", "with")


_UNKNOWN = "_"
"""The type of a hypothesis that is not known."""
_ALIKE = 0.25
"""The least likeness of two types whose names are taken for each other."""
_SAME_NAME, _SAME_PLACE, _LATER = 0.25, 0.6, 0.01
"""What is added to the likeness of two hypotheses: for equal names, for places in the targets that they share,
and for each hypothesis before it."""


@dataclass(frozen=True, slots=True)
class _Named:
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
    hypotheses: tuple[_Named, ...]
    local: frozenset[str]

    @classmethod
    def of(cls, goal: Goal, others: Iterable[str] = ()) -> ContextView:
        """The view of a goal. `others`: further names of its context, whose types are not known."""
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        local |= frozenset(others)
        named = frozenset(token.partition(".")[0] for token in tokens(goal.target))
        hypotheses = last_named(goal)
        found = []
        for place, hypothesis in enumerate(hypotheses, start=MAX_ADAPTED_HYPOTHESES - len(hypotheses)):
            if place < 0 and named.isdisjoint(hypothesis.names):
                continue
            parts = tokens(hypothesis.type)
            term = parse(parts, frozenset(), local)
            own = last_parts(symbols(parts, local))
            found += [_Named(name, parts, term, own) for name in hypothesis.names if DAGGER not in name]
        target = parse(tokens(goal.target), frozenset(), local)
        return cls(target, tuple(found), local)


def _meanings(theirs: ContextView, ours: ContextView, wanted: Sequence[str], pairs: Budget) -> dict[str, str]:
    """Our name for each wanted name of a neighbour's context; those that nothing fits are left out.

    Each of ours is taken at most once. `pairs`: how many more of theirs and ours may be compared.
    """
    comparison = _Comparison(theirs, ours)
    chances: list[tuple[float, str, str]] = []
    for name in wanted[:MAX_NAMES_OF_A_TACTIC]:
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
        self._left = MAX_TYPE_PAIRS

    def fit(self, name: str, mine: _Named) -> float:
        """How well our hypothesis plays the part of theirs; 0 if not at all."""
        met = self._places.get(name)
        shared = met[mine.name] / met.total() if met else 0.0
        bonus = _SAME_PLACE * shared + _SAME_NAME * (name == mine.name)
        known = self._typed.get(name)
        if known is None or not known.is_known:
            return bonus
        likeness = self._likeness(known, mine)
        return likeness + bonus if likeness > 0 or shared > 0 else 0.0

    def _likeness(self, one: _Named, other: _Named) -> float:
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
    for _ in range(MAX_TREE_NODES):
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
