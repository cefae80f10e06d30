"""What a name means: where its premise was declared, and how it has to be written to mean that at a goal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.records import Premise
from lean_extract.source.names.scopes import join_names, namespaces_of
from lean_extract.syntax.lexer import is_identifier, raw_tokens
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
    number = _number(snapshot, name, module)
    if number is None:
        return None
    return ranked_indexed_premise(snapshot, number, 0.0, None), _site(snapshot, number)


def sites(snapshot: Snapshot, premises: Iterable[Premise]) -> list[DeclarationSite]:
    """Where premises of the index are declared, in their order."""
    numbers = [_number(snapshot, one.name, one.module) for one in premises]
    return [DeclarationSite(None, -1, None) if one is None else _site(snapshot, one) for one in numbers]


def _number(snapshot: Snapshot, name: str, module: str | None) -> int | None:
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


_ROOT = "_root_."


def spellings(
    snapshot: Snapshot, where: GoalContext, names: Iterable[str], hypotheses: Collection[str] = ()
) -> dict[str, str]:
    """Those of the full names that mean something else at the goal, each with a spelling that does not.

    Lean looks a name up in the current namespace and its parents first: in `namespace Own`, while `Own.sup_comm` is
    being proved, `sup_comm` is that theorem and not the library's. A hypothesis comes before every constant.

    Args:
        snapshot: the indexes, which know the declarations of other files.
        where: the goal's file and namespace.
        names: full names as they are written, without `_root_`.
        hypotheses: the names of the goal's hypotheses.
    """
    around = [space for space in namespaces_of(where.namespace) if space]
    wanted = {name for name in names if not name.startswith(_ROOT)}
    inner = {name: [join_names(space, name) for space in around] for name in wanted}
    declared = {premise.name for premise in where.local if not premise.is_protected} | {where.theorem}
    used = sorted({one for found in inner.values() for one in found} - declared)
    ids = snapshot.names.find_names(used)
    declared |= {name for name, number in zip(used, ids.tolist(), strict=True) if number >= 0}
    return {
        name: _ROOT + name
        for name, found in inner.items()
        if not declared.isdisjoint(found) or name.partition(".")[0] in hypotheses
    }


def names_in(text: str) -> set[str]:
    """The identifiers of a text."""
    return {token.rstrip() for token in raw_tokens(text) if is_identifier(token)}


def respelled(text: str, spelled: Mapping[str, str]) -> str:
    """A text with these names written as they have to be."""
    if not spelled:
        return text
    return "".join(_respelled(token, spelled) for token in raw_tokens(text))


def _respelled(token: str, spelled: Mapping[str, str]) -> str:
    name = token.rstrip()
    return spelled.get(name, name) + token[len(name) :]
