"""What the proofs of indexed theorems use: the graph by which the theorems near a goal vote."""

from __future__ import annotations

import numpy as np

from lean_extract.common.arrays import Ids
from retriever.lean.index.view import LeanView
from retriever.search.index.names import LiveNames
from retriever.search.votes import ProofGraph

NEIGHBOURS = 128
"""How many theorems vote."""


def proof_graph(view: LeanView, names: LiveNames) -> ProofGraph:
    """What the proofs of a view's live theorems use, of its live premises of any kind.

    What a dead premise (of a replaced file, of a module that another store has too) uses, or is used by, goes
    over to the live one of its name. Of what is shipped, proofs of held-out theorems are in no graph: they have no
    vote. The proofs of a project's own files are read from their text, and all of them vote.
    """
    owners, used = [], []
    for segment, base in zip(view.segments, view.bounds, strict=False):
        columns = segment.tables.proofs
        outside = names.find(columns.names)
        rows = np.repeat(np.arange(len(segment)), np.diff(columns.starts))
        here = columns.uses >= 0
        targets = columns.uses.astype(np.int64) + base
        targets[~here] = outside[-1 - columns.uses[~here]]
        owners.append(rows + base)
        used.append(targets)
        if (mentions := segment.tables.mentions) is not None:
            read, meant = mentions.meanings(names.find(mentions.names), base)
            is_live = view.alive[read]  # a file that was replaced has been read again
            owners.append(read[is_live])
            used.append(meant[is_live])
    nothing = np.zeros(0, dtype=np.int64)
    return _of_edges(view, names, np.concatenate([nothing, *owners]), np.concatenate([nothing, *used]))


def _of_edges(view: LeanView, names: LiveNames, owners: Ids, used: Ids) -> ProofGraph:
    used, owners = used[used >= 0], owners[used >= 0]
    if not view.alive.all():
        has_own = np.zeros(len(view), dtype=np.bool_)
        has_own[owners[view.alive[owners]]] = True
        was_dead = ~view.alive[owners]
        used, owners = _revived(view, names, used), _revived(view, names, owners)
        found = (used >= 0) & (owners >= 0)
        found[was_dead] &= ~has_own[owners[was_dead]]
        used, owners = used[found], owners[found]
    if (owners[1:] < owners[:-1]).any():
        order = np.argsort(owners, kind="stable")
        used, owners = used[order], owners[order]
    starts = np.zeros(len(view) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=len(view)), out=starts[1:])
    return ProofGraph(starts, used.astype(np.int32))


def _revived(view: LeanView, names: LiveNames, ids: Ids) -> Ids:
    """The ids, those of dead premises replaced by the live ones of the same names, or -1."""
    is_dead = ~view.alive[ids]
    result = ids.copy()
    result[is_dead] = names.find(names.hashes[ids[is_dead]])
    return result
