"""The scope of a command: namespaces, sections, opened namespaces and variables; and the premises declared so far, by
what a name means in a scope."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from lean_extract.limits import MAX_NAME_CHARACTERS, MAX_NAME_PARTS, MAX_OPEN_NAMESPACES
from lean_extract.records import Premise
from lean_extract.source.names.variables import NO_VARIABLES, Variables


@dataclass(frozen=True, slots=True)
class Open:
    """One opened namespace. `within` is the namespace that contains the command."""

    namespace: str
    within: str = ""
    only: tuple[str, ...] | None = None
    hiding: tuple[str, ...] = ()
    renaming: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What a name is resolved against: the namespace, and the opened namespaces with the latest last."""

    namespace: str = ""
    opens: tuple[Open, ...] = ()


ROOT = Scope()
"""The scope at the top of a file, with nothing opened."""


@dataclass(slots=True)
class Frame:
    """One `namespace` or `section`, and what was declared inside it."""

    name: str
    scope: Scope
    variables: Variables = NO_VARIABLES
    included: frozenset[str] = frozenset()
    omitted: frozenset[str] = frozenset()
    is_temporary: bool = False
    is_public: bool = False
    """Whether it is in a `public section`."""


@dataclass(slots=True)
class ScopeStack:
    """The frames that enclose a command, outermost first. The first is the file itself."""

    frames: list[Frame] = field(default_factory=lambda: [Frame("", Scope())])

    @property
    def top(self) -> Frame:
        """The innermost frame."""
        return self.frames[-1]

    def _push(self, name: str, scope: Scope, temporary: bool = False) -> None:
        top = self.top
        frame = Frame(name, scope, top.variables, top.included, top.omitted, temporary, top.is_public)
        self.frames.append(frame)

    def enter_section(self, name: str = "", *, is_public: bool = False) -> None:
        """Enter a section. `section A.B` is two sections, as in Lean."""
        for part in name.split(".") if name else [""]:
            self._push(part, self.top.scope)
            self.top.is_public |= is_public

    def enter_namespace(self, name: str) -> bool:
        """Enter a namespace; `namespace A.B` is two, as in Lean. Returns whether the name is short enough.

        Declarations in a namespace whose name is too long belong to the enclosing namespace.
        """
        fits = True
        for part in split_name(name):
            scope = self.top.scope
            namespace = join_names(scope.namespace, part)
            # half of the limit, since the declarations in it have longer names
            fits = (
                fits
                and 2 * len(namespace) <= MAX_NAME_CHARACTERS
                and 2 * namespace.count(".") < MAX_NAME_PARTS
            )
            self._push(part, Scope(namespace, scope.opens) if fits else scope)
        return fits

    def leave(self, name: str = "") -> bool:
        """Leave with `end name`. Returns whether it matched. A wrong name still closes one frame."""
        parts = split_name(name) if name else [""]
        matched = True
        for part in reversed(parts):
            if len(self.frames) == 1:
                return False
            matched &= self.top.name == part or not part
            self.frames.pop()
        return matched

    def enter_temporary(self) -> None:
        """Enter the scope of `open X in` and similar commands."""
        self._push("", self.top.scope, temporary=True)

    def leave_temporary(self) -> None:
        """Leave these scopes, after the command that follows `in`."""
        while self.top.is_temporary:
            self.frames.pop()

    def include(self, names: Iterable[str]) -> None:
        """Apply the command `include`."""
        wanted = frozenset(names)
        self.top.included |= wanted
        self.top.omitted -= wanted

    def omit(self, names: Iterable[str]) -> None:
        """Apply the command `omit` to names, or types of instances (`omit [Group G]`)."""
        omitted = frozenset(names)
        self.top.included -= omitted
        self.top.omitted |= omitted

    def open(self, *opened: Open) -> bool:
        """Add opened namespaces to the innermost frame. Returns whether there was room for all."""
        top = self.top
        room = MAX_OPEN_NAMESPACES - len(top.scope.opens)
        if opened[:room]:
            top.scope = Scope(top.scope.namespace, top.scope.opens + opened[:room])
        return len(opened) <= room


def is_too_long(name: str) -> bool:
    """Whether a name has too many characters or components to be accepted."""
    return len(name) > MAX_NAME_CHARACTERS or name.count(".") >= MAX_NAME_PARTS


def join_names(namespace: str, name: str) -> str:
    """`namespace.name`. If `name` begins with `_root_.`, the namespace is ignored."""
    if name.startswith("_root_."):
        return plain_name(name[7:])
    return plain_name(f"{namespace}.{name}" if namespace and name else namespace or name)


_QUOTED = re.compile(r"\.«([^\W\d][\w'!?]*)»")


def plain_name(name: str) -> str:
    """The name as Lean prints it. After a dot a word needs no quotes, as in `Sigma.«exists»`."""
    return _QUOTED.sub(r".\1", name) if ".«" in name else name


def split_name(name: str) -> list[str]:
    """The components of a dotted name. A component in `«…»` may contain dots."""
    if "«" not in name:
        return name.split(".")
    parts: list[str] = []
    start = 0
    quoted = False
    for position, character in enumerate(name):
        if character == "." and not quoted:
            parts.append(name[start:position])
            start = position + 1
            continue
        quoted = character == "«" or (quoted and character != "»")
    return [*parts, name[start:]]


def namespaces_of(namespace: str) -> list[str]:
    """The namespace, its parents, and the root (`""`), innermost first."""
    parts = split_name(namespace) if namespace else []
    return [".".join(parts[:count]) for count in range(len(parts), -1, -1)]


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
