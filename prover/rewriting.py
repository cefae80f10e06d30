"""A premise with the arguments with which one side of it is a given term: `Nat.add_comm b c` for `b + c`.

`rw [Nat.add_comm]` rewrites the first instance in the goal; with arguments it rewrites the one that is meant. The
arguments are parts of the term's text. Lean checks them afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Literal

from lean_extract.records import Premise
from lean_extract.syntax.dotted import fields_apart
from lean_extract.syntax.placed import PlacedToken, TextRange, range_of
from lean_extract.syntax.terms import SyntaxNode
from prover.facts import bracketed
from prover.shapes import placed_tokens
from prover.templates import PremiseView
from prover.terms import UnreadableTerm, is_typed, syntax_of

Side = Literal["left", "right"]
_UNKNOWN = "_"


def instantiated(premise: Premise, term: str, side: Side) -> str | None:
    """The premise applied to arguments, so that this side of its equation or equivalence is the term.

    None if no argument is explicit, the texts show none, or the texts do not match.
    """
    view = PremiseView.of(premise)
    texts = _matched(view, term, side) if view.explicit else None
    if texts is None:
        return None
    arguments = [texts.get(argument.name, _UNKNOWN) for argument in view.explicit]
    while arguments and arguments[-1] == _UNKNOWN:
        arguments.pop()
    return " ".join([view.name, *map(bracketed, arguments)]) if arguments else None


def rewritten(premise: Premise, target: str, parts: Sequence[TextRange], side: Side) -> str:
    """The text of a target in which a premise rewrites from this side, as it is where nothing matches.

    All parts are rewritten that are equal to the first one that matches; what the match does not give is `_`.
    """
    view = PremiseView.of(premise)
    left, other = (view.shape.left, view.shape.right)[:: 1 if side == "left" else -1]
    if len(left) == 1 and left[0] in view.variables:  # it would match all
        return target
    for first in parts:
        term = target[first.start : first.end]
        texts = _matched(view, term, side)
        if texts is None:
            continue
        meant = dict.fromkeys(view.variables, _UNKNOWN) | {name: bracketed(texts[name]) for name in texts}
        pieces = (_joined(fields_apart(token, view.variables)) for token in other)
        new = bracketed(" ".join("".join(meant.get(one, one) for one in token) for token in pieces))
        for start, end in sorted(parts, reverse=True):
            if target[start:end] == term:
                target = f"{target[:start]}{new}{target[end:]}"
        break
    return target


def _matched(view: PremiseView, term: str, side: Side) -> dict[str, str] | None:
    """The texts of the variables with which this side is the term; None if it is not."""
    pattern = view.shape.left if side == "left" else view.shape.right
    if view.shape.kind not in ("eq", "iff"):
        return None
    placed = [piece for token in placed_tokens(term) for piece in _apart(token)]
    try:
        plain = [piece for token in pattern for piece in _joined(fields_apart(token, view.variables))]
        found = _Match(view.variables, term, plain, placed)
        found.add(syntax_of(plain), syntax_of([token.text for token in placed]))
    except UnreadableTerm:
        return None
    return found.texts if found.is_consistent else None


def _joined(names: Sequence[str]) -> list[str]:
    """The names with dots between them."""
    return [piece for name in names for piece in (".", name)][1:]


def _apart(token: PlacedToken) -> Iterator[PlacedToken]:
    """The pieces of `n.succ`, each with its place."""
    start = token.start
    for piece in _joined(fields_apart(token.text)):
        end = start + len(piece) if piece != token.text else token.end
        yield PlacedToken(piece, start, end)
        start = end


class _Match:
    """The texts that a pattern's variables match in a term."""

    def __init__(
        self, variables: Set[str], text: str, pattern: Sequence[str], tokens: list[PlacedToken]
    ) -> None:
        self._variables = variables
        self._text = text
        self._pattern_tokens = pattern
        self._tokens = tokens
        self._term_tokens = [token.text for token in tokens]
        self.texts: dict[str, str] = {}
        self.is_consistent = True

    def add(self, pattern: SyntaxNode, term: SyntaxNode) -> None:
        """Walk through a pattern and a term together. The parser bounds how deep they are."""
        pattern, term = _unwrapped(pattern, self._pattern_tokens), _unwrapped(term, self._term_tokens)
        if pattern.kind == "name" and pattern.text in self._variables:
            start, end = range_of(term, self._tokens)
            text = " ".join(self._text[start:end].split())
            self.is_consistent &= self.texts.setdefault(pattern.text, text) == text
        elif pattern.kind == "binder" or self._is_function_unknown(pattern):
            return  # its value is not part of the text
        else:
            ours, theirs = _parted(pattern), _parted(term)
            if ours[0] != theirs[0] or len(ours[1]) != len(theirs[1]):
                self.is_consistent = False
                return
            for one, other in zip(ours[1], theirs[1], strict=True):
                self.add(one, other)

    def _is_function_unknown(self, pattern: SyntaxNode) -> bool:
        return pattern.kind == "applied" and pattern.parts[0].text in self._variables


def _unwrapped(node: SyntaxNode, tokens: Sequence[str]) -> SyntaxNode:
    """A node without round brackets around it, and without its type."""
    while (node.kind, node.text, len(node.parts)) == ("brackets", "(", 1) or is_typed(node, tokens):
        node = node.parts[0]
    return node


def _parted(node: SyntaxNode) -> tuple[tuple[str, str], tuple[SyntaxNode, ...]]:
    """A node's head and its operands. `n.succ`, `Nat.succ n` and, where `Nat` is open, `succ n` have the same."""
    if node.kind == "applied" and node.parts[0].kind in ("name", "field"):
        function, *others = node.parts
        head, inner = _parted(function)
        return head, (*inner, *others)
    if node.kind in ("name", "field"):
        return ("name", node.text.rpartition(".")[2]), node.parts
    return (node.kind, node.text), node.parts
