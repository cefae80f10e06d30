"""Terms as symbols with arguments, where a notation and its function are the same symbol.

A term is a symbol and its arguments. Notations and functions share symbols (`lean_extract.syntax.words`):
`a + b` and `HAdd.hAdd a b` are both `add a b`. Namespaces, coercions and type ascriptions are dropped, and
`h.symm` is `symm h`. What cannot be parsed becomes an atom of its own, so parsing never fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from lean_extract.syntax.operators import CORE
from lean_extract.syntax.statement_syntax import GRAMMAR as LEAN
from lean_extract.syntax.statement_syntax import with_measures
from lean_extract.syntax.terms import SyntaxNode, read_term
from lean_extract.syntax.words import WORDS

MOST_TOKENS = 600
"""Tokens after this many are ignored."""
_DEEPEST = 40
_BOUND_REACH = 24
"""The most tokens of a bound variable's set or bound."""
_WORD = re.compile(r"[^\W\d]|«|\d")
_POSTFIX = {
    "⁻¹": "inv",
    "ᶜ": "compl",
    "!": "factorial",
    "ᵒᵖ": "op",
    "ˣ": "units",
    "⁺": "posPart",
    "⁻": "negPart",
}
_BRACKETS = {
    "‖": "norm",
    "|": "abs",
    "⌊": "floor",
    "⌈": "ceil",
    "⟦": "mk",
    "⟪": "inner",
    "[": "[]",
    "⟨": "⟨⟩",
    "{": "{}",
}
_PREFIX = {"¬": "not", "-": "neg", "√": "sqrt"}


def _is_atom(token: str) -> bool:
    return bool(_WORD.match(token)) or token in "∅⊤⊥∞π𝓝𝓤ℵ∂·_?✝"


# The type of `(e : T)` is left out, since `:` separates nothing.
GRAMMAR = replace(LEAN, is_atom=_is_atom, separators=frozenset((",", ";")), deepest=_DEEPEST)


class SymbolTerm(NamedTuple):
    """A symbol applied to arguments. `binds` holds the variables that it binds in its last argument."""

    symbol: str
    arguments: tuple[SymbolTerm, ...] = ()
    binds: tuple[str, ...] = ()


_UNREAD = SymbolTerm("…")


def parse_term(tokens: Sequence[str], variables: Set[str] = frozenset()) -> SymbolTerm:
    """Parse the tokens to a term, as far as possible.

    Args:
        tokens: in canonical spelling (`lean_extract.syntax.canonical`), each dotted name as one token.
        variables: local names, so that in `h.symm` the part after the dot is a field of `h`.
    """
    return _Symbols(variables).term(syntax_of(tokens))


def syntax_of(tokens: Sequence[str]) -> SyntaxNode:
    """The syntax tree from which `parse_term` makes its term. What cannot be parsed is unread."""
    return read_term(with_measures(list(tokens[:MOST_TOKENS])), GRAMMAR)


