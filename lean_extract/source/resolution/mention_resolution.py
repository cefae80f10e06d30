"""A mention into the constants it uses: names, fields by the type of what they are taken of, constructors."""

from __future__ import annotations

from lean_extract.source.names.scopes import ROOT, Scope, namespaces_of, split_name
from lean_extract.source.proofs.local_names import (
    Alternative,
    Field,
    LocalNames,
    Mention,
    PartField,
    TypedPart,
)
from lean_extract.source.resolution.environment import Entry, NameEnvironment
from lean_extract.source.resolution.name_resolution import NameResolver
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.types import Range

_OPERATOR_CONSTANTS = {
    "=": "Eq", "≠": "Ne", "↔": "Iff", "<->": "Iff", "∧": "And", "/\\": "And", "∨": "Or", "\\/": "Or",
    "¬": "Not",
    "∃": "Exists", "∃!": "ExistsUnique", "≤": "LE.le", "<=": "LE.le", "<": "LT.lt", "≥": "GE.ge",
    ">=": "GE.ge",
    ">": "GT.gt", "∣": "Dvd.dvd", "∈": "Membership.mem", "⊆": "HasSubset.Subset",
    "⊂": "HasSSubset.SSubset", "×": "Prod", "⊕": "Sum", "≃": "Equiv", "→": "Function", "->": "Function",
    "≃*": "MulEquiv", "≃+": "AddEquiv", "→*": "MonoidHom", "→+": "AddMonoidHom", "→+*": "RingHom",
    "≃+*": "RingEquiv", "→ₗ": "LinearMap", "≃ₗ": "LinearEquiv", "→ₐ": "AlgHom", "≃ₐ": "AlgEquiv",
    "≅": "CategoryTheory.Iso", "⥤": "CategoryTheory.Functor", "⊣": "CategoryTheory.Adjunction",
    "≃ₜ": "Homeomorph", "≃o": "OrderIso", "→o": "OrderHom", "::": "List.cons",
}  # fmt: skip
"""What Lean's and Mathlib's notations stand for, where the sources that declare them are not read."""
_NUMBERED = {"And": ("left", "right"), "Iff": ("mp", "mpr"), "Prod": ("fst", "snd")}
_MAX_UNFOLDINGS = 3
_NONE: frozenset[str] = frozenset()
_LONGEST_NUMBER = 6
_MOST_ANCESTORS = 200
"""Structures that one extends on any way, of which the fields are looked at."""
_MOST_FITTING = 500
"""Types that have the same constructors, of which one is looked for that is plainly meant."""


