"""What the proofs of a segment's documents mention, read without knowing the rest of the library.

What a mention means depends on which names there are. Each is kept as the hashes of the names that it may have; the
first that is a live document's is what it means. So nothing is read again when another file gains or loses a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt64s
from retriever.search.index.proof_columns import hash_names, rows_of


@dataclass(frozen=True, slots=True)
class MentionColumns:
    """m mentions: the i-th may have the names `names[starts[i]:starts[i + 1]]`, the likeliest first."""

    owners: Int32s
    """int32[m], ascending: the document whose proof has each mention."""
    starts: Int32s
    """int32[m + 1]"""
    names: UInt64s

    def __len__(self) -> int:
        return len(self.owners)

    @classmethod
    def of_names(cls, mentions: Iterable[tuple[int, Sequence[str]]]) -> MentionColumns:
        """From (document, the names that a mention of its proof may have), in the order of the documents."""
        owners: list[int] = []
        lengths: list[int] = [0]
        flat: list[str] = []
        for owner, names in mentions:
            owners.append(owner)
            lengths.append(len(names))
            flat += names
        starts = np.cumsum(lengths).astype(np.int32)
        return cls(np.array(owners, dtype=np.int32), starts, hash_names(flat))

    @classmethod
    def joined(cls, parts: Sequence[MentionColumns | None], counts: Sequence[int]) -> MentionColumns | None:
        """The mentions of several runs of documents as one; `counts`: the documents of each run."""
        if all(part is None for part in parts):
            return None
        known = [part or cls.of_names(()) for part in parts]
        bases = np.cumsum([0, *counts])[:-1].tolist()
        lengths = np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(part.starts) for part in known)])
        return cls(
            np.concatenate(
                [part.owners.astype(np.int64) + base for part, base in zip(known, bases, strict=True)]
            ).astype(np.int32),
            np.cumsum(lengths).astype(np.int32),
            np.concatenate([part.names for part in known]),
        )

    def of_chosen(self, documents: Ids, count: int) -> MentionColumns:
        """The mentions of chosen documents (ascending) out of `count`."""
        position = np.full(count, -1, dtype=np.int32)
        position[documents] = np.arange(len(documents), dtype=np.int32)
        owners = position[self.owners]
        kept = np.flatnonzero(owners >= 0)
        first, lengths = self.starts[kept].astype(np.int64), np.diff(self.starts)[kept].astype(np.int64)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        return MentionColumns(owners[kept], starts.astype(np.int32), self.names[rows_of(first, lengths)])

    def meanings(self, found: Ids, base: int) -> tuple[Ids, Ids]:
        """(owners, documents) of the mentions that mean something, each pair once, ascending.

        Args:
            found: int64[len(names)], the live document of each name, -1 where there is none.
            base: the number of the segment's first document.
        """
        known = np.flatnonzero(found >= 0)
        mentions = np.repeat(np.arange(len(self)), np.diff(self.starts))[known]
        _, first = np.unique(mentions, return_index=True)
        pairs = np.stack([self.owners[mentions[first]].astype(np.int64) + base, found[known[first]]], axis=1)
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0) if len(pairs) else pairs
        return pairs[:, 0], pairs[:, 1]
