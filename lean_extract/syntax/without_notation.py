"""Terms as Lean prints them with `pp.notation false`: `Eq (HAdd.hAdd a b) (HAdd.hAdd b a)`.

Only the common notation is known, and a text with anything else in it is left as it is. Arrows, `∀`, `fun` and type
ascriptions stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lean_extract.syntax.binders import BoundNames, bound_names
from lean_extract.syntax.keywords import TERM_WORDS
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import (
    BIG,
    BRACKETED,
    CONGRUENT,
    ENCLOSING,
    INFIX,
    NULLARY,
    OVER,
    POSTFIX,
    PREFIX,
)
from lean_extract.syntax.pieces import APPLICATION, LOOSE, Piece, applied
from lean_extract.syntax.statement_syntax import ITERATE, Word, read_words, words_of
from lean_extract.syntax.terms import SyntaxNode, is_complete

_WORDS = TERM_WORDS | {"at", "match"}
_MOST_WORDS = 2000
"""A longer text is left as it is, since nested binders are read again at each level."""
_DEEPEST = 80
"""So is one whose terms nest more deeply."""
_PREFIXES: Mapping[str, str] = {symbol: constant for symbol, (_, constant) in PREFIX.items()}
_SIDES = {"≠": "Compl.compl (Singleton.singleton {})", "<": "Set.Iio {}", ">": "Set.Ioi {}"}
_SIDES |= {"≤": "Set.Iic {}", "≥": "Set.Ici {}"}
"""The neighbourhoods `𝓝[≠] x` and the like, as sets with a hole for the point."""
_EVENTUAL = {"∀ᶠ": "Filter.Eventually", "∀ᵐ": "Filter.Eventually", "∃ᶠ": "Filter.Frequently"}
_INTEGRALS = {"∫": "MeasureTheory.integral", "∫⁻": "MeasureTheory.lintegral"}
_VOLUME = "MeasureTheory.MeasureSpace.volume"
_SINGLE = "Singleton.singleton"


_T = TypeVar("_T")


class _Unknown(Exception):
    """The text has notation that is not known."""


def functional(text: str) -> str:
    """A term without notation; the text itself if it has no notation, or some that is not known."""
    writer = _Writer(words_of(text))
    try:
        piece = writer.whole()
    except _Unknown:
        return text
    return piece.text if writer.has_changed else text


@dataclass(frozen=True, slots=True)
class _Variable:
    """A bound name: `x`, `x : T`, or `x ∈ s` with the condition as a text and the set as an argument."""

    name: str
    type: str = ""
    condition: str = ""
    collection: str = ""

    @property
    def written(self) -> str:
        """The variable after `fun`."""
        return f"({self.name} : {self.type})" if self.type else self.name


def _bind(function: str, variable: _Variable, body: Piece) -> Piece:
    return Piece(f"{function} fun {variable.written} ↦ {body.text}", LOOSE)


class _Writer:
    """Writes one text; every method raises _Unknown."""

    def __init__(self, words: Sequence[Word], depth: int = 0) -> None:
        self._words, self._depth = words, depth
        self.has_changed = False

    def whole(self) -> Piece:
        """The whole text as one term."""
        _check(len(self._words) <= _MOST_WORDS)
        node = read_words(self._words)
        _check(is_complete(node, len(self._words)))
        return self._piece(node)

    def _within(self, words: Sequence[Word]) -> Piece:
        """The term that these words are."""
        inner = _Writer(words, self._depth + 2)
        piece = inner.whole()
        self.has_changed |= inner.has_changed
        return piece

    def _range(self, begin: int, end: int) -> Piece:
        return self._within(self._words[begin:end])

    def _change(self, piece: Piece) -> Piece:
        self.has_changed = True
        return piece

    def _text(self, index: int) -> str:
        return self._words[index].text if index < len(self._words) else ""

    def _is_glued(self, index: int) -> bool:
        """Whether no white space precedes a word."""
        return not self._words[index - 1].space

    def _piece(self, node: SyntaxNode) -> Piece:
        _check(self._depth < _DEEPEST)
        self._depth += 1
        piece = _WRITERS[node.kind](self, node)
        self._depth -= 1
        return piece

    def _pieces(self, nodes: Sequence[SyntaxNode]) -> list[Piece]:
        return [self._piece(node) for node in nodes]

    def _name(self, node: SyntaxNode) -> Piece:
        text = node.text.partition(".{")[0]
        if text in NULLARY:
            return self._change(Piece(NULLARY[text]))
        if text in _PREFIXES:
            return self._change(Piece(_PREFIXES[text]))
        is_name = is_identifier(text) and text not in _WORDS
        _check(is_name or text[:1].isdigit() or text.startswith(("_", "·", "?")))
        return Piece(text)

    def _applied(self, node: SyntaxNode) -> Piece:
        head, *others = node.parts
        if head.text == "𝓝" and len(self._text(head.start)) > 1:
            return self._change(self._neighbourhood(head, node.end))
        if head.text == ".":  # `.mk x`
            _check(self._is_glued(others[0].start))
            function, others = Piece(f".{others[0].text}"), others[1:]
        else:
            function = self._piece(head)
        arguments: list[Piece] = []
        for part in others:
            opener, name = self._text(part.start), self._text(part.start + 1)
            if opener == ITERATE:
                count = _one(self._items(part))
                if arguments:
                    arguments[-1] = applied("Nat.iterate", arguments[-1], count)
                else:
                    function, arguments = Piece("Nat.iterate"), [function, count]
                self.has_changed = True
                continue
            _check(not self._is_glued(part.start) and not (opener == "[" and name in CONGRUENT))
            arguments.append(self._piece(part))
        return applied(function.argument, *arguments) if arguments else function

    def _neighbourhood(self, head: SyntaxNode, end: int) -> Piece:
        """`𝓝[s] x` and `𝓝[≠] x`."""
        point = self._range(head.end, end)
        inside = self._text(head.start)[2:-1].strip()
        if inside in _SIDES:
            return applied("nhdsWithin", point, Piece(_SIDES[inside].format(point.argument), APPLICATION))
        return applied("nhdsWithin", point, self._within(words_of(inside)))

    def _infix(self, node: SyntaxNode) -> Piece:
        left, right = node.parts
        symbol = node.text
        if symbol == "→":
            before = self._binders_before_arrow(left) or self._piece(left).at(APPLICATION)
            return Piece(f"{before} → {self._piece(right).text}", LOOSE)
        if symbol == "≡":
            return self._change(self._congruent(left, right))
        first, second = self._piece(left), self._piece(right)
        if symbol == "<|":
            return self._change(applied(first.at(APPLICATION), second))
        if symbol == "∉":
            return self._change(applied("Not", applied("Membership.mem", second, first)))
        operator = self._text(left.end)
        if symbol in BRACKETED and operator != symbol:
            form = BRACKETED[symbol]
            parameter = self._within(words_of(operator[len(symbol) + 1 : -1]))
            text = form.constant.format(parameter.argument, first.argument, second.argument)
            return self._change(Piece(text, APPLICATION))
        _check(symbol in INFIX)
        operands = (second, first) if INFIX[symbol].is_flipped else (first, second)
        return self._change(applied(INFIX[symbol].constant, *operands))

    def _binders_before_arrow(self, node: SyntaxNode) -> str:
        """`{x : T}` or `[C x]` before an arrow; empty for anything else."""
        opener = self._text(node.start)
        if node.kind != "brackets" or opener not in ("{", "⦃", "["):
            return ""
        if opener == "[":
            return f"[{_one(self._items(node)).text}]"
        if not node.parts or self._text(node.parts[0].end) != ":":
            return ""
        variables = self._variables(node.start, node.end)
        names = " ".join(one.name for one in variables)
        return f"{opener}{names} : {variables[0].type}{self._text(node.end - 1)}"

    def _congruent(self, left: SyntaxNode, right: SyntaxNode) -> Piece:
        """`a ≡ b [MOD n]`, where the brackets are read as an argument in `b`."""
        inside = range(right.start, right.end)
        at = next((i for i in inside if self._text(i) == "[" and self._text(i + 1) in CONGRUENT), right.start)
        _check(at > right.start and self._text(right.end - 1) == "]")
        modulus, after = self._range(at + 2, right.end - 1), self._range(right.start, at)
        return applied(CONGRUENT[self._text(at + 1)], modulus, self._piece(left), after)

    def _prefix(self, node: SyntaxNode) -> Piece:
        return self._change(applied(_PREFIXES[node.text], self._piece(node.parts[0])))

    def _postfix(self, node: SyntaxNode) -> Piece:
        [operand] = node.parts
        enclosing = ENCLOSING.get(self._text(operand.start)) if operand.kind == "brackets" else None
        if enclosing and (constant := enclosing.get(self._text(operand.end - 1) + node.text)):
            return self._change(applied(constant, _one(self._items(operand))))
        constant = OVER.get(node.text) or POSTFIX.get(node.text, "")
        _check(bool(constant))
        return self._change(applied(constant, self._piece(operand)))

    def _field(self, node: SyntaxNode) -> Piece:
        [operand] = node.parts
        _check(self._is_glued(operand.end))
        return Piece(f"{self._piece(operand).argument}.{node.text}")

    def _coerced(self, node: SyntaxNode) -> Piece:
        if node.end == node.start + 1:
            return Piece(node.text, LOOSE)  # of `(↑)`
        operand = self._piece(node.parts[0])
        if node.text == "#":
            return self._change(applied(_PREFIXES["#"], operand))
        return Piece(node.text + operand.argument)

    def _brackets(self, node: SyntaxNode) -> Piece:
        opener, closer = node.text, self._text(node.end - 1)
        if opener in ENCLOSING:
            _check(closer in ENCLOSING[opener])
            return self._change(applied(ENCLOSING[opener][closer], _one(self._items(node))))
        if opener == "(":
            return self._round(node)
        if opener == "{" and node.parts and node.parts[0].kind == "set":
            return self._change(self._piece(node.parts[0]))
        items = self._items(node)
        if opener == "{":
            return self._change(_listed(items))
        if opener == "⟪":
            return self._change(applied("Inner.inner", Piece("_"), *items))
        _check(opener in ("⟨", "["))
        return Piece(f"{opener}{', '.join(item.text for item in items)}{closer}")

    def _round(self, node: SyntaxNode) -> Piece:
        parts = node.parts
        if not parts:
            return Piece("()")
        mark = self._text(parts[0].end)
        if len(parts) == 2 and mark in (":", ":="):
            first, second = self._pieces(parts)
            return Piece(f"({first.text} {mark} {second.text})")
        items = self._items(node)
        pair = items[-1]
        for item in reversed(items[:-1]):
            pair = self._change(applied("Prod.mk", item, pair))
        return pair

    def _items(self, node: SyntaxNode) -> list[Piece]:
        """The terms between commas in brackets."""
        separators = {self._text(part.end) for part in node.parts[:-1]}
        _check(separators <= {","})
        return self._pieces(node.parts)

    def _set(self, node: SyntaxNode) -> Piece:
        """`{x : T | p}` and `{x // p}`."""
        end = node.start + len(node.bound)
        variable = _one(self._variables(node.start, end))
        [part] = node.parts
        body = self._piece(part)
        if variable.condition:
            body = applied("And", Piece(variable.condition, LOOSE), body)
        return _bind("Subtype" if self._text(end) == "//" else "setOf", variable, body)

    def _binder(self, node: SyntaxNode) -> Piece:
        symbol, begin = node.text, node.start + 1
        end = begin + len(node.bound)
        body = node.parts[0]
        if symbol == "if":
            return self._change(self._conditional(begin, end, body))
        if symbol in ("fun", "λ"):
            variables = self._variables(begin, end)
            _check(bool(variables) and not any(one.condition for one in variables))
            names = " ".join(one.written for one in variables)
            return Piece(f"fun {names} ↦ {self._piece(body).text}", LOOSE)
        if symbol == "∀":
            return self._for_all(self._variables(begin, end), self._piece(body).text)
        if symbol in _EVENTUAL:
            return self._change(self._eventually(node, begin, end))
        if symbol in _INTEGRALS:
            return self._change(self._integral(node, begin, end))
        _check(symbol in BIG)
        piece = self._piece(body)
        for variable in reversed(self._variables(begin, end)):
            piece = _big(symbol, variable, piece)
        return self._change(piece)

    @staticmethod
    def _for_all(variables: Sequence[_Variable], text: str) -> Piece:
        """`∀ x ∈ s, p`: what holds for `x` becomes a hypothesis."""
        for variable in reversed(variables):
            text = f"{variable.condition} → {text}" if variable.condition else text
            text = f"∀ {variable.written}, {text}"
        return Piece(text, LOOSE)

    def _conditional(self, begin: int, end: int, last: SyntaxNode) -> Piece:
        then = self._find(begin, end, "then")
        return applied("ite", self._range(begin, then), self._range(then + 1, end), self._piece(last))

    def _find(self, begin: int, end: int, word: str) -> int:
        """The index of a word; `end` if it is not there."""
        return next((index for index in range(begin, end) if self._text(index) == word), end)

    def _eventually(self, node: SyntaxNode, begin: int, end: int) -> Piece:
        """`∀ᶠ x in f, p`, `∃ᶠ x in f, p`, and `∀ᵐ x ∂μ, p`."""
        at = self._find(begin, end, "∂" if node.text == "∀ᵐ" else "in")
        if node.text == "∀ᵐ":
            measure = self._range(at + 1, end) if at < end else Piece(_VOLUME)
            filter_ = applied("MeasureTheory.ae", measure)
        else:
            filter_ = self._range(at + 1, end)
        variable = _one(self._variables(begin, at))
        return applied(_EVENTUAL[node.text], _function(variable, self._piece(node.parts[0])), filter_)

    def _integral(self, node: SyntaxNode, begin: int, end: int) -> Piece:
        """`∫ x in s, f x ∂μ`, `∫ x in a..b, f x`, and `∫⁻`."""
        at = self._find(begin, end, "in")
        variable = _one(self._variables(begin, at))
        body, *measures = self._pieces(node.parts)
        function = _function(variable, body)
        measure = measures[0] if measures else Piece(_VOLUME)
        dots = self._find(at, end, "..")
        if dots < end:
            limits = self._range(at + 1, dots), self._range(dots + 1, end)
            return applied("intervalIntegral", function, *limits, measure)
        if at < end:
            measure = applied("MeasureTheory.Measure.restrict", measure, self._range(at + 1, end))
        return applied(_INTEGRALS[node.text], measure, function)

    def _variables(self, begin: int, end: int) -> list[_Variable]:
        """The names that a binder with these words binds."""
        texts = [word.text for word in self._words[begin:end]]
        return [one for group in bound_names(texts) for one in self._group(group, begin)]

    def _group(self, group: BoundNames, offset: int) -> Iterator[_Variable]:
        names = group.names
        _check(
            bool(names) and all(name == "_" or (is_identifier(name) and name not in _WORDS) for name in names)
        )
        if not group.mark:
            yield from map(_Variable, names)
            return
        right = self._range(group.begin + offset, group.end + offset)
        if group.mark == ":":
            for name in names:
                yield _Variable(name, right.text)
            return
        known = INFIX.get(group.mark)
        _check(known is not None)
        assert known is not None
        self.has_changed = True
        for name in names:
            sides = (right, Piece(name)) if known.is_flipped else (Piece(name), right)
            collection = right.argument if group.mark == "∈" else ""
            yield _Variable(name, "", applied(known.constant, *sides).text, collection)


def _check(holds: bool) -> None:
    if not holds:
        raise _Unknown


def _one(items: Sequence[_T]) -> _T:
    """The only item."""
    _check(len(items) == 1)
    return items[0]


def _function(variable: _Variable, body: Piece) -> Piece:
    return Piece(f"fun {variable.written} ↦ {body.text}", LOOSE)


def _listed(items: Sequence[Piece]) -> Piece:
    """`{a, b}`."""
    if not items:
        return Piece("EmptyCollection.emptyCollection")
    found = applied(_SINGLE, items[-1])
    for item in reversed(items[:-1]):
        found = applied("Insert.insert", item, found)
    return found


def _big(symbol: str, variable: _Variable, body: Piece) -> Piece:
    """`∃`, `∑`, `⋃` and the like as functions of functions."""
    constant = BIG[symbol][1]
    if symbol in ("∑", "∏"):
        _check(not variable.condition or bool(variable.collection))
        return _bind(f"{constant} {variable.collection or 'Finset.univ'}", variable, body)
    if variable.condition and symbol in ("∃", "∃!"):
        return _bind(constant, variable, applied("And", Piece(variable.condition, LOOSE), body))
    if variable.condition:
        body = _bind(constant, _Variable("_", variable.condition), body)
    return _bind(constant, variable, body)


_WRITERS = {
    "name": _Writer._name,
    "applied": _Writer._applied,
    "infix": _Writer._infix,
    "prefix": _Writer._prefix,
    "postfix": _Writer._postfix,
    "field": _Writer._field,
    "coerced": _Writer._coerced,
    "binder": _Writer._binder,
    "set": _Writer._set,
    "brackets": _Writer._brackets,
}
