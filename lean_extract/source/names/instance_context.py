"""What the names of anonymous instances depend on: what is around an instance, its binders, and Lean's own names.

The names of Lean's own library are those of a list that a script makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from lean_extract.records import Premise
from lean_extract.source.names.scopes import ROOT, Scope, join_names, namespaces_of, split_name
from lean_extract.syntax.statement_syntax import Word, read_words

LISTED = Path(__file__).with_name("core_names.txt")
"""The list, of Lean 4.27. `scripts/core_names.py` makes it."""
ROOTS = ("Init", "Std", "Lean")
"""The libraries of Lean whose names it holds."""


@dataclass(frozen=True, slots=True)
class CoreName:
    """A constant of Lean's own library."""

    name: str
    root: str
    """The first component of its module."""
    required: tuple[str, ...]
    """The classes of the instances that it takes as arguments."""


@cache
def core_names() -> Mapping[str, CoreName]:
    """All that are listed, by name."""
    found: dict[str, CoreName] = {}
    root = ""
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line[:1] == "[":
            root = line[1:-1]
            continue
        name, *required = line.split()
        found.setdefault(name, CoreName(name, root, tuple(required)))
    return MappingProxyType(found)


def core_name(written: str, scope: Scope) -> CoreName | None:
    """What a name as written means in Lean's own library; None if it is not listed."""
    names = core_names()
    if written.startswith("_root_."):
        return names.get(written[7:])
    for namespace in namespaces_of(scope.namespace):
        if found := names.get(join_names(namespace, written)):
            return found
    for opened in reversed(scope.opens):
        if found := names.get(f"{opened.namespace}.{written}"):
            return found
    return None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the name of an instance depends on besides the instance itself."""

    scope: Scope = ROOT
    root: str = ""
    """The first component of the module's name."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The section variables, each with its type."""
    find: Callable[[str], Premise | None] = lambda name: None
    """What a name as written means in this file."""
    notations: Mapping[str, str] = field(default_factory=dict)
    """The constants of this file's notations, by symbol."""

    def required(self, name: str) -> tuple[str, ...] | None:
        """The classes of the instances that a constant takes as arguments; None if that is not known."""
        own = self.find(name)
        if own is None:
            known = core_name(name, self.scope)
            return None if known is None else known.required
        types = [binder[1:-1].rpartition(" : ")[2] for binder in own.context if binder[:1] == "["]
        return tuple([type_.split()[0] for type_ in types if type_])

    def owns_namespace(self, name: str) -> bool:
        """Whether a namespace is that of a constant which is known to belong to this library."""
        known = core_names().get(name)
        return self.find(f"_root_.{name}") is not None or (known is not None and known.root == self.root)

    def is_own(self, name: str) -> bool:
        """Whether a constant belongs to this library: this file declares it, or Lean's own library does not."""
        if self.find(name) is not None:
            return True
        known = core_name(name, self.scope) or core_names().get(split_name(name)[0])
        return known is None or known.root == self.root


@dataclass(frozen=True, slots=True)
class Bound:
    """One binder: the names that it binds, and its type."""

    names: tuple[str, ...]
    words: Sequence[Word]


def bound_in(words: Sequence[Word], *, is_type: bool = False) -> Iterator[Bound]:
    """The binders of `∀ x y : T,` and of `∀ (x : T) [C x],`. `is_type`: the words are what precedes an arrow."""
    groups = [words]
    if words and words[0].text in "([{⦃":
        node = read_words(words)
        parts = node.parts if node.kind == "applied" else (node,)
        groups = [words[part.start : part.end] for part in parts if part.kind == "brackets"]
    for group in groups:
        is_instance = bool(group) and group[0].text == "["
        inside = _unbracketed(group)
        texts = [word.text for word in inside]
        if ":" in texts:
            colon = texts.index(":")
            yield Bound(tuple(texts[:colon]), inside[colon + 1 :])
        else:
            yield Bound((), inside) if is_instance or is_type else Bound(tuple(texts), ())


def _unbracketed(words: Sequence[Word]) -> Sequence[Word]:
    is_bracketed = len(words) > 1 and words[0].text in "([{⦃" and words[-1].text in ")]}⦄"
    return words[1:-1] if is_bracketed else words
