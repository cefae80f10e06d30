"""The context of a goal, and which premises of the index are above it in the open file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.records import Goal, Premise
from lean_extract.source.names.scopes import Open
from lean_extract.source.reader import SourceModule
from retriever.lean.notations import Notations
from retriever.lean.ranker.place import Place, last_uses, nearness
from retriever.lean.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class GoalContext:
    """Where the goal is."""

    module: str | None = None
    """The open file's module name."""
    imports: tuple[str, ...] = ()
    """The modules that the open file's header names."""
    line: int | None = None
    """The goal's line in the open file, from 0."""
    local: tuple[Premise, ...] = ()
    """The open file's declarations as they are in the editor; those from `line` on are left out."""
    theorem: str | None = None
    """The full name of the theorem being proved."""
    source: SourceModule | None = None
    """The open file as it was read: what proofs above the goal use shows what this one may need."""
    namespace: str = ""
    """The namespace in which the names of the proof are looked up."""
    opens: tuple[Open, ...] = ()
    """The namespaces that are open there, the latest last."""

    @property
    def shows_file(self) -> bool:
        """Whether the open file's current state is known; then what was indexed of it does not count."""
        return bool(self.local) or self.source is not None


def texts_of(goal: Goal) -> list[str]:
    """The goal's target and the types of its hypotheses."""
    return [goal.target, *(hypothesis.type for hypothesis in goal.hypotheses)]


def notations_at(snapshot: Snapshot, where: GoalContext | None) -> tuple[Notations, ...]:
    """The declared notations: those of the open file, which may be newer, and those of the index."""
    source = None if where is None else where.source
    return (*([Notations(source.notations)] if source and source.notations else ()), snapshot.notations)


def notation_tokens(snapshot: Snapshot, where: GoalContext | None, texts: Iterable[str]) -> list[str]:
    """What texts have in common with statements that write a constant where they have its notation, or so reversed."""
    known = notations_at(snapshot, where)
    return [token for text in texts for notations in known for token in notations.tokens(text)]


def ways_to_write(snapshot: Snapshot, where: GoalContext | None, goal: Goal) -> list[Goal]:
    """The goal; with constants in the place of their notations; and reversed. Those that are the same once."""
    known = notations_at(snapshot, where)

    def written(goal: Goal, write: Callable[[Notations, str], str]) -> Goal:
        def text_of(text: str) -> str:
            return reduce(lambda read, notations: write(notations, read), known, text)

        hypotheses = tuple(replace(one, type=text_of(one.type)) for one in goal.hypotheses)
        return replace(goal, target=text_of(goal.target), hypotheses=hypotheses)

    ways = (goal, written(goal, Notations.spelled_out), written(goal, Notations.noted))
    return list(dict.fromkeys(ways))


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


def _above(snapshot: Snapshot, where: GoalContext | None) -> Ids:
    """The indexed premises of the open file's module that are above the goal."""
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
        own = _above(snapshot, where)
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
    """In how many proofs above the goal premises are used: by number in the index, and by name.

    `last` says how near the last such proof is (`retriever.lean.ranker.place.PLACE`).
    """

    of_indexed: Floats
    counts: Mapping[str, int]
    last_of_indexed: Floats
    last: Mapping[str, float]

    def of_names(self, names: Sequence[str]) -> Floats:
        """float32[k]: the counts of these names."""
        return np.array([self.counts.get(name, 0) for name in names], dtype=np.float32)

    def last_of_names(self, names: Sequence[str]) -> Floats:
        """float32[k]: how near the last use of these names is."""
        return np.array([self.last.get(name, 0.0) for name in names], dtype=np.float32)


def used_nearby(snapshot: Snapshot, where: GoalContext | None) -> NearbyCounts:
    """From the text of the open file, where it is given, else from what was indexed of it."""
    if where is None or where.source is None:
        own = _above(snapshot, where)
        own = own[np.argsort(snapshot.view.lines[own], kind="stable")]
        return NearbyCounts(snapshot.proofs.counts(own), {}, last_uses(snapshot.proofs, own), {})
    finished = {premise.name for premise in declared_before(where) if not premise.has_sorry}
    theorems = finished - {where.theorem}
    uses = snapshot.nearby.uses(where.source, theorems)
    counts = Counter(name for names in uses for name in names)
    near = nearness(len(uses)).tolist()
    last = {name: value for value, names in zip(near, uses, strict=True) for name in names}
    ids = snapshot.names.find_names(counts)
    found, recent = np.zeros((2, len(snapshot.view)), dtype=np.float32)
    known = ids >= 0
    np.maximum.at(found, ids[known], np.fromiter(counts.values(), dtype=np.float32)[known])
    np.maximum.at(recent, ids[known], np.array([last[name] for name in counts], dtype=np.float32)[known])
    return NearbyCounts(found, counts, recent, last)


def place_of(snapshot: Snapshot, where: GoalContext | None, used: NearbyCounts) -> Place | None:
    """Where the goal is, as the learned ranker reads it; None without a file."""
    if where is None:
        return None
    if where.shows_file:
        starts = [premise.span.start.line for premise in declared_before(where) if premise.span]
        lines = np.array(sorted(starts), dtype=np.int64)
    else:
        lines = np.sort(snapshot.view.lines[_above(snapshot, where)]).astype(np.int64)
    return Place(used.last_of_indexed, where.module, where.imports, where.theorem, lines)
