"""Terms from Lean's text as syntax trees: applications, operators by precedence, binders; no elaboration.

One operator-precedence (Pratt) parser reads them all. What a reader knows is data (`Grammar`): its operators,
binders and brackets. A strict grammar reads a text as a whole or not at all; any other one reads past what it does
not understand. Reading looks at each token a bounded number of times, and goes no deeper than the grammar allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lean_extract.syntax.brackets import BARS, PAIR_DEPTH
from lean_extract.syntax.operators import OPERATORS, UNKNOWN

Kind = Literal[
    "name", "applied", "infix", "prefix", "postfix", "field", "coerced", "binder", "set", "brackets", "unread"
]
_SET_REACH = 24
"""Tokens before the bar of `{x ∈ s | p x}`."""
_UNKNOWN = UNKNOWN, UNKNOWN + 1


class SyntaxNode(NamedTuple):
    """A node of a syntax tree.

    `text` is the name, the operator, the field, the binder's symbol, or the bracket that opens. `parts` are the
    operands; of an application the function comes first; of a binder and of `{x | p}` there is the body alone,
    `bound` being the tokens of what is bound.
    """

    kind: Kind
    text: str
    parts: tuple[SyntaxNode, ...] = ()
    bound: tuple[str, ...] = ()


UNREAD = SyntaxNode("unread", "…")
"""What stands where nothing could be read."""


class Unreadable(Exception):
    """The text is no term of a strict grammar."""


class Powers(NamedTuple):
    """An infix operator's precedence, and the least precedence of operators in its right operand."""

    precedence: int
    right: int


def powers(precedence: int, *, is_right: bool) -> Powers:
    """The powers of an operator that associates to the right, or to the left."""
    return Powers(precedence, precedence if is_right else precedence + 1)


def infix_powers(symbols: str, others: Mapping[str, Powers]) -> dict[str, Powers]:
    """The powers of some operators (symbols separated by spaces) as the table has them, and those of others."""
    known = ((symbol, OPERATORS[symbol]) for symbol in symbols.split())
    found = {symbol: powers(one.precedence, is_right=one.is_right) for symbol, one in known}
    return {**found, **others}


def all_powers(symbols: Iterable[str], precedence: int, *, is_right: bool) -> dict[str, Powers]:
    """The same powers for each of the symbols."""
    return dict.fromkeys(symbols, powers(precedence, is_right=is_right))


