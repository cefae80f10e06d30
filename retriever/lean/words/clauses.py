"""Reads the syntax of terms as English: propositions as clauses, other terms as noun phrases.

The rules are those of `phrases.txt` and of the logical symbols. What no rule reads stays as it is written, so a
sentence may be half Lean, but does not say what the rules do not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from lean_extract.syntax.binders import BoundNames, bound_names
from lean_extract.syntax.statement_syntax import Word, read_words
from lean_extract.syntax.terms import SyntaxNode
from retriever.lean.words.phrase_table import OFTEN, PLACES, SIGNS, negated, predicate, row
from retriever.lean.words.phrasing import (
    FORMULA,
    WORDED,
    WRITTEN,
    Call,
    Clause,
    Phrase,
    arrows,
    bare,
    call_of,
    conditional,
    listing,
    operands,
    text_of,
)

_ARITHMETIC = frozenset("+-*/^%•")
_JOINED = {"∧": "and", "∨": "or"}
_IS = re.compile(r"\{(\d)\} is (.*)")
_IMAGES = ("''", "⁻¹'")
"""In a chain of them without brackets, the syntax does not know what is under what."""
_LOGICAL = frozenset(("¬", "∧", "∨", "↔", "∃", "∃!", *OFTEN))
_NAMED = ("Is", "Has")
"""How names of predicates begin."""
ARTICLES = ("a ", "an ")


_Style = Literal["for every", "there is", "over"]
"""What precedes bound names; only the first two say what they are: a set, a number."""


class Reader:
    """Reads nodes of the syntax tree of some words.

    `variables`: the names that are no constants, with whether they are propositions or predicates.
    """

    def __init__(self, words: Sequence[Word], variables: Mapping[str, bool]) -> None:
        self._words, self._variables = words, variables

    def written(self, node: SyntaxNode) -> str:
        """The text of a node, without marks of coercion."""
        return text_of(self._words[node.start : node.end])

    def is_proposition(self, node: SyntaxNode) -> bool:
        """Whether the form of a term shows that it is a proposition."""
        node = bare(node)
        text, parts = node.text, node.parts
        if text in ("∀", "→"):
            return bool(parts) and self.is_proposition(parts[-1])
        if text in _LOGICAL or row("relations", text, 2):
            return True
        call = self._call(node)
        if call is None:
            return False
        is_named = call.name.rpartition(".")[2].startswith(_NAMED) and len(call.arguments) > 0
        is_known = is_named or row("predicates", call.name, len(call.arguments)) is not None
        return is_known or self._variables.get(call.name, False)

    def described(self, node: SyntaxNode) -> tuple[str, str] | None:
        """(X, what X is), for an instance that says so in words."""
        call = self._call(node)
        found = call and predicate(call.name, len(call.arguments))
        if call is None or found is None or not (match := _IS.match(found.template)):
            return None
        given = self._plain(call.at(found.receiver))
        what = match[2].format(*given)
        is_known = what.startswith(ARTICLES) or row("predicates", call.name, len(call.arguments))
        return (given[int(match[1])], what) if is_known else None

    def clause(self, node: SyntaxNode) -> Clause:
        """A proposition as a clause."""
        node = bare(node)
        is_simple = node.kind != "binder" and node.text not in ("→", "↔", "∧", "∨")
        return Clause(self._clause(node), is_simple)

    def _side(self, node: SyntaxNode) -> str:
        return self.clause(node).inner

    def _clause(self, node: SyntaxNode) -> str:
        kind, text, parts, *_ = node
        if kind == "prefix" and text == "¬":
            return self._negation(parts[0])
        if kind == "infix" and text == "↔":
            left, right = map(self._side, parts)
            return self.written(node) if left == right else f"{left} if and only if {right}"
        if kind == "infix" and text == "→":
            *hypotheses, conclusion = arrows(node)
            return conditional(list(map(self.clause, hypotheses)), self._side(conclusion))
        if kind == "infix" and text in _JOINED:
            return f" {_JOINED[text]} ".join(map(self._side, operands(node)))
        if kind == "binder":
            return self._quantified(node)
        return self._atomic(node, is_negated=False)

    def term(self, node: SyntaxNode) -> Phrase:
        """A term as a noun phrase."""
        kind, text, parts, *_ = node
        if kind == "brackets":
            return self._brackets(node)
        if kind == "coerced" and text == "↑" and parts:
            return (
                Phrase(f"↑{self._operand(parts[0])}")
                if parts[0].kind == "name"
                else Phrase(self.written(node))
            )
        if kind == "binder":
            return self._big(node)
        if kind == "infix" and all(letter in _ARITHMETIC for letter in text):
            left, right = map(self._operand, parts)
            return Phrase(f"{left} {text} {right}", FORMULA)
        call = self._call(node)
        found = call and row("functions", call.name, len(call.arguments))
        if found and kind != "infix" and "{*}" in found.template:
            found = None
        if kind == "infix" and text in _IMAGES and parts[0].text in _IMAGES:
            found = None
        if call is not None and found:
            if "{*}" in found.template:
                listed = [self.term(part).inner for part in operands(node)]
                return Phrase(found.template.replace("{*}", listing(listed)), WORDED)
            given = list(map(self._argument, call.at(found.receiver)))
            is_only = len(given) == 1
            inner = [one.text if one.form == WORDED and is_only else one.inner for one in given]
            return Phrase(found.template.format(*inner), WORDED)
        return Phrase(self.written(node), FORMULA if kind in ("infix", "prefix") else WRITTEN)

    def _negation(self, node: SyntaxNode) -> str:
        node = bare(node)
        if node.kind == "binder" or node.text in ("¬", "→", "↔", *_JOINED):
            return f"it is not true that {self._side(node)}"
        return self._atomic(node, is_negated=True)

    def _atomic(self, node: SyntaxNode, *, is_negated: bool) -> str:
        """A relation or a predicate of terms."""
        template, given = self._atom(node)
        return (negated(template) if is_negated else template).format(*given)

    def _atom(self, node: SyntaxNode) -> tuple[str, Sequence[str]]:
        kind, text, parts, *_ = node
        if kind == "infix" and len(parts) == 2 and (found := self._relation(text, parts)):
            return found
        call = self._call(node)
        if call is None or call.name.partition(".")[0] in self._variables:
            return "{0}", [self.written(node)]
        if call.name.endswith("Tendsto") and len(call.arguments) == 3:
            return self._tending(call)
        found_row = predicate(call.name, len(call.arguments))
        if found_row is None:
            return "{0}", [self.written(node)]
        return found_row.template, self._plain(call.at(found_row.receiver))

    def _tending(self, call: Call) -> tuple[str, Sequence[str]]:
        """`f tends to b at a`."""
        function, source, target = call.arguments
        (where, is_at), (limit, is_limit) = map(self._limit, (source, target))
        way = "{0} tends to {2}" if is_limit else "{0} tends to the filter {2}"
        return way + (" at {1}" if is_at else " along {1}"), [self._argument(function).text, where, limit]

    def _relation(self, symbol: str, parts: Sequence[SyntaxNode]) -> tuple[str, Sequence[str]] | None:
        found = row("relations", symbol, 2)
        if found is None:
            return None
        left, right = map(self.term, parts)
        if sign := SIGNS.get((left.text, symbol)) or SIGNS.get((symbol, right.text)):
            return f"{{0}} is {sign}", [right.text if left.text == "0" else left.text]
        if symbol == "∈" and parts[1].kind == "applied" and (around := self._limit(parts[1]))[1]:
            return "{0} is a neighbourhood of {1}", [left.text, around[0]]
        if symbol == "=" and left.form < WORDED and right.form < WORDED:
            return "{0} = {1}", [left.text, right.text]
        return found.template, [left.text, right.text]

    def _limit(self, node: SyntaxNode | str) -> tuple[str, bool]:
        """The point that a filter is at, and True; else the filter, and False."""
        call = None if isinstance(node, str) else self._call(bare(node))
        if call is not None and call.name == "𝓝" and len(call.arguments) == 1:
            return self._argument(call.arguments[0]).text, True
        place = PLACES.get(call.name.rpartition(".")[2], "") if call is not None else ""
        return (place, True) if place else (self._argument(node).text, False)

    def _argument(self, node: SyntaxNode | str) -> Phrase:
        return Phrase(node) if isinstance(node, str) else self.term(node)

    def _plain(self, nodes: Sequence[SyntaxNode | str]) -> list[str]:
        return [self._argument(node).text for node in nodes]

    def _operand(self, node: SyntaxNode) -> str:
        """A part of a formula."""
        found = self.term(node)
        is_apart = found.form == WORDED or (found.form == FORMULA and node.kind == "brackets")
        return f"({found.text})" if is_apart else found.text

    def _call(self, node: SyntaxNode) -> Call | None:
        return call_of(self._words, self._variables, node)

    def _brackets(self, node: SyntaxNode) -> Phrase:
        text, parts = node.text, node.parts
        if text == "(" and len(parts) == 1:
            return self.term(parts[0])
        is_typed = text == "(" and len(parts) == 2 and self._words[parts[0].end].text == ":"
        if is_typed and parts[0].text.isdigit() and parts[1].kind == "name":
            return Phrase(parts[0].text)
        if parts and parts[0].kind == "set":
            return self._set(node, parts[0])
        found_row = row("functions", text, 1)
        is_plain = len(parts) == 1 and self._words[node.end - 1].text in "‖|⌋⌉"
        if found_row is not None and is_plain:
            return Phrase(found_row.template.format(self.term(parts[0]).inner), WORDED)
        return Phrase(self.written(node))

    def _set(self, node: SyntaxNode, inner: SyntaxNode) -> Phrase:
        """`{x | p}`."""
        groups = bound_names(inner.bound)
        if len(groups) != 1 or len(groups[0].names) != 1 or groups[0].bracket:
            return Phrase(self.written(node))
        names = self._bound(inner, inner.start, "over")
        return Phrase(f"the set of {names} such that {self.clause(inner.parts[0]).text}", WORDED)

    def _big(self, node: SyntaxNode) -> Phrase:
        """A function, a sum, an integral, a union, ..."""
        names = self._bound(node, node.start + 1, "over")
        found = row("big", node.text, 2)
        if found is None or not names:
            written = self.written(node)
            is_function = node.text == "fun"
            return Phrase(
                f"the function {written.removeprefix('fun').strip()}" if is_function else written,
                WORDED if is_function else FORMULA,
            )
        body, *measure = map(self.term, node.parts)
        text = found.template.format(body.inner, names)
        return Phrase(text + "".join(f" with respect to {one.text}" for one in measure), WORDED)

    def _bound(self, node: SyntaxNode, begin: int, style: _Style) -> str:
        """The bound names with what they range over: `i in range n`."""
        groups = bound_names(["∈" if token == "in" else token for token in node.bound])
        return listing([self._group(group, begin, style if len(groups) == 1 else "over") for group in groups])

    def _group(self, group: BoundNames, begin: int, style: _Style) -> str:
        names = listing(group.names)
        words = self._words[begin + group.begin : begin + group.end]
        if not group.mark or not words:
            return names
        if group.mark == ":":
            return self._typed(names, words, style, is_one=len(group.names) == 1)
        if group.mark == "∈":
            inner = Reader(words, self._variables)
            return f"{names} in {inner.term(read_words(words)).inner}"
        return f"{names} {group.mark} {text_of(words)}"

    def _typed(self, names: str, words: Sequence[Word], style: _Style, *, is_one: bool) -> str:
        """Names with their type: `real numbers x and y`."""
        inner = Reader(words, self._variables)
        if inner.is_proposition(node := read_words(words)):
            return f"({inner.clause(node).text})"
        kind = row("types", words[0].text, 0)
        if kind is None or style == "over":
            return f"{names} of type {text_of(words)}" if style == "there is" else names
        article = "a " if style == "there is" and is_one else ""
        return f"{article}{kind.template}{'' if is_one else 's'} {names}"

    def _quantified(self, node: SyntaxNode) -> str:
        symbol, (body, *_) = node.text, node.parts
        if symbol in OFTEN:
            *_, over = text_of(self._words[node.start + 1 : body.start]).removesuffix(",").partition(" in ")
            how = f"{OFTEN[symbol]} along {over}," if over else f"{OFTEN[symbol]},"
            return f"{how} {self.clause(body).text}"
        count = sum(len(group.names) for group in bound_names(node.bound))
        begin = node.start + 1
        if symbol == "∀":
            every = "every" if count == 1 else "all"
            return f"for {every} {self._bound(node, begin, 'for every')}, {self.clause(body).text}"
        if symbol == "∃!":
            return f"there is a unique {self._bound(node, begin, 'for every')} such that {self.clause(body).text}"
        if symbol == "∃":
            be = "is" if count == 1 else "are"
            return f"there {be} {self._bound(node, begin, 'there is')} such that {self.clause(body).text}"
        return self.written(node)
