"""The declared names of a set of modules, and which of them each module can see."""

from __future__ import annotations

from dataclasses import dataclass, field

from lean_extract.records import Import, Premise
from lean_extract.source.names.scopes import ROOT, Scope, split_name


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
            self.last_components.add(last_component(name))
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


def last_component(name: str) -> str:
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
