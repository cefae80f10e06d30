"""A written name into the constant it stands for, by Lean's rules (`resolveGlobalName`).

The innermost namespace wins; behind the namespaces come the root and everything opened; a protected
name needs one more component; trailing components that name nothing are fields of what the front gives.
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
    """An opened namespace by its full name."""

    namespace: str
    opened: Open

    @property
    def is_whole(self) -> bool:
        """Whether all its names are opened (protected ones are not, then)."""
        return self.opened.only is None

    def meaning(self, name: str) -> str | None:
        """What a name stands for if this opening gives it."""
        opened = self.opened
        for old, new in opened.renaming:
            if new == name:
                return f"{self.namespace}.{old}"
        if opened.only is not None and name not in opened.only:
            return None
        return None if name in opened.hiding else f"{self.namespace}.{name}"


class NameResolver:
    """Resolution as one module sees it."""

    def __init__(self, environment: NameEnvironment, module: int) -> None:
        self._environment = environment
        self._module = module
        self._opened: dict[Scope, tuple[_Opened, ...]] = {}
        self._last: tuple[Scope, tuple[_Opened, ...]] = (ROOT, ())
        self._around: dict[str, list[str]] = {}

    def resolve(self, text: str, scope: Scope, order: int) -> tuple[str | None, list[str]]:
        """The constant that a name's longest meaningful front part stands for, and the parts left over."""
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
        """The names that only `open ... renaming` gives."""
        if not scope.opens:
            return ()
        return tuple([new for opened in scope.opens if opened.renaming for _, new in opened.renaming])

    def exact(self, name: str, order: int, is_bare: bool = False) -> str | None:
        """The constant of exactly this name; `is_bare` leaves protected ones out."""
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
        """What the scope opens, each with the full names of the namespaces that it may mean."""
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
        """The namespaces that an `open` means, in all that is known."""
        known = self._environment.namespaces
        if opened.namespace.startswith("_root_."):
            return [opened.namespace[7:]]
        candidates = [join_names(namespace, opened.namespace) for namespace in namespaces_of(opened.within)]
        candidates += [f"{other.namespace}.{opened.namespace}" for other in before if other.is_whole]
        return list(dict.fromkeys(name for name in candidates if name in known))
