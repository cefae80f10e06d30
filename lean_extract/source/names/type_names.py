"""Names types by their constants, as Lean does for anonymous instances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lean_extract.limits import MAX_NAMED_TYPE_DEPTH
from lean_extract.source.names.instance_context import Surroundings, bound_in, core_name, core_names
from lean_extract.source.names.scopes import ROOT, namespaces_of, split_name
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import (
    BIG,
    BRACKETED,
    ENCLOSING,
    NULLARY,
    OPERATORS,
    POSTFIX,
    PREFIX,
    RELATION,
)
from lean_extract.syntax.statement_syntax import Word, read_all_words, read_words, words_of
from lean_extract.syntax.terms import SyntaxNode

_ARROWS = frozenset(("→", "->"))
_PIPES = frozenset(("<|", "$"))
_SORTS = {"Type": "Type", "Type*": "Type", "Prop": "Prop", "Sort": "Sort", "Sort*": "Sort"}
_VARIABLE = re.compile(r"(?:[A-ZΑ-Ω][0-9₀-₉'!?]*|[^\WA-Z\d][\w'!?₀-₉]*)\Z")
"""An argument that may be a variable: Lean makes one of a name that is not declared."""
_LETTER = re.compile(r"[A-Za-zα-ωΑ-Ω][0-9₀-₉'!?]*\Z")
"""A function that may be a variable."""
_CONSTANTS = frozenset(("min", "max", "gcd", "lcm", "rfl", "true", "false", "none", "not"))
_SYMBOLS = {
    **{symbol: constant for symbol, (_, constant) in PREFIX.items()},
    **POSTFIX,
    "ᵐᵒᵖ": "MulOpposite",
    "ᵃᵒᵖ": "AddOpposite",
    "ᵒᵈ": "OrderDual",
    "<+:": "List.IsPrefix",
    "<:+": "List.IsSuffix",
    "<:+:": "List.IsInfix",
    "<+": "List.Sublist",
    "<+~": "List.Subperm",
    "~": "List.Perm",
}
"""Constants of operators that the table of infix operators does not hold."""
_PARENT = re.compile(r"to[A-Z]")


class TypeNames:
    """Names the types of one instance, each constant once. `own` holds the types of its binders, by name."""

    def __init__(self, around: Surroundings, own: Mapping[str, str]) -> None:
        self._around = around
        self._own = own
        self._seen: set[str] = set()
        self._namespaces = [name for name in namespaces_of(around.scope.namespace) if name]
        self.names_own_constant = any(around.owns_namespace(name) for name in self._namespaces)
        """Whether a constant of this library is among those that were named, or a prefix of the namespace."""

    def of(self, words: Sequence[Word], *, omits_top: bool = False, depth: int = 0) -> str:
        """The names of a type, which is nested `depth` terms deep. `omits_top`: an outermost `∀` is not named if its
        type has no name."""
        if depth > MAX_NAMED_TYPE_DEPTH:
            return ""
        reading = _Reading(self, words, {}, omits_top)
        return "".join([name for node in read_all_words(words) for name in reading.node(node, depth)])

    def type_of(self, name: str) -> str:
        """The type of a variable, or of a function's values; empty if it is not known."""
        if self._is_bound(name):
            return self._own.get(name) or self._around.variables.get(name, "")
        own = self._around.find(name)
        return own.conclusion if own is not None and "→" not in own.conclusion else ""

    def is_local(self, text: str) -> bool:
        """Whether a word is a variable, or a field of one; what is not declared may be one, too."""
        if self._is_bound(text.partition(".")[0]):
            return True
        return bool(_VARIABLE.match(text)) and text not in _SORTS and not self._is_declared(text)

    def is_local_function(self, text: str) -> bool:
        """The same for what is applied to arguments."""
        if self._is_bound(text.partition(".")[0]):
            return True
        return bool(_LETTER.match(text)) and not self._is_declared(text)

    def _is_bound(self, name: str) -> bool:
        return name in self._own or name in self._around.variables

    def _is_declared(self, name: str) -> bool:
        around = self._around
        is_known = name in _CONSTANTS or name in around.notations or name in NULLARY
        return is_known or around.find(name) is not None or core_name(name, around.scope) is not None

    def meaning(self, name: str) -> str:
        """The constant of a notation; any other name as it is."""
        name = name.partition(".{")[0]
        return self._around.notations.get(name) or NULLARY.get(name) or name

    def constant(self, name: str) -> list[str]:
        """The name of a constant, unless it has been named, or is a prefix of the current namespace."""
        name = self.meaning(name)
        if not is_identifier(name) or name == "_":
            return []
        if name in _SORTS:
            return self.once(_SORTS[name], _SORTS[name])
        namespace = self._namespace(name)
        self.names_own_constant |= self._around.is_own(f"_root_.{namespace}" if namespace else name)
        if namespace:
            return []
        name = name.removeprefix("_root_.")
        last = split_name(name)[-1].strip("«»")
        return self.once(name, last[:1].upper() + last[1:] if last[:1].isascii() else last)

    def _namespace(self, name: str) -> str:
        """The prefix of the current namespace that a name as written refers to; empty if it refers to none."""
        absolute = name.removeprefix("_root_.")
        for namespace in self._namespaces:
            if namespace == absolute:
                return namespace
            if namespace.endswith(f".{name}"):
                # `Unit` in the namespace `Foo.Unit` is Lean's own, if there is no constant `Foo.Unit`
                is_other = core_name(name, ROOT) is not None and namespace not in core_names()
                return "" if is_other and self._around.find(f"_root_.{namespace}") is None else namespace
        return ""

    def once(self, key: str, name: str) -> list[str]:
        """The name, the first time that this key occurs."""
        if key in self._seen:
            return []
        self._seen.add(key)
        return [name]


