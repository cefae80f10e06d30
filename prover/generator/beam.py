"""Beam search over a step function: which sequences of symbols are most probable. Pure numpy.

This is the search that `generate` of transformers makes with `num_beams`, so that a checkpoint gives the same
answers here. With the length penalty 0, a sequence's score is the sum of its log-probabilities, which is what
best-first proof search adds up (LeanDojo, Yang et al., 2023).

With groups, some additional beams are diverse (as in Vijayakumar et al., 2018): each of the most probable
groups that the other beams do not follow gets one. Otherwise short sequences, or the endings of one prefix,
would take all beams.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Int64s

Step = Callable[[Int64s, Int64s], Floats]
"""(symbols int64[n], parents int64[n]) -> log-probabilities float32[n, symbols] of what comes next.

Row i of the answer continues the sequence that was row `parents[i]` in the previous call, with `symbols[i]`
appended. The first call has one row, with parent 0.
"""


_OF_A_ROW = 8
"""How many extensions of each running sequence are considered for their groups."""
_Group = Callable[[tuple[int, ...]], Hashable]
"""(symbols, with `end` if the sequence has ended) -> their group, or None while it is unknown. A sequence keeps
the group of its prefix."""


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """How wide and how far to search."""

    beams: int
    """How many sequences are followed at once, and how many finished ones are kept."""
    max_symbols: int
    """The longest sequence, in symbols, including `end`."""
    end: int = 1
    start: int = 0
    length_penalty: float = 0.0
    """The score is the sum of log-probabilities divided by (symbols ** this)."""
    group: _Group | None = None
    others: int = 0
    """How many additional beams there are, each for a group that the `beams` do not follow."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """A finished sequence."""

    symbols: tuple[int, ...]
    """Without `start` and `end`."""
    log_probability: float
    """The sum over its symbols, including `end`."""
    score: float
    """The log-probability with the length penalty."""
    ended: bool
    """False if it was cut off at `max_symbols`."""
    group: Hashable = None
    group_log_probability: float = 0.0
    """How probable its group is, if known; a lower bound."""


def search(step: Step, settings: BeamSettings) -> list[Sequence]:
    """At most `beams + others` finished sequences, best first; ties keep the order in which they were found.

    Ends at `max_symbols`, or when no running sequence can become better than the worst of `beams` finished ones
    and none is followed for its group. With a length penalty, this is judged by the current length, as
    transformers does.
    """
    found = _Found(settings)
    running = [_Running((), None)]
    scores = np.zeros(1)
    symbols, parents = np.array([settings.start]), np.array([0])
    for length in range(1, settings.max_symbols + 1):
        log_probabilities = step(symbols, parents)
        totals = scores[:, None] + log_probabilities.astype(np.float64)
        totals[np.isnan(totals)] = -np.inf
        extensions = list(_extensions(running, totals, settings))
        found.weigh(running, extensions)
        going, ended = _chosen(extensions, found, length == settings.max_symbols)
        found.add([(one, one.text(running)) for one in ended], length)
        if going and found.is_settled(going[0].total / length**settings.length_penalty):
            going = []
        chosen = [*going, *found.for_other_groups(extensions, going)] if length < settings.max_symbols else []
        if not chosen:
            break
        parents, symbols = np.array([one.row for one in chosen]), np.array([one.symbol for one in chosen])
        scores = totals[parents, symbols]
        running = [_Running(one.text(running), one.group) for one in chosen]
    return found.sequences()


class _Running(NamedTuple):
    """An unfinished sequence, and its group if known."""

    symbols: tuple[int, ...]
    group: Hashable


class _Extension(NamedTuple):
    """A running sequence with one more symbol."""

    row: int
    symbol: int
    total: float
    group: Hashable

    def text(self, running: list[_Running]) -> tuple[int, ...]:
        return (*running[self.row].symbols, self.symbol)


def _extensions(
    running: list[_Running], totals: npt.NDArray[np.float64], settings: BeamSettings
) -> Iterable[_Extension]:
    """The best extensions overall and, with groups, the best of each row; best first."""
    width = totals.shape[1]
    indices = _best(totals.ravel(), 2 * settings.beams)
    if settings.group is not None:
        own = {row * width + symbol for row in range(len(totals)) for symbol in _best(totals[row], _OF_A_ROW)}
        indices = sorted(own.union(indices), key=lambda index: (-totals.ravel()[index], index))
    for index in indices:
        row, symbol = divmod(index, width)
        group = running[row].group
        if group is None and settings.group is not None:
            group = settings.group((*running[row].symbols, symbol))
        yield _Extension(row, symbol, float(totals[row, symbol]), group)


def _chosen(
    extensions: list[_Extension], found: _Found, is_last: bool
) -> tuple[list[_Extension], list[_Extension]]:
    """The extensions that continue on the `beams`, and those that have ended.

    An ended one is kept if it is among the `beams` best, or the first of a group that has no ended sequence yet.
    """
    beams = found.settings.beams
    going: list[_Extension] = []
    ended: list[_Extension] = []
    first: set[Hashable] = set()
    for rank, one in enumerate(extensions):
        is_end = one.symbol == found.settings.end
        if is_end or is_last:
            leads = is_end and one.group is not None and one.group not in first
            if rank < beams or (leads and found.settings.others and not found.has(one.group)):
                ended.append(one)
        elif rank < 2 * beams:
            going.append(one)
        first.add(one.group)
    return going[:beams], ended


class _Found:
    """The finished sequences, and how probable the groups are."""

    def __init__(self, settings: BeamSettings) -> None:
        self.settings = settings
        self._finished: list[Sequence] = []
        self._groups: dict[Hashable, float] = {}

    def has(self, group: Hashable) -> bool:
        """Whether a sequence of the group has ended."""
        return any(sequence.group == group for sequence in self._finished)

    def weigh(self, running: list[_Running], extensions: list[_Extension]) -> None:
        """Add the probabilities of sequences whose group has just become known to those of their groups."""
        for one in extensions:
            if one.group is not None and running[one.row].group is None:
                before = self._groups.get(one.group, -np.inf)
                self._groups[one.group] = float(np.logaddexp(before, one.total))

    def add(self, ended: list[tuple[_Extension, tuple[int, ...]]], length: int) -> None:
        """Keep the `beams` best, and the best sequence of each of `others` further groups."""
        for one, text in ended:
            is_end = one.symbol == self.settings.end
            score = one.total / length**self.settings.length_penalty
            symbols = text[:-1] if is_end else text
            self._finished.append(Sequence(symbols, one.total, score, is_end, one.group))
        self._finished.sort(key=lambda sequence: -sequence.score)
        best = self._finished[: self.settings.beams]
        self._finished = sorted([*best, *self._apart(best)], key=lambda sequence: -sequence.score)

    def _apart(self, best: list[Sequence]) -> list[Sequence]:
        """The best sequence of each of the most probable groups that are not among the best."""
        groups = {sequence.group for sequence in best} | {None}
        apart: list[Sequence] = []
        for sequence in self._finished[self.settings.beams :]:
            if sequence.group not in groups:
                groups.add(sequence.group)
                apart.append(sequence)
        return sorted(apart, key=lambda sequence: -self._groups[sequence.group])[: self.settings.others]

    def for_other_groups(self, extensions: list[_Extension], going: list[_Extension]) -> list[_Extension]:
        """The best extension of each of the most probable groups that no continuing or ended sequence has.

        An extension whose group is still unknown counts as a group of its own.
        """
        if not self.settings.others:
            return []
        taken = {one.group for one in going} | {sequence.group for sequence in self._finished}
        followed = {(one.row, one.symbol) for one in going}
        waiting: list[tuple[float, _Extension | None]] = []
        for one in extensions:
            if one.symbol == self.settings.end or (one.row, one.symbol) in followed:
                continue
            if one.group is None:
                waiting.append((one.total, one))
            elif one.group not in taken:
                taken.add(one.group)
                waiting.append((self._groups[one.group], one))
        ended = [self._groups[each.group] for each in self._apart(self._finished[: self.settings.beams])]
        ordered = sorted([*waiting, *((mass, None) for mass in ended)], key=lambda item: -item[0])
        return [one for _, one in ordered[: self.settings.others] if one is not None]

    def is_settled(self, best: float) -> bool:
        """Whether a running sequence with this score can no longer become one of the `beams` best."""
        beams = self.settings.beams
        return len(self._finished) >= beams and best <= self._finished[beams - 1].score

    def sequences(self) -> list[Sequence]:
        """All, best first."""
        return [
            replace(sequence, group_log_probability=self._groups.get(sequence.group, 0.0))
            for sequence in self._finished
        ]


def _best(values: npt.NDArray[np.float64], count: int) -> list[int]:
    """The indices of the `count` largest finite values, largest first; the lower index first among equals."""
    if count < len(values):
        least = np.partition(values, -count)[-count]
        indices = np.flatnonzero((values >= least) & (values > -np.inf))
    else:
        indices = np.flatnonzero(values > -np.inf)
    order = np.argsort(-values[indices], kind="stable")[:count]
    found: list[int] = indices[order].tolist()
    return found
