"""Which premises may be offered at a position, what was requested of them, and how they are presented."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote

import numpy as np

from lean_extract.common.arrays import Bools
from lean_extract.records import Goal, Premise
from lean_extract.toolchains.core_sources import LEAN_CORE
from retriever.lean.callers import Caller
from retriever.lean.explanation import Explanation
from retriever.lean.goal_context import GoalContext, declared_before, proved
from retriever.lean.snapshot import Snapshot
from retriever.lean.theorems import is_theorem
from retriever.lean.tokens import name_parts, premise_tokens
from retriever.limits import MAX_LOCAL_PREMISES


@dataclass(frozen=True, slots=True)
class Allowed:
    """All given restrictions must hold; a missing one restricts nothing.

    `declared_in` and `names` belong together: a premise passes if it is declared in one of the modules, or
    has one of the names.
    """

    modules: tuple[str, ...] = ()
    """Module prefixes: `Mathlib.Algebra` admits that module and all below it."""
    in_scope: bool = False
    """Only what the open file's imports reach, where they are known."""
    declared_in: frozenset[str] | None = None
    """Whole module names."""
    names: frozenset[str] | None = None
    """Full names of premises."""
    kinds: tuple[str, ...] = ()
    """`theorem`, `def`, or other keywords of Lean (`words.filters`)."""
    packages: tuple[str, ...] = ()
    """In any case of letters."""
    mentions: tuple[str, ...] = ()
    """Names that the statement, or the premise's own name, has: all of them."""

    def mask(self, snapshot: Snapshot, scope: Bools | None) -> Bools | None:
        """bool[n]: the indexed premises that pass; None: all. `scope` is what the imports reach, if known."""
        found: list[Bools] = [scope] if self.in_scope and scope is not None else []
        if self.modules:
            found.append(snapshot.view.in_modules(frozenset(self._below(snapshot))))
        if self._names_premises:
            chosen = snapshot.view.in_modules(self.declared_in or frozenset())
            ids = snapshot.names.find_names(self.names or ())
            chosen[ids[ids >= 0]] = True
            found.append(chosen)
        if self.kinds:
            found.append(self._of_kinds(snapshot))
        if self.packages:
            wanted = {name.lower() for name in self.packages}
            files = (file for file in snapshot.view.live_files if file.package.lower() in wanted)
            found.append(snapshot.view.in_modules(frozenset(file.module for file in files)))
        found += [snapshot.having(token) for name in self.mentions for token in mention_tokens(name)]
        return np.logical_and.reduce(found) if found else None

    def _of_kinds(self, snapshot: Snapshot) -> Bools:
        named = snapshot.view.of_kinds(frozenset(_keywords(self.kinds)))
        return (named & ~snapshot.is_theorem) | (
            snapshot.is_theorem if "theorem" in self.kinds else np.False_
        )

    def admits(self, premise: Premise) -> bool:
        """Whether a premise of the open file passes; that is in scope in any case."""
        if self.modules and not is_below(premise.module, self.modules):
            return False
        if self.packages or (self.kinds and not self._admits_kind(premise)):
            return False
        tokens = premise_tokens(premise) if self.mentions else ()
        if any(token not in tokens for name in self.mentions for token in mention_tokens(name)):
            return False
        return (
            not self._names_premises
            or premise.module in (self.declared_in or ())
            or premise.name in (self.names or ())
        )

    def _admits_kind(self, premise: Premise) -> bool:
        return "theorem" in self.kinds if is_theorem(premise) else premise.kind in _keywords(self.kinds)

    @property
    def _names_premises(self) -> bool:
        return self.declared_in is not None or self.names is not None

    def _below(self, snapshot: Snapshot) -> Iterable[str]:
        prefixes = frozenset(self.modules)
        return (file.module for file in snapshot.view.live_files if is_below(file.module, prefixes))


_KEYWORDS = {
    "def": ("def", "abbrev", "irreducible_def", "opaque"),
    "class": ("class", "class inductive", "class abbrev"),
    "inductive": ("inductive", "class inductive", "coinductive"),
}


