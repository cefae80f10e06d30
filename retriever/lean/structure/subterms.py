"""Which subterms of a goal are instances of premises' conclusions, and of their sides.

Each subterm of the target and of the hypotheses is a bit. A token of a conclusion (`retriever.lean.structure.hashes`)
has the bits of the subterms that have it there, so the subterms that a premise matches are those that all its tokens
have in common: one pass over the tokens of many premises, whatever the number of subterms.

Where a function's arguments are written depends on dots and on coercions: `map f p` is `p.map f`, and `(map f) p` an
instance of `g p`. So each of several arguments is where it is written, and one place before and after that, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids, UInt32s, UInt64s
from lean_extract.syntax.operators import BIG, OPERATORS
from lean_extract.syntax.symbol_terms import SymbolTerm, symbol_of
from retriever.lean.structure.hashes import Channel, channels_of, link_hash, symbol_hash
from retriever.lean.structure.statement import DEEPEST, ParsedStatement, Path, TermNode, groups_of, nodes_of

_WORD = 64
TARGET_WORDS, HYPOTHESES_WORDS = 1, 2
_WORDS = TARGET_WORDS + HYPOTHESES_WORDS
"""A goal has at most so many times 64 different subterms in its target and in its hypotheses."""
_MOST_NODES = 160
"""Of the target, and of the hypotheses together, the last ones first."""
_DEEPEST_SUBTERM = 14
_MOST_LINKS = 1500
_FIXED = frozenset(
    (
        *map(symbol_of, (*OPERATORS, *BIG)),
        "@",
        "ite",
        "λ",
        "forall",
        "exists",
        "setOf",
        "(,)",
        "⟨⟩",
        "[]",
        "{}",
    )
)
"""The arguments of these are written in one order."""
_CONNECTIVES = frozenset(("and", "or", "not", "iff", "→", "forall", "exists", "∃!"))
"""What is directly below these is a proposition, or bounds a variable."""


@dataclass(frozen=True, slots=True)
class Subterms:
    """The t = 64 * _WORDS subterms of a goal, those of its target first; fewer leave bits unused.

    In each of both groups a larger one comes before a smaller one.
    """

    tokens: UInt32s
    """uint32[k], ascending."""
    whole: UInt64s
    """uint64[k, _WORDS]: which subterms have a token where a conclusion has it."""
    side: UInt64s
    """The same where a side of a conclusion has it."""
    sizes: Floats
    """float32[t]: the nodes of each, by those of the target or the hypothesis that it is in."""

    @property
    def of_sides(self) -> UInt32s:
        """The tokens that a side of a conclusion may have."""
        return np.asarray(self.tokens[(self.side != 0).any(axis=1)])


@dataclass(frozen=True, slots=True)
class Matches:
    """uint64[n, _WORDS] each: the subterms that the conclusion, its left and its right side of n premises match."""

    whole: UInt64s
    left: UInt64s
    right: UInt64s


def subterms_of(ways: Sequence[ParsedStatement]) -> Subterms:
    """The subterms of a goal in all ways to write it."""
    table = _Table(frozenset().union(*(way.variables for way in ways)))
    table.add([way.conclusion for way in ways], 0, TARGET_WORDS)
    hypotheses = dict.fromkeys(one for way in ways for one in reversed(way.hypotheses))
    table.add([*hypotheses], TARGET_WORDS, HYPOTHESES_WORDS)
    return table.made()


@dataclass(frozen=True, slots=True)
class _Subterm:
    """One of a term's subterms, with its nodes down to the depth of a premise's positions."""

    root: TermNode
    nodes: list[TermNode]
    size: int
    share: float
    is_proposition: bool
    other_steps: Mapping[Path, frozenset[int]]
    """Where else an argument may be written, by its position in the term."""

    @property
    def positions(self) -> Iterator[tuple[Path, Sequence[str]]]:
        """The positions of its nodes, with one argument another, too, and the readings of what is there."""
        start = len(self.root.path)
        for node in self.nodes:
            path = node.path
            is_function = (*path, 0) in self.other_steps
            readings = (*node.symbols, "@1") if is_function else node.symbols
            yield path[start:], readings
            for depth in range(start, len(path)):
                for step in self.other_steps.get(path[: depth + 1], ()):
                    yield (*path[start:depth], step, *path[depth + 1 :]), readings


class _Table:
    """Collects the tokens of subterms."""

    def __init__(self, variables: frozenset[str]) -> None:
        self._variables = variables
        self._whole: dict[int, int] = {}
        self._side: dict[int, int] = {}
        self._sizes = np.zeros(_WORDS * _WORD, dtype=np.float32)
        self._links = 0

    def add(self, terms: Iterable[SymbolTerm], word: int, words: int) -> None:
        """The subterms of some terms, to the bits from a word on."""
        left = _MOST_NODES
        found: list[_Subterm] = []
        for term in terms:
            if left <= 0:
                break
            limits = {"deepest": _DEEPEST_SUBTERM, "most": left}
            nodes = list(nodes_of(term, self._variables, is_goal=True, **limits))
            left -= len(nodes)
            found += _subterms(nodes)
        found.sort(key=lambda one: -one.size)
        known: set[str] = set()
        for one in found:
            if len(known) == words * _WORD:
                break
            if not one.root.key or one.root.key not in known:
                place = word * _WORD + len(known)
                known.add(one.root.key or f" {place}")
                self._sizes[place] = one.share
                self._note(one, 1 << place)

    def _note(self, term: _Subterm, bit: int) -> None:
        start = len(term.root.path)
        tokens: list[tuple[dict[int, int], int]] = []
        for path, readings in term.positions:
            for symbol in readings:
                tokens += ((self._side, symbol_hash((side, *path), symbol)) for side in (0, 1))
                if term.is_proposition:
                    tokens.append((self._whole, symbol_hash(path, symbol)))
        for first, other in _pairs(groups_of(term.nodes).values(), _MOST_LINKS - self._links):
            self._links += 1
            one, same = first[start:], other[start:]
            tokens += ((self._side, link_hash((side, *one), (side, *same))) for side in (0, 1))
            if term.is_proposition:
                tokens.append((self._whole, link_hash(one, same)))
        for masks, token in tokens:
            masks[token] = masks.get(token, 0) | bit

    def made(self) -> Subterms:
        """The table as arrays."""
        tokens = sorted(self._whole.keys() | self._side.keys())
        return Subterms(
            np.array(tokens, dtype=np.uint32),
            _words([self._whole.get(token, 0) for token in tokens]),
            _words([self._side.get(token, 0) for token in tokens]),
            self._sizes,
        )


def _subterms(nodes: Sequence[TermNode]) -> Iterator[_Subterm]:
    """The subterms of a term that are not variables."""
    read = {node.path: _head(node) for node in nodes}
    inside: dict[Path, list[TermNode]] = {node.path: [] for node in nodes}
    sizes = dict.fromkeys(inside, 0)
    steps: dict[Path, frozenset[int]] = {}
    for node in nodes:
        for depth in range(len(node.path) + 1):
            sizes[node.path[:depth]] += 1
            if len(node.path) - depth < DEEPEST:
                inside[node.path[:depth]].append(node)
        symbol, arguments = read[node.path[:-1]] if node.path else ("", 0)
        if symbol and symbol not in _FIXED and arguments > 1:
            steps[node.path] = frozenset((node.path[-1] + way) % arguments for way in (1, -1))
    for node in nodes:
        if read[node.path][0]:
            above = (read[node.path[:depth]][0] for depth in range(len(node.path)))
            size = sizes[node.path]
            yield _Subterm(
                node, inside[node.path], size, size / len(nodes), _CONNECTIVES.issuperset(above), steps
            )


def _head(node: TermNode) -> tuple[str, int]:
    """A node's symbol, `@` for a variable that is applied, with its arguments; empty for other variables."""
    first = node.symbols[0] if node.symbols else ""
    if first.startswith("@") and first[1:].isdecimal():  # `@foo/2` is a constant with all its arguments
        return "@", int(first[1:])
    symbol, _, arguments = first.rpartition("/")
    return (symbol, int(arguments)) if symbol else ("", 0)


