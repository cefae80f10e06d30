"""The names of Lean's own library that the names of anonymous instances depend on: a list, made by a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from lean_extract.source.names.scopes import Scope, join_names, namespaces_of

LISTED = Path(__file__).with_name("core_names.txt")
"""The list, of Lean 4.27. `scripts/core_names.py` makes it."""
ROOTS = ("Init", "Std", "Lean")
"""The libraries of Lean that it is of."""


@dataclass(frozen=True, slots=True)
class CoreName:
    """A constant of Lean's own library."""

    name: str
    root: str
    """The first component of its module."""
    required: tuple[str, ...]
    """The classes of the instances that it takes as arguments."""


@cache
def core_names() -> Mapping[str, CoreName]:
    """All that are listed, by name."""
    found: dict[str, CoreName] = {}
    root = ""
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line[:1] == "[":
            root = line[1:-1]
            continue
        name, *required = line.split()
        found.setdefault(name, CoreName(name, root, tuple(required)))
    return MappingProxyType(found)


def core_name(written: str, scope: Scope) -> CoreName | None:
    """What a name as written means in Lean's own library; None if it is not listed."""
    names = core_names()
    if written.startswith("_root_."):
        return names.get(written[7:])
    for namespace in namespaces_of(scope.namespace):
        if found := names.get(join_names(namespace, written)):
            return found
    for opened in reversed(scope.opens):
        if found := names.get(f"{opened.namespace}.{written}"):
            return found
    return None
