"""Binds the names of case distinctions: `by_cases`, `cases`, `rcases`, `match`, and their alternatives."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice, takewhile

from lean_extract.source.proofs.binding import Binding, goal_end
from lean_extract.source.proofs.local_names import (
    Alternative,
    TypedPart,
)
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.tactic_words import ARROWS
from lean_extract.syntax.types import Range

_NULLARY = frozenset(("none", "true", "false", "nil", "zero", "rfl", "trivial", "unit", "isTrue", "isFalse"))
_ALTERNATIVE_REACH = 60
_PATTERN_REACH = 200
"""The most tokens of a pattern."""
_MAX_ALTERNATIVES = 200
"""The most alternatives of one `cases`."""


class CaseBinding(Binding):
    """Adds the binding forms of case distinctions."""

    def fact(self, index: int) -> None:
        """Read `by_cases h : p`, `if h : p then`, `rcases h : e with` or `cases h with`."""
        texts, word = self.texts, self.texts[index]
        if index not in self.steps.positions and word not in ("if", "match"):
            self._word(index)
            return
        if index + 2 < self.end and texts[index + 2] == ":" and is_identifier(texts[index + 1]):
            self.local.bind(texts[index + 1], (index + 3, goal_end(self.tokens, index + 3, self.end)))
        elif word[:9] == "by_contra" and index + 1 < self.end and index + 1 not in self.firsts:
            self._pattern(index + 1)
        elif word in ("cases", "induction", "rcases", "match"):
            self._cases(index)

    def _cases(self, index: int) -> None:
        """Record the type of the term that is destructured, for its alternatives or the pattern after `with`."""
        column = self.tokens.column(index)
        known = self._plain_type(index + 1) if index + 1 < self.end else None
        found = next((i for i in range(index, min(self.end, index + 60)) if self.texts[i] == "with"), None)
        if found is None:
            return
        pattern_begin = found + 1
        if (
            known is not None
            and pattern_begin < self.end
            and self.texts[pattern_begin] != "|"
            and pattern_begin not in self.firsts
        ):
            end = self.tokens.lines.next_line(pattern_begin, self.end)
            if end - pattern_begin <= _PATTERN_REACH:
                self.flow.patterns.bind(pattern_begin, end, known)
                self.flow.branches(index, pattern_begin, end)
            return
        receiver = "" if known is None or isinstance(known, TypedPart) else self.local.head(known)
        noted = self._note_alternatives(pattern_begin, receiver, column)
        self.alternatives.update(noted)
        if known is not None and self.texts[index] == "cases":
            self._alternative_types(known, noted)

    def _note_alternatives(self, begin: int, receiver: str, column: int) -> dict[int, Alternative]:
        """The constructors that the tactic's alternatives name, by the index of their `|`."""
        bars: list[int] = []
        end = self._alternatives_end(begin, column)
        known = self.tactic_bars[bisect_left(self.tactic_bars, begin) :]
        if begin < end and self.texts[begin] == "|" and known[:1] != [begin]:
            known.insert(0, begin)
        for position in islice(takewhile(end.__gt__, known), _MAX_ALTERNATIVES):
            if not bars or bars[0] == begin or self._in_line(position, bars[0]):
                bars.append(position)
        names = {bar: self._name_after(bar) for bar in bars}
        everyone = frozenset(name for name in names.values() if name != "_")
        return {bar: Alternative(receiver, name, everyone) for bar, name in names.items()}

    def _name_after(self, bar: int) -> str:
        """The constructor after a `|`, with or without `@`; empty at the end of the text."""
        first, second = [*self.texts[bar + 1 : bar + 3], "", ""][:2]
        return second if first == "@" else first

    def _alternatives_end(self, begin: int, column: int) -> int:
        """The first line from `begin` on that is left of a column, or at the column and not an alternative."""
        end = begin
        while (end := self.tokens.lines.next_within(end, self.end, column)) < self.end:
            if self.tokens.column(end) < column or self.texts[end] != "|":
                break
            end += 1
        return end

    def _in_line(self, position: int, other: int) -> bool:
        return self.tokens.column(position) == self.tokens.column(other)

    def _alternative_types(self, known: Range | TypedPart, noted: dict[int, Alternative]) -> None:
        """Bind the names in `cases h with | inl h => ... | inr h => ...` for a disjunction."""
        if isinstance(known, TypedPart):
            return
        parts = self.local.shape(known)
        for bar, alternative in noted.items():
            if parts.connective == "∨" and alternative.name in ("inl", "inr"):
                side = parts.left if alternative.name == "inl" else parts.right
                self.flow.patterns.bind(bar + 2, bar + 3, side)

    def clause(self, index: int) -> None:
        """Read `with x y`: patterns, unless alternatives or fields follow."""
        position = index + 1
        if position >= self.end or position in self.firsts or self.texts[position] == "|":
            return
        if position + 1 < self.end and self.texts[position + 1] == ":=":
            return
        self._pattern(position)

    def alternative(self, index: int) -> None:
        """Read `| pattern => ...`, in a tactic or in a term."""
        end = self._alternative_end(index + 1)
        if end is None:
            return
        noted = self.alternatives.get(index)
        for position in range(index + 1, end):
            text = self.texts[position]
            if not is_identifier(text) or "." in text or text in KEYWORDS:
                continue
            if noted is not None and text == noted.name and position <= index + 2:
                self.skipped.add(position)
                self.mentions.append((position, noted))
            elif noted is not None:
                # `| succ n ih`: an argument with the same name as the destructured term mostly has its type
                self.bind(
                    position, self.local.type_of(text) if position not in self.flow.patterns.types else None
                )
            elif not (text in _NULLARY or self._is_applied(position, end, index)):
                self.bind(position)

    def _is_applied(self, position: int, end: int, bar: int) -> bool:
        """Whether the name in a pattern is a constructor: it has arguments, and is not an argument itself."""
        before = self.texts[position - 1]
        if position + 1 >= end or not (position - 1 == bar or before in ("(", ",", "⟨", "@", "|")):
            return False
        after = self.texts[position + 1]
        return is_identifier(after) or after in ("(", "⟨", "_", "[") or after[0].isdigit()

    def _alternative_end(self, begin: int) -> int | None:
        depth = 0
        for position in range(begin, min(self.end, begin + _ALTERNATIVE_REACH)):
            text = self.texts[position]
            if depth == 0 and text in ARROWS:
                return position
            depth += DEPTH.get(text, 0)
            if depth < 0 or text in (":=", "by", "fun", ";", "exact", "with"):
                return None
        return None
