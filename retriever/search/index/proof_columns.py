"""What the proofs of a segment use, and their steps, as columns; premises elsewhere are known by hashes of names."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from lean_extract.common.arrays import Bools, Bytes, Floats, Ids, Int32s, UInt64s
from retriever.models.quantise import StoredVectors
from retriever.search.index.exact import ExactSearch
from retriever.search.index.table import Axis, Table, column, rows_of, starts_of


def hash_names(names: Iterable[str | bytes]) -> UInt64s:
    """uint64[n]: the first 8 bytes of BLAKE2b of each name (UTF-8), little-endian."""
    digests = [
        hashlib.blake2b(name.encode() if isinstance(name, str) else name, digest_size=8).digest()
        for name in names
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64, copy=False)


@dataclass(frozen=True, slots=True)
class ProofRows:
    """What proofs use, by hashes of names: that of `owners[i]` uses `used[starts[i]:starts[i + 1]]`."""

    owners: UInt64s
    """uint64[m], ascending."""
    starts: Ids
    """int64[m + 1]"""
    used: UInt64s

    @classmethod
    def of_names(cls, proofs: Mapping[str, Sequence[str]]) -> ProofRows:
        """From the names of theorems and of what their proofs use."""
        lengths = np.array([len(used) for used in proofs.values()], dtype=np.int64)
        return cls._sorted(
            hash_names(proofs), lengths, hash_names(n for used in proofs.values() for n in used)
        )

    @classmethod
    def of_columns(cls, parts: Sequence[ProofColumns]) -> ProofRows:
        """From segments in which each document has one proof; proofs that are not known are left out."""
        nothing: UInt64s = np.zeros(0, dtype=np.uint64)
        owners = np.concatenate([nothing, *(part.hashes for part in parts)])
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(part.starts) for part in parts)])
        return cls._sorted(owners, lengths, np.concatenate([nothing, *(part.used() for part in parts)]))

    @classmethod
    def _sorted(cls, owners: UInt64s, lengths: Ids, used: UInt64s) -> ProofRows:
        kept = np.flatnonzero(lengths > 0)
        order = kept[np.argsort(owners[kept], kind="stable")]
        starts = np.cumsum(lengths) - lengths
        return cls(owners[order], starts_of(lengths[order]), used[rows_of(starts[order], lengths[order])])

    def aligned(self, hashes: UInt64s) -> tuple[Ids, UInt64s]:
        """(lengths int64[n], used) of the premises with these names, in their order; 0 where not known."""
        position = find(self.owners, hashes)
        known = position >= 0
        lengths = np.zeros(len(hashes), dtype=np.int64)
        lengths[known] = np.diff(self.starts)[position[known]]
        return lengths, self.used[rows_of(self.starts[position[known]], lengths[known])]


@dataclass(frozen=True, slots=True)
class ProofColumns(Table):
    """What m proofs of n documents use: proof i uses `uses[starts[i]:starts[i + 1]]`, ascending."""

    prefix, about = "proof_", "proofs"

    hashes: UInt64s = column(Axis.DOCUMENTS, np.uint64, file="name_hashes")
    """uint64[n]: of the documents' own names."""
    starts: Int32s = column(Axis.STARTS, np.int32)
    """int32[m + 1]"""
    uses: Int32s = column(Axis.VALUES, np.int32)
    """A position in the same segment where >= 0, else -1 - k for `names[k]`."""
    names: UInt64s = column(Axis.KEYS, np.uint64)
    """uint64, ascending: of names that are in other segments, if anywhere."""
    owners: Int32s | None = column(Axis.OWNERS, np.int32, is_optional=True)
    """int32[m], ascending: the document that each proof is of; None: document i has proof i."""

    @classmethod
    def of_hashes(
        cls, hashes: UInt64s, lengths: Ids, used: UInt64s, owners: Int32s | None = None
    ) -> ProofColumns:
        """The columns of documents with these names, from how many names each proof uses (int64[m]) and which."""
        order = np.argsort(hashes, kind="stable")
        position = find(hashes[order], used)
        here = position >= 0
        names, outside = np.unique(used[~here], return_inverse=True)
        uses = np.empty(len(used), dtype=np.int64)
        uses[here] = order[position[here]]
        uses[~here] = -1 - outside
        rows = np.repeat(np.arange(len(lengths)), lengths)
        uses = uses[np.lexsort((uses, rows))]
        return cls(hashes, starts_of(lengths).astype(np.int32), uses.astype(np.int32), names, owners)

    def used(self) -> UInt64s:
        """uint64: the names in place of `uses`."""
        found = np.empty(len(self.uses), dtype=np.uint64)
        here = self.uses >= 0
        found[here] = self.hashes[self.uses[here]]
        found[~here] = self.names[-1 - self.uses[~here]]
        return found

    def spread(self, keys: dict[str, int]) -> _NamedUses:
        """With the names in place of positions."""
        return _NamedUses(self.hashes, self.starts, self.used(), self.owners)

    @classmethod
    def gathered(cls, spread: _NamedUses, keys: Sequence[str]) -> ProofColumns:
        """The inverse of `spread`."""
        return cls.of_hashes(spread.hashes, np.diff(spread.starts), spread.used, spread.owners)


