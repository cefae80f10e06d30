"""Parses Lean terms to syntax trees: applications, operators by precedence, binders. No elaboration.

There is one operator-precedence (Pratt) parser. What it knows is data (`Grammar`): operators, binders and brackets.
It skips what it does not understand; `is_complete` says whether it has understood everything. It reads each token a
bounded number of times, and nests no deeper than the grammar allows, except on the left of operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from lean_extract.syntax.brackets import PAIR_DEPTH
from lean_extract.syntax.term_grammar import MEASURE, UNKNOWN_POWERS, Grammar, is_word

Kind = Literal[
    "name", "applied", "infix", "prefix", "postfix", "field", "coerced", "binder", "set", "brackets", "unread"
]
_SET_MARKS = frozenset(("|", "//"))
_SET_REACH = 24
"""The most tokens before the bar of `{x ∈ s | p x}`."""


class SyntaxNode(NamedTuple):
    """A node of a syntax tree.

    `text` is the name, the operator, the field, the binder's symbol, or the opening bracket. `parts` holds the
    operands: for an application, the function and its arguments; for a binder and for `{x | p}`, only the body,
    and the measure of an integral.
    `bound` holds the tokens of the binder's variables. The node has the tokens [start, end); none if it is unread.
    """

    kind: Kind
    text: str
    parts: tuple[SyntaxNode, ...] = ()
    bound: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


UNREAD = SyntaxNode("unread", "…")
"""The node of a part that could not be parsed."""


def read_term(tokens: Sequence[str], grammar: Grammar, *, least: int = 0, depth: int = 0) -> SyntaxNode:
    """The syntax tree of the term that begins with the first token.

    Args:
        tokens: the tokens.
        grammar: what the parser knows.
        least: operators of a lower precedence end the term.
        depth: how deep this term is nested in another one.
    """
    return _TermReader(tokens, grammar).term(least, depth)


def read_terms(tokens: Sequence[str], grammar: Grammar) -> list[SyntaxNode]:
    """The terms in a text. Tokens with which no term begins may be between them."""
    reader = _TermReader(tokens, grammar)
    found: list[SyntaxNode] = []
    while not reader.is_at_end:
        if (node := reader.term_or_token()) is not None:
            found.append(node)
    return found


def nests_within(node: SyntaxNode, deepest: int) -> bool:
    """Whether a tree has at most so many levels, so that it can be walked recursively."""
    level: Sequence[SyntaxNode] = (node,)
    for _ in range(deepest):
        level = [part for one in level if one.parts for part in one.parts]
        if not level:
            return True
    return False


def is_complete(node: SyntaxNode, count: int) -> bool:
    """Whether a tree has all of the `count` tokens that it was made of, each in its place."""
    waiting = [node]
    for one in waiting:
        if one.kind == "name":
            continue
        if not _is_filled(one):
            return False
        if not _is_section(one):
            waiting += one.parts
    return (node.start, node.end) == (0, count)


def _is_section(node: SyntaxNode) -> bool:
    """Whether this is the coercion in `(↑)`."""
    return node.kind == "coerced" and node.end == node.start + 1


def _is_filled(node: SyntaxNode) -> bool:
    """Whether nothing but the marks of its kind is between a node's parts."""
    if not node.parts or _is_section(node):
        return node.kind in _LEAVES and node.end == node.start + _LEAVES[node.kind]
    before, between, after = _MARKS[node.kind]
    after = node.end - node.parts[0].end if node.kind == "postfix" else after  # `⁻¹` may be two tokens
    at = node.start + before + len(node.bound)
    for part in node.parts:
        if part.start != at or part.end == at:
            return False
        at = part.end + between
    return at - between + after == node.end


_LEAVES = {"brackets": 2, "coerced": 1}
"""How many tokens a node without parts has, unless it is a name."""
_MARKS = {
    "applied": (0, 0, 0),
    "infix": (0, 1, 0),
    "prefix": (1, 0, 0),
    "coerced": (1, 0, 0),
    "postfix": (0, 0, 1),
    "field": (0, 0, 2),
    "brackets": (1, 1, 1),
    "binder": (2, 1, 0),
    "set": (1, 1, 0),
}
"""How many tokens a node has before, between and after its parts, besides the bound names."""


