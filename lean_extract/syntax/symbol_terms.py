"""Terms as symbols with arguments, where a notation and its function are the same symbol.

A term is a symbol and its arguments. Notations and functions share symbols (`lean_extract.syntax.words`):
`a + b` and `HAdd.hAdd a b` are both `add a b`. Namespaces, coercions and type ascriptions are dropped, and
`h.symm` is `symm h`. What cannot be parsed becomes an atom of its own, so parsing never fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from lean_extract.syntax.binders import bound_names
from lean_extract.syntax.canonical import normal_form
from lean_extract.syntax.operators import CORE
from lean_extract.syntax.statement_syntax import GRAMMAR as LEAN
from lean_extract.syntax.statement_syntax import INTEGRALS, ITERATE, Word, parser_tokens, words_of
from lean_extract.syntax.terms import SyntaxNode, read_term
from lean_extract.syntax.words import WORDS

MOST_TOKENS = 600
"""Tokens after this many are ignored."""
_LONGEST_TEXT = 16_384
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
_BINDERS = {"fun": "λ", "∀ᵉ": "forall", "∃ᵉ": "exists"}
_OF_SETS = frozenset(("in", "∂"))
"""What else may be between a bound variable and its set, filter or measure."""
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


_VOLUME = SymbolTerm("volume")
_UNREAD = SymbolTerm("…")


def parse_term(text: str, variables: Set[str] = frozenset()) -> SymbolTerm:
    """Parse a text to a term, as far as possible.

    Args:
        text: in any spelling; it is read in its normal form (`lean_extract.syntax.canonical`).
        variables: local names, so that in `h.symm` the part after the dot is a field of `h`.
    """
    return _term(normal_form(text[:_LONGEST_TEXT]), variables)


def syntax_of(words: Sequence[Word]) -> SyntaxNode:
    """The syntax tree from which a term is made. What cannot be parsed is unread."""
    return read_term(parser_tokens(words[:MOST_TOKENS]), GRAMMAR)


def _term(text: str, variables: Set[str]) -> SymbolTerm:
    words = words_of(text)
    return _Symbols(variables, words if "[" in text else ()).term(syntax_of(words))


class _Symbols:
    """Converts a syntax tree to a `SymbolTerm`. `words`: what the tree was made of, where they are known."""

    def __init__(self, variables: Set[str], words: Sequence[Word] = ()) -> None:
        self._variables, self._words = variables, words

    def term(self, node: SyntaxNode) -> SymbolTerm:
        """The term of a node."""
        kind, text, parts, _, start, _ = node
        if kind == "name":
            return self._name(text, start)
        if kind in ("infix", "postfix", "field"):
            return self._chain(node)
        if kind == "applied":
            head, *arguments = self._applied(parts)
            return SymbolTerm(head.symbol, (*head.arguments, *arguments))
        if kind == "brackets":
            return self._brackets(text, tuple([self.term(part) for part in parts]))
        if kind == "binder" and text == "if":
            return self._conditional(node)
        if kind in ("binder", "set"):
            return self._binder(node)
        if kind == "prefix":
            return SymbolTerm(_PREFIX.get(text) or symbol_of(text), (self.term(parts[0]),))
        if kind == "coerced":
            return SymbolTerm("card", (self.term(parts[0]),)) if text == "#" else self.term(parts[0])
        return _UNREAD

    def _applied(self, parts: Sequence[SyntaxNode]) -> list[SymbolTerm]:
        """The terms of a function and its arguments, where `f^[n]` is one."""
        terms = [self.term(part) for part in parts]
        for at in range(len(parts) - 1, 0, -1):
            if parts[at].text == ITERATE:
                terms[at - 1 : at + 1] = [SymbolTerm("iterate", (terms[at - 1], *terms[at].arguments))]
        return terms

    def _conditional(self, node: SyntaxNode) -> SymbolTerm:
        """`ite c a b`, where the condition and the first branch are in the place of bound names."""
        at = node.bound.index("then") if "then" in node.bound else len(node.bound)
        first = [self._part(part[:_BOUND_REACH]) for part in (node.bound[:at], node.bound[at + 1 :])]
        return SymbolTerm("ite", (*first, self.term(node.parts[0])))

    def _part(self, tokens: Sequence[str], least: int = 0) -> SymbolTerm:
        """The term of tokens in the place of bound names."""
        node = read_term(tokens, GRAMMAR, least=least, depth=_DEEPEST // 2)
        return _Symbols(self._variables).term(node)

    def _chain(self, node: SyntaxNode) -> SymbolTerm:
        """The term of a chain of operators. It is iterative, since left operands may be nested too deeply."""
        above: list[SyntaxNode] = []
        while node.kind in ("infix", "postfix", "field"):
            above.append(node)
            node = node.parts[0]
        found = self.term(node)
        for kind, text, parts, _, _, _ in reversed(above):
            if kind == "infix":
                others = self._in_brackets(text, parts[0].end) if self._words else ()
                found = _infix(text, found, self.term(parts[1]), others)
            else:
                found = SymbolTerm(_POSTFIX.get(text, text) if kind == "postfix" else _field(text), (found,))
        return found

    def _in_brackets(self, operator: str, at: int) -> tuple[SymbolTerm, ...]:
        """What the brackets of an operator hold, as in `=ᵐ[μ]`. `at`: the number of its word."""
        if at >= len(self._words) or not self._words[at].text.startswith(f"{operator}["):
            return ()
        return (_term(self._words[at].text[len(operator) + 1 : -1], self._variables),)

    def _name(self, token: str, at: int) -> SymbolTerm:
        if self._words and (inner := self._in_brackets(token, at)):  # `𝓝[s]`
            return SymbolTerm(symbol_of(token), inner)
        head, dot, rest = token.partition(".")
        if not dot:
            return SymbolTerm(token if token in self._variables else symbol_of(token))
        if token in WORDS or "«" in token or not (head in self._variables or _is_local(head)):
            return SymbolTerm(symbol_of(token))
        found = SymbolTerm(head)
        for part in rest.split("."):
            found = SymbolTerm(_field(part), (found,))
        return found

    @staticmethod
    def _brackets(opener: str, items: tuple[SymbolTerm, ...]) -> SymbolTerm:
        if opener == "(":
            return items[0] if len(items) == 1 else SymbolTerm("(,)", items)
        if opener == "{" and items and items[0].symbol == "setOf":
            return items[0]
        return SymbolTerm(_BRACKETS.get(opener, opener), items)

    def _binder(self, node: SyntaxNode) -> SymbolTerm:
        """One term for all names without bounds, and one for each group of names with a bound (`x y ∈ s`)."""
        _, text, parts, bound, _, _ = node
        found, *measure = [self.term(part) for part in parts]
        symbol = "setOf" if node.kind == "set" else _BINDERS.get(text) or symbol_of(text)
        free: tuple[str, ...] = ()
        for group in reversed(bound_names(["∈" if token.rstrip() in _OF_SETS else token for token in bound])):
            if group.mark in ("", ":"):
                free = (*group.names, *free)
                continue
            if free:
                found, free = SymbolTerm(symbol, (found,), free), ()
            of = self._part(bound[group.begin : group.end][:_BOUND_REACH], least=51)
            domain = of if group.mark == "∈" else SymbolTerm(symbol_of(group.mark), (of,))
            if text in INTEGRALS:
                measure = [SymbolTerm("restrict", (*(measure or [_VOLUME]), domain))]
                free = group.names
            else:
                found = SymbolTerm(symbol, (domain, found), group.names)
        if text in INTEGRALS:
            return SymbolTerm(symbol, (*(measure or [_VOLUME]), found), free)
        return SymbolTerm(symbol, (found,), free) if free or found.symbol != symbol else found


def _field(name: str) -> str:
    return f".{name}" if name.isdigit() else symbol_of(name)


@lru_cache(maxsize=1 << 14)
def symbol_of(token: str) -> str:
    """The symbol of a token: a name without its namespace, or the word that names use for an operator."""
    word = WORDS.get(token)
    if word is not None:
        return word
    token = CORE[token].constant if token in CORE else token
    last = token.rpartition(".")[2] if "«" not in token else token
    return WORDS.get(last, last) or token


def _infix(token: str, left: SymbolTerm, right: SymbolTerm, others: tuple[SymbolTerm, ...]) -> SymbolTerm:
    if token in ("<|", "$"):
        return SymbolTerm(left.symbol, (*left.arguments, right))
    if token == "|>":
        return SymbolTerm(right.symbol, (*right.arguments, left))
    return SymbolTerm("→" if token == "→" else symbol_of(token), (left, right, *others))


def _is_local(head: str) -> bool:
    """Whether a name with this first component is probably a hypothesis, since namespaces begin with capitals."""
    return head[:1].islower() or len(head) == 1
