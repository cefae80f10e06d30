"""Translates the terms of a statement by their syntax, so that every operator keeps its operands.

`f x ^ n` becomes `n • f x`, and `s ⊔ t * u` becomes `s ⊔ (t + u)`: where the new operator binds less tightly, brackets
are added. What is not understood is copied token by token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from lean_extract.limits import MAX_PARSED_WORDS, MAX_TRANSLATED_DEPTH
from lean_extract.source.attributes.fixed_types import ARITHMETIC, RELATIONS, FixedTerms
from lean_extract.syntax.operators import BRACKETED, MAX, MIRRORED, OPERATORS, PREFIX, UNKNOWN
from lean_extract.syntax.pieces import TermCopy
from lean_extract.syntax.statement_syntax import BODIES, FIELD, Word, words_of
from lean_extract.syntax.terms import SyntaxNode

_APPLICATION = MAX - 1
_NEGATION = PREFIX["-"][0]
_OPPOSITE = MIRRORED | {to: relation for relation, to in MIRRORED.items()}
"""`>` for `<`: the same relation between swapped sides."""


class Operators(NamedTuple):
    """What a translation does to operators, besides giving them other symbols."""

    is_additive: bool
    """Whether powers become multiples, and inverses negatives."""
    swapped: Set[str]
    """Operators whose sides are swapped."""
    swapped_arguments: Set[str]
    """Functions whose first two arguments are swapped, by the last components of their names."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A translated term: its text, and the precedences of its outermost operator, now and in the original."""

    text: str
    level: int = MAX
    was: int = MAX

    def at(self, least: int, least_before: int) -> str:
        """The text as an operand, in brackets if its operator binds too little now, but did not before.

        `least` and `least_before` are the precedences that the place requires, now and in the original.
        """
        return f"({self.text})" if self.level < least and self.was >= least_before else self.text

    def moved(self, least: int) -> str:
        """The text as an operand in another place than before, in brackets wherever they are needed."""
        return self.text if self.level >= least else f"({self.text})"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a statement is translated.

    `word` translates a token, given whether it belongs to a term of fixed type.
    """

    operators: Operators
    word: Callable[[str, bool], str]
    fixed: FixedTerms


class TermTranslator(TermCopy):
    """Translates the tokens of one statement. In a binder, `x ≥ a` is a bound on `x`, whose sides stay."""

    def __init__(
        self, words: Sequence[Word], rules: Rules, depth: int = 0, *, is_binder: bool = False
    ) -> None:
        super().__init__(words, depth)
        self._rules, self._is_binder = rules, is_binder
        self.operators, self.word, self.fixed = rules.operators, rules.word, rules.fixed

    def text(self) -> str:
        """The whole translation."""
        if len(self.words) > MAX_PARSED_WORDS or self.depth > MAX_TRANSLATED_DEPTH:
            return self.plain(0, len(self.words)).strip()
        return super().text()

    def term(self, node: SyntaxNode) -> str:
        """The translation of one of the terms."""
        bound = self._bound(node) if self._is_binder else ""
        return bound or self._part(node, False, 0).text

    def _within(self, words: Sequence[Word], *, is_binder: bool = False) -> str:
        return TermTranslator(words, self._rules, self.depth + 1, is_binder=is_binder).text()

    def plain(self, begin: int, end: int) -> str:
        """The tokens one by one, with the white space after them."""
        words = self.words
        return "".join(
            [
                self.word(words[i].text, i > 0 and words[i - 1] == FIELD) + words[i].space
                for i in range(begin, end)
            ]
        )

    def _bound(self, node: SyntaxNode) -> str:
        """`x ≤ a` for `x ≥ a` in `∀ x ≥ a, p`; empty if this is not a bound whose relation changes."""
        opposite = _OPPOSITE.get(node.text) if node.kind == "infix" else None
        if opposite is None or node.text not in self.operators.swapped or self._is_fixed_relation(node):
            return ""
        if any(part.end == part.start for part in node.parts):
            return ""
        left, right = [self._part(part, False, 1) for part in node.parts]
        return f"{left.text} {opposite} {right.text}"

    def _is_fixed_relation(self, node: SyntaxNode) -> bool:
        return node.text in RELATIONS and any(self.fixed.is_fixed(part) for part in node.parts)

    def _part(self, node: SyntaxNode, is_fixed: bool, depth: int) -> _Part:
        """The translation of a node. `is_fixed`: its type is fixed by what is around it."""
        kind = node.kind
        if depth > MAX_TRANSLATED_DEPTH or kind == "unread":
            return self._copied(node)
        if kind == "infix":
            return self._infix(node, is_fixed, depth)
        if kind == "postfix":
            return self._postfix(node, is_fixed, depth)
        if kind == "applied":
            return self._applied(node, depth)
        if kind in ("binder", "set"):
            return self._binder(node, is_fixed, depth)
        if kind == "brackets":
            return self._brackets(node, is_fixed, depth)
        if kind == "name":
            return _Part(self.word(node.text, is_fixed) + self._brackets_of(node.text, node.start))
        if kind == "prefix":
            level = PREFIX[node.text][0]
            is_fixed = node.text == "-" and (is_fixed or self.fixed.is_fixed(node))
            part = self._part(node.parts[0], is_fixed, depth + 1).at(level, level)
            return _Part(self.joined(node, [part]), level, level)
        is_same = kind == "coerced" and node.text != "#"
        inner = self._part(node.parts[0], is_fixed and is_same, depth + 1).at(MAX, MAX)
        return _Part(self.joined(node, [inner]))

    def _infix(self, node: SyntaxNode, is_fixed: bool, depth: int) -> _Part:
        if not all(part.end > part.start for part in node.parts):
            return self._copied(node)
        operator = node.text
        if operator in RELATIONS:
            is_fixed = self._is_fixed_relation(node)
        else:
            is_fixed = operator in ARITHMETIC and (is_fixed or self.fixed.is_fixed(node))
        if operator == "^" and self.operators.is_additive and not is_fixed:
            return self._multiple(node, depth)
        left, right = [
            self._part(part, is_fixed or (operator == "^" and place == 1), depth + 1)
            for place, part in enumerate(node.parts)
        ]
        brackets = self._brackets_of(node.text, node.parts[0].end)
        if operator in self.operators.swapped and not is_fixed:
            return self._swapped(operator, brackets, left, right)
        acts = operator == "•" and self.fixed.is_fixed(node.parts[0])  # an action of numbers stays one
        symbol = self.word(operator, is_fixed or acts)
        now, before = _levels(symbol, operator), _levels(operator, operator)
        at = node.parts[0].end
        first = left.at(now.left, before.left) + self.words[at - 1].space
        text = f"{first}{symbol}{brackets}{self.words[at].space}{right.at(now.right, before.right)}"
        return _Part(text, now.own, before.own)

    def _copied(self, node: SyntaxNode) -> _Part:
        return _Part(self.plain(node.start, node.end).rstrip())

    def _brackets_of(self, symbol: str, index: int) -> str:
        """What belongs to a symbol besides itself: `[μ]` of `=ᵐ[μ]`, `[s]` of `𝓝[s]`."""
        written = self.words[index].text.removeprefix(symbol)
        return self._within(words_of(written)) if written else ""

    def _multiple(self, node: SyntaxNode, depth: int) -> _Part:
        """`n • a` for `a ^ n`."""
        levels = _levels("•", "•")
        base = self._unbracketed(node.parts[0], False, levels.right, depth)
        exponent = self._unbracketed(node.parts[1], True, levels.left, depth)
        return _Part(f"{exponent} • {base}", levels.own, OPERATORS["^"].precedence)

    def _swapped(self, operator: str, brackets: str, left: _Part, right: _Part) -> _Part:
        if left.text == right.text == "·":  # the first argument stays the first
            return _Part(f"· {_OPPOSITE.get(operator, operator)} ·", 0, 0)
        levels = _levels(operator, operator)
        text = f"{right.moved(levels.left)} {operator}{brackets} {left.moved(levels.right)}"
        return _Part(text, levels.own, levels.own)

    def _postfix(self, node: SyntaxNode, is_fixed: bool, depth: int) -> _Part:
        operand = node.parts[0]
        if (
            not self.operators.is_additive
            or operand.end == operand.start
            or is_fixed
            or self.fixed.is_fixed(node)
        ):
            return _Part(self.joined(node, [self._part(operand, is_fixed, depth + 1).at(MAX, MAX)]))
        if node.text == "⁻¹":
            text = self._unbracketed(operand, False, _NEGATION, depth)
            return _Part(f"- {text}" if text.startswith("-") else f"-{text}", _NEGATION)
        if node.text == "ˣ":
            return _Part(f"AddUnits {self._part(operand, False, depth + 1).moved(MAX)}", _APPLICATION)
        return _Part(self.joined(node, [self._part(operand, False, depth + 1).at(MAX, MAX)]))

    def _unbracketed(self, node: SyntaxNode, is_fixed: bool, least: int, depth: int) -> str:
        """An operand in a new place, without round brackets that it no longer needs."""
        if node.kind == "brackets" and node.text == "(" and len(node.parts) == 1:
            inner = node.parts[0]
            if (inner.start, inner.end) == (node.start + 1, node.end - 1) and inner.kind != "binder":
                return self._part(inner, is_fixed or self.fixed.is_fixed(inner), depth + 1).moved(least)
        return self._part(node, is_fixed, depth + 1).moved(least)

    def _applied(self, node: SyntaxNode, depth: int) -> _Part:
        head = node.parts[0].text
        if head in ("Type", "Sort"):  # of a universe, which is not translated
            return _Part(
                "".join([word.text + word.space for word in self.words[node.start : node.end]]).rstrip()
            )
        texts = [self._part(part, False, depth + 1).at(MAX, MAX) for part in node.parts]
        if head.rpartition(".")[2] in self.operators.swapped_arguments and len(texts) > 2:
            texts[1], texts[2] = texts[2], texts[1]
        return _Part(self.joined(node, texts), _APPLICATION, _APPLICATION)

    def _binder(self, node: SyntaxNode, is_fixed: bool, depth: int) -> _Part:
        first = node.start + (node.kind == "binder")
        after = first + len(node.bound)
        bound = self._within(self.words[first:after], is_binder=node.text != "if")
        bound += self.words[after - 1].space
        body = node.parts[0]
        before = "".join(
            [self.word(text, is_fixed) + space for text, space in self.words[node.start : first]]
        )
        if body.end == body.start:
            return _Part(before + bound + self.plain(after, node.end).rstrip())
        least = BODIES.get(node.text, 0)
        text = self._part(body, (is_fixed and least > 0) or self.fixed.is_fixed(body), depth + 1).at(
            least, least
        )
        between = self.plain(after, body.start)
        for measure in node.parts[1:]:
            mark = self.words[body.end - 1].space + self.plain(body.end, measure.start)
            text += mark + self._part(measure, False, depth + 1).text
        return _Part(f"{before}{bound}{between}{text}", least, least)

    def _brackets(self, node: SyntaxNode, is_fixed: bool, depth: int) -> _Part:
        is_fixed = node.text == "(" and (self.fixed.is_fixed(node) or (is_fixed and len(node.parts) == 1))
        texts = [
            self._part(part, is_fixed and place == 0, depth + 1).text for place, part in enumerate(node.parts)
        ]
        return _Part(self.joined(node, texts))


class _Levels(NamedTuple):
    """The precedence of an operator, and the least ones of its operands."""

    own: int
    left: int
    right: int


def _levels(symbol: str, original: str) -> _Levels:
    """The precedences of an operator that is now written as `symbol`."""
    found = OPERATORS.get(symbol) or OPERATORS.get(original) or BRACKETED.get(original)
    if symbol == "+ᵥ":  # as tight as `+`, but right-associative: between the two, brackets are needed
        return _Levels(64, 66, 64)
    if found is None:
        return _Levels(UNKNOWN, 0, 0)
    level = found.precedence
    return _Levels(level, level + found.is_right, level + (not found.is_right))
