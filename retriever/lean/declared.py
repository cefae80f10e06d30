"""What a name means: where its premise was declared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.records import Premise
from retriever.lean.eligibility import RankedPremise, doc_url, ranked_indexed_premise
from retriever.lean.goal_context import GoalContext
from retriever.lean.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DeclarationSite:
    """What the index knows about where a premise is declared."""

    path: Path | None
    """None for a premise that is only in the bundled index."""
    line: int
    """The line, from 0, when the file was indexed; -1 if unknown."""
    doc_url: str | None


def described(
    snapshot: Snapshot, name: str, module: str | None
) -> tuple[RankedPremise, DeclarationSite] | None:
    """The premise of this name, with score 0, and where it is declared; None if the index does not have it.

    `module` decides between several of the same name. Raises IndexDamaged.
    """
    number = number_of(snapshot, name, module)
    if number is None:
        return None
    return ranked_indexed_premise(snapshot, None, number, 0.0, None), _site(snapshot, number)


def sites(snapshot: Snapshot, premises: Iterable[Premise]) -> list[DeclarationSite]:
    """Where premises of the index are declared, in their order."""
    numbers = [number_of(snapshot, one.name, one.module) for one in premises]
    return [DeclarationSite(None, -1, None) if one is None else _site(snapshot, one) for one in numbers]


def number_of(snapshot: Snapshot, name: str, module: str | None) -> int | None:
    """The number of a premise in the view, as `described` finds it; None if the index does not have it."""
    view = snapshot.view
    [number] = snapshot.names.find_names([name]).tolist()
    if module is not None and (number < 0 or view.module(number) != module):
        in_module = np.flatnonzero(snapshot.in_module(module) & view.alive).tolist()
        number = next((one for one in in_module if view.name(one) == name), -1)
    return None if number < 0 else int(number)


def _site(snapshot: Snapshot, number: int) -> DeclarationSite:
    view = snapshot.view
    return DeclarationSite(
        view.path(number), int(view.lines[number]), doc_url(view.premise(number), view.package(number))
    )


def stated(snapshot: Snapshot, where: GoalContext | None, name: str) -> Premise | None:
    """The premise that a name in a goal means, if its statement is known: of the open file, else of the index.

    In the open file the name may lack the namespaces that are open there. Raises IndexDamaged.
    """
    for premise in where.local if where is not None else ():
        if premise.name == name or premise.name.endswith(f".{name}"):
            return premise
    [number] = snapshot.names.find_names([name]).tolist()
    return None if number < 0 or snapshot.view.bundled[number] else snapshot.view.premise(number)
