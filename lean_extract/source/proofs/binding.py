"""The names that a proof binds: by `fun`, `intro`, `obtain`, `have`, patterns, alternatives, ..."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice, takewhile

from lean_extract.source.names.free_names import binding_positions
from lean_extract.source.proofs.goal_flow import GoalFlow
from lean_extract.source.proofs.local_names import (
    MAX_PATH,
    Alternative,
    Known,
    LocalNames,
    Mention,
    TypedPart,
)
from lean_extract.source.proofs.tactics import TacticSteps
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import ARROWS, LETS, SEPARATORS
from lean_extract.syntax.types import Range

_PATTERN_ENDS = SEPARATORS | ARROWS | {":=", "using", "at", "from", "·", "by", "generalizing"}
_NULLARY = frozenset(("none", "true", "false", "nil", "zero", "rfl", "trivial", "unit", "isTrue", "isFalse"))
_ALTERNATIVE_REACH = 60
_PATTERN_REACH = 200
"""Tokens of a pattern that is read."""
_MAX_ALTERNATIVES = 200
"""Alternatives of one `cases` that are told apart."""
_PATTERN_MARKS = frozenset((":=", ":", ";", "=>"))
_NO_PATTERN = LETS | {"obtain", "rcases", "replace", "suffices", "set", "match", "with", "if"}
"""What stands in no pattern: another one begins."""
_GOAL_ENDS = SEPARATORS | {":=", "from", "by", "then", "with", "using"}
_GOAL_MARKS = _GOAL_ENDS | LETS
_MAXLETS = 20
"""Definitions inside of one proposition."""


class Binding:
    """What a pass over a proof knows, and how each binding form adds to it."""

    def __init__(
        self, tokens: Tokens, begin: int, end: int, local: LocalNames, steps: TacticSteps, flow: GoalFlow
    ) -> None:
        self.tokens, self.texts = tokens, tokens.texts
        self.begin, self.end = begin, end
        self.local, self.steps, self.flow = local, steps, flow
        self.brackets = tokens.brackets
        self.skipped = set(steps.positions)
        self.tactic_bars = sorted(steps.tactic_bars)
        self.firsts = set(tokens.firsts(begin, end))
        self.mentions: list[tuple[int, Mention]] = []
        self.alternatives: dict[int, Alternative] = {}

    def bind(self, position: int, known: Known = None) -> None:
        """The name at a token is local from here on; the followed goal may know its type."""
        self.local.bind(self.texts[position], known or self.flow.patterns.types.get(position))

    def quantifier(self, index: int) -> None:
        """`fun x y ↦`, `∀ x : T,`, `∑ i ∈ s,`."""
        if index + 1 < self.end and self.texts[index + 1] == "|":
            return
        for position in binding_positions(self.tokens, index + 1, self.end)[0]:
            text = self.texts[position]
            if "." not in text and is_identifier(text) and text not in KEYWORDS:
                self.bind(position)
        self._typed_binders(index + 1)

    def _typed_binders(self, index: int) -> None:
        """The types of `fun (h : a = b) ↦`."""
        texts = self.texts
        while index < self.end and texts[index] == "(":
            behind = self.brackets.close(index, self.end)
            if index + 2 < behind and texts[index + 2] == ":":
                self.bind(index + 1, (index + 3, behind))
            index = behind + 1

    def brace(self, index: int) -> None:
        """`{x | p}`, `{x : T // p}`, `{x ∈ s | p}`."""
        if index + 2 < self.end and self.texts[index + 2] in ("|", ":", "∈", "//"):
            name = self.texts[index + 1]
            if is_identifier(name) and "." not in name:
                self.local.bind(name)

    def parenthesis(self, index: int) -> None:
        """`(x := e)`: the name of an argument is no mention."""
        if index + 2 < self.end and self.texts[index + 2] == ":=":
            self.skipped.add(index + 1)

    def assignment(self, index: int) -> None:
        """`field x y := e` in a structure instance: `field` is no mention here, `x` and `y` are bound."""
        first = index - 1
        while first > self.begin and first not in self.firsts and is_identifier(self.texts[first]):
            first -= 1
        if not is_identifier(self.texts[first]):
            first += 1
        if first >= index or self.texts[first] in KEYWORDS or first in self.steps.positions:
            return
        before = self.texts[first - 1]
        if first not in self.firsts and before not in ("{", ",", "with", "where"):
            return
        while self.mentions and self.mentions[-1][0] >= first:
            self.mentions.pop()
        for position in range(first + 1, index):
            self.local.bind(self.texts[position])

    def sequence(self, index: int) -> None:
        """`intro x ⟨y, z⟩`, `obtain ⟨x, hx⟩ | h := ...`."""
        if index not in self.steps.positions:
            self._word(index)
            return
        if self.texts[index] == "obtain":
            self._from_value(index + 1)
        end = self._pattern(index + 1)
        self.flow.branches(index, index + 1, end)

    def _from_value(self, begin: int) -> None:
        """`⟨x, hx⟩ := h`: the pattern's names get their types from that of `h`."""
        end = self._pattern_end(begin)
        if end + 1 < self.end and self.texts[end] == ":=":
            self.flow.patterns.bind(begin, end, self._plain_type(end + 1))
        elif end < self.end and self.texts[end] == ":":
            self.flow.patterns.bind(begin, end, (end + 1, goal_end(self.tokens, end + 1, self.end)))

    def _plain_type(self, position: int) -> Known:
        """What is known of the term at `position`: a local name, its projection, or an applied constant."""
        text = self.texts[position]
        if text == "(" and self.texts[position + 1] not in ("fun", "by", "("):
            closer = self.brackets.close(position, self.end)
            return self._plain_type(position + 1) if closer + 1 in self.firsts else None
        if not is_identifier(text) or text in KEYWORDS:
            return None
        name, _, path = text.partition(".")
        if name not in self.local:
            return TypedPart(text)
        behind = position + 1
        most = min(self.end, behind + MAX_PATH)
        while behind < most and self.texts[behind][0] == "." and behind not in self.firsts:
            path = f"{path}{self.texts[behind]}" if path else self.texts[behind][1:]
            behind += 1
        is_applied = (
            behind < self.end
            and behind not in self.firsts
            and (is_identifier(self.texts[behind]) or self.texts[behind] in ("(", "_"))
            and self.texts[behind] not in KEYWORDS
        )
        return self.local.result(name, path, is_applied)

    def _pattern_end(self, begin: int) -> int:
        end = min(self.end, begin + _PATTERN_REACH)
        found = self.brackets.stop(begin, end, _PATTERN_MARKS)
        return found if found < end else self.end

    def _word(self, index: int) -> None:
        """A tactic's name that stands where no tactic does: a name like any other."""
        text = self.texts[index]
        if text not in KEYWORDS and text not in self.local:
            self.mentions.append((index, text))

    def _pattern(self, index: int) -> int:
        """Bind the names of a pattern; where it ends."""
        texts = self.texts
        depth = 0
        type_depth: int | None = None
        for position in range(index, self.end):
            text = texts[position]
            if depth == 0 and (text in _PATTERN_ENDS or (position in self.firsts and position > index)):
                return position
            step = DEPTH.get(text)
            if step is not None:
                depth += step
                if depth < 0:
                    return position
                if type_depth is not None and depth < type_depth:
                    type_depth = None
            elif text == ":":
                if depth == 0:
                    return position
                type_depth = depth
            elif text in _NO_PATTERN:
                return position
            elif type_depth is None:
                self._pattern_name(position, text)
        return self.end

    def _pattern_name(self, position: int, text: str) -> None:
        if not is_identifier(text) or text in KEYWORDS or "." in text:
            return
        if text == "rfl":
            self.skipped.add(position)
        else:
            self.bind(position)

    def let(self, index: int) -> None:
        """`have h : T := ...`, `let x := ...`, `suffices h : T`."""
        texts = self.texts
        position = index + 1
        if position >= self.end:
            return
        name = texts[position]
        if name in (":", ":="):
            self._declare("this", position)
        elif name == "this" or (is_identifier(name) and name not in KEYWORDS):
            self._declare(name, position + 1)
        else:
            self._from_value(position)
            self._pattern(position)

    def _declare(self, name: str, position: int) -> None:
        """Bind `name`, whose binders, type or value begin at `position`."""
        texts = self.texts
        while position < self.end and texts[position] in ("(", "{", "[", "⦃"):
            behind = self.brackets.close(position, self.end)
            self._binder_names(position, behind)
            position = behind + 1
        known: Known = None
        if position < self.end and texts[position] == ":":
            known = (position + 1, goal_end(self.tokens, position + 1, self.end))
        elif position + 1 < self.end and texts[position] == ":=":
            known = self._plain_type(position + 1)
        self.local.bind(name, known)

    def _binder_names(self, begin: int, end: int) -> None:
        for position in range(begin + 1, end):
            text = self.texts[position]
            if text == ":" or text in _NO_PATTERN:
                return
            if is_identifier(text) and "." not in text:
                self.local.bind(text)

    def fact(self, index: int) -> None:
        """`by_cases h : p`, `if h : p then`, `rcases h : e with`, `cases h with`."""
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
        """Note the type of what is taken apart: for its alternatives, or for the pattern behind `with`."""
        column = self.tokens.column(index)
        known = self._plain_type(index + 1) if index + 1 < self.end else None
        found = next((i for i in range(index, min(self.end, index + 60)) if self.texts[i] == "with"), None)
        if found is None:
            return
        behind = found + 1
        if (
            known is not None
            and behind < self.end
            and self.texts[behind] != "|"
            and behind not in self.firsts
        ):
            end = self.tokens.lines.next_line(behind, self.end)
            if end - behind <= _PATTERN_REACH:
                self.flow.patterns.bind(behind, end, known)
                self.flow.branches(index, behind, end)
            return
        receiver = "" if known is None or isinstance(known, TypedPart) else self.local.head(known)
        noted = self._note_alternatives(behind, receiver, column)
        self.alternatives.update(noted)
        if known is not None and self.texts[index] == "cases":
            self._alternative_types(known, noted)

    def _note_alternatives(self, begin: int, receiver: str, column: int) -> dict[int, Alternative]:
        """The constructors that the tactic's alternatives name."""
        bars: list[int] = []
        end = self._alternatives_end(begin, column)
        known = self.tactic_bars[bisect_left(self.tactic_bars, begin) :]
        if begin < end and self.texts[begin] == "|" and known[:1] != [begin]:
            known.insert(0, begin)
        for position in islice(takewhile(end.__gt__, known), _MAX_ALTERNATIVES):
            if not bars or bars[0] == begin or self._in_line(position, bars[0]):
                bars.append(position)
        names = {bar: self.texts[bar + 2 if self.texts[bar + 1] == "@" else bar + 1] for bar in bars}
        everyone = frozenset(name for name in names.values() if name != "_")
        return {bar: Alternative(receiver, name, everyone) for bar, name in names.items()}

    def _alternatives_end(self, begin: int, column: int) -> int:
        """The first line from `begin` on that stands left of a column, or at it and is no alternative."""
        end = begin
        while (end := self.tokens.lines.next_within(end, self.end, column)) < self.end:
            if self.tokens.column(end) < column or self.texts[end] != "|":
                break
            end += 1
        return end

    def _in_line(self, position: int, other: int) -> bool:
        return self.tokens.column(position) == self.tokens.column(other)

    def _alternative_types(self, known: Range | TypedPart, noted: dict[int, Alternative]) -> None:
        """`cases h with | inl h => ... | inr h => ...` for a disjunction."""
        if isinstance(known, TypedPart):
            return
        parts = self.local.shape(known)
        for bar, alternative in noted.items():
            if parts.connective == "∨" and alternative.name in ("inl", "inr"):
                side = parts.left if alternative.name == "inl" else parts.right
                self.flow.patterns.bind(bar + 2, bar + 3, side)

    def clause(self, index: int) -> None:
        """`with x y`: patterns, unless alternatives or fields follow."""
        position = index + 1
        if position >= self.end or position in self.firsts or self.texts[position] == "|":
            return
        if position + 1 < self.end and self.texts[position + 1] == ":=":
            return
        self._pattern(position)

    def alternative(self, index: int) -> None:
        """`| pattern => ...`, of a tactic or of a term."""
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
                # `| succ n ih`: an argument called like what was taken apart is mostly of its type
                self.bind(
                    position, self.local.type_of(text) if position not in self.flow.patterns.types else None
                )
            elif not (text in _NULLARY or self._is_applied(position, end, index)):
                self.bind(position)

    def _is_applied(self, position: int, end: int, bar: int) -> bool:
        """Whether the name in a pattern is a constructor: it has arguments, and is none itself."""
        before, after = self.texts[position - 1], self.texts[position + 1]
        if position + 1 >= end or not (position - 1 == bar or before in ("(", ",", "⟨", "@", "|")):
            return False
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

    def dot(self, index: int) -> None:
        """A focus dot: behind `refine ⟨fun h => ?_, ...⟩` the names of its own hole are in force."""
        for name, known in self.flow.at_dots.get(index, ()):
            self.local.bind(name, known)


def goal_end(tokens: Tokens, begin: int, end: int) -> int:
    """Where the proposition that begins at `begin` ends: at `:=`, `from`, `by`, `;`, or a closing bracket."""
    lets = 0
    while (index := tokens.brackets.stop(begin, end, _GOAL_MARKS)) < end:
        text = tokens.texts[index]
        if text in LETS and lets < _MAXLETS:
            lets += 1
        elif text == ":=" and lets:
            lets -= 1
        else:
            return index
        begin = index + 1
    return end
