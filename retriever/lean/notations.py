"""Declared notations (`infix:50 " ≺ " => Foo.Prec`) and their constants: of a text with one, the other's tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from lean_extract.source.grammar.notations import Form, Notation
from lean_extract.source.names.scopes import ROOT
from lean_extract.syntax.operators import ASCII, CORE, OPERATORS
from lean_extract.syntax.symbol_terms import GRAMMAR
from lean_extract.syntax.term_grammar import Grammar, powers
from lean_extract.syntax.terms import SyntaxNode, read_term
from lean_extract.syntax.words import SYMBOLS, WORDS
from retriever.lean.patterns.query import NAME
from retriever.lean.tokens import VARIABLE, raw_tokens, text_tokens

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


_MOST_MEANINGS = 4
"""A symbol with more constants says nothing, nor does a name with more notations."""
_PRIVATE = 0xE000
"""Where Unicode's private characters begin: they take the place of symbols, so that each is one token."""
_KNOWN = frozenset((*OPERATORS, *ASCII, *WORDS, *SYMBOLS))
"""What tokens are made of anyway."""


def core_notations() -> list[Notation]:
    """The operators of `CORE`, whose tokens are their constants' anyway."""
    return [Notation(symbol, one.constant, ROOT, "infixl", one.precedence) for symbol, one in CORE.items()]


class Notations:
    """Symbols, each with the constants for which it stands somewhere, as written there."""

    def __init__(self, declared: Iterable[Notation], core: Iterable[Notation] = ()) -> None:
        found: dict[str, dict[str, Notation]] = {}
        for notation in declared:
            if notation.symbol not in _KNOWN and not VARIABLE.match(notation.symbol):
                found.setdefault(notation.symbol, {}).setdefault(notation.target, notation)
        self._meanings: Mapping[str, tuple[Notation, ...]] = {
            **{
                symbol: tuple(named.values())
                for symbol, named in found.items()
                if len(named) <= _MOST_MEANINGS
            },
            **{notation.symbol: (notation,) for notation in core},
        }

    def constants(self, symbol: str) -> tuple[str, ...]:
        """What a symbol stands for."""
        return tuple(notation.target for notation in self._meanings.get(symbol, ()))

    def spelled_out(self, text: str) -> str:
        """A text with the constants in the place of their notations: `Before a c` for `a ≺≺ c`.

        A symbol of several meanings has the first; what cannot be read stays.
        """
        found = self._found(text)
        symbols = [symbol for symbol in found if symbol in self._meanings]
        signs = {symbol: chr(_PRIVATE + place) for place, symbol in enumerate(symbols)}
        if not signs or any(sign in text for sign in signs.values()):
            return text
        marked = re.sub(rf"(?:{_alternatives(found)})", lambda one: _apart(one[0], signs), text)
        tokens = raw_tokens(marked)
        known = {sign: self._meanings[symbol][0] for symbol, sign in signs.items()}
        return applied(tokens, known) if len(tokens) <= MOST_TOKENS else text

    def noted(self, text: str) -> str:
        """A text with the notations in the place of their constants: `a ≺≺ c` for `Own.Before a c`."""
        if self._by_name.keys().isdisjoint(map(_last, NAME.findall(text))):
            return text
        tokens = raw_tokens(text)
        written = noted(tokens, self._notation) if len(tokens) <= MOST_TOKENS else text
        return text if written == " ".join(tokens) else written

    def _notation(self, name: str) -> Notation | None:
        return next(self._of(name), None)

    def _of(self, name: str) -> Iterator[Notation]:
        """The notations of a constant, which may be written with more or less of its namespace."""
        for notation in self._by_name.get(_last(name), ()):
            if f".{name}".endswith(f".{notation.target}") or f".{notation.target}".endswith(f".{name}"):
                yield notation

    def tokens(self, text: str) -> Iterator[str]:
        """The tokens of the constants whose notations a text has, and of the notations of its constants."""
        if not self._meanings:
            return
        for symbol in self._found(text):
            for constant in () if symbol in CORE else self.constants(symbol):
                yield from text_tokens(constant)
        for name in dict.fromkeys(NAME.findall(text)):
            for notation in self._of(name):
                yield from () if notation.symbol in CORE else text_tokens(notation.symbol)

    def _found(self, text: str) -> Collection[str]:
        """The symbols of a text, each once; `<+` in `<+:` does not count. Empty if it has no notation."""
        if not any(symbol in text for symbol in self._meanings):
            return ()
        present = [symbol for symbol in {*self._meanings, *_KNOWN} if symbol in text]
        return dict.fromkeys(re.findall(rf"(?:{_alternatives(present)})", text))

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Notation, ...]]:
        """The notations of each constant, by its last name."""
        found: dict[str, tuple[Notation, ...]] = {}
        for notation in chain.from_iterable(self._meanings.values()):
            last = _last(notation.target)
            found[last] = (*found.get(last, ()), notation)
        return {name: notations for name, notations in found.items() if len(notations) <= _MOST_MEANINGS}


def _apart(symbol: str, signs: Mapping[str, str]) -> str:
    return f" {signs[symbol]} " if symbol in signs else symbol


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _alternatives(symbols: Iterable[str]) -> str:
    return "|".join(map(_pattern, sorted(symbols, key=lambda one: (-len(one), one))))


def _pattern(symbol: str) -> str:
    before = r"(?<![\w.])" if symbol[0].isalnum() else ""
    after = r"(?![\w.])" if symbol[-1].isalnum() else ""
    return f"{before}{re.escape(symbol)}{after}"
