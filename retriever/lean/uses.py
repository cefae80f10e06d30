"""Which proofs use a premise, and what its own proof uses: the graph of votes, read for people."""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.common.arrays import Ids
from lean_extract.records import Premise
from retriever.lean.declared import DeclarationSite, number_of, sites
from retriever.lean.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Listed:
    """The first of some premises, and how many there are."""

    first: list[tuple[Premise, DeclarationSite]]
    count: int


@dataclass(frozen=True, slots=True)
class Uses:
    """The theorems whose proofs use a premise, and the premises that its own proof uses."""

    used_by: Listed
    uses: Listed
    is_own: bool
    """Whether the premise is the project's own, so that all that may use it was read from its text."""


NO_USES = Uses(Listed([], 0), Listed([], 0), is_own=True)


def uses_of(snapshot: Snapshot, name: str, module: str | None, k: int) -> Uses | None:
    """At most `k` of each; None if the index does not have the premise. Raises IndexDamaged.

    Those of the project itself come first, then in the order of modules and lines.
    """
    number = number_of(snapshot, name, module)
    if number is None:
        return None
    graph = snapshot.proofs
    own = graph.uses[graph.starts[number] : graph.starts[number + 1]].astype(int)
    is_own = snapshot.view.package(number) == ""
    return Uses(_listed(snapshot, graph.users(number), k), _listed(snapshot, own, k), is_own)


def _listed(snapshot: Snapshot, numbers: Ids, k: int) -> Listed:
    view = snapshot.view

    def place(number: int) -> tuple[bool, str, int, int]:
        return view.package(number) != "", view.module(number), int(view.lines[number]), number

    distinct = set(numbers.tolist())
    chosen = sorted(distinct, key=place)[:k]
    view.prefetch(chosen)
    premises = [view.premise(number) for number in chosen]
    return Listed(list(zip(premises, sites(snapshot, premises), strict=True)), len(distinct))
