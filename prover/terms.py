"""Printed propositions as trees, which distinguish bound names and pattern variables.

What cannot be parsed (`if`, `match`, a project's own notation) makes the whole text one opaque leaf, so every text
has a tree. So do brackets deeper than `_DEEPEST` and chains longer than `_LONGEST_CHAIN`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from lean_extract.syntax.binders import RELATIONS
from lean_extract.syntax.brackets import BARS, PAIRS, QUOTIENT_PAIRS, ROUNDING_PAIRS
from lean_extract.syntax.operators import ASCII, OPERATORS, PREFIX, RELATION
from lean_extract.syntax.term_grammar import BinderRule, Grammar, Powers, all_powers, infix_powers, is_word
from lean_extract.syntax.terms import SyntaxNode, is_complete, nests_within, read_term
from prover.shapes import Argument, binder_arguments

Kind = Literal["name", "operator", "numeral", "variable", "bound", "binder", "opaque"]

_DEEPEST = 59
_LONGEST_CHAIN = 120
"""The most operators, projections and the like that may nest to the left."""
_MOST_TOKENS = 600
_BINDERS = ("∀", "∃", "∃!", "∑", "∏", "⨆", "⨅", "⋃", "⋂")
_OPAQUE = frozenset({"let", "have", "if", "match", "show", "do", "by", "fun"})
_SAME = {**{spelling: ASCII[spelling] for spelling in ("<->", "->", "<=", ">=", "!=")}, "λ": "fun"}
_FENCES = PAIRS | QUOTIENT_PAIRS | ROUNDING_PAIRS | BARS
_COERCIONS = frozenset("↑⇑↥")
_INFIX = infix_powers(
    "+ - ++ ∪ * / % ∩ \\ ⊔ ⊓ → ∨ ∧ × ⊕ :: • ^ ∘ |> |>.",
    # All relations get the same power here, unlike `≃` and `⟶` in Lean, and they may be chained, unlike in Lean.
    {
        **all_powers((*RELATIONS, "="), RELATION, is_right=True),
        "<|": Powers(11, 10),
        **all_powers("↔", OPERATORS["↔"].precedence, is_right=True),
    },
)


def _is_atom(token: str) -> bool:
    return is_word(token) and token not in _OPAQUE


_GRAMMAR = Grammar(
    infix=_INFIX,
    prefix={**{symbol: PREFIX[symbol][0] for symbol in "¬-√"}, **dict.fromkeys(_COERCIONS, 1000)},
    binders={
        **dict.fromkeys(_BINDERS, BinderRule(0, frozenset((",",)))),
        "fun": BinderRule(0, frozenset(("=>", "↦"))),
    },
    last_arguments=frozenset(("fun",)),
    pairs=_FENCES,
    no_arguments=frozenset(BARS),
    ends=frozenset((*_FENCES.values(), ",", ";", ":", "=>", ":=", "↦")),
    postfix={"⁻": True},
    coercions=_COERCIONS,
    is_atom=_is_atom,
    separators=frozenset((",", ":")),
    deepest=_DEEPEST,
)


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
    if not is_complete(node, len(tokens)) or not nests_within(node, _LONGEST_CHAIN):
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
        if kind == "binder":
            return self._binder(node)
        if is_typed(node, self._tokens):
            return self.term(node.parts[0])
        parts = [self.term(part) for part in node.parts]
        if kind == "applied":
            return apply(parts[0], parts[1:])
        if kind == "brackets":
            if any(self._tokens[part.end] == ":" for part in node.parts):
                raise UnreadableTerm
            is_grouped = node.text == "(" and len(parts) == 1
            return parts[0] if is_grouped else operator(node.text + _FENCES[node.text], *parts)
        if kind in ("prefix", "coerced"):
            return operator("-_" if node.text == "-" else node.text, *parts)
        if kind == "field":
            return self._fields(parts[0], node.text.split("."))
        if kind == "infix":
            return operator(node.text, *parts)
        if kind != "postfix" or node.end != node.parts[0].end + 2:
            raise UnreadableTerm
        return operator("⁻¹", *parts)

    def _named(self, token: str) -> Term:
        if not _is_atom(token):
            raise UnreadableTerm
        if token[0].isdigit():
            return Term(token, kind="numeral")
        first, dot, rest = token.partition(".")
        if not dot or not self._stands_alone(first):
            return self._name(token)
        return self._fields(self._name(first), rest.split("."))

    def _fields(self, found: Term, names: Sequence[str]) -> Term:
        if len(names) > _LONGEST_CHAIN:
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
        arguments = binder_arguments(node.bound)
        if not arguments:
            raise UnreadableTerm
        before = len(self._bound)
        guards = [self._guard(argument) for argument in arguments]
        body = self.term(node.parts[0])
        del self._bound[before:]
        return _bind(node.text, guards, body)

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
    joined = "∧" if token.startswith("∃") else "→"
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
