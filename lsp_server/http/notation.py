"""Rewrites goals that Lean printed with `pp.notation false` in the usual notation.

LeanPremise's client sends `Eq (HAdd.hAdd a b) (HAdd.hAdd b a)`; the models have mostly read `a + b = b + a`.
A text without such applications, or one that cannot be parsed, is returned unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.records import Goal
from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.keywords import TERM_WORDS
from lean_extract.syntax.operators import (
    ENCLOSING,
    INFIX,
    MAX,
    NULLARY,
    POSTFIX,
    PREFIX,
    RELATION,
    Infix,
)

_QUOTED = r"«[^«»\n]{1,200}»"
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<word>(?:(?<![↑⇑↥@])[↑⇑↥@]+)?(?:[^\W\d]|{_QUOTED}|[?_·])(?:[\w.!?'₀-₉]|{_QUOTED})*|\d[\w.]*|\.\w[\w.]*)"
    r'|(?P<bracket>[()\[\]{}⟨⟩⦃⦄])|(?P<text>"(?:[^"\\]|\\.){0,500}")|(?P<sign>.)',
    re.DOTALL,
)
_KEYWORDS = TERM_WORDS | {"fun", "if", "match"}
_OPERATORS = {infix.constant: (symbol, infix) for symbol, infix in INFIX.items()}
_PREFIXES = {constant: (symbol, precedence) for symbol, (precedence, constant) in PREFIX.items()}
_POSTFIXES = {constant: symbol for symbol, constant in POSTFIX.items()}
_NULLARIES = {constant: symbol for symbol, constant in NULLARY.items() if "." in constant}
_ENCLOSED = {name: (left, right) for left, pairs in ENCLOSING.items() for right, name in pairs.items()}
_BINDING = {"Exists": ("∃ ", ", ", ""), "setOf": ("{", " | ", "}")}
_KNOWN = (*_OPERATORS, *_PREFIXES, *_POSTFIXES, *_NULLARIES, *_ENCLOSED, *_BINDING)
_MENTIONED = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, _KNOWN))})(?![\w.])")
_APPLICATION, _LOWEST = MAX - 1, 0
_COERCIONS = frozenset("↑⇑↥")
_DEEPEST = 60
_LONGEST = 50_000


@dataclass(frozen=True, slots=True)
class _Node:
    """A word, a sign, or a bracket with its content."""

    text: str
    """For a bracket, the opening one."""
    is_spaced: bool
    """Whether white space precedes it."""
    is_word: bool = False
    inner: tuple[_Node, ...] | None = None

    @property
    def is_atom(self) -> bool:
        """Whether it can be a function or an argument."""
        return self.inner is not None or (self.is_word and self.text not in _KEYWORDS)


@dataclass(frozen=True, slots=True)
class _Term:
    """A written term and how tightly it binds."""

    text: str
    precedence: int = MAX

    def within(self, least: int, *, is_last: bool = False) -> str:
        """The term where something stands that binds so tightly; the last one may be a `∃` or `∀`."""
        is_open = is_last and self.text.startswith(("∃ ", "∀ "))
        return self.text if self.precedence >= least or is_open else f"({self.text})"


def with_notation(goal: Goal) -> Goal:
    """The goal with its types and its target in usual notation."""
    return replace(
        goal,
        target=restored(goal.target),
        hypotheses=tuple(replace(one, type=restored(one.type)) for one in goal.hypotheses),
    )


def restored(text: str) -> str:
    """A term in the usual notation, in time linear in the length of the text. Any text is accepted."""
    if len(text) > _LONGEST or not _MENTIONED.search(text):
        return text
    nodes = _tree(text)
    return text if nodes is None else _written(nodes).text


def _tree(text: str) -> tuple[_Node, ...] | None:
    """The brackets of a text, or None if they do not match or are nested too deeply."""
    levels: list[tuple[_Node, list[_Node]]] = []
    current: list[_Node] = []
    is_spaced, functions = False, 0
    for token in _TOKEN.finditer(text):
        found = token[0]
        if token.lastgroup == "space":
            is_spaced = True
            continue
        if found in PAIRS and token.lastgroup == "bracket":
            if len(levels) + functions > _DEEPEST:
                return None
            levels.append((_Node(found, is_spaced), current))
            current = []
        elif token.lastgroup == "bracket":
            if not levels or PAIRS[levels[-1][0].text] != found:
                return None
            opened, above = levels.pop()
            above.append(replace(opened, inner=tuple(current)))
            current = above
        else:
            functions += found == "fun"
            is_word = token.lastgroup in ("word", "text") or found in _COERCIONS
            current.append(_Node(found, is_spaced, is_word))
        is_spaced = False
    return tuple(current) if not levels and functions <= _DEEPEST else None


def _written(nodes: Sequence[_Node]) -> _Term:
    """The content of one bracket, or of the whole text: applications, and signs between them."""
    parts: list[str] = []
    only: _Term | None = None
    index = 0
    while index < len(nodes):
        spaced = " " if nodes[index].is_spaced and parts else ""
        run = list(_run(nodes, index))
        if run:
            only, index = _application(nodes, index, run)
            parts.append(spaced + only.text)
        else:
            parts.append(spaced + nodes[index].text)
            index += 1
    return only if only is not None and len(parts) == 1 else _Term("".join(parts), _LOWEST)


def _run(nodes: Sequence[_Node], index: int) -> Iterator[tuple[int, int]]:
    """The atoms from an index on, as ranges: what follows without a space belongs to the same atom."""
    while index < len(nodes) and nodes[index].is_atom:
        end = index + 1
        while end < len(nodes) and nodes[end].is_atom and not nodes[end].is_spaced:
            end += 1
        yield index, end
        index = end


def _application(nodes: Sequence[_Node], index: int, run: Sequence[tuple[int, int]]) -> tuple[_Term, int]:
    """The application that begins here, a last argument `fun …` included, and where it ends."""
    end = run[-1][1]
    arguments = [_argument(nodes[start:stop]) for start, stop in run[1:]]
    head = _argument(nodes[run[0][0] : run[0][1]])
    if end == len(nodes) or nodes[end].text != "fun" or not nodes[end].is_spaced:
        return (_applied(head, arguments) if arguments else _Term(head.within(MAX))), end
    binding = None if arguments else _bound(head.text, nodes[end + 1 :])
    if binding is None:
        body = _Term(_written(nodes[end:]).text, _LOWEST)
        binding = _applied(head, [*arguments, body], ends_open=True)
    return binding, len(nodes)


def _bound(name: str, nodes: Sequence[_Node]) -> _Term | None:
    """`Exists fun x => p` as `∃ x, p`; None if it is another function."""
    if name not in _BINDING:
        return None
    for index, node in enumerate(nodes):
        arrow = node.text + (nodes[index + 1].text if index + 1 < len(nodes) else "")
        width = 1 if node.text == "↦" else 2 if arrow == "=>" else 0
        if width:
            opening, between, closing = _BINDING[name]
            variables, body = _written(nodes[:index]).text, _written(nodes[index + width :]).text
            return _Term(f"{opening}{variables}{between}{body}{closing}", MAX if closing else _LOWEST)
    return None


def _argument(nodes: Sequence[_Node]) -> _Term:
    """One atom: a bracket around a single term binds as that term does."""
    if len(nodes) == 1:
        [node] = nodes
        if node.inner is None:
            return _Term(_NULLARIES.get(node.text, node.text))
        if node.text == "(" and node.inner:
            return _written(node.inner)
    return _Term("".join(_plain(node) for node in nodes))


def _plain(node: _Node) -> str:
    if node.inner is None:
        return node.text
    return f"{node.text}{_written(node.inner).text}{PAIRS[node.text]}"


def _applied(head: _Term, arguments: Sequence[_Term], *, ends_open: bool = False) -> _Term:
    """A function with its arguments, written as an operator if it is one and has all arguments."""
    name, count = head.text, len(arguments)
    arity = 2 if name in _OPERATORS else 1 if name in (*_PREFIXES, *_POSTFIXES, *_ENCLOSED) else 0
    if name == "OfNat.ofNat" and count == 1:
        return arguments[0]
    if not arity or count < arity or (ends_open and count == arity):
        last = arguments[-1].text if ends_open else arguments[-1].within(MAX)
        rest = [one.within(MAX) for one in arguments[:-1]]
        return _Term(" ".join([head.within(MAX), *rest, last]), _LOWEST if ends_open else _APPLICATION)
    made = _infix(name, *arguments[:2]) if arity == 2 else _unary(name, arguments[0])
    return (
        made if count == arity else _applied(_Term(made.within(MAX)), arguments[arity:], ends_open=ends_open)
    )


def _infix(name: str, left: _Term, right: _Term) -> _Term:
    symbol, operator = _OPERATORS[name]
    if operator.is_flipped:
        left, right = right, left
    return _Term(f"{_operands(operator, left, right, symbol)}", operator.precedence)


def _operands(operator: Infix, left: _Term, right: _Term, symbol: str) -> str:
    looser = operator.precedence
    # Operators that bind no tighter than a relation are not chained.
    chains_left = not operator.is_right and looser > RELATION
    first = left.within(looser if chains_left else looser + 1)
    second = right.within(looser if operator.is_right else looser + 1, is_last=True)
    return f"{first} {symbol} {second}"


def _unary(name: str, argument: _Term) -> _Term:
    if name in _PREFIXES:
        symbol, precedence = _PREFIXES[name]
        return _Term(f"{symbol}{argument.within(precedence, is_last=True)}", precedence)
    if name in _POSTFIXES:
        return _Term(f"{argument.within(MAX)}{_POSTFIXES[name]}")
    left, right = _ENCLOSED[name]
    return _Term(f"{left}{argument.text}{right}")
