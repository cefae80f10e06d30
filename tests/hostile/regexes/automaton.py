"""Which texts could make a matcher try one piece in many ways: Glushkov's automaton of an expression.

Its states are the sets of characters in the expression. Where a word leads from a state q to itself and to
another state p, and from p to itself, the matcher can change from q to p in each repetition of the word (Weber
and Seidl, 1991, "On the degree of ambiguity of finite automata", criterion IDA); so it can where two ways lead
through one step. What atomic groups and looks forbid is not seen here: these are candidates.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TypeVar

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.hostile.regexes.tree import (
    At,
    Atomic,
    Choice,
    Group,
    Letter,
    Look,
    Mode,
    Node,
    Reference,
    Repeat,
    Row,
    Tree,
)

Word = tuple[int, ...]
"""Letters of the tree's alphabet."""
_State = TypeVar("_State")


@dataclass(frozen=True, slots=True)
class _Part:
    """The states that a part begins and ends with, each with the number of ways, and the ways to pass it by."""

    first: Counter[int]
    last: Counter[int]
    empty: int


@dataclass(slots=True)
class _Builder:
    tree: Tree
    masks: list[int] = field(default_factory=list)
    follow: list[Counter[int]] = field(default_factory=list)

    def state(self, mask: int) -> _Part:
        self.masks.append(mask)
        self.follow.append(Counter())
        one = Counter({len(self.masks) - 1: 1})
        return _Part(one, one, 0)

    def join(self, before: Counter[int], after: Counter[int]) -> None:
        for state, ways in before.items():
            for other, more in after.items():
                self.follow[state][other] += ways * more

    def part(self, node: Node) -> _Part:
        match node:
            case Letter(index):
                return self.state(self.tree.masks[index])
            case Row(parts):
                found = _Part(Counter(), Counter(), 1)
                for part in parts:
                    found = self.after(found, self.part(part))
                return found
            case Choice(parts):
                made = [self.part(part) for part in parts]
                return _Part(
                    sum((one.first for one in made), Counter()),
                    sum((one.last for one in made), Counter()),
                    sum(one.empty for one in made),
                )
            case Repeat(body, low, high, _):
                found = self.part(body)
                if high is None or high > 1:
                    self.join(found.last, found.first)
                return _Part(found.first, found.last, found.empty + (low == 0))
            case Atomic(body) | Group(_, body):
                return self.part(body)
            case Look(body, _, width):
                return _Part(Counter() if width else self.part(body).first, Counter(), 1)
            case At("AT_END" | "AT_END_STRING"):
                return self.state(0)
            case At():
                return _Part(Counter(), Counter(), 1)
            case Reference():
                any_text = self.state(self.tree.everything)
                self.join(any_text.last, any_text.first)
                return _Part(any_text.first, any_text.last, 1)

    def after(self, one: _Part, other: _Part) -> _Part:
        self.join(one.last, other.first)
        return _Part(
            one.first + _times(other.first, one.empty),
            other.last + _times(one.last, other.empty),
            min(2, one.empty * other.empty),
        )


def _times(ways: Counter[int], count: int) -> Counter[int]:
    return Counter({state: min(2, number * count) for state, number in ways.items() if count})


