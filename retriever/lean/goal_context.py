"""The context of a goal, and which premises of the index are above it in the open file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.records import Premise
from lean_extract.source.reader import SourceModule
from retriever.lean.snapshot import Snapshot
from retriever.models.encoder import Floats
from retriever.search.index.neighbours import Bools, Ids


@dataclass(frozen=True, slots=True)
class GoalContext:
    """Where the goal stands."""

    module: str | None = None
    """The open file's module name."""
    imports: tuple[str, ...] = ()
    """The modules that the open file's header names."""
    line: int | None = None
    """The goal's line in the open file, from 0."""
    local: tuple[Premise, ...] = ()
    """The open file's declarations as they stand in the editor; those from `line` on are left out."""
    theorem: str | None = None
    """The full name of the theorem being proved."""
    source: SourceModule | None = None
    """The open file as it was read: what proofs above the goal use tells what this one may need."""

    @property
    def shows_file(self) -> bool:
        """Whether it is known how the open file stands now: what was indexed of it then says nothing."""
        return bool(self.local) or self.source is not None


def declared_before(where: GoalContext) -> tuple[Premise, ...]:
    """The local premises that end before the goal's line."""
    line = where.line
    if line is None:
        return where.local
    around = {p.name for p in where.local if p.span and p.span.start.line <= line <= p.span.end.line}
    return tuple(
        premise
        for premise in where.local
        if premise.name not in around
        and premise.generated_from not in around
        and (premise.span is None or premise.span.end.line < line)
    )


def above(snapshot: Snapshot, where: GoalContext | None) -> Ids:
    """The indexed premises of the open file's module that stand above the goal."""
    nothing = np.zeros(0, dtype=np.int64)
    if where is None or where.module is None:
        return nothing
    own = np.flatnonzero(snapshot.in_module(where.module) & snapshot.view.alive)
    if not len(own):
        return own
    if where.shows_file:
        found = np.intersect1d(snapshot.names.find_names(p.name for p in declared_before(where)), own)
    else:
        found = own[snapshot.view.lines[own] < where.line] if where.line is not None else nothing
    return found


def voters(snapshot: Snapshot, where: GoalContext | None) -> Bools:
    """bool[n]: the theorems that may vote: not the one being proved, nor what follows it in its file."""
    allowed = snapshot.proofs.known.copy()
    if where is not None and where.module is not None:
        allowed &= ~snapshot.in_module(where.module)
        own = above(snapshot, where)
        allowed[own] = snapshot.proofs.known[own]
    allowed[proved(snapshot, where)] = False
    return allowed


def proved(snapshot: Snapshot, where: GoalContext | None) -> Ids:
    """What was indexed under the name of the theorem being proved: none or one."""
    names = [] if where is None or where.theorem is None else [where.theorem]
    found = snapshot.names.find_names(names)
    return found[found >= 0]


@dataclass(frozen=True, slots=True)
class NearbyCounts:
    """In how many proofs above the goal premises are used: by number in the index, and by name."""

    of_indexed: Floats
    counts: Mapping[str, int]

    def of_names(self, names: Sequence[str]) -> Floats:
        """float32[k]: the counts of these names."""
        return np.array([self.counts.get(name, 0) for name in names], dtype=np.float32)


def used_nearby(snapshot: Snapshot, where: GoalContext | None) -> NearbyCounts:
    """From the text of the open file, where it is given, else from what was indexed of it."""
    if where is None or where.source is None:
        return NearbyCounts(snapshot.proofs.counts(above(snapshot, where)), {})
    theorems = {premise.name for premise in declared_before(where)} - {where.theorem}
    counts = snapshot.nearby.counts(where.source, theorems)
    ids = snapshot.names.find_names(counts)
    found = np.zeros(len(snapshot.view), dtype=np.float32)
    np.maximum.at(found, ids[ids >= 0], np.fromiter(counts.values(), dtype=np.float32)[ids >= 0])
    return NearbyCounts(found, counts)
