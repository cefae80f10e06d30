"""What the proofs of a segment use, as columns; premises elsewhere are known by hashes of their names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt64s


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
        return cls(owners[order], _starts(lengths[order]), used[rows_of(starts[order], lengths[order])])

    def aligned(self, hashes: UInt64s) -> tuple[Ids, UInt64s]:
        """(lengths int64[n], used) of the premises with these names, in their order; 0 where not known."""
        position = find(self.owners, hashes)
        known = position >= 0
        lengths = np.zeros(len(hashes), dtype=np.int64)
        lengths[known] = np.diff(self.starts)[position[known]]
        return lengths, self.used[rows_of(self.starts[position[known]], lengths[known])]


@dataclass(frozen=True, slots=True)
class ProofColumns:
    """What m proofs of n documents use: proof i uses `uses[starts[i]:starts[i + 1]]`, ascending."""

    hashes: UInt64s
    """uint64[n]: of the documents' own names."""
    starts: Int32s
    """int32[m + 1]"""
    uses: Int32s
    """A position in the same segment where >= 0, else -1 - k for `names[k]`."""
    names: UInt64s
    """uint64, ascending: of names that stand in other segments, if anywhere."""
    owners: Int32s | None = None
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
        return cls(hashes, _starts(lengths).astype(np.int32), uses.astype(np.int32), names, owners)

    def used(self) -> UInt64s:
        """uint64: the names in place of `uses`."""
        found = np.empty(len(self.uses), dtype=np.uint64)
        here = self.uses >= 0
        found[here] = self.hashes[self.uses[here]]
        found[~here] = self.names[-1 - self.uses[~here]]
        return found


def merged(parts: Sequence[tuple[ProofColumns, Ids]]) -> ProofColumns:
    """The columns of the chosen documents (ascending) of several segments, as one."""
    hashes, lengths, used, owners = [], [], [], []
    base = 0
    for columns, chosen in parts:
        rows, of_rows = _rows_of_chosen(columns, chosen)
        counts = np.diff(columns.starts).astype(np.int64)[rows]
        hashes.append(columns.hashes[chosen])
        lengths.append(counts)
        used.append(columns.used()[rows_of(columns.starts[rows].astype(np.int64), counts)])
        owners.append((of_rows + base).astype(np.int32))
        base += len(chosen)
    own = np.concatenate(owners) if any(columns.owners is not None for columns, _ in parts) else None
    return ProofColumns.of_hashes(np.concatenate(hashes), np.concatenate(lengths), np.concatenate(used), own)


def _rows_of_chosen(columns: ProofColumns, chosen: Ids) -> tuple[Ids, Ids]:
    """(the proofs of the chosen documents, the position of each one's document among the chosen)."""
    if columns.owners is None:
        return chosen, np.arange(len(chosen))
    position = np.full(len(columns.hashes), -1, dtype=np.int64)
    position[chosen] = np.arange(len(chosen))
    of_rows = position[columns.owners]
    return np.flatnonzero(of_rows >= 0), of_rows[of_rows >= 0]


def find(ascending: UInt64s, wanted: UInt64s) -> Ids:
    """int64[n]: the position of each wanted hash, -1 where it is not there."""
    if not len(ascending):
        return np.full(len(wanted), -1, dtype=np.int64)
    position = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[position] == wanted, position, -1)


def rows_of(starts: Ids, lengths: Ids) -> Ids:
    """The positions of rows in compressed sparse rows, row after row."""
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.repeat(starts - before, lengths) + np.arange(int(lengths.sum())), dtype=np.int64)


def _starts(lengths: Ids) -> Ids:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
