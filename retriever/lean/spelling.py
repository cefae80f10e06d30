"""How names are written at a goal: as short as they mean the same premise there, by Lean's rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from lean_extract.source.names.scopes import Scope, join_names, split_name
from lean_extract.source.open_file import LibraryEnvironment
from lean_extract.source.resolution.name_resolution import Entry, NameResolver
from lean_extract.syntax.keywords import COMMAND_WORDS, KEYWORDS, TERM_WORDS
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.content import Flag
from retriever.lean.snapshot import Snapshot
from retriever.limits import MAX_SPELLING_LOOKUPS

_ROOT = "_root_."
_RESERVED = COMMAND_WORDS | KEYWORDS | TERM_WORDS
_HERE = 0
"""The number of the open file among the modules of an environment."""


def spellings(
    snapshot: Snapshot, where: GoalContext, names: Iterable[str], hypotheses: Collection[str] = ()
) -> dict[str, str]:
    """Those of the names that are written in another way at the goal, each as it is written there.

    Lean looks a name up in the current namespace and its parents first, then at the root and in what is open: in
    `namespace Own`, `Own.sup_comm` is written `sup_comm`, and the library's theorem `_root_.sup_comm`, if `Own` has
    one, too. What has several meanings is not written, and what is protected keeps a part of its namespace. A
    hypothesis comes before every constant.

    Args:
        snapshot: the indexes, which know the declarations of other files.
        where: the goal's file, namespace and opened namespaces.
        names: full names without `_root_`, which may have fields after them (`Iff.comm.mp`); others stay as they are.
        hypotheses: the names of the goal's hypotheses.
    """
    return _Speller(snapshot, where, hypotheses).spelled({one for one in names if not one.startswith(_ROOT)})


class _Speller:
    """Writes names at one goal."""

    def __init__(self, snapshot: Snapshot, where: GoalContext, hypotheses: Collection[str]) -> None:
        self._snapshot = snapshot
        self._hypotheses = hypotheses
        self._scope = Scope(where.namespace, where.opens)
        self._environment = LibraryEnvironment(visible=[1])
        self._environment.add_opened([self._scope])
        self._resolver = NameResolver(self._environment, _HERE)
        self._spaces = self._resolver.namespaces(self._scope)
        for premise in where.local:
            self._declare(premise.name, is_protected=premise.is_protected)
        if where.theorem:
            self._declare(where.theorem)

    def spelled(self, names: Collection[str]) -> dict[str, str]:
        parts = {name: split_name(name) for name in names}
        self._look_up(
            ".".join(found[:count]) for found in parts.values() for count in range(1, len(found) + 1)
        )
        constants = {name: self._constant(found) for name, found in parts.items()}
        ways = {constant: list(self._ways(constant)) for constant in {*constants.values()} if constant}
        whole = {one for found in ways.values() for one in found}
        if len(whole) * len(self._spaces) > MAX_SPELLING_LOOKUPS:
            return {}
        self._look_up(join_names(space, way) for way in whole for space in self._spaces)
        written = {
            constant: next((way for way in found if self._means(way, constant)), _ROOT + constant)
            for constant, found in ways.items()
        }
        return {
            name: written[constant] + name[len(constant) :]
            for name, constant in constants.items()
            if constant and written[constant] != constant
        }

    def _constant(self, parts: Sequence[str]) -> str:
        """The constant that a full name begins with; empty if none is known."""
        fronts = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((one for one in fronts if self._resolver.exact(one, 1) is not None), "")

    def _ways(self, constant: str) -> Iterator[str]:
        """The ways to write a constant, shortest first: without an opened namespace before it, and in full."""
        parts = split_name(constant)
        for count in range(len(parts) - 1, 0, -1):
            rest = ".".join(parts[count:])
            if ".".join(parts[:count]) in self._spaces and parts[count] not in _RESERVED:
                yield rest
        yield constant

    def _means(self, way: str, constant: str) -> bool:
        if split_name(way)[0] in self._hypotheses:
            return False
        return self._resolver.meanings(way, self._scope, 1) == {constant}

    def _look_up(self, names: Iterable[str]) -> None:
        """Add those of the names that the indexes know to the environment."""
        new = sorted({name for name in names if name not in self._environment.entries})
        ids = self._snapshot.names.find_names(new).tolist()
        flags = self._snapshot.view.flags
        for name, number in zip(new, ids, strict=True):
            if number >= 0:
                self._declare(name, is_protected=bool(flags[number] & Flag.PROTECTED))

    def _declare(self, name: str, *, is_protected: bool = False) -> None:
        self._environment.add(name, Entry(_HERE, 0, is_protected=is_protected))


def in_full(name: str, way: str) -> str:
    """The longest way to write a name, given the one that is used."""
    return way if way.startswith(_ROOT) else _ROOT + name


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
