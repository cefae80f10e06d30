"""Writes declared operators as applications of their constants, and such applications as operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lean_extract.source.grammar.notations import Form, Notation
from lean_extract.syntax.symbol_terms import GRAMMAR
from lean_extract.syntax.term_grammar import Grammar, powers
from lean_extract.syntax.terms import SyntaxNode, read_term

MOST_TOKENS = 300
"""A longer text is left as it is, so that chains of operators nest no deeper than Python's own stack allows."""
_OPERATORS = ("infix", "prefix", "postfix")
_OPERANDS: Mapping[Form, int] = {"prefix": 1, "postfix": 1, "constant": 0}
"""Of all other forms two."""
_Parts = Sequence[str | SyntaxNode]


def applied(tokens: Sequence[str], known: Mapping[str, Notation]) -> str:
    """The text of a term, in which these signs are read as notations, with their constants.

    Args:
        tokens: of the term, at most MOST_TOKENS.
        known: what each token that is a sign stands for.
    """

    def written(node: SyntaxNode) -> _Parts | None:
        is_operator = node.kind in _OPERATORS and node.text in known
        return [known[node.text].target, *node.parts] if is_operator else None

    signs = {sign: notation.target for sign, notation in known.items()}
    return _written(tokens, _grammar(known), written, signs)


def noted(tokens: Sequence[str], known: Callable[[str], Notation | None]) -> str:
    """The text of a term with the notations of its constants, where these have all their operands.

    Args:
        tokens: of the term, at most MOST_TOKENS.
        known: the notation of a constant.
    """

    def written(node: SyntaxNode) -> _Parts | None:
        head, *operands = node.parts if node.kind == "applied" else (node,)
        notation = known(head.text) if head.kind == "name" else None
        if notation is None or len(operands) != _OPERANDS.get(notation.form, 2):
            return None
        before = operands[: len(operands) - (notation.form != "postfix")]
        return [*before, notation.symbol, *operands[len(before) :]]

    return _written(tokens, GRAMMAR, written, {})


def _grammar(known: Mapping[str, Notation]) -> Grammar:
    infix = {
        sign: powers(one.precedence, is_right=one.form == "infixr")
        for sign, one in known.items()
        if one.form not in _OPERANDS
    }
    prefix = {sign: one.precedence for sign, one in known.items() if one.form == "prefix"}
    postfix = {sign: False for sign, one in known.items() if one.form == "postfix"}
    constants = frozenset(sign for sign, one in known.items() if one.form == "constant")
    return replace(
        GRAMMAR,
        infix={**GRAMMAR.infix, **infix},
        prefix={**GRAMMAR.prefix, **prefix},
        postfix={**GRAMMAR.postfix, **postfix},
        is_atom=lambda token: token in constants or GRAMMAR.is_atom(token),
    )


def _written(
    tokens: Sequence[str],
    grammar: Grammar,
    special: Callable[[SyntaxNode], _Parts | None],
    signs: Mapping[str, str],
) -> str:
    """A term's text, with what `special` gives for a node, and other tokens by `signs`."""

    def plain(begin: int, end: int) -> list[str]:
        return [signs.get(token, token) for token in tokens[begin:end]]

    def written(node: SyntaxNode) -> list[str]:
        parts = special(node) if all(part.end > part.start for part in node.parts) else None
        found: list[str] = []
        if parts is not None:
            for part in parts:
                found += [part] if isinstance(part, str) else operand(part)
            return found
        at = node.start
        for inner in node.parts:
            if inner.end > inner.start >= at:
                found += [*plain(at, inner.start), *written(inner)]
                at = inner.end
        return [*found, *plain(at, node.end)]

    def operand(node: SyntaxNode) -> list[str]:
        found = written(node)
        return found if len(found) == 1 or node.kind == "brackets" else ["(", *found, ")"]

    node = read_term(tokens, grammar)
    return " ".join([*written(node), *plain(node.end, len(tokens))])
