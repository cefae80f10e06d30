"""Which premises may be offered at all: a filter that is applied before the best are chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bools
from lean_extract.records import Premise
from retriever.lean.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Allowed:
    """All that is said must hold; what is not said restricts nothing.

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
        return np.logical_and.reduce(found) if found else None

    def admits(self, premise: Premise) -> bool:
        """Whether a premise of the open file passes; that is in scope in any case."""
        if self.modules and not is_below(premise.module, self.modules):
            return False
        return (
            not self._names_premises
            or premise.module in (self.declared_in or ())
            or premise.name in (self.names or ())
        )

    @property
    def _names_premises(self) -> bool:
        return self.declared_in is not None or self.names is not None

    def _below(self, snapshot: Snapshot) -> Iterable[str]:
        prefixes = frozenset(self.modules)
        return (file.module for file in snapshot.view.live_files if is_below(file.module, prefixes))


def is_below(module: str, prefixes: Collection[str]) -> bool:
    """Whether a module is one of these or lies below one, part by part: `A.B` is below `A`, `AB` is not.

    Time does not grow with the prefixes where they are a set.
    """
    if module in prefixes:
        return True
    return any(module[:end] in prefixes for end, character in enumerate(module) if character == ".")
