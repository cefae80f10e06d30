"""Which premises the proofs of a library use, and what they tell of a new goal.

Theorems near a goal vote for what their own proofs use (as in MaSh, Kühlwein et al. 2013):

    votes(p) = sum over neighbours t of rank r = 0, 1, ... whose proof uses p of
               1 / sqrt(1 + r) / sqrt(number of premises that it uses)

Proofs of held-out theorems are in no graph: they have no vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from retriever.search.index.proof_columns import Hashes, find, hash_names, rows_of
from retriever.search.index.segment import Flag
from retriever.search.index.view import IndexView

NEIGHBOURS = 128
"""How many theorems vote."""

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]


class LiveNames:
    """The premises of a view that count, by the hashes of their names, and of those that `export` gives them.

    Where a name is one premise's own and another's by `export`, it means the former.
    """

    def __init__(self, view: IndexView) -> None:
        nothing: Hashes = np.zeros(0, dtype=np.uint64)
        self.hashes = np.concatenate([nothing, *(segment.proofs.hashes for segment in view.segments)])
        live = np.flatnonzero(view.alive)
        exported = view.exported()
        hashes = np.concatenate([self.hashes[live], hash_names(exported)])
        ids = np.concatenate([live, np.fromiter(exported.values(), dtype=np.int64, count=len(exported))])
        order = np.argsort(hashes, kind="stable")
        self._ids, self._ascending = ids[order], hashes[order]

    def find(self, hashes: Hashes) -> Ids:
        """int64[k]: the premise of each name, -1 where there is none."""
        place = find(self._ascending, hashes)
        return np.where(place >= 0, self._ids[place], -1) if len(self._ids) else place

    def find_names(self, names: Iterable[str]) -> Ids:
        """The same for names themselves."""
        return self.find(hash_names(names))


class ProofGraph:
    """Uses of n premises as compressed sparse rows: proof i uses `uses[starts[i]:starts[i + 1]]`.

    Args:
        starts: int64[n + 1].
        uses: int32, each premise once in a row.
    """

    def __init__(self, starts: Ids, uses: Ints) -> None:
        self.starts = starts
        self.uses = uses
        self.known: Bools = np.diff(starts) > 0
        """bool[n]: whose proof is known to use anything."""

    @classmethod
    def of_rows(cls, count: int, rows: Mapping[int, Sequence[int]]) -> ProofGraph:
        """The graph of `count` premises; a premise without a row has no known proof."""
        lengths = np.zeros(count + 1, dtype=np.int64)
        for number, row in rows.items():
            lengths[number + 1] = len(row)
        uses = [used for number in sorted(rows) for used in rows[number]]
        return cls(np.cumsum(lengths), np.array(uses, dtype=np.int32))

    @classmethod
    def of(cls, view: IndexView, names: LiveNames) -> ProofGraph:
        """What the proofs of a view's live theorems use, of its live theorems.

        What a dead premise (of a replaced file, of a module that another store has too) uses, or is used
        by, goes over to the live one of its name.
        """
        owners, used = [], []
        for segment, base in zip(view.segments, view.bounds, strict=False):
            columns = segment.proofs
            outside = names.find(columns.names)
            rows = np.repeat(np.arange(len(segment)), np.diff(columns.starts))
            here = columns.uses >= 0
            targets = columns.uses.astype(np.int64) + base
            targets[~here] = outside[-1 - columns.uses[~here]]
            owners.append(rows + base)
            used.append(targets)
        nothing = np.zeros(0, dtype=np.int64)
        edges = np.concatenate([nothing, *owners]), np.concatenate([nothing, *used])
        return cls._of_edges(view, names, *edges)

    @classmethod
    def _of_edges(cls, view: IndexView, names: LiveNames, owners: Ids, used: Ids) -> ProofGraph:
        used, owners = used[used >= 0], owners[used >= 0]
        if not view.alive.all():
            has_own = np.zeros(len(view), dtype=np.bool_)
            has_own[owners[view.alive[owners]]] = True
            was_dead = ~view.alive[owners]
            used, owners = _revived(view, names, used), _revived(view, names, owners)
            found = (used >= 0) & (owners >= 0)
            found[was_dead] &= ~has_own[owners[was_dead]]
            used, owners = used[found], owners[found]
        is_theorem = (view.flags[used] & Flag.THEOREM) != 0
        used, owners = used[is_theorem], owners[is_theorem]
        if (owners[1:] < owners[:-1]).any():
            order = np.argsort(owners, kind="stable")
            used, owners = used[order], owners[order]
        starts = np.zeros(len(view) + 1, dtype=np.int64)
        np.cumsum(np.bincount(owners, minlength=len(view)), out=starts[1:])
        return cls(starts, used.astype(np.int32))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def votes(self, neighbours: Ids) -> Floats:
        """float32[n]: the votes of theorems that are given nearest first."""
        counts = self.starts[neighbours + 1] - self.starts[neighbours]
        weights = 1.0 / np.sqrt((1.0 + np.arange(len(neighbours))) * np.maximum(counts, 1))
        return self._sum(neighbours, np.repeat(weights, counts))

    def counts(self, theorems: Ids) -> Floats:
        """float32[n]: how many of these theorems' proofs use each premise."""
        return self._sum(theorems, None)

    def _sum(self, rows: Ids, weights: npt.NDArray[np.float64] | None) -> Floats:
        first, counts = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        used = self.uses[rows_of(first, counts)]
        return np.bincount(used, weights, minlength=len(self)).astype(np.float32)


def _revived(view: IndexView, names: LiveNames, ids: Ids) -> Ids:
    """The ids, those of dead premises replaced by the live ones of the same names, or -1."""
    is_dead = ~view.alive[ids]
    result = ids.copy()
    result[is_dead] = names.find(names.hashes[ids[is_dead]])
    return result
