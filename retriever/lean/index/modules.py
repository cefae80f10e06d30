"""What an index keeps of a Lean file beside its premises: its imports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lean_extract.records import Import
from retriever.lean.scope import ModuleNode
from retriever.search.index.source_file import IndexedFile


def kept_of(imports: Iterable[Import], in_module_system: bool) -> tuple[Any, ...]:
    """`IndexedFile.more` of a Lean file: its imports as [module, flags], and 1 in Lean's module system."""
    listed = [[one.module, one.is_public + 2 * one.is_meta + 4 * one.is_all] for one in imports]
    return (listed, int(in_module_system))


def node_of(file: IndexedFile) -> ModuleNode:
    """The inverse of `kept_of`. Raises ValueError or TypeError."""
    imports, in_module_system = file.more
    found = tuple(Import(str(name), bool(f & 1), bool(f & 2), bool(f & 4)) for name, f in imports)
    return ModuleNode(found, bool(in_module_system))
