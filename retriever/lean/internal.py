"""Which premises of libraries are internal to them. Lean's own suggestions leave such premises out, too.

A name is internal if its library may change it at any time: below `Lean.Grind` or `Std.Internal`, say. These are
the parts of names that `Lean.LibrarySuggestions` denies, and two more of the kind, `Impl` and `Meta`. Nothing is
internal in a project's own files.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Collection, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Ids
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from retriever.search.index.view import IndexView

_SHARED = (b"Lean", b"Lake")
"""Namespaces of whole programs: each namespace inside is a thing of its own (`Lean.Grind`)."""
_PARTS = (*_SHARED, b"Internal", b"Impl", b"Tactic", b"Meta")
_BEFORE = b".\n"


NameTable = tuple[int, bytes | mmap.mmap, npt.NDArray[np.integer]]
"""The number of the first name, all names with a line break after each, and where each starts."""


class InternalNames:
    """The internal ones of n premises, by the namespaces that make them so (`Lean.Grind`, `Std.Internal`).

    Args:
        tables: the names of the libraries' premises.
        size: n.
        name: a premise's name by its number.
    """

    def __init__(self, tables: Iterable[NameTable], size: int, name: Callable[[int], str]) -> None:
        spaces: dict[str, int] = {}
        ids: list[int] = []
        owners: list[int] = []
        for base, data, starts in tables:
            for number, space in _internal(data, starts):
                ids.append(base + number)
                owners.append(spaces.setdefault(space, len(spaces)))
        self._size, self._name = size, name
        self._spaces = list(spaces)
        self._ids: Ids = np.array(ids, dtype=np.int64)
        self._owners: Ids = np.array(owners, dtype=np.int64)

    @classmethod
    def of_view(cls, view: IndexView) -> InternalNames:
        """Those of a view's libraries."""
        libraries = [
            (base, part.segment.names.data, part.segment.names.starts)
            for part, base in zip(view.parts, view.bounds, strict=False)
            if part.is_bundled or part.manifest.pinned
        ]
        return cls(libraries, len(view), view.name)

    def but_named_in(self, texts: Collection[str]) -> Bools:
        """bool[n]: which premises are internal, without those whose namespace one of the texts names."""
        named = _names_in(texts)
        is_hidden = np.array([not _is_named(space, named) for space in self._spaces], dtype=np.bool_)
        found = np.zeros(self._size, dtype=np.bool_)
        found[self._ids] = is_hidden[self._owners]
        return found

    def ending_with(self, name: str) -> Ids:
        """The internal premises of this name in any namespace."""
        ends = [f".{self._name(number)}".endswith(f".{name}") for number in self._ids.tolist()]
        return self._ids[np.array(ends, dtype=np.bool_)]


def _internal(data: bytes | mmap.mmap, starts: npt.NDArray[np.integer]) -> Iterator[tuple[int, str]]:
    """The internal names of a table, by their numbers, each with the namespace that makes it so."""
    found = sorted(span for part in _PARTS for span in _places(data, part + b"."))
    whole = [(start, end - 1) for start, end in found if start == 0 or data[start - 1] in _BEFORE]
    numbers = np.searchsorted(starts, [start for start, _ in whole], side="right") - 1
    first, places = np.unique(numbers, return_index=True)
    for number, place in zip(first.tolist(), places.tolist(), strict=True):
        begin, stop = int(starts[number]), int(starts[number + 1]) - 1
        yield number, data[begin : _end_of_space(data, whole[place], stop)].decode(errors="replace")


def _places(data: bytes | mmap.mmap, literal: bytes) -> Iterator[tuple[int, int]]:
    """The positions of a literal; searching one at a time is many times faster than one of several."""
    start = data.find(literal)
    while start >= 0:
        yield start, start + len(literal)
        start = data.find(literal, start + 1)


def _end_of_space(data: bytes | mmap.mmap, part: tuple[int, int], stop: int) -> int:
    start, end = part
    further = data.find(b".", end + 1, stop) if data[start:end] in _SHARED else -1
    return further if further >= 0 else end


def _names_in(texts: Collection[str]) -> frozenset[str]:
    tokens = (token.rstrip() for text in texts for token in raw_tokens(text))
    return frozenset(f"{token}." for token in tokens if is_identifier(token) and token[:1].isupper())


def _is_named(space: str, named: Collection[str]) -> bool:
    """Whether a name is in a namespace, written from any of its parts on: `Grind.Ring` in `Lean.Grind`."""
    parts = space.split(".")
    ends = tuple(".".join(parts[first:]) + "." for first in range(len(parts)))
    return any(name.startswith(ends) for name in named)