class _Symbols:
    """Converts a syntax tree to a `SymbolTerm`."""

    def __init__(self, variables: Set[str]) -> None:
        self._variables = variables

    def term(self, node: SyntaxNode) -> SymbolTerm:
        """The term of a node."""
        kind, text, parts, bound, _, _ = node
        if kind == "name":
            return self._name(text)
        if kind in ("infix", "postfix", "field"):
            return self._chain(node)
        if kind == "applied":
            head, *arguments = [self.term(part) for part in parts]
            return SymbolTerm(head.symbol, (*head.arguments, *arguments))
        if kind == "brackets":
            return self._brackets(text, tuple([self.term(part) for part in parts]))
        if kind == "binder" and text == "if":
            return self._conditional(node)
        if kind in ("binder", "set"):
            names, domain = self._bound(bound)
            symbol = "setOf" if kind == "set" else "λ" if text == "fun" else symbol_of(text)
            body, *measure = [self.term(part) for part in parts]
            return SymbolTerm(symbol, (*domain, *measure, body), names)
        if kind == "prefix":
            return SymbolTerm(_PREFIX.get(text) or symbol_of(text), (self.term(parts[0]),))
        if kind == "coerced":
            return SymbolTerm("card", (self.term(parts[0]),)) if text == "#" else self.term(parts[0])
        return _UNREAD

    def _conditional(self, node: SyntaxNode) -> SymbolTerm:
        """`ite c a b`, where the condition and the first branch are in the place of bound names."""
        at = node.bound.index("then") if "then" in node.bound else len(node.bound)
        first = [
            self.term(read_term(part[:_BOUND_REACH], GRAMMAR, depth=_DEEPEST // 2))
            for part in (node.bound[:at], node.bound[at + 1 :])
        ]
        return SymbolTerm("ite", (*first, self.term(node.parts[0])))

    def _chain(self, node: SyntaxNode) -> SymbolTerm:
        """The term of a chain of operators. It is iterative, since left operands may be nested too deeply."""
        above: list[SyntaxNode] = []
        while node.kind in ("infix", "postfix", "field"):
            above.append(node)
            node = node.parts[0]
        found = self.term(node)
        for kind, text, parts, _, _, _ in reversed(above):
            if kind == "infix":
                found = _infix(text, found, self.term(parts[1]))
            else:
                found = SymbolTerm(_POSTFIX.get(text, text) if kind == "postfix" else _field(text), (found,))
        return found

    def _name(self, token: str) -> SymbolTerm:
        head, dot, rest = token.partition(".")
        if dot and token not in WORDS and "«" not in token and (head in self._variables or _is_local(head)):
            found = SymbolTerm(head)
            for part in rest.split("."):
                found = SymbolTerm(_field(part), (found,))
            return found
        return SymbolTerm(token if not dot and token in self._variables else symbol_of(token))

    @staticmethod
    def _brackets(opener: str, items: tuple[SymbolTerm, ...]) -> SymbolTerm:
        if opener == "(":
            return items[0] if len(items) == 1 else SymbolTerm("(,)", items)
        if opener == "{" and items and items[0].symbol == "setOf":
            return items[0]
        return SymbolTerm(_BRACKETS.get(opener, opener), items)

    def _bound(self, tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[SymbolTerm, ...]]:
        """The variables of a binder, and their set or bound, if there is one."""
        plain = [token for token in tokens if token not in ("(", ")", "{", "}", "⦃", "⦄")]
        for position, token in enumerate(plain):
            if token in (":", "in"):
                return tuple(plain[:position]), ()
            if token in ("∈", "⊆", "<", "≤", "∉", "≠"):
                rest = plain[position + 1 :][:_BOUND_REACH]
                domain = self.term(read_term(rest, GRAMMAR, least=51, depth=_DEEPEST // 2))
                is_set = token == "∈"
                return tuple(plain[:position]), (
                    domain if is_set else SymbolTerm(symbol_of(token), (domain,)),
                )
        return tuple(plain), ()


def _field(name: str) -> str:
    return f".{name}" if name.isdigit() else symbol_of(name)


def symbol_of(token: str) -> str:
    """The symbol of a token: a name without its namespace, or the word that names use for an operator."""
    word = WORDS.get(token)
    if word is not None:
        return word
    token = CORE[token].constant if token in CORE else token
    last = token.rpartition(".")[2] if "«" not in token else token
    return WORDS.get(last, last) or token


def _infix(token: str, left: SymbolTerm, right: SymbolTerm) -> SymbolTerm:
    if token in ("<|", "$"):
        return SymbolTerm(left.symbol, (*left.arguments, right))
    if token == "|>":
        return SymbolTerm(right.symbol, (*right.arguments, left))
    return SymbolTerm("→" if token == "→" else symbol_of(token), (left, right))


def _is_local(head: str) -> bool:
    """Whether a name with this first component is probably a hypothesis, since namespaces begin with capitals."""
    return head[:1].islower() or len(head) == 1