def _pairs(groups: Iterable[Sequence[Path]], most: int) -> Iterator[tuple[Path, Path]]:
    """All pairs of each group, at most so many."""
    return islice((pair for group in groups for pair in combinations(group, 2)), max(most, 0))


def _words(masks: list[int]) -> UInt64s:
    data = b"".join(mask.to_bytes(_WORDS * 8, "little") for mask in masks)
    return np.frombuffer(data, dtype="<u8").reshape(len(masks), _WORDS)


def matches(subterms: Subterms, lengths: Ids, rows: UInt32s) -> Matches:
    """Which subterms premises match.

    Args:
        subterms: the goal's.
        lengths: int64[n], how many hashes each premise has.
        rows: all their hashes, premise after premise.
    """
    owners = np.repeat(np.arange(len(lengths)), lengths)
    channels = channels_of(rows)
    place = np.minimum(np.searchsorted(subterms.tokens, rows), max(len(subterms.tokens) - 1, 0))
    is_there = subterms.tokens[place] == rows if len(subterms.tokens) else np.zeros(len(rows), np.bool_)

    def common(masks: UInt64s, chosen: Bools) -> UInt64s:
        found = np.zeros((len(lengths), _WORDS), dtype=np.uint64)
        counts = np.bincount(owners[chosen], minlength=len(lengths))
        has_all = np.bincount(owners[chosen & is_there], minlength=len(lengths)) == counts
        kept = has_all & (counts > 0)
        if kept.any():
            of_kept = chosen & kept[owners]
            starts = np.cumsum(counts[kept]) - counts[kept]
            found[kept] = np.bitwise_and.reduceat(masks[place[of_kept]], starts, axis=0)
        return found

    return Matches(
        common(subterms.whole, channels <= Channel.RIGHT),
        common(subterms.side, channels == Channel.LEFT),
        common(subterms.side, channels == Channel.RIGHT),
    )
