"""Terms that Lean printed with `pp.notation false`, in the usual notation.

LeanPremise's client sends `Eq (HAdd.hAdd a b) (HAdd.hAdd b a)`; the models have mostly read `a + b = b + a`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.operators import (
    ENCLOSING,
    INFIX,
    MAX,
    NULLARY,
    OPERATORS,
    POSTFIX,
    PREFIX,
    RELATION,
    Infix,
)
from lean_extract.syntax.pieces import APPLICATION, ATOM, LOOSE, Piece, TermCopy
from lean_extract.syntax.statement_syntax import Word, words_of
from lean_extract.syntax.terms import SyntaxNode

_NUMERAL = "OfNat.ofNat"
_OPERATORS = {infix.constant: (symbol, infix) for symbol, infix in INFIX.items()}
_PREFIXES = {constant: (symbol, precedence) for symbol, (precedence, constant) in PREFIX.items()}
_POSTFIXES = {constant: symbol for symbol, constant in POSTFIX.items()}
_NULLARIES = {constant: symbol for symbol, constant in NULLARY.items() if "." in constant}
_ENCLOSED = {name: (left, right) for left, pairs in ENCLOSING.items() for right, name in pairs.items()}
_BINDING = {"Exists": ("∃ ", ", ", ""), "setOf": ("{", " | ", "}")}
_ARITIES = {
    **dict.fromkeys((_NUMERAL, *_PREFIXES, *_POSTFIXES, *_ENCLOSED), 1),
    **dict.fromkeys(_OPERATORS, 2),
}
"""How many arguments each function has that is written in another way."""
_KNOWN = (*_ARITIES, *_NULLARIES, *_BINDING)
_MENTIONED = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, _KNOWN))})(?![\w.])")
_DEEPEST = 80
"""Terms that nest more deeply are left as they are."""
_LONGEST = 50_000
"""Characters; a longer text is left as it is."""


def restored(text: str) -> str:
    """A term in the usual notation, in time linear in the length of the text. Any text is accepted.

    A text without such applications is left as it is, and so are parts that cannot be read. Otherwise white space
    becomes single spaces.
    """
    if len(text) > _LONGEST or not _MENTIONED.search(text):
        return text
    words = words_of(" ".join(text.split()))
    return text if _has_open_brackets(words) else _Writer(words).text()


def _has_open_brackets(words: Sequence[Word]) -> bool:
    return sum([DEPTH[text] for text, _ in words if text in DEPTH]) != 0


class _Writer(TermCopy):
    """Writes the terms of one text."""

    def term(self, node: SyntaxNode) -> str:
        return self._piece(node).text

    def _within(self, begin: int, end: int) -> str:
        """The text of what a binder binds."""
        if self.depth + 2 >= _DEEPEST:
            return self.plain(begin, end).strip()
        return _Writer(self.words[begin:end], self.depth + 2).text()

    def _piece(self, node: SyntaxNode) -> Piece:
        if node.kind == "name":
            return Piece(_NULLARIES.get(node.text, node.text))
        if self.depth >= _DEEPEST:
            return Piece(self.plain(node.start, node.end).rstrip(), LOOSE)
        self.depth += 1
        piece = self._written(node)
        self.depth -= 1
        return piece

    def _written(self, node: SyntaxNode) -> Piece:
        if node.kind == "applied":
            return self._applied(node)
        if node.kind == "binder":
            return Piece(self._binder(node), LOOSE, is_open=True)
        if _is_round(node):
            return self._piece(node.parts[0])
        if node.kind == "infix":
            return self._infix(node)
        if node.kind == "prefix":
            return Piece(self.joined(node, [self._operand(node.parts[0], PREFIX[node.text][0])]), LOOSE)
        if node.kind in ("brackets", "set"):
            return Piece(self.joined(node, [self._piece(part).text for part in node.parts]))
        least = MAX if node.kind == "coerced" else ATOM
        return Piece(self.joined(node, [self._operand(part, least) for part in node.parts]))

    def _operand(self, node: SyntaxNode, least: int) -> str:
        """The text of an operand, in brackets if it needs them; only these kinds of terms are written anew."""
        if node.kind == "name":
            return _NULLARIES.get(node.text, node.text)
        piece = self._piece(node)
        return piece.at(least) if node.kind in ("applied", "brackets") else piece.text

    def _infix(self, node: SyntaxNode) -> Piece:
        left, right = node.parts
        known = OPERATORS.get(node.text)
        first, last = _levels(known) if known else (APPLICATION, APPLICATION)
        ending = self._piece(right)
        after = ending.last(last) if right.kind in ("applied", "brackets") else ending.text
        text = self.joined(node, [self._operand(left, first), after])
        precedence = INFIX[node.text].precedence if node.text in INFIX else LOOSE
        return Piece(text, precedence, after == ending.text and ending.is_open)

    def _binder(self, node: SyntaxNode) -> str:
        end = node.start + 1 + len(node.bound)
        before = self.plain(node.start, node.start + 1) + self._within(node.start + 1, end)
        before += self.words[end - 1].space if node.bound else ""
        texts = [self._piece(part).text for part in node.parts]
        return before + self.joined(node._replace(start=end), texts)

    def _applied(self, node: SyntaxNode) -> Piece:
        """An application, written as an operator if its function is one and has all arguments."""
        head, *others = node.parts
        ends_open = others[-1].kind == "binder"
        if ends_open and len(others) == 1 and head.text in _BINDING and others[0].text in ("fun", "λ"):
            return self._bound(head.text, others[0])
        arity = _ARITIES.get(head.text, 0) if head.kind == "name" else 0
        is_numeral = head.text == _NUMERAL and len(others) > 1  # `(0 : α → β) a` in older versions
        if is_numeral or not 0 < arity <= len(others) - (ends_open and arity == len(others)):
            texts = [self._operand(head, MAX), *map(self._argument, others)]
            return Piece(self.joined(node, texts), APPLICATION, ends_open)
        made = _operation(head.text, [self._piece(part) for part in others[:arity]])
        rest = list(map(self._argument, others[arity:]))
        return Piece(" ".join([made.argument, *rest]), APPLICATION, ends_open) if rest else made

    def _argument(self, node: SyntaxNode) -> str:
        """The text of an argument. Brackets without white space before them belong to a notation."""
        if node.kind == "name":
            return _NULLARIES.get(node.text, node.text)
        if node.kind == "brackets" and not self.words[node.start - 1].space:
            return self.joined(node, [self._piece(part).text for part in node.parts])
        return self._operand(node, MAX)

    def _bound(self, name: str, function: SyntaxNode) -> Piece:
        """`∃ x, p` for `Exists fun x => p`."""
        opening, between, closing = _BINDING[name]
        begin = function.start + 1
        variables = self._within(begin, begin + len(function.bound))
        text = f"{opening}{variables}{between}{self._piece(function.parts[0]).text}{closing}"
        return Piece(text) if closing else Piece(text, LOOSE, is_open=True)


def _is_round(node: SyntaxNode) -> bool:
    """Whether a node is round brackets around one term."""
    inside = node.parts[0] if len(node.parts) == 1 and node.text == "(" else node
    is_whole = (inside.start, inside.end) == (node.start + 1, node.end - 1)
    return node.kind == "brackets" and is_whole and inside.kind != "coerced"


def _levels(operator: Infix) -> tuple[int, int]:
    """The least precedences of an operator's operands. Operators as loose as a relation are not chained."""
    looser = operator.precedence
    chains_left = not operator.is_right and looser > RELATION
    return looser + (not chains_left), looser + (not operator.is_right)


def _operation(name: str, arguments: Sequence[Piece]) -> Piece:
    if name in _OPERATORS:
        symbol, operator = _OPERATORS[name]
        left, right = reversed(arguments) if operator.is_flipped else arguments
        first, last = _levels(operator)
        is_open = right.is_open and (right.precedence == LOOSE or right.precedence >= last)
        return Piece(f"{left.at(first)} {symbol} {right.last(last)}", operator.precedence, is_open)
    [argument] = arguments
    if name in _PREFIXES:
        symbol, precedence = _PREFIXES[name]
        if symbol.isalpha():  # `𝟙 X` is an application
            return Piece(f"{symbol} {argument.argument}", APPLICATION)
        return Piece(f"{symbol}{argument.last(precedence)}", precedence, argument.is_open)
    if name in _POSTFIXES:
        return Piece(f"{argument.at(ATOM)}{_POSTFIXES[name]}")
    if name in _ENCLOSED:
        opener, closer = _ENCLOSED[name]
        return Piece(f"{opener}{argument.text}{closer}")
    return argument  # of _NUMERAL
