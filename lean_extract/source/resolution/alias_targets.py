"""Finds the targets of aliases that are declared in other modules, so that the aliases get their statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lean_extract.common.lru import Cache
from lean_extract.records import Premise
from lean_extract.source.names.scopes import Scope
from lean_extract.source.reader import SourceModule
from lean_extract.source.reader_state import Known, unknown
from lean_extract.source.resolution.link import END, Linker
from lean_extract.source.resolution.name_resolution import NameResolver

_KEPT = 32
"""Modules whose premises are kept at once."""
_LONGEST = 16
"""Modules of a chain of aliases."""


class AliasTargets:
    """The targets of aliases among the modules of a linker.

    Args:
        linker: knows all modules.
        read: reads a module again, with the declarations of others. None if it can no longer be read.
        waiting: the modules that have aliases without statements.
    """

    def __init__(
        self, linker: Linker, read: Callable[[str, Known], SourceModule | None], waiting: frozenset[str]
    ) -> None:
        linker.prepare()
        self._environment = linker.environment
        self._names = {index: name for name, index in linker.environment.indices.items()}
        self._read = read
        self._waiting = waiting
        self._open: list[str] = []
        """The modules that are being completed: of each, an alias is of an alias in the next one."""
        self._premises: Cache[Mapping[str, Premise]] = Cache(_KEPT)

    def completed(self, module: str) -> SourceModule | None:
        """A module, with the statements of its aliases as far as they are found. None if it cannot be read."""
        index = self._environment.indices[module]
        resolver = NameResolver(self._environment, index)
        self._open.append(module)
        read = self._read(module, lambda name, scope: self._find(name, scope, resolver, index))
        self._open.pop()
        return read

    def _find(self, name: str, scope: Scope, resolver: NameResolver, module: int) -> Premise | None:
        # order 0: the reader itself knows the declarations above the alias
        full, rest = resolver.resolve(name, scope, 0)
        entry = self._environment.find(full, module, END) if full is not None and not rest else None
        if full is None or entry is None:
            return None
        return self._premises_of(self._names[entry.module]).get(full)

    def _premises_of(self, module: str) -> Mapping[str, Premise]:
        """The premises of a module by name. Aliases of aliases are followed, but not in a circle."""
        known = self._premises.get(module)
        if known is None:
            is_next = module in self._waiting and module not in self._open and len(self._open) < _LONGEST
            read = self.completed(module) if is_next else self._read(module, unknown)
            known = {} if read is None else {premise.name: premise for premise in read.premises}
            self._premises.put(module, known)
        return known
