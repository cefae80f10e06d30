"""Resolves a name as written to a constant, by Lean's rules (`resolveGlobalName`).

The innermost namespace has precedence. The root and the opened namespaces come after all enclosing namespaces.
A protected name needs one more component. Trailing components that are not part of a name are fields of what
precedes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.source.names.scopes import (
    ROOT,
    Open,
    Scope,
    is_too_long,
    join_names,
    namespaces_of,
    plain_name,
    split_name,
)
from lean_extract.source.resolution.environment import NameEnvironment


@dataclass(frozen=True, slots=True)
class _Opened:
    """An opened namespace, with its full name."""

    namespace: str
    opened: Open

    @property
    def is_whole(self) -> bool:
        """Whether all its names are opened, in which case protected ones are excluded."""
        return self.opened.only is None

    def meaning(self, name: str) -> str | None:
        """The full name that a name refers to if this `open` provides it; otherwise None."""
        opened = self.opened
        for old, new in opened.renaming:
            if new == name:
                return f"{self.namespace}.{old}"
        if opened.only is not None and name not in opened.only:
            return None
        return None if name in opened.hiding else f"{self.namespace}.{name}"


class NameResolver:
    """Resolves names from the view of one module."""

    def __init__(self, environment: NameEnvironment, module: int) -> None:
        self._environment = environment
        self._module = module
        self._opened: dict[Scope, tuple[_Opened, ...]] = {}
        self._last: tuple[Scope, tuple[_Opened, ...]] = (ROOT, ())
        self._around: dict[str, list[str]] = {}

    def resolve(self, text: str, scope: Scope, order: int) -> tuple[str | None, list[str]]:
        """The constant that the longest possible prefix of a name refers to, and the remaining components."""
        if is_too_long(text):
            return None, []
        if text.startswith("_root_."):
            text, scope = text[7:], ROOT
        text = plain_name(text)
        parts = split_name(text)
        namespaces = self._namespaces_around(scope.namespace)
        declared, renamed = self._environment.last_components, self._renamed(scope)
        for count in range(len(parts), 0, -1):
            if parts[count - 1] not in declared and parts[count - 1] not in renamed:
                continue
            front = ".".join(parts[:count]) if count < len(parts) else text
            for namespace in namespaces:
                found = self.exact(f"{namespace}.{front}", order, count == 1)
                if found is not None:
                    return found, parts[count:]
            found = self.exact(front, order) or self._in_opened(front, scope, order, count == 1)
            if found is not None:
                return found, parts[count:]
        return None, []

    def _namespaces_around(self, namespace: str) -> list[str]:
        known = self._around.get(namespace)
        if known is None:
            known = self._around[namespace] = namespaces_of(namespace)[:-1]
        return known

    def _renamed(self, scope: Scope) -> tuple[str, ...]:
        """The names that `open ... renaming` introduces."""
        if not scope.opens:
            return ()
        return tuple([new for opened in scope.opens if opened.renaming for _, new in opened.renaming])

    def exact(self, name: str, order: int, is_bare: bool = False) -> str | None:
        """The constant with exactly this name. `is_bare` excludes protected ones."""
        entry = self._environment.find(name, self._module, order)
        if entry is None or (is_bare and entry.is_protected):
            return None
        return entry.target or name

    def _in_opened(self, front: str, scope: Scope, order: int, is_bare: bool) -> str | None:
        if not scope.opens:
            return None
        for opened in reversed(self._opens(scope)):
            name = opened.meaning(front)
            if name is not None:
                found = self.exact(name, order, is_bare and opened.is_whole)
                if found is not None:
                    return found
        return None

    def _opens(self, scope: Scope) -> tuple[_Opened, ...]:
        """The namespaces that the scope opens, with every full name that each may refer to."""
        if self._last[0] is scope:
            return self._last[1]
        known = self._opened.get(scope)
        if known is None:
            gathered: list[_Opened] = []
            for opened in scope.opens:
                gathered += [_Opened(name, opened) for name in self._namespaces(opened, gathered)]
            known = self._opened[scope] = tuple(gathered)
        self._last = scope, known
        return known

    def _namespaces(self, opened: Open, before: Sequence[_Opened]) -> list[str]:
        """The known namespaces that an `open` refers to."""
        known = self._environment.namespaces
        if opened.namespace.startswith("_root_."):
            return [opened.namespace[7:]]
        candidates = [join_names(namespace, opened.namespace) for namespace in namespaces_of(opened.within)]
        candidates += [f"{other.namespace}.{opened.namespace}" for other in before if other.is_whole]
        return list(dict.fromkeys(name for name in candidates if name in known))
