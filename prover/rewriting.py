"""A premise with the arguments with which one side of it is a given term: `Nat.add_comm b c` for `b + c`.

`rw [Nat.add_comm]` rewrites the first instance in the goal; with arguments it rewrites the one that is meant. The
arguments are parts of the term's text. Lean is asked afterwards.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Literal

from lean_extract.records import Premise
from lean_extract.syntax.placed import PlacedToken, range_of
from lean_extract.syntax.terms import SyntaxNode, UnreadableTerm
from prover.facts import bracketed
from prover.shapes import placed_tokens
from prover.templates import PremiseView
from prover.terms import syntax_of

Side = Literal["left", "right"]
_UNKNOWN = "_"


def instantiated(premise: Premise, term: str, side: Side) -> str | None:
    """The premise applied to arguments, so that this side of its equation or equivalence is the term.

    None if no argument is explicit, none can be told from the texts, or the texts do not match.
    """
    view = PremiseView.of(premise)
    if not view.explicit or view.shape.kind not in ("eq", "iff"):
        return None
    pattern = view.shape.left if side == "left" else view.shape.right
    placed = placed_tokens(term)
    try:
        found = _Match(view.variables, term, placed)
        found.add(syntax_of(pattern), syntax_of([token.text for token in placed]))
    except UnreadableTerm:
        return None
    if not found.is_consistent:
        return None
    arguments = [found.texts.get(argument.name, _UNKNOWN) for argument in view.explicit]
    while arguments and arguments[-1] == _UNKNOWN:
        arguments.pop()
    return " ".join([view.name, *map(bracketed, arguments)]) if arguments else None


class _Match:
    """The texts that a pattern's variables stand for in a term."""

    def __init__(self, variables: Set[str], text: str, tokens: list[PlacedToken]) -> None:
        self._variables = variables
        self._text = text
        self._tokens = tokens
        self.texts: dict[str, str] = {}
        self.is_consistent = True

    def add(self, pattern: SyntaxNode, term: SyntaxNode) -> None:
        """Walk a pattern beside a term. The parser bounds how deep they are."""
        pattern, term = _unwrapped(pattern), _unwrapped(term)
        if pattern.kind == "name" and pattern.text in self._variables:
            start, end = range_of(term, self._tokens)
            text = " ".join(self._text[start:end].split())
            self.is_consistent &= self.texts.setdefault(pattern.text, text) == text
        elif pattern.kind == "binder" or self._is_function_unknown(pattern):
            return  # what it stands for is no part of the text
        elif (pattern.kind, pattern.text, len(pattern.parts)) != (term.kind, term.text, len(term.parts)):
            self.is_consistent &= "name" in (pattern.kind, term.kind) and _last(pattern) == _last(term)
        else:
            for one, other in zip(pattern.parts, term.parts, strict=True):
                self.add(one, other)

    def _is_function_unknown(self, pattern: SyntaxNode) -> bool:
        return pattern.kind == "applied" and pattern.parts[0].text in self._variables


def _unwrapped(node: SyntaxNode) -> SyntaxNode:
    """A node without round brackets around it."""
    while node.kind == "brackets" and node.text == "(" and len(node.parts) == 1:
        node = node.parts[0]
    return node


def _last(node: SyntaxNode) -> str:
    """A name without its namespaces."""
    return node.text.rpartition(".")[2]
