"""The hashes of statements' structure, packed to be shipped.

A side of an `↔` has the tokens of its conclusion, each without the first digit of its path. A CRC is linear: what a
digit in front of a token changes in it depends on the token's length alone. So most hashes of LEFT and RIGHT, and
their documents, follow from a hash of CONCLUSION and a length.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Ids
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


def pack_structure(structure: StructureColumns) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `unpack_structure`."""
    hashes = structure.hashes
    rows, documents = _of_equivalences(structure)
    sources, first = np.unique(rows, return_index=True)
    lists = np.split(documents, first[1:])
    found = hashes[sources][:, None] ^ _CHANGES
    places = np.minimum(np.searchsorted(hashes, found), max(len(hashes) - 1, 0))
    sides, is_kept = np.zeros(len(sources), dtype=np.uint8), np.ones(len(hashes), dtype=np.bool_)
    for source, code in np.argwhere(hashes[places] == found).tolist():
        place = places[source, code]
        if not sides[source] and is_kept[place]:
            same = np.array_equal(structure.find(hashes[place]), lists[source])
            sides[source], is_kept[place] = code if same else 0, not same
    lengths = np.diff(structure.starts)[is_kept]
    kept = structure.documents[rows_of(structure.starts[:-1][is_kept], lengths)]
    counts, gaps = pack_lists(starts_of(lengths), kept)
    return {
        "hashes": np.diff(hashes[is_kept], prepend=np.uint32(0)),
        "hash_counts": counts,
        "hash_documents": gaps,
        "sides": sides,
    }


def unpack_structure(part: Arrays, count: int) -> StructureColumns:
    """The structure of `count` documents. Raises ValueError, KeyError, IndexError.

    The arrays are:

        hashes           uint32[m]: what each is more than the one before
        hash_counts, hash_documents: their lists (`pack_lists`)
        sides            uint8, for each of the hashes of CONCLUSION that an `↔` has: the length of the token whose
                         hash in LEFT follows from it; 128 more than that in RIGHT; 0 for none
    """
    hashes = np.cumsum(part["hashes"], dtype=np.uint32)
    starts, places = unpack_lists(part["hash_counts"], part["hash_documents"])
    documents = places.astype(np.int32)
    owners = np.repeat(hashes, np.diff(starts))
    rows, further = _of_equivalences(StructureColumns(hashes, starts, documents, starts[:0], hashes[:0]))
    sides = part["sides"][np.unique(rows, return_inverse=True)[1]]
    more = hashes[rows] ^ _CHANGES[sides]
    return StructureColumns.of_pairs(
        np.concatenate([owners, more[sides > 0]]), np.concatenate([documents, further[sides > 0]]), count
    )


def _of_equivalences(structure: StructureColumns) -> tuple[Ids, npt.NDArray[np.int32]]:
    """(rows int64, documents): where hashes of CONCLUSION are in a document whose conclusion is an `↔`."""
    rows = np.repeat(np.arange(len(structure.hashes)), np.diff(structure.starts))
    is_there = (structure.hashes & _OF_CHANNEL == Channel.CONCLUSION)[rows]
    is_there &= np.isin(structure.documents, structure.find(EQUIVALENCE))
    return rows[is_there], structure.documents[is_there]