def _keywords(kinds: Iterable[str]) -> list[str]:
    return [keyword for kind in kinds for keyword in _KEYWORDS.get(kind, (kind,))]


def mention_tokens(name: str) -> tuple[str, ...]:
    """The tokens of a premise that mentions a name; its namespaces may be left out."""
    return name_parts(name.rpartition(".")[2])[:1]


def is_below(module: str, prefixes: Collection[str]) -> bool:
    """Whether a module is one of these or below one, part by part: `A.B` is below `A`, `AB` is not.

    Time does not grow with the prefixes where they are a set.
    """
    if module in prefixes:
        return True
    return any(module[:end] in prefixes for end, character in enumerate(module) if character == ".")


Kinds = Literal["theorems", "definitions", "equational", "unfoldable", "all"]
"""Theorems; all others; those of the others with equations; those that abbreviate something; everything."""

_KINDS: dict[Kinds, frozenset[str]] = {
    "equational": frozenset({"def", "abbrev", "irreducible_def"}),
    "unfoldable": frozenset({"def", "abbrev", "irreducible_def", "instance", "field"}),
}
"""Lean's keywords of the definitions that are offered, where not all are. `rw` uses a definition's equations;
`simp` and `unfold` also see through instances and projections. Types and constructors abbreviate nothing."""
_FOR: dict[Caller, tuple[Kinds, ...]] = {
    "": ("theorems",),
    "apply": ("theorems",),
    "rewrite": ("theorems", "equational"),
    "simplify": ("theorems", "unfoldable"),
    "unfold": ("unfoldable",),
}

_DOCUMENTATION = "https://leanprover-community.github.io/mathlib4_docs/"
_DOCUMENTED = frozenset(
    (
        LEAN_CORE,
        "mathlib",
        "batteries",
        "std",
        "aesop",
        "qq",
        "proofwidgets",
        "plausible",
        "importgraph",
        "leansearchclient",
    )
)


@dataclass(frozen=True, slots=True)
class RankRequest:
    """A request for the premises that fit a goal."""

    goal: Goal
    where: GoalContext | None = None
    """Without it nothing is known about imports; with it, private premises of other files and what follows its line
    are left out."""
    k: int = 32
    """How many."""
    kinds: Kinds | None = None
    """None: what the caller can use."""
    allowed: Allowed | None = None
    """Restricts what is looked at before the best are chosen."""
    caller: Caller = ""
    """The group of the tactic that the premises are for."""
    explain: bool = False
    """Whether each premise says what its score comes from."""


@dataclass(frozen=True, slots=True)
class RankedPremise:
    """A premise, how well it fits, and whether it can be used there."""

    premise: Premise
    """Without statement where it comes from the bundled index."""
    score: float
    in_scope: bool | None
    """None where it is not known what is imported."""
    import_line: str | None
    """What would bring it into scope, where it is not; None, too, where the file cannot import its module."""
    doc_url: str | None
    rests_on_sorry: bool = False
    """Whether its proof, or one that it uses, has a `sorry`."""
    has_error: bool = False
    """Whether Lean reports an error in it in the open file."""
    explanation: Explanation = ()
    """What each group of features adds to the score, where that was requested."""


def kinds_for(caller: Caller, *, is_data: bool = False) -> tuple[Kinds, ...]:
    """What a tactic can use, in parts that are ranked apart.

    Args:
        caller: its group.
        is_data: whether the goal needs data, not a proof: then terms of every kind may be given.
    """
    return ("all",) if caller == "apply" and is_data else _FOR[caller]


def admits(kinds: Kinds, premise: Premise) -> bool:
    """Whether a premise is of these kinds."""
    if kinds == "all" or is_theorem(premise):
        return kinds in ("all", "theorems")
    return premise.kind in _KINDS[kinds] if kinds in _KINDS else kinds == "definitions"