@dataclass(frozen=True, slots=True)
class _Reading:
    """Names the nodes of one term, in the order of Lean's elaborated term."""

    names: TypeNames
    words: Sequence[Word]
    bound: Mapping[str, Sequence[Word]]
    """The variables bound around the term, each with its type, which may be empty."""
    omits_top: bool = False

    def node(self, node: SyntaxNode, depth: int) -> list[str]:
        """The names in a term."""
        kind, text, parts = node.kind, node.text, node.parts
        if depth > MAX_NAMED_TYPE_DEPTH or node.end == node.start:
            return []
        if kind == "name":
            return self._name(text)
        if kind == "infix":
            return self._infix(node, depth)
        if kind in ("binder", "set"):
            return self._binder(node, depth)
        if kind == "brackets":
            return self._brackets(node, depth)
        if kind == "applied":
            return self._applied(parts, depth)
        if kind in ("prefix", "postfix"):
            return [*self._symbol(text, _SYMBOLS.get(text, "")), *self._all(parts, depth)]
        if kind == "field":
            return [*self._fields([text]), *self._all(parts, depth)]
        return self._all(parts, depth)

    def _all(self, parts: Iterable[SyntaxNode], depth: int) -> list[str]:
        inner = _Reading(self.names, self.words, self.bound)
        return [name for part in parts for name in inner.node(part, depth + 1)]

    def _name(self, text: str) -> list[str]:
        """The names of a term that is one word. A literal is `OfNat.ofNat Nat 2`."""
        if text[0].isdigit():
            return [*self.names.constant("OfNat.ofNat"), *self.names.constant("Nat")]
        head, _, rest = text.partition(".")
        if head in self.bound or self.names.is_local(head if rest else text):
            return self._fields(split_name(rest)[::-1]) if rest else []
        return self.names.constant(text)

    def _fields(self, fields: Iterable[str]) -> list[str]:
        """The names of fields. Numbers, and projections to parents, are not named."""
        named = (name for name in fields if not name.isdigit() and not _PARENT.match(name))
        return [found for name in named for found in self.names.constant(name)]

    def _applied(self, parts: Sequence[SyntaxNode], depth: int) -> list[str]:
        head = parts[0]
        if head.text in _SORTS:
            return self.names.constant(head.text)
        is_constant = head.kind == "name" and "." not in head.text and head.text not in self.bound
        if is_constant and not self.names.is_local_function(head.text):
            return [*self.names.constant(head.text), *self._all(parts[1:], depth)]
        return self._all(parts, depth)

    def _infix(self, node: SyntaxNode, depth: int) -> list[str]:
        text, (left, right) = node.text, node.parts
        if text in _ARROWS:
            return self._arrow(node, depth)
        if text in _PIPES:
            return self._all(node.parts, depth)
        if text == "×" and (type_ := self._telescope(left)):
            return [
                *self.names.constant("Sigma"),
                self.names.of(type_, depth=depth + 1),
                *self._all([right], depth),
            ]
        found = OPERATORS.get(text)
        constant = found.constant if found is not None else _SYMBOLS.get(text, "")
        if text in BRACKETED and not constant:
            constant = BRACKETED[text].constant.split()[0]
        names = self.names.constant(
            self.names.meaning(text) if self.names.meaning(text) != text else constant
        )
        if found is not None and found.precedence >= RELATION:
            groups = [(left,), (right,)] if found.is_flipped else [(left, right)]
            names += [name for group in groups for name in self._type(group)]
        flipped = found is not None and found.is_flipped
        return [*names, *self._all((right, left) if flipped else (left, right), depth)]

    def _symbol(self, symbol: str, usual: str) -> list[str]:
        """The name of an operator's constant, which this file may declare, or which is `usual`."""
        meaning = self.names.meaning(symbol)
        if meaning == symbol:
            meaning = usual
        if not meaning:  # a notation of another file: perhaps of this library
            self.names.names_own_constant = True
        return self.names.constant(meaning)

    def _type(self, nodes: Sequence[SyntaxNode]) -> list[str]:
        """The names in the type of operands, which an operator takes as an implicit argument."""
        for node in nodes:
            name = node.parts[0].text if node.kind == "applied" else node.text if node.kind == "name" else ""
            words = self.bound.get(name) or words_of(self.names.type_of(name))
            if words:
                return _Reading(self.names, words, {}).node(read_words(words), MAX_NAMED_TYPE_DEPTH // 2)
        is_number = any(node.text[:1].isdigit() for node in nodes)
        return self.names.constant("Nat") if is_number else []

    def _telescope(self, node: SyntaxNode) -> Sequence[Word]:
        """The type in the brackets of `(a : α) × β a`; empty for any other term."""
        inside = (
            self.words[node.start + 1 : node.end - 1] if (node.kind, node.text) == ("brackets", "(") else []
        )
        colon = next((index for index, word in enumerate(inside) if word.text == ":"), len(inside))
        return inside[colon + 1 :]

    def _arrow(self, node: SyntaxNode, depth: int) -> list[str]:
        words = self.words[node.start : node.end]
        key = " ".join(["#" if self.names.is_local(word.text) else word.text for word in words])
        left = self._all(node.parts[:1], depth)
        forall = [] if self.omits_top and not left else self.names.once(f"∀ {key}", "Forall")
        return [*forall, *left, *self._all(node.parts[1:], depth)]

    def _binder(self, node: SyntaxNode, depth: int) -> list[str]:
        inside = self.words[node.start + 1 : node.start + 1 + len(node.bound)]
        if node.text == "if":
            return self._choice(inside, node, depth)
        binders = list(bound_in(inside)) if node.kind == "binder" else []
        types = {name: binder.words for binder in binders for name in binder.names}
        body = _Reading(self.names, self.words, {**self.bound, **dict.fromkeys(node.bound[:1], ()), **types})
        if node.text in ("fun", "λ"):
            return body.node(node.parts[0], depth + 1)
        if node.text in ("∀", "Π"):
            count = 0 if self.omits_top else sum(len(binder.names) or 1 for binder in binders)
            return [*["Forall"] * count, *body.node(node.parts[0], depth + 1)]
        first = "setOf" if node.kind == "set" else BIG[node.text][1] if node.text in BIG else "Sigma"
        type_ = self.names.of(binders[0].words, depth=depth + 1) if binders else ""
        return [*self.names.constant(first), type_, *body.node(node.parts[0], depth + 1)]

    def _choice(self, inside: Sequence[Word], node: SyntaxNode, depth: int) -> list[str]:
        """The names in `if c then a else b`."""
        has_name = len(inside) > 1 and inside[1].text == ":"
        condition = self.names.constant("dite" if has_name else "ite")
        type_ = self.names.of(inside[2 * has_name :], depth=depth + 1)
        return [*condition, type_, *self._all(node.parts, depth)]

    def _brackets(self, node: SyntaxNode, depth: int) -> list[str]:
        marks = {word.text for word in self.words[node.start : node.end]}
        parts: Sequence[SyntaxNode] = node.parts
        first = ""
        if node.text == "(" and ":=" in marks:
            parts = parts[1:]
        elif node.text == "(":
            is_tuple = len(parts) > 1 and "," in marks
            first, parts = ("Prod.mk", parts) if is_tuple else ("", parts[:1])
        elif node.text == "{" and "//" in marks:
            if parts and parts[0].kind == "set":
                return self._subtype(parts[0], depth)
            first, parts = "Subtype", parts[1:]
        elif node.text == "{":
            first = "Singleton.singleton" if parts and parts[0].kind != "set" else ""
        elif node.text in ENCLOSING:
            first = next(iter(ENCLOSING[node.text].values()))
        return [*self.names.constant(first), *self._all(parts, depth)]

    def _subtype(self, node: SyntaxNode, depth: int) -> list[str]:
        """The names in `{x : T // p}`."""
        bound = bound_in(self.words[node.start : node.start + len(node.bound)])
        types = [self.names.of(one.words, depth=depth + 1) for one in bound]
        return [*self.names.constant("Subtype"), *types, *self._all(node.parts, depth)]
