"""The hashes of statements' structure, packed to be shipped.

Most conclusions of the same shape have the same hashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Ids, UInt32s
from retriever.lean.structure.hashes import Channel, channels_of
from retriever.search.index.packed_lists import pack_lists, unpack_lists
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.table import rows_of, starts_of

Arrays = Mapping[str, npt.NDArray[Any]]


def pack_structure(structure: StructureColumns, repeats: tuple[Ids, Ids]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `unpack_structure`."""
    hashes, documents = structure.hashes, structure.documents
    owners = np.repeat(np.arange(len(hashes)), np.diff(structure.starts))
    concluded, starts = _concluded(hashes[owners], documents, len(structure))
    rows = [concluded[start:stop].tobytes() for start, stop in pairwise(starts.tolist())]
    is_same = np.array(
        [rows[i] == rows[j] for i, j in zip(*map(np.ndarray.tolist, repeats), strict=True)], bool
    )
    is_left = ~((channels_of(hashes[owners]) <= Channel.RIGHT) & np.isin(documents, repeats[0][is_same]))
    lengths = np.bincount(owners[is_left], minlength=len(hashes))
    counts, gaps = pack_lists(starts_of(lengths), documents[is_left])
    return {
        "hashes": np.diff(hashes, prepend=np.uint32(0)),
        "hash_counts": counts,
        "hash_documents": gaps,
        "is_same": np.packbits(is_same),
    }


def unpack_structure(part: Arrays, repeats: tuple[Ids, Ids], count: int) -> StructureColumns:
    """The structure of `count` documents. Raises ValueError, KeyError, IndexError.

    The arrays are:

        hashes           uint32[m]: what each is more than the one before
        hash_counts, hash_documents: their lists (`pack_lists`), without what `is_same` says
        is_same          bits: whether documents have all hashes of their conclusions in common with an earlier one

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
    return StructureColumns.of_pairs(hashes, documents, count)


def _concluded(hashes: UInt32s, documents: npt.NDArray[Any], count: int) -> tuple[UInt32s, Ids]:
    """(rows, starts int64[count + 1]): the hashes of each document's conclusion."""
    found = np.flatnonzero(channels_of(hashes) <= Channel.RIGHT)
    order = found[np.argsort(documents[found], kind="stable")]
    return hashes[order], starts_of(np.bincount(documents[found], minlength=count))
