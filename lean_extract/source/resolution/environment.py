"""What is declared where, and what a module can see of it."""

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
    """What it concludes; of a short definition, what it stands for."""
    scope: Scope = ROOT
    is_type: bool = False
    target: str | None = None
    """For a name that `export` makes: what it stands for."""


@dataclass(slots=True)
class NameEnvironment:
    """All declared names of a set of modules, with who can see them."""

    indices: dict[str, int] = field(default_factory=dict)
    entries: dict[str, Entry | list[Entry]] = field(default_factory=dict)
    last_components: set[str] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    fields: dict[str, list[str]] = field(default_factory=dict)
    parents: dict[str, tuple[tuple[str, ...], Scope]] = field(default_factory=dict)
    notations: dict[str, tuple[str, Scope]] = field(default_factory=dict)
    constructors: dict[str, set[str]] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)
    """For each constructor's last component, the inductive types that have one of that name."""
    visible: list[int] = field(default_factory=list)
    """For each module, the modules it can see, as a set of bits; itself among them."""

    def module_index(self, name: str) -> int:
        """The number of a module."""
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
        """Declare a premise; a field joins its structure's list, a constructor its type's."""
        self.add(premise.name, entry)
        if premise.kind == "field":
            owner, _, name = premise.name.rpartition(".")
            self.fields.setdefault(owner, []).append(name)
        elif premise.kind == "constructor":
            owner, _, name = premise.name.rpartition(".")
            self.constructors.setdefault(owner, set()).add(name)
            self.owners.setdefault(name, []).append(owner)

    def find(self, name: str, module: int, order: int) -> Entry | None:
        """The declaration of `name` that the place `order` of a module can see."""
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
    """Whether nobody who looks for the name of both ever finds the second."""
    is_alike = (known.module, known.is_private) == (entry.module, entry.is_private)
    return is_alike and known.order <= entry.order


def last_component(name: str) -> str:
    """What stands behind the last dot."""
    return name.rpartition(".")[2] if "«" not in name else split_name(name)[-1]


def visibility(imports: list[tuple[Import, ...]], indices: dict[str, int], implicit: list[bool]) -> list[int]:
    """For each module the modules it can see, transitively, as bits.

    Args:
        imports: of each module, in the order of `indices`.
        implicit: whether a module imports `Init` without saying so.
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
    """Depth first with a stack of its own, since chains of imports are long; circles are cut."""
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
