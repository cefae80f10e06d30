"""Finds the terms that `to_additive` and `to_dual` leave as they are: numbers, and whatever else has a fixed type.

In `(a ^ m) ^ n = a ^ (m * n)` the product of the exponents stays a product. Lean decides this by types. Here it is
decided by the types that binders state, and by functions whose values are numbers (`orderOf`, `Nat.card`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from lean_extract.limits import MAX_TERM_DEPTH
from lean_extract.syntax.binder_words import BINDING_ENDS, QUANTIFIERS
from lean_extract.syntax.brackets import DEPTH, OPENERS, close
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.statement_syntax import words_of
from lean_extract.syntax.terms import SyntaxNode

_NUMBER_TYPES = frozenset(
    ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Rat", "Real", "Complex", "NNReal", "ENNReal", "NNRat", "ENat",
     "ℝ≥0", "ℝ≥0∞", "ℚ≥0", "ℕ∞", "Cardinal", "Ordinal", "ZMod")
)  # fmt: skip
_FIXED_TYPES = _NUMBER_TYPES | {"Perm", "Equiv.Perm", "MonoidAlgebra", "Monoid.End", "Fin"}
"""Types that `to_additive_dont_translate` is given for, and types of numbers."""
_NUMBERS = frozenset(
    ("card", "ncard", "encard", "length", "count", "orderOf", "exponent", "index", "relIndex", "finrank",
     "natAbs", "toNat", "gcd", "lcm", "norm", "nnnorm", "enorm", "dist", "nndist", "edist", "infDist",
     "mulEnergy", "period", "minimalPeriod", "diam", "ediam", "natDegree", "minOrder")
)  # fmt: skip
"""Last components of functions whose values are numbers."""
ARITHMETIC = frozenset(("+", "-", "*", "/", "%", "^", "•"))
RELATIONS = frozenset(("=", "≠", "≤", "<", "≥", ">", "∣", "∤", "≡", "⋖", "⩿"))
"""Relations whose sides have the same type."""
_NUMBER_MARKS = frozenset(("‖", "⌊", "⌈"))
_NUMBER_BINDERS = frozenset(("∑", "∫", "∫⁻"))
_BODY_BINDERS = frozenset(("∏", "⨆", "⨅"))
_TYPE_ENDS = frozenset((",", "↦", "=>", ":=", "|", "//"))
_REACH = 64
"""The most tokens of a type whose codomain is looked at."""


def fixed_in(texts: Iterable[str], types: Set[str] = frozenset()) -> frozenset[str]:
    """The variables that the binders in these texts introduce with a fixed type, or as functions to one.

    A text that begins with a bracket is a binder itself. `types` holds further fixed types
    (`to_additive (dont_translate := R)`).
    """
    binding = (text for text in texts if ":" in text)
    return frozenset(
        [name for text in binding for name in _names([one.text for one in words_of(text)], types)]
    )


def _names(words: Sequence[str], types: Set[str]) -> Iterator[str]:
    """The same for the words of one text. `(f x : ℕ)` binds names only where binders are expected."""
    expects = bool(words) and words[0] in OPENERS and close(words, 0, len(words)) == len(words) - 1
    outer: list[bool] = []
    first = 0
    for index, word in enumerate(words):
        step = DEPTH.get(word, 0)
        if step > 0:
            outer.append(expects)
            first = index + 1
        elif step < 0:
            expects = outer.pop() if outer else False
            first = index + 1
        elif word in QUANTIFIERS:
            expects, first = True, index + 1
        elif word in BINDING_ENDS:
            expects = False
        elif word == ":" and expects:
            if _is_fixed(words, index + 1, types):
                yield from filter(is_identifier, words[first:index])
            expects = False


def _is_fixed(words: Sequence[str], begin: int, fixed: Set[str]) -> bool:
    """Whether the type that begins here is fixed, or one of functions to a fixed type."""
    start, depth = begin, 0
    for index in range(begin, min(len(words), begin + _REACH)):
        word = words[index]
        if depth == 0 and (word in _TYPE_ENDS or DEPTH.get(word) == -1):
            break
        depth += DEPTH.get(word, 0)
        if depth == 0 and word in ("→", "->"):
            start = index + 1
    return start < len(words) and (words[start] in _FIXED_TYPES or words[start] in fixed)


class FixedTerms:
    """Says which terms have a fixed type, given the variables that have one."""

    def __init__(self, names: Set[str], *, adds_numbers: bool) -> None:
        self._names = names
        self._adds_numbers = adds_numbers
        """Whether only numbers are added and subtracted, as in a statement about a product."""

    def is_fixed(self, node: SyntaxNode, depth: int = 0) -> bool:
        """Whether the text shows that a term has a fixed type."""
        kind, text, parts, _, _, _ = node
        if depth > MAX_TERM_DEPTH:
            return False
        if kind == "name":
            return self._is_fixed_name(text)
        if kind == "applied":
            return self._is_function(parts[0])
        if kind == "field":
            return text in _NUMBERS
        if kind == "brackets":
            return text in _NUMBER_MARKS or self._is_bracketed(text, parts, depth)
        if kind == "prefix":
            return text == "√" or self._adds(text) or self.is_fixed(parts[0], depth + 1)
        if kind == "binder":
            is_sum = text in _NUMBER_BINDERS and self._adds_numbers
            return is_sum or (text in _BODY_BINDERS and self.is_fixed(parts[0], depth + 1))
        if kind == "infix":
            return text in ARITHMETIC and self._is_operation(text, parts, depth)
        return kind in ("coerced", "postfix") and (text in ("#", "!") or self.is_fixed(parts[0], depth + 1))

    def _is_operation(self, operator: str, operands: Sequence[SyntaxNode], depth: int) -> bool:
        """Whether an operation has a number among the operands that have its own type."""
        left, right = operands
        if operator in ("^", "•"):
            return self.is_fixed(left if operator == "^" else right, depth + 1)
        return (
            self._adds(operator)
            or operator == "%"
            or self.is_fixed(left, depth + 1)
            or self.is_fixed(right, depth + 1)
        )

    def _adds(self, operator: str) -> bool:
        return self._adds_numbers and operator in ("+", "-")

    def _is_fixed_name(self, name: str) -> bool:
        if name[:1].isdigit():
            return name != "1"
        return name in self._names or ("." in name and name.rpartition(".")[2] in _NUMBERS)

    def _is_function(self, function: SyntaxNode) -> bool:
        kind, text = function.kind, function.text
        if kind == "coerced":  # `#R[M]`
            return text == "#"
        return kind in ("name", "field") and (text in self._names or text.rpartition(".")[2] in _NUMBERS)

    def _is_bracketed(self, opener: str, items: Sequence[SyntaxNode], depth: int) -> bool:
        """`(x : ℕ)`, or brackets around one such term."""
        if opener not in ("(", "|") or not items or len(items) > 2:
            return False
        return items[-1].text in _NUMBER_TYPES or (len(items) == 1 and self.is_fixed(items[0], depth + 1))
