"""Which declarations a printed goal mentions, judged by the names in it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Premise
from prover.limits import MAX_RANKED_DEFINITIONS
from prover.shapes import last_named, symbols, tokens

DEFINITIONS = 64
"""How many definitions are ranked, to find those that the goal mentions."""
_LIKELY = 6
"""This many of the best are tried in tactics even if the goal does not mention them: constructors may prove it."""


def means(premise: Premise, symbol: str) -> bool:
    """Whether a printed symbol (`prover.shapes.symbols`) may be the premise's name.

    Lean leaves out open namespaces (`Injective`), and writes `Set.univ.card` for `Finset.card Set.univ`.
    """
    name = premise.written
    if symbol == name or name.endswith(f".{symbol}"):
        return True
    owner, _, last = symbol.rpartition(".")
    if not owner or name.rpartition(".")[2] != last:
        return False
    return not owner.rpartition(".")[2][:1].isupper()


class GoalNames:
    """The symbols of a goal's target and of its hypotheses; of very many hypotheses the last ones are read."""

    def __init__(self, goal: Goal) -> None:
        self._local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        self._target = self._by_last_part([goal.target])
        self._hypotheses = self._by_last_part(one.type for one in last_named(goal))

    @property
    def symbols(self) -> frozenset[str]:
        """All of them."""
        parts = (*self._target.values(), *self._hypotheses.values())
        return frozenset(symbol for alike in parts for symbol in alike)

    def _by_last_part(self, texts: Iterable[str]) -> dict[str, list[str]]:
        by_last: dict[str, list[str]] = {}
        for symbol in frozenset[str]().union(*(symbols(tokens(text), self._local) for text in texts)):
            by_last.setdefault(symbol.rpartition(".")[2], []).append(symbol)
        return by_last

    def in_target(self, premise: Premise) -> bool:
        """Whether the target mentions the premise."""
        return self._mentioned(premise, self._target)

    def in_hypotheses(self, premise: Premise) -> bool:
        """Whether a hypothesis does."""
        return self._mentioned(premise, self._hypotheses)

    def _mentioned(self, premise: Premise, by_last: dict[str, list[str]]) -> bool:
        alike = by_last.get(premise.written.rpartition(".")[2], ())
        return any(means(premise, symbol) for symbol in alike)


def definitions_to_try(goal: Goal, definitions: Sequence[Premise]) -> list[Premise]:
    """The definitions that the goal mentions, and the best few of the others, in the same order."""
    return _to_try(GoalNames(goal), definitions)


class SearchedDefinitions:
    """The definitions to try on the goals of one search: those with the same symbols share one ranking.

    `rank`: the best `DEFINITIONS` for a goal.
    """

    def __init__(self, rank: Callable[[Goal], Sequence[Premise]]) -> None:
        self._rank = rank
        self._ranked: Cache[Sequence[Premise]] = Cache(MAX_RANKED_DEFINITIONS)

    def of(self, goal: Goal) -> list[Premise]:
        """See `definitions_to_try`. Raises as `rank`."""
        names = GoalNames(goal)
        return _to_try(names, self._ranked.get_or_make(names.symbols, lambda: self._rank(goal)))


def _to_try(names: GoalNames, definitions: Sequence[Premise]) -> list[Premise]:
    return [
        premise
        for rank, premise in enumerate(definitions)
        if rank < _LIKELY or names.in_target(premise) or names.in_hypotheses(premise)
    ]
