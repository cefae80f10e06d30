"""Resolves a name as written to a constant, by Lean's rules (`resolveGlobalName`).

The innermost namespace has precedence. The root and the opened namespaces come after all enclosing namespaces.
A protected name needs one more component. Trailing components that are not part of a name are fields of what
precedes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lean_extract.records import Import, Premise
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


@dataclass(slots=True)
class Entry:
    """One declaration of a name. `order` counts from 1 within its module."""

    module: int
    order: int
    is_private: bool = False
    is_protected: bool = False
    statement: str = ""
    """Its conclusion; for a short definition, its value."""
    scope: Scope = ROOT
    is_type: bool = False
    target: str | None = None
    """For a name made by `export`: the constant that it refers to."""


@dataclass(slots=True)
class NameEnvironment:
    """All declared names of a set of modules, and the visibility between the modules."""

    indices: dict[str, int] = field(default_factory=dict)
    entries: dict[str, Entry | list[Entry]] = field(default_factory=dict)
    last_components: set[str] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    fields: dict[str, list[str]] = field(default_factory=dict)
    parents: dict[str, tuple[tuple[str, ...], Scope]] = field(default_factory=dict)
    notations: dict[str, tuple[str, Scope]] = field(default_factory=dict)
    constructors: dict[str, set[str]] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)
    """For each constructor's last component, the inductive types that have a constructor of that name."""
    visible: list[int] = field(default_factory=list)
    """For each module, the modules that it can see, including itself, as a bit set."""

    def module_index(self, name: str) -> int:
        """The index of a module, which is assigned if it is new."""
        return self.indices.setdefault(name, len(self.indices))

    def add(self, name: str, entry: Entry) -> None:
        """Declare a name."""
        known = self.entries.get(name)
        if known is None:
            self.entries[name] = entry
            self.last_components.add(_last_component(name))
            self._add_namespaces(name)
        elif isinstance(known, list):
            if not any(_hides(other, entry) for other in known[-2:]):
                known.append(entry)
        elif not _hides(known, entry):
            self.entries[name] = [known, entry]

    def _add_namespaces(self, name: str) -> None:
        namespace = name.rpartition(".")[0] if "«" not in name else ".".join(split_name(name)[:-1])
        while namespace and namespace not in self.namespaces:
            self.namespaces.add(namespace)
            namespace = namespace.rpartition(".")[0]

    def add_premise(self, premise: Premise, entry: Entry) -> None:
        """Declare a premise. A field is added to its structure, a constructor to its type."""
        self.add(premise.name, entry)
        if premise.kind == "field":
            owner, _, name = premise.name.rpartition(".")
            self.fields.setdefault(owner, []).append(name)
        elif premise.kind == "constructor":
            owner, _, name = premise.name.rpartition(".")
            self.constructors.setdefault(owner, set()).add(name)
            self.owners.setdefault(name, []).append(owner)

    def find(self, name: str, module: int, order: int) -> Entry | None:
        """The declaration of `name` that is visible in a module after its first `order` declarations."""
        known = self.entries.get(name)
        if known is None:
            return None
        for entry in known if isinstance(known, list) else (known,):
            if entry.module == module:
                if entry.order <= order:
                    return entry
            elif not entry.is_private and self.visible[module] >> entry.module & 1:
                return entry
        return None


def _hides(known: Entry, entry: Entry) -> bool:
    """Whether a lookup of the name that both share never finds the second."""
    is_alike = (known.module, known.is_private) == (entry.module, entry.is_private)
    return is_alike and known.order <= entry.order


def _last_component(name: str) -> str:
    """The last component of a name."""
    return name.rpartition(".")[2] if "«" not in name else split_name(name)[-1]


def visibility(imports: list[tuple[Import, ...]], indices: dict[str, int], implicit: list[bool]) -> list[int]:
    """For each module, the modules that it can see through its imports, transitively, as a bit set.

    Args:
        imports: the imports of each module, in the order of `indices`.
        indices: the index of each module by name.
        implicit: for each module, whether it imports `Init` implicitly.
    """
    init = indices.get("Init")
    direct = [
        [indices[line.module] for line in lines if line.module in indices]
        + ([init] if init is not None and takes_init and index != init else [])
        for index, (lines, takes_init) in enumerate(zip(imports, implicit, strict=True))
    ]
    closed: list[int | None] = [None] * len(direct)
    for start in range(len(direct)):
        _close(start, direct, closed)
    return [bits or 0 for bits in closed]


def _close(start: int, direct: list[list[int]], closed: list[int | None]) -> None:
    """Depth-first search with an explicit stack, since chains of imports are long. Cycles are cut."""
    waiting: list[tuple[int, bool]] = [(start, False)]
    open_modules: set[int] = set()
    while waiting:
        module, is_done = waiting.pop()
        if is_done:
            bits = 1 << module
            for other in direct[module]:
                bits |= closed[other] or 0
            closed[module] = bits
            open_modules.discard(module)
        elif closed[module] is None and module not in open_modules:
            open_modules.add(module)
            waiting.append((module, True))
            waiting.extend((other, False) for other in direct[module])


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

    def meanings(self, name: str, scope: Scope, order: int) -> frozenset[str]:
        """The constants that a whole name may refer to: that of the innermost namespace, else all at the root and in
        what is open. Of several, Lean takes the one that fits, if only one does."""
        is_bare = len(split_name(name)) == 1
        for namespace in self._namespaces_around(scope.namespace):
            inner = self.exact(f"{namespace}.{name}", order, is_bare)
            if inner is not None:
                return frozenset((inner,))
        found = [self.exact(name, order)]
        for opened in self._opens(scope):
            meaning = opened.meaning(name)
            found += [self.exact(meaning, order, is_bare and opened.is_whole)] if meaning is not None else []
        return frozenset(filter(None, found))

    def namespaces(self, scope: Scope) -> frozenset[str]:
        """The namespaces whose names need no prefix in a scope."""
        opened = (one.namespace for one in self._opens(scope))
        return frozenset((*self._namespaces_around(scope.namespace), *opened))

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