@dataclass(frozen=True)
class Automaton:
    """States with their letters and what follows each. State 0 stands before the text; where it is searched, it
    goes on to itself with every letter."""

    tree: Tree
    masks: list[int]
    follow: list[Counter[int]]

    @classmethod
    def of(cls, tree: Tree, mode: Mode) -> Automaton:
        """The automaton of an expression that is used so."""
        builder = _Builder(tree)
        start = builder.state(tree.everything)
        builder.join(start.last, builder.part(tree.root).first)
        if mode in ("search", "all"):
            builder.join(start.last, start.first)
        return cls(tree, builder.masks, builder.follow)

    def pumps(self) -> Iterator[tuple[Word, Word]]:
        """What could be repeated, each after what leads to it."""
        for state, ways in enumerate(self.follow):
            for other, count in ways.items():
                if count > 1 and self._loop[state] == self._loop[other] >= 0:
                    yield self._word(0, state), (_lowest(self.masks[other]), *self._word(other, state))
        for state, other in self._pairs():
            if word := self._shared(state, other):
                yield self._word(0, state), word

    @cached_property
    def _loop(self) -> list[int]:
        """The number of the loop that a state is in, which is that of all states with ways there and back; -1
        where there is none."""
        edges = [(state, other) for state, ways in enumerate(self.follow) for other in ways]
        return _components(len(self.masks), edges)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of states in loops that some word goes round together: of all that lead to each other, one, which
        has such a word if any has, and those that one letter is enough for, whose words are of another kind."""
        loops = [state for state, loop in enumerate(self._loop) if loop >= 0]
        numbers = {pair: number for number, pair in enumerate(product(loops, loops))}
        edges = [
            (number, numbers[ends])
            for (one, other), number in numbers.items()
            for ends in product(self._round(one), self._round(other))
            if self.masks[ends[0]] & self.masks[ends[1]]
        ]
        seen = {-1}
        for pair, component in zip(numbers, _components(len(numbers), edges), strict=True):
            is_short = component >= 0 and all(state in self.follow[state] for state in pair)
            if pair[0] != pair[1] and (is_short or component not in seen):
                seen.add(component)
                yield pair

    def _round(self, state: int) -> list[int]:
        """What follows a state in its loop."""
        return [other for other in self.follow[state] if self._loop[other] == self._loop[state]]

    def _word(self, start: int, goal: int) -> Word:
        """The shortest word from a state to another; () from a state to itself."""

        def steps(state: int) -> Iterator[tuple[int, int]]:
            for other in self.follow[state]:
                if self.masks[other]:
                    yield _lowest(self.masks[other]), other

        return _shortest(start, goal, steps) if start != goal else ()

    def _shared(self, state: int, other: int) -> Word:
        """A word from `state` to itself and to `other`, and from `other` to itself; () where there is none."""

        def steps(triple: tuple[int, int, int]) -> Iterator[tuple[int, tuple[int, int, int]]]:
            for first, last in product(self._round(triple[0]), self._round(triple[2])):
                if common := self.masks[first] & self.masks[last]:
                    for middle in self.follow[triple[1]]:
                        if found := common & self.masks[middle]:
                            yield _lowest(found), (first, middle, last)

        return _shortest((state, state, other), (state, other, other), steps)

    def endings(self, text: Word) -> list[Word]:
        """What could make a match fail after a text: its end, letters that no state goes on with, and others
        that few do."""
        states = {0}
        for letter in text:
            states = {
                other for state in states for other in self.follow[state] if self.masks[other] >> letter & 1
            } or states
        expected = 0
        for state in states - {0}:
            for other in self.follow[state]:
                expected |= self.masks[other]
        letters = range(len(self.tree.letters))
        wrong = [(letter,) for letter in letters if not expected >> letter & 1][:2]
        rare = min(letters, key=lambda one: sum(mask >> one & 1 for mask in self.masks))
        line = _lowest(self.tree.breaks)
        return list(dict.fromkeys([(), *wrong, (rare,), (line,), (line, rare)]))


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _components(size: int, edges: list[tuple[int, int]]) -> list[int]:
    """The number of the strongly connected component of each node; -1 for nodes that no way leads back to."""
    if not edges:
        return [-1] * size
    ends = np.array(edges).T
    _, found = connected_components(coo_array((np.ones(len(edges)), ends), (size, size)), connection="strong")
    inner = found[ends[0]] == found[ends[1]]
    return np.where(np.isin(found, found[ends[0][inner]]), found, -1).tolist()


def _shortest(start: _State, goal: _State, steps: Callable[[_State], Iterator[tuple[int, _State]]]) -> Word:
    """The letters of the shortest way from a state to another; () where there is none."""
    came: dict[_State, tuple[_State, int]] = {}
    queue = deque([start])
    while queue and goal not in came:
        state = queue.popleft()
        for letter, other in steps(state):
            if other not in came and other != start:
                came[other] = (state, letter)
                queue.append(other)
    letters: list[int] = []
    while goal in came:
        goal, letter = came[goal]
        letters.append(letter)
    return tuple(reversed(letters))
