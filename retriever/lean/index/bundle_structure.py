"""The hashes of statements' structure, packed to be shipped.

A side of an `↔` has the tokens of its conclusion, each without the first digit of its path. A CRC is linear: what a
digit in front of a token changes in it depends on the token's length alone. So most hashes of LEFT and RIGHT, and
their documents, follow from a hash of CONCLUSION and a length. Most conclusions of the same shape have the same
hashes.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Ids, UInt32s
from retriever.lean.structure.hashes import EQUIVALENCE, Channel
from retriever.search.index.packed_lists import pack_lists, unpack_lists
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.table import rows_of, starts_of

Arrays = Mapping[str, npt.NDArray[Any]]
_LENGTHS = range(128)
_OF_CHANNEL = 7
_CHANGES = np.array(
    [
        (zlib.crc32(digit + bytes(length)) ^ zlib.crc32(bytes(length))) & ~_OF_CHANNEL | channel
        for digit, channel in ((b"0", Channel.LEFT), (b"1", Channel.RIGHT))
        for length in _LENGTHS
    ],
    dtype=np.uint32,
)
"""uint32[256]: the bits in which a side's hash differs from its conclusion's. No token has the length 0."""


def pack_structure(structure: StructureColumns, repeats: tuple[Ids, Ids]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `unpack_structure`."""
    hashes, documents = structure.hashes, structure.documents
    owners = np.repeat(np.arange(len(hashes)), np.diff(structure.starts))
    is_inside = _is_of_equivalence(hashes[owners], documents)
    sources, first = np.unique(owners[is_inside], return_index=True)
    lists = np.split(documents[is_inside], first[1:])
    found = hashes[sources][:, None] ^ _CHANGES
    places = np.minimum(np.searchsorted(hashes, found), max(len(hashes) - 1, 0))
    sides, is_kept = np.zeros(len(sources), dtype=np.uint8), np.ones(len(hashes), dtype=np.bool_)
    for source, code in np.argwhere(hashes[places] == found).tolist():
        place = places[source, code]
        if not sides[source] and is_kept[place]:
            same = np.array_equal(structure.find(hashes[place]), lists[source])
            sides[source], is_kept[place] = code if same else 0, not same
    concluded, starts = _concluded(hashes[owners], documents, len(structure))
    rows = [concluded[start:stop].tobytes() for start, stop in pairwise(starts.tolist())]
    is_same = np.array(
        [rows[i] == rows[j] for i, j in zip(*map(np.ndarray.tolist, repeats), strict=True)], bool
    )
    is_left = is_kept[owners] & ~(
        (hashes[owners] & _OF_CHANNEL <= Channel.RIGHT) & np.isin(documents, repeats[0][is_same])
    )
    lengths = np.bincount(owners[is_left], minlength=len(hashes))
    counts, gaps = pack_lists(starts_of(lengths[is_kept]), documents[is_left])
    return {
        "hashes": np.diff(hashes[is_kept], prepend=np.uint32(0)),
        "hash_counts": counts,
        "hash_documents": gaps,
        "sides": sides,
        "is_same": np.packbits(is_same),
    }


def unpack_structure(part: Arrays, repeats: tuple[Ids, Ids], count: int) -> StructureColumns:
    """The structure of `count` documents. Raises ValueError, KeyError, IndexError.

    The arrays are:

        hashes           uint32[m]: what each is more than the one before
        hash_counts, hash_documents: their lists (`pack_lists`), without what the others say
        is_same          bits: whether documents have all hashes of their conclusions in common with an earlier one
        sides            uint8, for each of the hashes of CONCLUSION that an `↔` has: the length of the token whose
                         hash in LEFT follows from it; 128 more than that in RIGHT; 0 for none

    Args:
        repeats: (later, first): the documents that have the shape of an earlier one, and the first that has it.
    """
    starts, places = unpack_lists(part["hash_counts"], part["hash_documents"])
    hashes = np.repeat(np.cumsum(part["hashes"], dtype=np.uint32), np.diff(starts))
    later, first = (one[np.unpackbits(part["is_same"], count=len(one)) > 0] for one in repeats)
    rows, starts = _concluded(hashes, places, count)
    lengths = np.diff(starts)[first]
    hashes = np.concatenate([hashes, rows[rows_of(starts[first], lengths)]])
    documents = np.concatenate([places, np.repeat(later, lengths)]).astype(np.int32)
    is_inside = _is_of_equivalence(hashes, documents)
    inside, further = hashes[is_inside], documents[is_inside]
    sides = part["sides"][np.unique(inside, return_inverse=True)[1]]
    more = (inside ^ _CHANGES[sides])[sides > 0]
    return StructureColumns.of_pairs(
        np.concatenate([hashes, more]), np.concatenate([documents, further[sides > 0]]), count
    )


def _concluded(hashes: UInt32s, documents: npt.NDArray[Any], count: int) -> tuple[UInt32s, Ids]:
    """(rows, starts int64[count + 1]): the hashes of each document's conclusion and of its sides."""
    found = np.flatnonzero(hashes & _OF_CHANNEL <= Channel.RIGHT)
    order = found[np.argsort(documents[found], kind="stable")]
    return hashes[order], starts_of(np.bincount(documents[found], minlength=count))


def _is_of_equivalence(hashes: UInt32s, documents: npt.NDArray[Any]) -> Bools:
    """Which hashes are of CONCLUSION, and of a document whose conclusion is an `↔`."""
    is_there: Bools = np.isin(documents, documents[hashes == EQUIVALENCE])
    is_there &= hashes & _OF_CHANNEL == Channel.CONCLUSION
    return is_there