class MentionResolver:
    """Resolution as one module sees it."""

    def __init__(self, environment: NameEnvironment, module: int) -> None:
        self._environment = environment
        self._module = module
        self._names = NameResolver(environment, module)
        self._statements: dict[str, tuple[list[str], LocalNames]] = {}
        self._extended: dict[str, list[str]] = {}
        self._fitting: dict[tuple[str, frozenset[str]], list[str]] = {}

    def resolve(self, mention: Mention, scope: Scope, order: int, unfoldings: int = 0) -> list[str]:
        """The constants that a mention uses; empty where it names none that is declared and visible."""
        if isinstance(mention, str):
            return self._name(mention, scope, order)
        if isinstance(mention, Field):
            owner = self._type(mention.receiver, scope, order)
            return self._fields(owner, split_name(mention.field), order, unfoldings) if owner else []
        if isinstance(mention, PartField):
            return self._part_field(mention, scope, order, unfoldings)
        return self._alternative(mention, scope, order)

    def _name(self, text: str, scope: Scope, order: int) -> list[str]:
        if text[0] == ".":
            return []
        name, rest = self._names.resolve(text, scope, order)
        if name is None:
            notation = self._environment.notations.get(text)
            target = self._names.resolve(*notation, order)[0] if notation else None
            return [target] if target else []
        if not rest:
            return [name]
        entry = self._entry(name, order)
        if entry is not None and entry.is_type:  # `Nat.rec`, `Foo.mk`: Lean made it, no source declares it
            return []
        return [name, *self._part_field(PartField(TypedPart(name), ".".join(rest)), ROOT, order)]

    def _type(self, head: str, scope: Scope, order: int) -> str | None:
        """The constant that a type's head stands for; `ℕ.Coprime` is read as `Nat.Coprime`."""
        first, dot, rest = head.partition(".")
        notation = self._environment.notations.get(first)
        if notation is not None:
            target, _ = self._names.resolve(*notation, order)
            first = target or notation[0]
            head = f"{first}{dot}{rest}"
            if not dot:
                return first
        elif not is_identifier(head):
            return _OPERATOR_CONSTANTS.get(head)
        name, left_over = self._names.resolve(head, scope, order)
        return None if left_over else name

    def _entry(self, name: str, order: int) -> Entry | None:
        return self._environment.find(name, self._module, order)

    def _fields(self, owner: str, parts: list[str], order: int, unfoldings: int) -> list[str]:
        """`owner.first`, also in what `owner` extends or unfolds to; then the other parts on its result."""
        name = self._field(owner, parts[0], order)
        if name is not None:
            if len(parts) == 1:
                return [name]
            rest = PartField(TypedPart(name), ".".join(parts[1:]))
            return [name, *self._part_field(rest, ROOT, order, unfoldings)]
        entry = self._entry(owner, order)
        if entry is None or unfoldings >= _MAX_UNFOLDINGS or not entry.statement:
            return []
        return self._part_field(PartField(TypedPart(owner), ".".join(parts)), ROOT, order, unfoldings + 1)

    def _field(self, owner: str, part: str, order: int) -> str | None:
        """A field of a structure or of what it extends, near ancestors first on each way up."""
        if part.isdigit():
            names = _NUMBERED.get(owner) or tuple(self._environment.fields.get(owner, ()))
            number = int(part) if len(part) <= _LONGEST_NUMBER else 0
            if not 0 < number <= len(names):
                return None
            part = names[number - 1]
        found = self._names.exact(f"{owner}.{part}", order)
        if found is not None or owner not in self._environment.parents:
            return found
        above = (self._names.exact(f"{name}.{part}", order) for name in self._ancestors(owner, order))
        return next((name for name in above if name is not None), None)

    def _ancestors(self, owner: str, order: int) -> list[str]:
        """What a structure extends, on any way."""
        known = self._extended.get(owner)
        if known is None:
            known = self._extended[owner] = []
            seen = {owner}
            waiting = self._parents(owner, order)
            while waiting and len(known) < _MOST_ANCESTORS:
                name = waiting.pop()
                if name not in seen:
                    seen.add(name)
                    known.append(name)
                    waiting += self._parents(name, order)
        return known

    def _parents(self, owner: str, order: int) -> list[str]:
        """What a structure extends by itself, the last one first."""
        parents, scope = self._environment.parents.get(owner, ((), ROOT))
        names = (self._names.resolve(parent, scope, order)[0] for parent in parents[:_MOST_ANCESTORS])
        return [name for name in names if name][::-1]

    def _part_field(self, mention: PartField, scope: Scope, order: int, unfoldings: int = 0) -> list[str]:
        """A field of (a part of) what a constant concludes, read off its statement."""
        constant, rest = self._names.resolve(mention.part.constant, scope, order)
        if constant is None:
            return []
        found = self._part(constant, [*rest, *mention.part.path], order, 0)
        if found is None:
            return []
        local, place, inner = found
        fields = local.fields_of(place, mention.field, is_applied=True)
        return (
            [name for field in fields for name in self.resolve(field, inner, order, unfoldings + 1)]
            if unfoldings <= _MAX_UNFOLDINGS
            else []
        )

    def _part(
        self, constant: str, path: list[str], order: int, unfoldings: int
    ) -> tuple[LocalNames, Range, Scope] | None:
        """The tokens and the range of a part of a constant's statement, and the scope it is read in."""
        entry = self._entry(constant, order)
        if entry is None or not entry.statement:
            return None
        words, local = self._statement(entry.statement)
        place: Range | None = local.premises((0, len(words)))[1]
        scope = _inner(constant, entry.scope)
        for count, step in enumerate(path):
            if place is None:
                return None
            if not local.shape(place).connective:
                owner = self._type(local.head(place), scope, order)
                if owner is None or unfoldings >= _MAX_UNFOLDINGS:
                    return None
                return self._part(owner, path[count:], order, unfoldings + 1)
            place = _step(local, place, step)
        return None if place is None else (local, place, scope)

    def _statement(self, text: str) -> tuple[list[str], LocalNames]:
        known = self._statements.get(text)
        if known is None:
            words = [token.rstrip() for token in raw_tokens(text)]
            known = self._statements[text] = words, LocalNames(words, ())
        return known

    def _alternative(self, mention: Alternative, scope: Scope, order: int) -> list[str]:
        """A constructor: of the type that is known, else of the one type that has all the names."""
        owner = self._type(mention.receiver, scope, order) if mention.receiver else None
        if owner is not None and (found := self._names.exact(f"{owner}.{mention.name}", order)):
            return [found]
        constructors = self._environment.constructors
        fewest = 0
        fitting: list[str] = []
        for owner in self._having(mention)[:_MOST_FITTING]:
            if fewest and len(constructors[owner]) > fewest:
                break
            if self._entry(owner, order):
                fewest = len(constructors[owner])
                fitting.append(owner)
                if len(fitting) > 1:
                    break
        around = [
            owner
            for owner in reversed(namespaces_of(scope.namespace) if fitting else ())
            if len(names := constructors.get(owner, _NONE)) == fewest
            and mention.all_names <= names
            and self._entry(owner, order)
        ]
        chosen = around or (fitting if len(fitting) == 1 else [])
        return [f"{chosen[0]}.{mention.name}"] if chosen else []

    def _having(self, mention: Alternative) -> list[str]:
        """The types that have all the constructors, those with the fewest others first."""
        key = mention.name, mention.all_names
        known = self._fitting.get(key)
        if known is None:
            constructors = self._environment.constructors
            owners = self._environment.owners.get(mention.name, ())
            fitting = [owner for owner in owners if mention.all_names <= constructors[owner]]
            known = self._fitting[key] = sorted(fitting, key=lambda owner: len(constructors[owner]))
        return known


