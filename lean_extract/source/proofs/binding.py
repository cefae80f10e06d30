"""Binds the names that a proof introduces: by `fun`, `intro`, `obtain`, `have`, patterns, ..."""

from __future__ import annotations

from lean_extract.limits import MAX_INNER_DEFINITIONS, MAX_PATTERN_TOKENS, MAX_PROJECTIONS
from lean_extract.source.names.variables import binding_positions
from lean_extract.source.proofs.goal_flow import GoalFlow
from lean_extract.source.proofs.local_names import Alternative, KnownType, LocalNames, Mention, TypedPart
from lean_extract.source.proofs.tactics import TacticSteps
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import ARROWS, LETS, SEPARATORS

_PATTERN_ENDS = SEPARATORS | ARROWS | {":=", "using", "at", "from", "·", "by", "generalizing"}
_PATTERN_MARKS = frozenset((":=", ":", ";", "=>"))
_NO_PATTERN = LETS | {"obtain", "rcases", "replace", "suffices", "set", "match", "with", "if"}
"""Words that do not occur in patterns, so that the pattern ends there."""
_GOAL_ENDS = SEPARATORS | {":=", "from", "by", "then", "with", "using"}
_GOAL_MARKS = _GOAL_ENDS | LETS


class Binding:
    """The state of one pass over a proof, with a method for each form that binds names."""

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

    def bind(self, position: int, known: KnownType = None) -> None:
        """Bind the name at a token from here on. If its type is not given, it may be known from the goal."""
        self.local.bind(self.texts[position], known or self.flow.patterns.types.get(position))

    def quantifier(self, index: int) -> None:
        """Read `fun x y ↦`, `∀ x : T,` or `∑ i ∈ s,`."""
        if index + 1 < self.end and self.texts[index + 1] == "|":
            return
        for position in binding_positions(self.tokens, index + 1, self.end)[0]:
            text = self.texts[position]
            if "." not in text and is_identifier(text) and text not in KEYWORDS:
                self.bind(position)
        self._typed_binders(index + 1)

    def _typed_binders(self, index: int) -> None:
        """Bind names with their types, as in `fun (h : a = b) ↦`."""
        texts = self.texts
        while index < self.end and texts[index] == "(":
            after = self.brackets.close(index, self.end)
            if index + 2 < after and texts[index + 2] == ":":
                self.bind(index + 1, (index + 3, after))
            index = after + 1

    def brace(self, index: int) -> None:
        """Read `{x | p}`, `{x : T // p}` or `{x ∈ s | p}`."""
        if index + 2 < self.end and self.texts[index + 2] in ("|", ":", "∈", "//"):
            name = self.texts[index + 1]
            if is_identifier(name) and "." not in name:
                self.local.bind(name)

    def parenthesis(self, index: int) -> None:
        """Read `(x := e)`: the name of an argument is not a mention."""
        if index + 2 < self.end and self.texts[index + 2] == ":=":
            self.skipped.add(index + 1)

    def assignment(self, index: int) -> None:
        """Read `field x y := e` in a structure instance: `field` is not a mention, and `x` and `y` are bound."""
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
        """Read `intro x ⟨y, z⟩` or `obtain ⟨x, hx⟩ | h := ...`."""
        if index not in self.steps.positions:
            self._word(index)
            return
        if self.texts[index] == "obtain":
            self._from_value(index + 1)
        end = self._pattern(index + 1)
        self.flow.branches(index, index + 1, end)

    def _from_value(self, begin: int) -> None:
        """Read `⟨x, hx⟩ := h`: the names in the pattern get their types from the type of `h`."""
        end = self._pattern_end(begin)
        if end + 1 < self.end and self.texts[end] == ":=":
            self.flow.patterns.bind(begin, end, self._plain_type(end + 1))
        elif end < self.end and self.texts[end] == ":":
            self.flow.patterns.bind(begin, end, (end + 1, goal_end(self.tokens, end + 1, self.end)))

    def _plain_type(self, position: int) -> KnownType:
        """What is known of the type of the term at `position`: a local name, its projection, or a constant."""
        text = self.texts[position]
        inner = self.texts[position + 1] if position + 1 < self.end else ""
        if text == "(" and inner not in ("", "fun", "by", "("):
            closer = self.brackets.close(position, self.end)
            return self._plain_type(position + 1) if closer + 1 in self.firsts else None
        if not is_identifier(text) or text in KEYWORDS:
            return None
        name, _, path = text.partition(".")
        if name not in self.local:
            return TypedPart(text)
        after = position + 1
        most = min(self.end, after + MAX_PROJECTIONS)
        while after < most and self.texts[after][0] == "." and after not in self.firsts:
            path = f"{path}{self.texts[after]}" if path else self.texts[after][1:]
            after += 1
        is_applied = (
            after < self.end
            and after not in self.firsts
            and (is_identifier(self.texts[after]) or self.texts[after] in ("(", "_"))
            and self.texts[after] not in KEYWORDS
        )
        return self.local.result(name, path, is_applied)

    def _pattern_end(self, begin: int) -> int:
        end = min(self.end, begin + MAX_PATTERN_TOKENS)
        found = self.brackets.stop(begin, end, _PATTERN_MARKS)
        return found if found < end else self.end

    def _word(self, index: int) -> None:
        """Read a tactic's name that is not in tactic position: it is a name like any other."""
        text = self.texts[index]
        if text not in KEYWORDS and text not in self.local:
            self.mentions.append((index, text))

    def _pattern(self, index: int) -> int:
        """Bind the names of a pattern. Returns where it ends."""
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
        """Read `have h : T := ...`, `let x := ...` or `suffices h : T`."""
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
            after = self.brackets.close(position, self.end)
            self._binder_names(position, after)
            position = after + 1
        known: KnownType = None
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

    def dot(self, index: int) -> None:
        """Read a focus dot: after `refine ⟨fun h => ?_, ...⟩` the names bound around its hole are in scope."""
        for name, known in self.flow.at_dots.get(index, ()):
            self.local.bind(name, known)


def goal_end(tokens: Tokens, begin: int, end: int) -> int:
    """The end of the proposition that begins at `begin`: a `:=`, `from`, `by`, `;` or a closing bracket."""
    lets = 0
    while (index := tokens.brackets.stop(begin, end, _GOAL_MARKS)) < end:
        text = tokens.texts[index]
        if text in LETS and lets < MAX_INNER_DEFINITIONS:
            lets += 1
        elif text == ":=" and lets:
            lets -= 1
        else:
            return index
        begin = index + 1
    return end
