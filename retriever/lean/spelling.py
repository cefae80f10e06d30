"""How a name has to be written where, as it stands, it would mean something else.

Lean looks a name up in the current namespace and its parents first: in `namespace Own`, while `Own.sup_comm` is being
proved, `sup_comm` is that theorem and not the library's. A hypothesis comes before every constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from lean_extract.source.names.scopes import join_names, namespaces_of
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from retriever.lean.goal_context import GoalContext
from retriever.lean.snapshot import Snapshot

_ROOT = "_root_."


def spellings(
    snapshot: Snapshot, where: GoalContext, names: Iterable[str], hypotheses: Collection[str] = ()
) -> dict[str, str]:
    """Those of the full names that mean something else at the goal, each with a spelling that does not.

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
    asked = sorted({one for found in inner.values() for one in found} - declared)
    ids = snapshot.names.find_names(asked)
    declared |= {name for name, number in zip(asked, ids.tolist(), strict=True) if number >= 0}
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
