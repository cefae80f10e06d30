"""What one file declares, as it gathers: premises by name, and what a name means at a point of the file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lean_extract.records import Premise
from lean_extract.source.names.scopes import Open, Scope, is_too_long, join_names, namespaces_of


@dataclass(slots=True)
class ScopedPremises:
    """The premises of a file in order, each with the scope that its statement is read in."""

    premises: list[Premise] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    _positions: dict[str, int] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    """For names that were numbered, the number to try next."""

    def __contains__(self, name: str) -> bool:
        return name in self._positions

    def add(self, premise: Premise, scope: Scope) -> None:
        """Declare a premise. What the source declares takes the place of what an attribute makes."""
        position = self._positions.get(premise.name)
        if position is not None and not premise.is_private:
            if premise.generated_by is not None:
                return
            if self.premises[position].generated_by is not None:
                self.premises[position] = premise
                return
        self._positions.setdefault(premise.name, len(self.premises))
        self.premises.append(premise)
        self.scopes.append(scope)

    def find(self, name: str, scope: Scope) -> int | None:
        """The position of the premise that a name means here, by the namespaces in force."""
        if is_too_long(name):
            return None
        for namespace in namespaces_of(scope.namespace):
            position = self._positions.get(join_names(namespace, name))
            if position is not None:
                return position
        for opened in scope.opens:
            position = self._positions.get(f"{opened.namespace}.{name}")
            if position is not None:
                return position
        return None

    def unused(self, name: str, namespace: str) -> str:
        """An instance's own name, numbered as Lean does if the file has it already."""
        full = join_names(namespace, name)
        count = self._numbers.get(full, 0)
        numbered = f"{name}_{count}" if count else name
        while join_names(namespace, numbered) in self._positions:
            count += 1
            numbered = f"{name}_{count}"
        self._numbers[full] = count
        return numbered

    def export(self, opened: Open) -> None:
        """Note the names that `export` gives premises of this file; the last of several counts."""
        for name in opened.only or ():
            position = self.find(f"{opened.namespace}.{name}", Scope(opened.within))
            if position is not None:
                short = join_names(opened.within, name)
                self.premises[position] = replace(self.premises[position], exported_as=short)
