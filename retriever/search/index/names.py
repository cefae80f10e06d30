"""The documents that count, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from lean_extract.common.arrays import Bools, Ids, UInt64s
from retriever.search.index.proof_columns import find, hash_names
from retriever.search.index.view import IndexView


class LiveNames:
    """The documents that count, by the hashes of their names and aliases.

    Where a name is one document's own and another's alias, it means the former.

    Args:
        hashes: uint64[n] in all, of the names of each segment's documents.
        alive: bool[n], which documents count.
        aliases: further names, each with its document.
    """

    def __init__(
        self, hashes: Sequence[UInt64s], alive: Bools, aliases: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        nothing: UInt64s = np.zeros(0, dtype=np.uint64)
        self.hashes = np.concatenate([nothing, *hashes])
        live = np.flatnonzero(alive)
        known = np.concatenate([self.hashes[live], hash_names(aliases)])
        ids = np.concatenate([live, np.fromiter(aliases.values(), dtype=np.int64, count=len(aliases))])
        order = np.argsort(known, kind="stable")
        self._ids, self._ascending = ids[order], known[order]

    @classmethod
    def of(cls, view: IndexView) -> LiveNames:
        """The documents of a view that count."""
        return cls([segment.tables.proofs.hashes for segment in view.segments], view.alive, view.aliases())

    def find(self, hashes: UInt64s) -> Ids:
        """int64[k]: the document of each name, -1 where there is none."""
        position = find(self._ascending, hashes)
        return np.where(position >= 0, self._ids[position], -1) if len(self._ids) else position

    def find_names(self, names: Iterable[str]) -> Ids:
        """The same for names themselves."""
        return self.find(hash_names(names))
