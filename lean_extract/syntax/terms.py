"""Terms from Lean's text as syntax trees: applications, operators by precedence, binders; no elaboration.

One operator-precedence (Pratt) parser reads them all. What a reader knows is data (`Grammar`): its operators,
binders and brackets. A strict grammar reads a text as a whole or not at all; any other one reads past what it does
not understand. Reading looks at each token a bounded number of times, and goes no deeper than the grammar allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from lean_extract.syntax.brackets import PAIR_DEPTH
from lean_extract.syntax.term_grammar import UNKNOWN_POWERS, Grammar, is_word

Kind = Literal[
    "name", "applied", "infix", "prefix", "postfix", "field", "coerced", "binder", "set", "brackets", "unread"
]
_SET_REACH = 24
"""Tokens before the bar of `{x ∈ s | p x}`."""


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


class UnreadableTerm(Exception):
    """The text is no term of a strict grammar."""


def read_term(
    tokens: Sequence[str], grammar: Grammar, *, least: int = 0, depth: int = 0, is_whole: bool = True
) -> SyntaxNode:
    """The syntax tree of the tokens.

    Args:
        least: operators of a lower precedence end the term.
        depth: how deep inside another term this one stands.
        is_whole: whether a strict grammar has to read all tokens.

    Raises:
        UnreadableTerm: the grammar is strict, and the tokens are no term of it.
    """
    reader = _TermReader(tokens, grammar)
    found = reader.term(least, depth)
    if grammar.is_strict and is_whole and not reader.is_at_end:
        raise UnreadableTerm
    return found


class _TermReader:
    """One pass from left to right; every step takes a token or ends."""

    def __init__(self, tokens: Sequence[str], grammar: Grammar) -> None:
        self._tokens = [*tokens, ""]
        self._grammar = grammar
        self._at = 0
        self._closers = [""]
        """What closes the brackets that are open, the innermost last."""
        self._chain = 0
        self._infix, self._prefix, self._binders = grammar.infix, grammar.prefix, grammar.binders
        self._pairs, self._postfix, self._coercions = grammar.pairs, grammar.postfix, grammar.coercions
        self._ends, self._is_atom, self._is_strict = grammar.ends, grammar.is_atom, grammar.is_strict

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens have been read."""
        return self._at == len(self._tokens) - 1

    def term(self, least: int, depth: int) -> SyntaxNode:
        """A term whose operators have at least this precedence."""
        if depth > self._grammar.deepest:
            return self._unread_rest()
        left = self._operand(depth)
        infix = self._infix
        while (token := self._tokens[self._at]) and not self._is_end(token):
            found = infix.get(token)
            if found is None:
                if is_word(token):
                    break
                found = UNKNOWN_POWERS
            if found[0] < least:
                break
            self._at += 1
            left = SyntaxNode("infix", token, (left, self.term(found[1], depth + 1)))
            if self._is_strict:
                self._count()
        return left

    def _next(self) -> str:
        """The token here; empty at the end."""
        return self._tokens[self._at]

    def _take(self) -> str:
        token = self._tokens[self._at]
        if token:
            self._at += 1
        return token

    def _is_end(self, token: str) -> bool:
        """Whether a token ends an operand."""
        return token in self._ends or token == self._closers[-1]

    def _unread(self) -> SyntaxNode:
        if self._is_strict:
            raise UnreadableTerm
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

    def _count(self) -> None:
        """One more operator of a chain."""
        self._chain += 1
        if self._is_strict and self._chain > self._grammar.longest_chain:
            raise UnreadableTerm

    def _operand(self, depth: int) -> SyntaxNode:
        token = self._tokens[self._at]
        if token in self._binders:
            return self._binder(depth)
        if token in self._prefix:
            self._at += 1
            return SyntaxNode("prefix", token, (self.term(self._prefix[token], depth + 1),))
        function = self._atom(depth)
        token = self._tokens[self._at]
        if not self._begins_argument(token):
            return function
        return self._application(function, token, depth)

    def _application(self, function: SyntaxNode, token: str, depth: int) -> SyntaxNode:
        parts = [function]
        while self._begins_argument(token):
            if token in self._grammar.last_arguments:
                parts.append(self._binder(depth))
                break
            parts.append(self._atom(depth))
            token = self._tokens[self._at]
        return SyntaxNode("applied", "", tuple(parts))

    def _begins_argument(self, token: str) -> bool:
        if not token or token in self._ends or token == self._closers[-1] or token in self._infix:
            return False
        if token in self._pairs:
            return token not in self._grammar.no_arguments
        if token in self._coercions or token in self._grammar.last_arguments:
            return True
        return token not in self._prefix and token not in self._binders and self._is_atom(token)

    def _atom(self, depth: int) -> SyntaxNode:
        token = self._tokens[self._at]
        if token in self._coercions:
            return self._coerced(token, depth + 1)
        if token in self._pairs and (self._is_strict or token != self._closers[-1]):
            found = self._brackets(depth)
        elif not token or self._is_end(token) or (self._is_strict and not self._is_atom(token)):
            return self._unread()
        else:
            self._at += 1
            found = SyntaxNode("name", token)
        token = self._tokens[self._at]
        return self._postfixed(found) if token == "." or token in self._postfix else found

    def _coerced(self, token: str, depth: int) -> SyntaxNode:
        """`↑x`; many of them in a row are nested as deeply as other terms may be."""
        self._at += 1
        if depth > self._grammar.deepest:
            return self._unread_rest()
        return SyntaxNode("coerced", token, (self._atom(depth),))

    def _postfixed(self, found: SyntaxNode) -> SyntaxNode:
        while (token := self._tokens[self._at]) == "." or token in self._postfix:
            self._at += 1
            if token == ".":
                name = self._take()
                if self._is_strict and not (name and is_word(name)):
                    raise UnreadableTerm
                found = SyntaxNode("field", name, (found,))
                self._count()
                continue
            if self._postfix[token] and not (self._next() and is_word(self._take())):
                raise UnreadableTerm
            found = SyntaxNode("postfix", token, (found,))
            self._count()
        return found

    def _brackets(self, depth: int) -> SyntaxNode:
        opener = self._take()
        closer = self._pairs[opener]
        self._closers.append(closer)
        items = self._items(opener, closer, depth + 1)
        self._closers.pop()
        if self._next() == closer:
            self._at += 1
        elif self._is_strict:
            raise UnreadableTerm
        return SyntaxNode("brackets", opener, tuple(items))

    def _items(self, opener: str, closer: str, depth: int) -> list[SyntaxNode]:
        is_strict, separators = self._is_strict, self._grammar.separators
        items: list[SyntaxNode] = []
        while (token := self._tokens[self._at]) and token != closer:
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
        if not self._is_strict:
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
            raise UnreadableTerm

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
        rule = self._binders[symbol]
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
        elif self._is_strict:
            raise UnreadableTerm
        return SyntaxNode("binder", symbol, (self.term(rule.least, depth + 1),), bound)