def _inner(constant: str, scope: Scope) -> Scope:
    """The scope that a constant's own statement is read in."""
    namespace = constant.rpartition(".")[0]
    return scope if namespace == scope.namespace else Scope(namespace, scope.opens)


def _step(local: LocalNames, place: Range, step: str) -> Range | None:
    """One step of a path: `mp`, `1`, `2/3` (a component), `1|2` (an alternative)."""
    parts = local.shape(place)
    count, slash, total = step.partition("/")
    if slash:
        return _component(local, place, int(count), int(total))
    count, bar, total = step.partition("|")
    if bar:
        return _disjunct(local, place, int(count), int(total))
    if parts.connective == "∧" and step in ("1", "left", "2", "right"):
        return parts.left if step in ("1", "left") else parts.right
    if parts.connective == "↔" and step in ("mp", "1", "mpr", "2"):
        side = parts.right if step in ("mp", "1") else parts.left
        return local.premises(side)[1] if side else None
    return None


def _component(local: LocalNames, place: Range, count: int, total: int) -> Range | None:
    for left in range(total - 1, 0, -1):
        parts = local.shape(place)
        is_wanted = total - left == count
        if parts.connective in ("∧", "↔"):
            first = parts.left
        elif parts.connective == "∃":
            first = parts.names[0][1] if len(parts.names) == 1 else None
        else:
            return None
        if is_wanted:
            return first
        if parts.right is None or len(parts.names) > 1:
            return None
        place = parts.right
    return place


def _disjunct(local: LocalNames, place: Range, count: int, total: int) -> Range | None:
    for position in range(1, total):
        parts = local.shape(place)
        if parts.connective != "∨" or parts.left is None or parts.right is None:
            return None
        if position == count:
            return parts.left
        place = parts.right
    return place
