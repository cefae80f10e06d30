"""Printed propositions as trees, which distinguish bound names and pattern variables.

What cannot be parsed (`if`, `match`, a project's own notation) makes the whole text one opaque leaf, so every text
has a tree. So do terms that nest more deeply than `_DEEPEST`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from lean_extract.syntax.keywords import TERM_WORDS
from lean_extract.syntax.operators import ASCII
from lean_extract.syntax.statement_syntax import GRAMMAR
from lean_extract.syntax.terms import SyntaxNode, is_complete, nests_within, read_term
from prover.shapes import Argument, binder_arguments

Kind = Literal["name", "operator", "numeral", "variable", "bound", "binder", "opaque"]

_DEEPEST = 120
"""The most levels of terms, and the most fields in a row."""
_MOST_TOKENS = 600
_BINDERS = frozenset(("∀", "∃", "∃!", "∑", "∏", "⨆", "⨅", "⋃", "⋂", "fun"))
_SAME = {**{spelling: ASCII[spelling] for spelling in ("<->", "->", "<=", ">=", "!=")}, "λ": "fun"}
_NO_NAMES = frozenset(("in", "∂", "'", "ᶠ", "ᵐ", "⁻"))
"""Tokens of binders that are not read."""
_NO_TERMS = TERM_WORDS | {"if", "match"}
_GRAMMAR = replace(GRAMMAR, postfix={"⁻": True})


class UnreadableTerm(Exception):
    """The text is not a term that is read."""


class Term(NamedTuple):
    """A node: its head and its arguments.

    A `variable` stands for any term and may have arguments itself; `instance` separates the variables of two uses
    of one statement. The head of a `bound` name is its de Bruijn index, the number of binders in between. A
    `binder` has one argument, its body, and binds one name. `is_dotted`: written after its first argument.
    """

    head: str
    args: tuple[Term, ...] = ()
    kind: Kind = "name"
    instance: int = 0
    is_dotted: bool = False

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return 1 + sum(argument.size for argument in self.args)


TRUE, FALSE = Term("True"), Term("False")


def operator(head: str, *args: Term) -> Term:
    """The node of an operator or connective."""
    return Term(head, args, "operator")


def parse(
    tokens: Sequence[str], variables: frozenset[str] = frozenset(), local: frozenset[str] = frozenset()
) -> Term:
    """The tree of printed tokens (`prover.shapes.tokens`).

    Args:
        tokens: of one proposition or term.
        variables: names that stand for any term.
        local: names of hypotheses; `n.succ` means `succ n` if `n` is one of these or a variable.
    """
    if len(tokens) > _MOST_TOKENS:
        return _opaque(tokens[:_MOST_TOKENS])
    return _parsed(tuple(tokens), variables, local)


@lru_cache(maxsize=2048)  # the hypotheses of neighbouring steps are the same from one request to the next
def _parsed(tokens: tuple[str, ...], variables: frozenset[str], local: frozenset[str]) -> Term:
    try:
        return _Statement(tokens, variables, local, []).term(syntax_of(tokens))
    except UnreadableTerm:
        return _opaque(tokens)


def syntax_of(tokens: Sequence[str]) -> SyntaxNode:
    """The syntax tree of printed tokens. Raises UnreadableTerm."""
    if len(tokens) > _MOST_TOKENS:
        raise UnreadableTerm
    node = read_term([_SAME.get(token, token) for token in tokens], _GRAMMAR)
    if not is_complete(node, len(tokens)) or not nests_within(node, _DEEPEST):
        raise UnreadableTerm
    return node


def _opaque(tokens: Sequence[str]) -> Term:
    return Term(" ".join(tokens), kind="opaque")


class _Statement:
    """A statement's tree from its syntax tree.

    Args:
        bound: the names bound by the enclosing binders, the innermost last.
    """

    def __init__(
        self, tokens: Sequence[str], variables: frozenset[str], local: frozenset[str], bound: list[str]
    ) -> None:
        self._tokens, self._variables, self._local, self._bound = tokens, variables, local, bound

    def term(self, node: SyntaxNode) -> Term:
        """The tree of a node. Raises UnreadableTerm."""
        kind = node.kind
        if kind == "name":
            return self._named(node.text)
        if kind in ("binder", "set"):
            return self._binder(node)
        if is_typed(node, self._tokens):
            return self.term(node.parts[0])
        parts = [self.term(part) for part in node.parts]
        if kind == "applied":
            return apply(parts[0], parts[1:])
        if kind == "brackets":
            if any(self._tokens[part.end] != "," for part in node.parts[:-1]):
                raise UnreadableTerm
            is_grouped = node.text == "(" and len(parts) == 1
            return parts[0] if is_grouped else operator(node.text + GRAMMAR.pairs[node.text], *parts)
        if kind in ("prefix", "coerced"):
            if node.text == "@":
                raise UnreadableTerm
            return operator("-_" if node.text == "-" else node.text, *parts)
        if kind == "field":
            return self._fields(parts[0], node.text.split("."))
        is_inverse = kind == "postfix" and node.end == node.parts[0].end + 2  # `⁻` and `¹` are two tokens
        return operator("⁻¹" if is_inverse else node.text, *parts)

    def _named(self, token: str) -> Term:
        if not GRAMMAR.is_atom(token) or token in _NO_TERMS:
            raise UnreadableTerm
        if token[0].isdigit():
            return Term(token, kind="numeral")
        first, dot, rest = token.partition(".")
        if not dot or not self._stands_alone(first):
            return self._name(token)
        return self._fields(self._name(first), rest.split("."))

    def _fields(self, found: Term, names: Sequence[str]) -> Term:
        if len(names) > _DEEPEST:
            raise UnreadableTerm
        for name in names:
            found = Term(name, (found,), is_dotted=True)
        return found

    def _stands_alone(self, name: str) -> bool:
        return name in self._bound or name in self._variables or name in self._local

    def _name(self, name: str) -> Term:
        if name in self._bound:
            return Term(str(self._bound[::-1].index(name)), kind="bound")
        if name in self._variables:
            return Term(name, kind="variable", instance=1)
        return Term(name)

    def _binder(self, node: SyntaxNode) -> Term:
        token = "setOf" if node.kind == "set" else node.text
        # Lean wrote `∑ x in s` before it wrote `∑ x ∈ s`.
        bound = ["∈" if word == "in" and token in "∑∏" else word for word in node.bound]
        arguments = binder_arguments(bound)
        if not arguments or token not in {*_BINDERS, "setOf"} or not _NO_NAMES.isdisjoint(bound):
            raise UnreadableTerm
        before = len(self._bound)
        guards = [self._guard(argument) for argument in arguments]
        body = self.term(node.parts[0])
        del self._bound[before:]
        return _bind(token, guards, body)

    def _guard(self, argument: Argument) -> Term | None:
        """The condition of a bounded binder (`∀ x ∈ s`). Any other argument is bound by its name, and gives None."""
        if not argument.is_condition:
            self._bound.append(argument.name or "_")
            return None
        inner = _Statement(argument.type, self._variables, self._local, self._bound)
        return inner.term(syntax_of(argument.type))


def is_typed(node: SyntaxNode, tokens: Sequence[str]) -> bool:
    """Whether a node of these tokens is `(e : T)`."""
    is_pair = node.kind == "brackets" and node.text == "(" and len(node.parts) == 2
    return is_pair and tokens[node.parts[0].end] == ":"


def _bind(token: str, guards: Sequence[Term | None], body: Term) -> Term:
    joined = "∧" if token.startswith("∃") or token == "setOf" else "→"
    for guard in reversed(guards):
        body = Term(token, (body,), "binder") if guard is None else operator(joined, guard, body)
    return body


def apply(function: Term, args: Sequence[Term]) -> Term:
    """The application of a term to further arguments."""
    if not args:
        return function
    if function.kind in ("name", "variable"):
        whole = (*function.args, *args)
        return Term(function.head, whole, function.kind, function.instance, function.is_dotted)
    return operator("app", function, *args)


def instantiate(body: Term, value: Term, depth: int = 0) -> Term:
    """The body of a binder with the bound name replaced by a value, which must have no loose bound names."""
    if body.kind == "bound":
        index = int(body.head)
        return value if index == depth else Term(str(index - 1), kind="bound") if index > depth else body
    below = depth + (body.kind == "binder")
    args = tuple(instantiate(argument, value, below) for argument in body.args)
    if body.head == "app" and args and args[0].kind in ("name", "variable"):
        return apply(args[0], args[1:])
    return Term(body.head, args, body.kind, body.instance, body.is_dotted)


def renamed(term: Term, instance: int) -> Term:
    """The term with its variables marked as belonging to one use of its statement."""
    args = tuple(renamed(argument, instance) for argument in term.args)
    number = instance if term.kind == "variable" else 0
    return Term(term.head, args, term.kind, number, term.is_dotted)


def subterms(term: Term) -> Iterator[Term]:
    """The term and all its parts, the outermost first, including partial applications (`f a` of `f a b`)."""
    yield term
    for number in range(len(term.args) - 1, 0, -1):
        if term.kind == "name":
            yield Term(term.head, term.args[:number], is_dotted=term.is_dotted)
    for argument in term.args:
        yield from subterms(argument)
