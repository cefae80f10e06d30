"""The names bound inside a proof, and the mentions of `h.symm`, `h.1` or `(h x).trans` that their types give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lean_extract.limits import MAX_PROJECTED_TOKENS, MAX_PROJECTIONS
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.types import Range, TypeShape, head, premises_of, shape


class Field(NamedTuple):
    """`h.field`, where the type of `h` is an application of `receiver` (a name or an operator)."""

    receiver: str
    field: str


class TypedPart(NamedTuple):
    """Something whose type is a constant's conclusion (for a definition, its value), or a part of it.

    `path` leads to the part: `1/2` is the first of two components, `1|2` the first of two alternatives.
    """

    constant: str
    path: tuple[str, ...] = ()


class PartField(NamedTuple):
    """`(f x y).field`, or a field of a part of the conclusion of `f`."""

    part: TypedPart
    field: str


class Alternative(NamedTuple):
    """A constructor named in `cases`, `induction` or a pattern. `all_names` are those of all alternatives there."""

    receiver: str
    name: str
    all_names: frozenset[str]


Mention = str | Field | PartField | Alternative
"""A name as written, `.name` where the expected type gives the namespace, or one of the classes above."""

KnownType = Range | TypedPart | None
"""What is known about a local name's type: its tokens, the constant that it comes from, or nothing."""

_SIDES = {"1": 0, "2": 1, "left": 0, "right": 1, "mp": 0, "mpr": 1}


class LocalNames:
    """Bound names with what is known about their types, as ranges of a file's tokens."""

    def __init__(self, texts: list[str], binders: Iterable[Binder]) -> None:
        self._texts = texts
        self._known: dict[str, KnownType] = {}
        self._shapes: dict[Range, TypeShape] = {}
        self._premises: dict[Range, tuple[list[Range | None], Range]] = {}
        self._heads: dict[Range, str] = {}
        for binder in binders:
            for name in binder.names:
                self._known[name] = binder.type_tokens if binder.type else None

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def bind(self, name: str, known: KnownType = None) -> None:
        """Make `name` a local name from here on."""
        self._known[name] = known

    def type_of(self, name: str) -> Range | None:
        """The tokens of a local name's type, if they are known."""
        known = self._known.get(name)
        return None if isinstance(known, TypedPart) else known

    def shape(self, type_range: Range) -> TypeShape:
        """The outermost shape of a type. Cached, since the same type is needed in many cases."""
        found = self._shapes.get(type_range)
        if found is None:
            found = self._shapes[type_range] = shape(self._texts, type_range)
        return found

    def premises(self, type_range: Range) -> tuple[list[Range | None], Range]:
        """The premises and the conclusion of a statement. Cached."""
        found = self._premises.get(type_range)
        if found is None:
            found = self._premises[type_range] = premises_of(self._texts, type_range)
        return found

    def _head(self, type_range: Range) -> str:
        found = self._heads.get(type_range)
        if found is None:
            found = self._heads[type_range] = head(self._texts, type_range)
        return found

    def head(self, type_range: Range) -> str:
        """The head of a type. For `N.Normal`, with `N` of type `Subgroup G`, it is `Subgroup.Normal`."""
        found = self._head(type_range)
        first, dot, rest = found.partition(".")
        if dot and first in self._known:
            known = self.type_of(first)
            owner = self._head(known) if known else ""
            return f"{owner}.{rest}" if owner and is_identifier(owner) else rest
        return "" if found in self._known else found

    def fields(self, name: str, path: str, is_applied: bool = False) -> list[Mention]:
        """The mentions in `name.path`; with `is_applied`, in `(name x y).path`."""
        known = self._known.get(name)
        if isinstance(known, TypedPart):
            return [PartField(known, path)]
        if known is None:
            return []
        return self.fields_of(known, path, is_applied)

    def fields_of(self, type_range: Range, path: str, is_applied: bool = False) -> list[Mention]:
        """The mentions in `e.path`, where `e` has the given type."""
        found: list[Mention] = []
        parts = split_name(path)
        if len(parts) > MAX_PROJECTIONS or type_range[1] - type_range[0] > MAX_PROJECTED_TOKENS:
            return found
        while parts:
            if is_applied:
                type_range = self.premises(type_range)[1]
            sides = self.shape(type_range)
            if sides.connective in ("∧", "↔") and parts[0] in _SIDES:
                found.append(Field(sides.connective, parts[0]))
                following = self._side(type_range, parts[0])
                if following is None:
                    return found
                type_range, parts = following, parts[1:]
                continue
            receiver = self.head(type_range)
            if receiver:
                found.append(Field(receiver, ".".join(parts)))
            return found
        return found

    def _side(self, type_range: Range, part: str) -> Range | None:
        """The type of `h.1`; for an equivalence, that of `h.mp x`."""
        sides = self.shape(type_range)
        if sides.connective == "∧":
            return (sides.left, sides.right)[_SIDES[part]]
        if sides.connective == "↔":
            return (sides.right, sides.left)[_SIDES[part]]
        return None

    def result(self, name: str, path: str, is_applied: bool) -> KnownType:
        """What is known about the type of `name.path`, or of its result if it is applied."""
        known = self._known.get(name)
        if known is None:
            return None
        if isinstance(known, TypedPart):
            return None if path else known
        parts = split_name(path) if path else []
        if len(parts) > MAX_PROJECTIONS:
            return None
        for part in parts:
            known = self.premises(known)[1] if is_applied else known
            following = self._side(known, part) if part in _SIDES else None
            if following is None:
                return None
            known = following
        return self.premises(known)[1] if is_applied else known
