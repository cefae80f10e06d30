"""What a file can use: the modules that its imports reach.

In files of the old kind every import is passed on to importers. In a `module` file (Lean's module system)
only a `public import` is; a plain `import` serves that file alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lean_extract.records import Import

PRELUDE = "Init"
"""The module that every file imports unless it says `prelude`."""


@dataclass(frozen=True, slots=True)
class ModuleNode:
    """A module as far as the import graph needs it."""

    imports: tuple[Import, ...] = ()
    in_module_system: bool = False

    @property
    def passed_on(self) -> tuple[str, ...]:
        """The imports that an importer of this module sees too."""
        public_only = self.in_module_system
        return tuple(item.module for item in self.imports if item.is_public or not public_only)


def importable(
    graph: Mapping[str, ModuleNode], direct: Iterable[str], *, is_prelude: bool = False
) -> frozenset[str]:
    """The modules that a file with these imports can use; modules outside the graph end the search.

    A file headed `prelude` has `Init` only where it imports it.
    """
    waiting = [*direct] if is_prelude else [*direct, PRELUDE]
    reached: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in reached:
            continue
        reached.add(module)
        node = graph.get(module)
        if node is not None:
            waiting.extend(node.passed_on)
    return frozenset(reached)


def importers(graph: Mapping[str, ModuleNode], module: str) -> frozenset[str]:
    """The modules that import a module, directly or through others: it can import none of them."""
    importing: dict[str, list[str]] = {}
    for name, node in graph.items():
        for item in node.imports:
            importing.setdefault(item.module, []).append(name)
    waiting, found = [module], {module}
    while waiting:
        new = [name for name in importing.get(waiting.pop(), ()) if name not in found]
        found.update(new)
        waiting.extend(new)
    return frozenset(found - {module})
