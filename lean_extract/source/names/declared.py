"""The premises declared so far in one file, by name, and what a name means at the current position."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lean_extract.records import Premise
from lean_extract.source.names.scopes import Open, Scope, is_too_long, join_names, namespaces_of


@dataclass(slots=True)
class ScopedPremises:
    """The premises of a file in order, each with the scope of its statement."""

    premises: list[Premise] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    _positions: dict[str, int] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    """For names that have been numbered, the next number to try."""

    def __contains__(self, name: str) -> bool:
        return name in self._positions

    def add(self, premise: Premise, scope: Scope) -> None:
        """Declare a premise. A declaration in the source replaces one that an attribute generates."""
        position = self._positions.get(premise.name)
        if position is not None and premise.is_private == self.premises[position].is_private:
            if premise.generated_by is not None:
                return
            if self.premises[position].generated_by is not None:
                self.premises[position] = premise
                return
        self._positions.setdefault(premise.name, len(self.premises))
        self.premises.append(premise)
        self.scopes.append(scope)

    def find(self, name: str, scope: Scope) -> int | None:
        """The index of the premise that a name refers to, given the current and the opened namespaces."""
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

    def get(self, name: str, scope: Scope) -> Premise | None:
        """The premise that a name refers to."""
        position = self.find(name, scope)
        return None if position is None else self.premises[position]

    def unused(self, name: str, namespace: str) -> str:
        """The name of an anonymous instance, numbered as in Lean if the file already has it."""
        full = join_names(namespace, name)
        count = self._numbers.get(full, 0)
        numbered = f"{name}_{count}" if count else name
        while join_names(namespace, numbered) in self._positions:
            count += 1
            numbered = f"{name}_{count}"
        self._numbers[full] = count
        return numbered

    def export(self, opened: Open) -> None:
        """Record the names that `export` gives to premises of this file. The last of several wins."""
        for name in opened.only or ():
            position = self.find(f"{opened.namespace}.{name}", Scope(opened.within))
            if position is not None:
                short = join_names(opened.within, name)
                self.premises[position] = replace(self.premises[position], exported_as=short)