class _TermReader:
    """One pass from left to right. Every step consumes a token or ends."""

    def __init__(self, tokens: Sequence[str], grammar: Grammar) -> None:
        self._tokens = [*tokens, ""]
        self._grammar = grammar
        self._at = 0
        self._closers = [""]
        """The closing brackets of the open brackets, the innermost last."""
        self._last_arguments = grammar.last_arguments
        self._infix, self._prefix, self._binders = grammar.infix, grammar.prefix, grammar.binders
        self._pairs, self._postfix, self._coercions = grammar.pairs, grammar.postfix, grammar.coercions
        self._ends, self._is_atom, self._special = grammar.ends, grammar.is_atom, grammar.special

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens have been read."""
        return self._at == len(self._tokens) - 1

    def term_or_token(self) -> SyntaxNode | None:
        """Parse a term; None if a token was skipped, since no term begins with it."""
        before = self._at
        node = self.term(0, 0)
        if self._at > before and node.end == self._at:
            return node
        self._at = max(self._at, before + 1)
        return None

    def term(self, least: int, depth: int) -> SyntaxNode:
        """Parse a term whose operators have at least this precedence."""
        if depth > self._grammar.deepest:
            return self._unread_rest()
        start = self._at
        left = self._operand(depth)
        infix, ends, closer = self._infix, self._ends, self._closers[-1]
        while (token := self._tokens[self._at]) and token not in ends and token != closer:
            found = infix.get(token)
            if found is None:
                if is_word(token):
                    break
                found = UNKNOWN_POWERS
            if found[0] < least:
                break
            self._at += 1
            right = self.term(found[1], depth + 1)
            left = SyntaxNode("infix", token.rstrip(), (left, right), (), start, self._at)
        return left

    def _next(self) -> str:
        """The current token; empty at the end."""
        return self._tokens[self._at]

    def _take(self) -> str:
        token = self._tokens[self._at]
        if token:
            self._at += 1
        return token

    def _unread_rest(self) -> SyntaxNode:
        """Skip to the end of the enclosing brackets, or of the text."""
        depth = 0
        while token := self._next():
            depth += PAIR_DEPTH.get(token, 0)
            if depth < 0:
                break
            self._at += 1
        return UNREAD

    def _operand(self, depth: int) -> SyntaxNode:
        token = self._tokens[self._at]
        if token in self._special:
            if token in self._binders:
                return self._binder(depth)
            if token in self._prefix:
                return self._prefixed(token, depth)
        function = self._atom(depth)
        token = self._tokens[self._at]
        return self._application(function, token, depth) if self._begins_argument(token) else function

    def _prefixed(self, token: str, depth: int) -> SyntaxNode:
        start = self._at
        self._at += 1
        operand = self.term(self._prefix[token], depth + 1)
        return SyntaxNode("prefix", token, (operand,), (), start, self._at)

    def _application(self, function: SyntaxNode, token: str, depth: int) -> SyntaxNode:
        parts = [function]
        is_argument = True
        while is_argument:
            if token in self._last_arguments:
                parts.append(self._binder(depth))
                break
            parts.append(self._atom(depth))
            token = self._tokens[self._at]
            is_argument = self._begins_argument(token)
        return SyntaxNode("applied", "", tuple(parts), (), function.start, self._at)

    def _begins_argument(self, token: str) -> bool:
        if token not in self._special:
            return bool(token) and self._is_atom(token)
        if token in self._ends or token == self._closers[-1] or token in self._infix:
            return False
        if token in self._pairs:
            return token not in self._grammar.no_arguments
        if token in self._coercions or token in self._last_arguments:
            return True
        return token not in self._prefix and token not in self._binders and self._is_atom(token)

    def _atom(self, depth: int) -> SyntaxNode:
        token = self._tokens[self._at]
        if token and token not in self._special:
            self._at += 1
            found = SyntaxNode("name", token, (), (), self._at - 1, self._at)
        elif token in self._coercions:
            return self._coerced(token, depth + 1)
        elif token in self._pairs:
            found = self._brackets(depth)
        elif not token or token in self._ends or token == self._closers[-1]:
            return UNREAD
        else:
            self._at += 1
            found = SyntaxNode("name", token.rstrip(), (), (), self._at - 1, self._at)
        return self._postfixed(found) if self._tokens[self._at] in self._special else found

    def _coerced(self, token: str, depth: int) -> SyntaxNode:
        """Parse `↑x`. Several in a row count as nested terms."""
        start = self._at
        self._at += 1
        if depth > self._grammar.deepest:
            return self._unread_rest()
        operand = self._atom(depth)
        return SyntaxNode("coerced", token, (operand,), (), start, self._at)

    def _postfixed(self, found: SyntaxNode) -> SyntaxNode:
        while (token := self._tokens[self._at]) == "." or token in self._postfix:
            self._at += 1
            if token == ".":
                name = self._take()
                found = SyntaxNode("field", name, (found,), (), found.start, self._at)
                continue
            if self._postfix[token] and self._next() and is_word(self._next()):
                self._at += 1
            found = SyntaxNode("postfix", token, (found,), (), found.start, self._at)
        return found

    def _brackets(self, depth: int) -> SyntaxNode:
        start = self._at
        opener = self._tokens[start]
        closer = self._pairs[opener]
        self._at += 1
        self._closers.append(closer)
        items = self._items(opener, closer, depth + 1)
        self._closers.pop()
        if self._tokens[self._at] == closer:
            self._at += 1
        return SyntaxNode("brackets", opener.rstrip(), tuple(items), (), start, self._at)

    def _items(self, opener: str, closer: str, depth: int) -> list[SyntaxNode]:
        tokens, separators = self._tokens, self._grammar.separators
        items: list[SyntaxNode] = []
        # Two bars in a row open two pairs, as in `‖‖x‖ - y‖`.
        while (token := tokens[self._at]) and (token != closer or (token == opener and not items)):
            if token in separators:
                self._at += 1
                continue
            before = self._at
            if opener == "{" and (found := self._set(depth)) is not None:
                return [found]
            items.append(self.term(0, depth))
            token = tokens[self._at]
            if token != closer and token not in separators:
                self._unread_rest()
            if self._at == before:
                self._at += 1
        return items

    def _set(self, depth: int) -> SyntaxNode | None:
        """Parse `x | p`, `x ∈ s | p`, `x : T | p` or `x // p` after an opening brace; None if there is no mark."""
        end = self._bar()
        if end is None:
            return None
        start, bound = self._at, tuple(self._tokens[self._at : end])
        self._at = end + 1
        body = self.term(0, depth)
        return SyntaxNode("set", "{", (body,), bound, start, self._at)

    def _bar(self) -> int | None:
        depth = 0
        for index in range(self._at, min(len(self._tokens), self._at + _SET_REACH)):
            token = self._tokens[index]
            if token in _SET_MARKS and depth == 0:
                return index
            depth += PAIR_DEPTH.get(token, 0)
            if depth < 0:
                return None
        return None

    def _binder(self, depth: int) -> SyntaxNode:
        first, symbol = self._at, self._take()
        rule = self._binders[symbol]
        start = self._at
        level = owed = 0
        while (token := self._next()) and not (level == 0 and token in rule.ends and not owed):
            owed += (token == symbol == "if") - (level == 0 and token in rule.ends)
            level += PAIR_DEPTH.get(token, 0)
            if level < 0:
                break
            self._at += 1
        bound = tuple(self._tokens[start : self._at])
        if self._next() in rule.ends:
            self._at += 1
        parts = [self.term(rule.least, depth + 1)]
        if rule.measure and self._next() == MEASURE:
            self._at += 1
            parts.append(self.term(rule.measure, depth + 1))
        return SyntaxNode("binder", symbol, tuple(parts), bound, first, self._at)