class BinderRule(NamedTuple):
    """The least precedence of operators in a binder's body, and the tokens that may stand before it."""

    least: int
    ends: frozenset[str]


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a reader of terms knows.

    Args:
        infix: operators; any other token between two operands is read as one of precedence `UNKNOWN`.
        prefix: the least precedence of operators in the operand.
        binders: those of `last_arguments` may be the last argument of an application without brackets.
        pairs: opening brackets and what closes them; those in `no_arguments` begin no argument.
        ends: what ends a term, beside what closes the bracket around it.
        postfix: operators behind their operand; whether the word behind it belongs to the operator (`⁻` and `¹`).
        is_atom: whether a token stands for a name or a number.
        separators: what stands between the items of a bracket.
        is_strict: whether a text that is not wholly understood is unreadable.
        longest_chain: how many operators behind one another a strict grammar takes.
    """

    infix: Mapping[str, Powers]
    prefix: Mapping[str, int]
    binders: Mapping[str, BinderRule]
    last_arguments: Set[str]
    pairs: Mapping[str, str]
    no_arguments: Set[str]
    ends: Set[str]
    postfix: Mapping[str, bool]
    coercions: Set[str]
    is_atom: Callable[[str], bool]
    separators: Set[str]
    is_strict: bool
    deepest: int
    longest_chain: int = 0


def is_word(token: str) -> bool:
    """Whether a token is a name, a number, a hole or a metavariable."""
    return token[0].isalnum() or token[0] in "_«?"


def read_term(
    tokens: Sequence[str], grammar: Grammar, *, least: int = 0, depth: int = 0, is_whole: bool = True
) -> SyntaxNode:
    """The syntax tree of the tokens.

    Args:
        least: operators of a lower precedence end the term.
        depth: how deep inside another term this one stands.
        is_whole: whether a strict grammar has to read all tokens.

    Raises:
        Unreadable: the grammar is strict, and the tokens are no term of it.
    """
    reader = _TermReader(tokens, grammar)
    found = reader.term(least, depth)
    if grammar.is_strict and is_whole and not reader.is_at_end:
        raise Unreadable
    return found


class _TermReader:
    """One pass from left to right; every step takes a token or ends."""

    def __init__(self, tokens: Sequence[str], grammar: Grammar) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._at = 0
        self._closers: list[str] = []
        """What closes the brackets that are open, the innermost last."""
        self._chain = 0

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens have been read."""
        return self._at >= len(self._tokens)

    def term(self, least: int, depth: int) -> SyntaxNode:
        """A term whose operators have at least this precedence."""
        grammar = self._grammar
        if depth > grammar.deepest:
            return self._unread_rest()
        left = self._operand(depth)
        while (token := self._next()) and not self._is_end(token):
            found = grammar.infix.get(token)
            if found is None:
                if is_word(token):
                    break
                found = _UNKNOWN
            if found[0] < least:
                break
            self._at += 1
            left = self._chained(SyntaxNode("infix", token, (left, self.term(found[1], depth + 1))))
        return left

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next()
        self._at += 1
        return token

    def _is_end(self, token: str) -> bool:
        """Whether a token ends an operand. A bar closes what it has opened, and opens what it has not."""
        if token in BARS:
            return self._grammar.is_strict or self._closes(token)
        return token in self._grammar.ends

    def _closes(self, token: str) -> bool:
        return bool(self._closers) and self._closers[-1] == token

    def _unread(self) -> SyntaxNode:
        if self._grammar.is_strict:
            raise Unreadable
        return UNREAD

    def _unread_rest(self) -> SyntaxNode:
        """What stands up to the end of the brackets around, or of the text."""
        found = self._unread()
        depth = 0
        while token := self._next():
            depth += PAIR_DEPTH.get(token, 0)
            if depth < 0:
                break
            self._at += 1
        return found

    def _chained(self, node: SyntaxNode) -> SyntaxNode:
        self._chain += 1
        if self._grammar.is_strict and self._chain > self._grammar.longest_chain:
            raise Unreadable
        return node

    def _operand(self, depth: int) -> SyntaxNode:
        token = self._next()
        if token in self._grammar.binders:
            return self._binder(depth)
        least = self._grammar.prefix.get(token)
        if least is None:
            return self._application(depth)
        self._at += 1
        return SyntaxNode("prefix", token, (self.term(least, depth + 1),))

    def _application(self, depth: int) -> SyntaxNode:
        parts = [self._atom(depth)]
        while (token := self._next()) and self._begins_argument(token):
            if token in self._grammar.last_arguments:
                parts.append(self._binder(depth))
                break
            parts.append(self._atom(depth))
        return SyntaxNode("applied", "", tuple(parts)) if len(parts) > 1 else parts[0]

    def _begins_argument(self, token: str) -> bool:
        grammar = self._grammar
        if self._is_end(token):
            return False
        if token in grammar.pairs:
            return token not in grammar.no_arguments
        if token in grammar.coercions or token in grammar.last_arguments:
            return True
        if token in grammar.infix or token in grammar.prefix or token in grammar.binders:
            return False
        return grammar.is_atom(token)

    def _atom(self, depth: int) -> SyntaxNode:
        grammar = self._grammar
        start = self._at
        while (token := self._next()) in grammar.coercions:
            self._at += 1
        coercions = self._tokens[start : self._at]
        depth += len(coercions)
        if grammar.is_strict and depth > grammar.deepest:
            raise Unreadable
        if token in grammar.pairs and (grammar.is_strict or not self._closes(token)):
            found = self._brackets(depth)
        elif not token or self._is_end(token) or (grammar.is_strict and not grammar.is_atom(token)):
            return self._unread()
        else:
            self._at += 1
            found = SyntaxNode("name", token)
        found = self._postfixed(found)
        for coercion in reversed(coercions):
            found = SyntaxNode("coerced", coercion, (found,))
        return found

    def _postfixed(self, found: SyntaxNode) -> SyntaxNode:
        postfix = self._grammar.postfix
        while (token := self._next()) == "." or token in postfix:
            self._at += 1
            if token == ".":
                name = self._take()
                if self._grammar.is_strict and not (name and is_word(name)):
                    raise Unreadable
                found = self._chained(SyntaxNode("field", name, (found,)))
                continue
            if postfix[token] and not (self._next() and is_word(self._take())):
                raise Unreadable
            found = self._chained(SyntaxNode("postfix", token, (found,)))
        return found

    def _brackets(self, depth: int) -> SyntaxNode:
        opener = self._take()
        closer = self._grammar.pairs[opener]
        self._closers.append(closer)
        items = self._items(opener, closer, depth + 1)
        self._closers.pop()
        if self._next() == closer:
            self._at += 1
        elif self._grammar.is_strict:
            raise Unreadable
        return SyntaxNode("brackets", opener, tuple(items))

    def _items(self, opener: str, closer: str, depth: int) -> list[SyntaxNode]:
        is_strict, separators = self._grammar.is_strict, self._grammar.separators
        items: list[SyntaxNode] = []
        while (token := self._next()) and token != closer:
            if token in separators and not is_strict:
                self._at += 1
                continue
            before = self._at
            if opener == "{" and not is_strict and (found := self._set(depth)) is not None:
                return [found]
            items.append(self.term(0, depth))
            self._end_item(opener, closer, depth)
            if self._at == before:
                self._at += 1
        return items

    def _end_item(self, opener: str, closer: str, depth: int) -> None:
        """Step to the separator or the end behind an item; the type of `(e : T)` is no part of the tree."""
        token, separators = self._next(), self._grammar.separators
        if not self._grammar.is_strict:
            if token != closer and token not in separators:
                self._unread_rest()
            return
        if token == ":" and opener == "(":
            self._at += 1
            self.term(0, depth)
            token = self._next()
        if token in separators:
            self._at += 1
        elif token != closer:
            raise Unreadable

    def _set(self, depth: int) -> SyntaxNode | None:
        """`x | p`, `x ∈ s | p`, `x : T | p` behind an opened brace."""
        end = self._bar()
        if end is None:
            return None
        bound = tuple(self._tokens[self._at : end])
        self._at = end + 1
        return SyntaxNode("set", "{", (self.term(0, depth),), bound)

    def _bar(self) -> int | None:
        depth = 0
        for index in range(self._at, min(len(self._tokens), self._at + _SET_REACH)):
            token = self._tokens[index]
            if token == "|" and depth == 0:
                return index
            depth += PAIR_DEPTH.get(token, 0)
            if depth < 0:
                return None
        return None

    def _binder(self, depth: int) -> SyntaxNode:
        symbol = self._take()
        rule = self._grammar.binders[symbol]
        start = self._at
        level = 0
        while (token := self._next()) and not (level == 0 and token in rule.ends):
            level += PAIR_DEPTH.get(token, 0)
            if level < 0:
                break
            self._at += 1
        bound = tuple(self._tokens[start : self._at])
        if self._next() in rule.ends:
            self._at += 1
        elif self._grammar.is_strict:
            raise Unreadable
        return SyntaxNode("binder", symbol, (self.term(rule.least, depth + 1),), bound)