@dataclass(frozen=True, slots=True)
class _NamedUses(Table):
    """`ProofColumns` with the hash of each name that is used."""

    hashes: UInt64s = column(Axis.DOCUMENTS, np.uint64)
    starts: Any = column(Axis.STARTS, np.int64)
    used: UInt64s = column(Axis.VALUES, np.uint64)
    owners: Int32s | None = column(Axis.OWNERS, np.int32, is_optional=True)


@dataclass(frozen=True, slots=True)
class MentionColumns(Table):
    """What proofs mention, read without knowing the rest of the library.

    What a mention means depends on which names there are. The i-th of m mentions may have the names
    `names[starts[i]:starts[i + 1]]`, the likeliest first; the first that is a live document's is what it means. So
    nothing is read again when another file gains or loses a name.
    """

    prefix, about = "mention_", "mentions"

    owners: Int32s = column(Axis.OWNERS, np.int32)
    """int32[m], ascending: the document whose proof has each mention."""
    starts: Int32s = column(Axis.STARTS, np.int32)
    """int32[m + 1]"""
    names: UInt64s = column(Axis.VALUES, np.uint64)
    """Hashes."""

    @classmethod
    def of_names(cls, mentions: Sequence[tuple[int, Sequence[str]]]) -> MentionColumns:
        """From (document, the names that a mention of its proof may have), in the order of the documents."""
        owners = np.array([owner for owner, _ in mentions], dtype=np.int32)
        lengths = np.array([len(names) for _, names in mentions], dtype=np.int64)
        hashes = hash_names(name for _, names in mentions for name in names)
        return cls(owners, starts_of(lengths).astype(np.int32), hashes)

    def meanings(self, found: Ids, base: int) -> tuple[Ids, Ids]:
        """(owners, documents) of the mentions that mean something, each pair once, ascending.

        Args:
            found: int64[len(names)], the live document of each name, -1 where there is none.
            base: the number of the segment's first document.
        """
        known = np.flatnonzero(found >= 0)
        mentions = np.repeat(np.arange(len(self.owners)), np.diff(self.starts))[known]
        _, first = np.unique(mentions, return_index=True)
        pairs = np.stack([self.owners[mentions[first]].astype(np.int64) + base, found[known[first]]], axis=1)
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0) if len(pairs) else pairs
        return pairs[:, 0], pairs[:, 1]


def find(ascending: UInt64s, wanted: UInt64s) -> Ids:
    """int64[n]: the position of each wanted hash, -1 where it is not there."""
    if not len(ascending):
        return np.full(len(wanted), -1, dtype=np.int64)
    position = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[position] == wanted, position, -1)


READ = 6
"""Marks a file that this version has read whole. Older versions kept no step with those that follow it (5), other
stems of doc strings' words (4), no doc strings (3), no trees (2), only steps (1), or nothing (0)."""


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A step of a document, which is to be found by a vector of its own."""

    owner: int
    """The position of its document among the source's records."""
    state: Any
    """What its vector is made of; only the corpus knows what that is."""
    record: bytes
    """What the index keeps of it, as JSON."""


@dataclass(frozen=True, slots=True)
class StepColumns(Table):
    """m steps of a segment's documents: further vectors, each with its record, searched apart from the documents.

    Lean's are the steps of proofs whose states are known: the vector is the state's (`retriever.lean.index.steps`).
    """

    prefix, about = "step_", "steps"

    owners: Int32s = column(Axis.OWNERS, np.int32)
    """int32[m], ascending: the document that each step is of."""
    vectors: StoredVectors = column(Axis.ROWS, np.int8, is_vectors=True)
    """int8[m, d] or float32[m, d]"""
    scales: Floats = column(Axis.ROWS, np.float32)
    """float32[m]: a step's vector is its row by its scale."""
    records: Sequence[bytes] = column(Axis.ROWS)
    """Each step's record as JSON."""
    read: Bytes = column(Axis.FILES, np.uint8)
    """uint8[f]: `READ` for each of the segment's files of which all was read: steps, mentions, trees, docs."""

    def __len__(self) -> int:
        return len(self.owners)


class StepIndex:
    """The steps of several segments, found by their vectors: those of the first segment, then those of the next.

    Args:
        parts: each segment's steps, None where it has none, and the number of its first document.
    """

    def __init__(self, parts: Sequence[tuple[StepColumns | None, int]]) -> None:
        self._parts = [(steps, base) for steps, base in parts if steps is not None]
        self._bounds = [0, *accumulate(len(steps) for steps, _ in self._parts)]
        owners = [steps.owners.astype(np.int64) + base for steps, base in self._parts]
        self.owners: Ids = np.concatenate([np.zeros(0, dtype=np.int64), *owners])
        """int64[m]: the document that each step is of."""
        self.search = ExactSearch([(steps.vectors, steps.scales) for steps, _ in self._parts])

    def __len__(self) -> int:
        return len(self.owners)

    def record(self, number: int) -> bytes:
        """A step's record as JSON."""
        steps, row = self._locate(number)
        return steps.records[row]

    def vectors_of(self, documents: Bools) -> dict[bytes, Floats]:
        """float32[d] of each step of these documents (bool[n]), by its record."""
        found: dict[bytes, Floats] = {}
        for number in np.flatnonzero(documents[self.owners]).tolist():
            steps, row = self._locate(number)
            found[steps.records[row]] = steps.vectors[row].astype(np.float32) * steps.scales[row]
        return found

    def _locate(self, number: int) -> tuple[StepColumns, int]:
        index = bisect_right(self._bounds, number) - 1
        return self._parts[index][0], number - self._bounds[index]
