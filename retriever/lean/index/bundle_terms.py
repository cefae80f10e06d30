"""Names and the terms of postings, packed to be shipped: a name's terms are not stored, and a shape is 4 bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Ids
from retriever.lean.tokens import SHAPE, name_parts
from retriever.search.index.packed_lists import read_varints, varints
from retriever.search.index.postings import Postings, count_postings
from retriever.search.index.table import rows_of

Arrays = Mapping[str, npt.NDArray[Any]]
_NAMES_AT_ONCE = 1 << 14
_WORD = re.compile(r"[^._«»\n]+|\n")
_PIECE = re.compile(r"[._]?[^._]+|[._]")
_MOST_SHARED = 255
_DIGITS = 8


def pack_names(names: Iterable[str]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `unpack_names`."""
    shared, rests, before = [], [], list[str]()
    for name in names:
        pieces = _PIECE.findall(name)
        same = takewhile(lambda both: both[0] == both[1], zip(before[:_MOST_SHARED], pieces, strict=False))
        shared.append(sum(1 for _ in same))
        rests.append("".join((*pieces[shared[-1] :], "\n")))
        before = pieces
    text = "".join(rests).encode()
    return {"shared": np.array(shared, dtype=np.uint8), "names": np.frombuffer(text, dtype=np.uint8)}


def unpack_names(part: Arrays) -> Iterator[str]:
    """Names, from how many pieces each shares with the one before (uint8[n]), and the lines of what follows."""
    pieces: list[str] = []
    rests = part["names"].tobytes().decode().split("\n")[:-1]
    for shared, rest in zip(part["shared"].tolist(), rests, strict=True):
        pieces[shared:] = _PIECE.findall(rest)
        yield "".join(pieces)


def pack_shapes(postings: Postings, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `unpack_postings`. Raises ValueError: there are other terms, or a name's term is missing."""
    terms, owners = _unexplained(postings, names)
    order = np.argsort(owners, kind="stable")
    found, first, rows = np.unique(terms[order], return_index=True, return_inverse=True)
    is_new = np.zeros(len(terms), dtype=np.bool_)
    is_new[first] = True
    ranks = np.argsort(np.argsort(first))
    shapes = [postings.terms[term] for term in found[np.argsort(first)].tolist()]
    digits = "".join(shape.removeprefix(SHAPE) for shape in shapes)
    if [*_shapes(digits)] != shapes:
        raise ValueError("its postings have terms that are neither names' nor shapes")
    return {
        "shapes": np.frombuffer(bytes.fromhex(digits), dtype=np.uint8),
        "shape_counts": varints(np.bincount(owners, minlength=len(names))),
        "shapes_back": varints(np.where(is_new, 0, np.cumsum(is_new) - ranks[rows])),
    }


def unpack_postings(part: Arrays, names: Sequence[str]) -> Postings:
    """The postings of names and shapes. Raises ValueError, KeyError, IndexError.

    The arrays are:

        shapes         uint8[4 m]: the different shapes, in the order of the documents
        shape_counts   varints[n]: how many each document has
        shapes_back    varints: 0 for the next of the shapes; else, of those so far, which one from the end
    """
    vocabulary, terms, owners = _name_terms(names)
    numbers = {term: number for number, term in enumerate(vocabulary)}
    shapes = _shapes(part["shapes"].tobytes().hex())
    more = np.array([numbers.setdefault(shape, len(numbers)) for shape in shapes], dtype=np.int64)
    found, places = _shape_owners(part)
    terms, owners = np.concatenate([terms, more[found]]), np.concatenate([owners, places])
    return count_postings([*numbers], terms, owners, len(names))


def repeats_of(part: Arrays) -> tuple[Ids, Ids]:
    """(later, first): the documents that have the shape of an earlier one, and the first that has it."""
    shapes, owners = _shape_owners(part)
    first = owners[np.unique(shapes, return_index=True)[1]][shapes]
    is_later = owners > first
    return owners[is_later], first[is_later]


def _shape_owners(part: Arrays) -> tuple[Ids, Ids]:
    """(the number of a shape, a document that has it)."""
    back, counts = read_varints(part["shapes_back"]), read_varints(part["shape_counts"])
    return np.cumsum(back == 0) - np.maximum(back, 1), np.repeat(np.arange(len(counts)), counts)


def _shapes(digits: str) -> Iterator[str]:
    return (SHAPE + digits[start : start + _DIGITS] for start in range(0, len(digits), _DIGITS))


def _name_terms(names: Sequence[str]) -> tuple[list[str], Ids, Ids]:
    """(vocabulary, terms int64[m], owners int64[m]): every term of every name.

    A name is the words between its dots and underscores; there are few different ones, and each is split once.
    """
    words: dict[str, int] = {"\n": 0}
    parts = []
    for start in range(0, len(names), _NAMES_AT_ONCE):
        text = "\n".join([*names[start : start + _NAMES_AT_ONCE], ""])
        parts.append(np.array([words.setdefault(word, len(words)) for word in _WORD.findall(text)], np.int32))
    found = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
    numbers: dict[str, int] = {}
    split = ((), *map(name_parts, islice(words, 1, None)))
    rows = [[numbers.setdefault(term, len(numbers)) for term in terms] for terms in split]
    lengths = np.array([len(row) for row in rows])
    flat = np.array([term for row in rows for term in row], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    each = lengths[found]
    return [*numbers], flat[rows_of(starts[found], each)], np.repeat(np.cumsum(found == 0), each)


def _unexplained(postings: Postings, names: Sequence[str]) -> tuple[Ids, Ids]:
    """(terms, owners): occurrences of terms that are not of their documents' names, ascending. Raises ValueError."""
    vocabulary, terms, owners = _name_terms(names)
    numbers = {term: number for number, term in enumerate(postings.terms)}
    places = np.array([numbers.get(term, -1) for term in vocabulary], dtype=np.int64)[terms]
    keys = np.repeat(np.arange(len(numbers)), np.diff(postings.starts)) * len(names) + postings.documents
    explained, counts = np.unique(places * len(names) + owners, return_counts=True)
    at = np.searchsorted(keys, explained)
    if (places < 0).any() or (keys[np.minimum(at, len(keys) - 1)] != explained).any():
        raise ValueError("its postings do not have all terms of its names")
    left = postings.frequencies.astype(np.int64)
    left[at] -= counts
    return np.divmod(np.repeat(keys, left), max(len(names), 1))