def _of_kinds(snapshot: Snapshot, kinds: Kinds) -> Bools:
    """bool[n]: the same for the indexed premises."""
    if kinds == "all":
        return np.ones(len(snapshot.is_theorem), dtype=np.bool_)
    if kinds in _KINDS:
        return snapshot.is_definition(_KINDS[kinds])
    return snapshot.is_theorem if kinds == "theorems" else ~snapshot.is_theorem


def own_premises(where: GoalContext | None, kinds: Kinds, allowed: Allowed | None) -> tuple[Premise, ...]:
    """The open file's premises that may be offered; of very many those nearest above the goal."""
    if where is None:
        return ()
    chosen = (p for p in declared_before(where) if admits(kinds, p))
    return tuple(p for p in chosen if allowed is None or allowed.admits(p))[-MAX_LOCAL_PREMISES:]


def offered_premises(
    snapshot: Snapshot, where: GoalContext | None, kinds: Kinds, local: int, only: Allowed | None = None
) -> Bools:
    """bool[n]: the indexed premises that may be offered at all, in addition to so many of the open file."""
    offered = _in_sight(snapshot, where, kinds, local)
    mask = only.mask(snapshot, scope_of(snapshot, where)) if only else None
    return offered if mask is None else np.asarray(offered & mask)


def internal_premises(
    snapshot: Snapshot, where: GoalContext | None, texts: Iterable[str], only: Allowed | None = None
) -> Bools:
    """bool[n]: the premises that are internal to a library that nothing names: no text, nor the goal's place."""
    place = () if where is None else (where.namespace, where.theorem or "", where.module or "")
    found = snapshot.internal.but_named_in([*texts, *place])
    ids = snapshot.names.find_names((only.names if only else None) or ())
    found[ids[ids >= 0]] = False
    return found


def _in_sight(snapshot: Snapshot, where: GoalContext | None, kinds: Kinds, local: int) -> Bools:
    allowed = snapshot.view.alive & _of_kinds(snapshot, kinds)
    if where is None:
        return np.asarray(allowed & ~snapshot.is_private)
    own = snapshot.in_module(where.module) if where.module else np.zeros(len(allowed), dtype=np.bool_)
    allowed &= own | ~snapshot.is_private
    allowed[proved(snapshot, where)] = False
    if where.shows_file and local < MAX_LOCAL_PREMISES:
        allowed &= ~own  # The editor's text replaces what was indexed.
    elif where.line is not None:
        allowed &= ~own | (snapshot.view.lines < where.line)
    return np.asarray(allowed)


def scope_of(snapshot: Snapshot, where: GoalContext | None) -> Bools | None:
    """bool[n]: what the open file can use with its imports; None where there is no file."""
    if where is None:
        return None
    is_prelude = where.source is not None and where.source.is_prelude
    reached = snapshot.in_scope(where.imports, is_prelude=is_prelude)
    return np.asarray(reached | snapshot.in_module(where.module)) if where.module else reached


def ranked_indexed_premise(
    snapshot: Snapshot, where: GoalContext | None, number: int, score: float, in_scope: bool | None
) -> RankedPremise:
    """A premise of the index. Raises IndexDamaged."""
    found = ranked_premise(snapshot.view.premise(number), snapshot.view.package(number), score, in_scope)
    if found.import_line is None or where is None:
        return found
    is_newer = where.source is not None and where.source.module.in_module_system
    can_import = snapshot.can_import(where.module, found.premise.module, in_module_system=is_newer)
    return found if can_import else replace(found, import_line=None)


def ranked_premise(premise: Premise, package: str, score: float, in_scope: bool | None) -> RankedPremise:
    """A premise of a package; `package` is empty for the open file's own."""
    import_line = f"import {premise.module}" if in_scope is False else None
    return RankedPremise(premise, score, in_scope, import_line, doc_url(premise, package))


def doc_url(premise: Premise, package: str) -> str | None:
    """The premise's page in Mathlib's online documentation, for the packages that it covers."""
    if package.lower() not in _DOCUMENTED or premise.is_private:
        return None
    page = "/".join(quote(part.strip("«»")) for part in premise.module.split("."))
    return f"{_DOCUMENTATION}{page}.html#{quote(premise.name)}"
