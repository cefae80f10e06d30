"""Eta-expands the functions in a statement, as the attribute `to_fun` does.

`Continuous (f * g)` becomes `Continuous (fun x => f x * g x)`. Lean pulls `fun x ↦` out of every operation.
Here this is done for those arguments of the statement that the text shows to be operations on functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lean_extract.limits import MAX_TERM_DEPTH
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.pieces import TermCopy
from lean_extract.syntax.statement_syntax import Word, read_all_words, words_of
from lean_extract.syntax.terms import SyntaxNode, nests_within

_OPERATORS = frozenset(("+", "-", "*", "/", "•", "⊔", "⊓", "⁻¹", "^", "∘", "∑", "∏", "+ᵥ"))
_NO_OPERATION = frozenset(("fun", "λ", "·", "↦", "=>", ":=", ":"))
_VARIABLES = ("x", "y", "z", "t", "u")


def eta_expanded(conclusion: str, context: Sequence[str]) -> str:
    """The conclusion, with the operations on functions in its arguments applied to a variable.

    `context` holds the binders of the statement. A name whose type has arrows is a function as long as it has
    fewer arguments than arrows.
    """
    arities = {name: arity for binder in context for name, arity in _functions(binder)}
    words = words_of(conclusion)
    if not arities or not all(nests_within(node, MAX_TERM_DEPTH) for node in read_all_words(words)):
        return conclusion
    taken = {word.text for word in words}
    return _Expansion(words, arities, next((name for name in _VARIABLES if name not in taken), "x'")).text()


def _functions(binder: str) -> list[tuple[str, int]]:
    """The names of functions that a binder introduces, each with the number of arrows in its type."""
    names, _, type_ = binder[1:-1].partition(":")
    depth = arity = 0
    for character in type_:
        depth += DEPTH.get(character, 0)
        arity += depth == 0 and character == "→"
    return [(name, arity) for name in names.split()] if arity else []


class _Expansion(TermCopy):
    """One statement, in which operations on functions are applied to a variable."""

    def __init__(self, words: Sequence[Word], arities: Mapping[str, int], variable: str) -> None:
        super().__init__(words)
        self._arities, self._variable = arities, variable

    def term(self, node: SyntaxNode) -> str:
        if node.kind == "brackets" and node.text == "(" and self._is_operation(node):
            return f"(fun {self._variable} => {self._applied(node.parts[0])})"
        if node.kind == "postfix" and node.text == "⁻¹" and self._is_function(node.parts[0]):
            function = f"fun {self._variable} => {self._applied(node)}"
            return function if node.end == len(self.words) else f"({function})"
        return self.joined(node, [self.term(part) for part in node.parts])

    def _is_operation(self, node: SyntaxNode) -> bool:
        """Whether brackets hold one term that combines functions with an operator and contains no lambda."""
        marks = {word.text for word in self.words[node.start : node.end]}
        is_plain = len(node.parts) == 1 and marks.isdisjoint(_NO_OPERATION)
        return is_plain and not marks.isdisjoint(_OPERATORS) and self._has_function(node.parts[0])

    def _has_function(self, node: SyntaxNode) -> bool:
        operands = node.parts if node.kind != "applied" else ()
        return self._is_function(node) or any(map(self._has_function, operands))

    def _is_function(self, node: SyntaxNode) -> bool:
        """Whether a term is a function that lacks an argument."""
        name, given = (node.parts[0].text, len(node.parts) - 1) if node.kind == "applied" else (node.text, 0)
        return node.kind in ("applied", "name") and given < self._arities.get(name, 0)

    def _applied(self, node: SyntaxNode) -> str:
        """A term, with every function in it applied to the variable."""
        if self._is_function(node):
            return f"{self.plain(node.start, node.end).rstrip()} {self._variable}"
        if node.kind == "infix" and node.text == "∘":
            outer, inner = node.parts
            value = f"{self.plain(inner.start, inner.end).rstrip()} {self._variable}"
            if self._has_function(inner) or inner.kind == "infix":
                value = self._applied(inner)
            return f"{self.plain(outer.start, outer.end).rstrip()} ({value})"
        if not self._has_function(node):
            return self.plain(node.start, node.end).rstrip()
        parts = [self._applied(part) for part in node.parts]
        if node.kind == "postfix" and self._is_function(node.parts[0]):
            parts = [f"({parts[0]})"]
        return self.joined(node, parts)
