"""The structure of proofs: splits tactic blocks into steps, by indentation, separators and focus dots; and walks over
terms, blocks, steps, and the blocks after focus dots.

Subclasses of the walk define what a goal is and how tactics change it (`goal_flow`, `known_states`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from lean_extract.limits import MAX_BLOCK_DEPTH
from lean_extract.syntax.binder_words import QUANTIFIERS
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens
from lean_extract.syntax.tactic_words import (
    COMBINATORS,
    CONTAINERS,
    FOCUS_DOTS,
    FUNCTIONS,
    SEPARATORS,
    TACTIC_BLOCKS,
)

_TACTIC_FOLLOWS = frozenset((("|", "first"), ("in", "open"), ("in", "set_option")))
"""Tokens that are followed by a tactic, with the first word of the step that contains them."""
_COMMA_BINDERS = QUANTIFIERS - {"fun"}
"""Quantifiers whose binders end with a comma."""


_NOTED = SEPARATORS | FOCUS_DOTS | _COMMA_BINDERS | {",", "=>", "|", "in"}


@dataclass(slots=True)
class _OpenBlock:
    """An open block: its column, its bracket depth, and the first token of its current step."""

    column: int
    depth: int
    step: int
    commas: int = 0
    """Commas still expected by quantifiers of the current step."""
    is_container: bool = False
    cut: int | None = None
    """The token at which a nested block on its own lines began in the current step."""


@dataclass(slots=True)
class TacticSteps:
    """Steps as token ranges, in order of their first tokens, and all tokens in tactic position."""

    steps: list[tuple[int, int]] = field(default_factory=list)
    positions: set[int] = field(default_factory=set)
    tactic_bars: set[int] = field(default_factory=set)
    """The `|` tokens that begin alternatives of tactics, not of terms."""


class _Splitter:
    """One pass over a proof's tokens with a stack of open blocks."""

    def __init__(self, tokens: Tokens, begin: int, end: int) -> None:
        self.tokens = tokens
        self.texts = tokens.texts
        self.begin, self.end = begin, end
        self.firsts = set(tokens.firsts(begin, end))
        self.blocks: list[_OpenBlock] = []
        self.depth = 0
        self.result = TacticSteps()

    def run(self) -> TacticSteps:
        """All steps of the range."""
        texts, firsts, blocks = self.texts, self.firsts, self.blocks
        before = texts[self.begin - 1]
        for index in range(self.begin, self.end):
            text = texts[index]
            if blocks and index in firsts:
                self._line(index)
            step = DEPTH.get(text)
            if step is not None:
                self._bracket(index, text, step)
            elif text in TACTIC_BLOCKS:
                self._open(index + 1)
            elif blocks and (text in _NOTED or before in COMBINATORS):
                self._inside(index, text)
            before = text
        while self.blocks:
            self._pop(self.end)
        self.result.steps.sort()
        return self.result

    def _line(self, index: int) -> None:
        column = self.tokens.column(index)
        while self.blocks and self.blocks[-1].depth >= self.depth and column < self.blocks[-1].column:
            self._pop(index)
        if not self.blocks:
            return
        block = self.blocks[-1]
        if block.depth == self.depth and column == block.column and index > block.step:
            self._finish(block, index)
            self._begin(block, index)

    def _bracket(self, index: int, text: str, step: int) -> None:
        if step > 0:
            self.depth += 1
            if self.blocks and text in ("(", "{") and self.blocks[-1].step == index:
                self.blocks[-1].is_container = True
                self._open(index + 1)
            return
        self.depth -= 1
        while self.blocks and self.blocks[-1].depth > self.depth:
            self._pop(index)

    def _inside(self, index: int, text: str) -> None:
        block = self.blocks[-1]
        if block.depth != self.depth:
            return
        if text in SEPARATORS:
            self._finish(block, index)
            self._begin(block, index + 1)
        elif text == ",":
            self._comma(block, index)
        elif self._opens_block(block, index, text):
            block.is_container = True
            self._open(index + 1)
        elif index - 1 in self.result.positions and self.texts[index - 1] in COMBINATORS:
            self._combined(block, index)
        elif (text, self.texts[block.step]) in _TACTIC_FOLLOWS:
            self.result.positions.add(index + 1)
        elif text in _COMMA_BINDERS:
            block.commas += 1

    def _opens_block(self, block: _OpenBlock, index: int, text: str) -> bool:
        """Whether the token is a focus dot, or the arrow of `case x =>` and similar tactics."""
        if text in FOCUS_DOTS:
            return block.step == index
        return text == "=>" and not block.is_container and self.texts[block.step] in CONTAINERS

    def _combined(self, block: _OpenBlock, index: int) -> None:
        """Read the token after `try`, `all_goals`, ...: a tactic, or a block if it begins a line."""
        if self.texts[index] == "|":
            self.result.positions.add(index + 1)
        elif index in self.firsts:
            block.is_container = True
            self._open(index)
        else:
            self.result.positions.add(index)

    def _comma(self, block: _OpenBlock, index: int) -> None:
        """Read a comma: it belongs to a quantifier, or ends an inline block (`⟨by simp, h⟩`)."""
        if block.commas:
            block.commas -= 1
            return
        while self.depth and self.blocks and self.blocks[-1].depth == self.depth:
            self._pop(index)

    def _open(self, index: int) -> None:
        """Open a block whose first step begins at `index`."""
        if index >= self.end or DEPTH.get(self.texts[index]) == -1 or len(self.blocks) >= MAX_BLOCK_DEPTH:
            return
        column = self.tokens.column(index)
        if self.blocks:
            outer = self.blocks[-1]
            if index in self.firsts:
                if outer.depth == self.depth and column <= outer.column and outer.column >= 0:
                    return
                if outer.cut is None and outer.depth == self.depth:
                    outer.cut = index
        block = _OpenBlock(column, self.depth, index)
        self.blocks.append(block)
        self.result.positions.add(index)

    def _begin(self, block: _OpenBlock, index: int) -> None:
        block.step, block.commas, block.is_container, block.cut = index, 0, False, None
        if index < self.end:
            self.result.positions.add(index)
            if self.texts[index] == "|":
                self.result.tactic_bars.add(index)

    def _finish(self, block: _OpenBlock, end: int) -> None:
        if block.step >= end or block.is_container:
            return
        stop = end if block.cut is None else min(end, block.cut)
        self.result.steps.append((block.step, stop))

    def _pop(self, index: int) -> None:
        block = self.blocks.pop()
        self._finish(block, index)


def split_steps(tokens: Tokens, begin: int, end: int) -> TacticSteps:
    """The steps of all tactic blocks in the tokens [begin, end), including nested ones."""
    if TACTIC_BLOCKS.isdisjoint(tokens.texts[begin:end]):
        return TacticSteps()
    return _Splitter(tokens, begin, end).run()


_GoalT = TypeVar("_GoalT")
_COMMA = frozenset((",",))
_MOST_COMPONENTS = 61


class Step(NamedTuple):
    """A step of a tactic block, as token indices.

    The step is the tokens [begin, stop). The block begins in `column` and ends before `end`. At `following` the
    next step begins or the block ends.
    """

    begin: int
    stop: int
    following: int
    column: int
    end: int


@dataclass(slots=True)
class AfterStep(Generic[_GoalT]):
    """The result of following a goal through a step."""

    goal: _GoalT | None
    """The next goal. None: only the goals in `focused` are followed further."""
    focused: list[_GoalT] = field(default_factory=list)
    """The goals that the focus dots after the step prove, one by one."""
    following: int | None = None
    """The token at which to continue, if not at the next step."""


class ProofWalk(ABC, Generic[_GoalT]):
    """Follows a goal through the tokens of a proof.

    Args:
        tokens: the tokens of the file.
        end: the token after the proof.
        deepest: the most levels of nested terms and blocks that are followed.
    """

    def __init__(self, tokens: Tokens, end: int, deepest: int) -> None:
        self.tokens, self.texts, self.end = tokens, tokens.texts, end
        self.brackets = tokens.brackets
        self._deepest = deepest

    def term(self, begin: int, end: int, goal: _GoalT, depth: int = 0) -> None:
        """Follow the goal into a term [begin, end) that proves it."""
        if begin >= end or depth > self._deepest or not self.enter(begin, end, goal):
            return
        word = self.texts[begin]
        if word == "by":
            self.block(begin + 1, end, goal, depth + 1)
        elif word in FUNCTIONS:
            self.function(begin, end, goal, depth)
        elif word == "⟨":
            for (first, last), part in self.constructor(begin, end, goal):
                self.term(first, last, part, depth + 1)
        else:
            self.other_term(begin, end, goal, depth)

    def block(self, begin: int, end: int, goal: _GoalT, depth: int = 0) -> None:
        """Follow the goal through a tactic block [begin, end)."""
        if begin >= end or depth > self._deepest:
            return
        column = self.tokens.column(begin)
        current: _GoalT | None = goal
        focused: list[_GoalT] = []
        position = begin
        while position < end and (current is not None or focused):
            step = self.read_step(position, column, end)
            following = step.following
            if self.texts[position] in FOCUS_DOTS:
                if focused:
                    inner = focused.pop(0)
                else:
                    assert current is not None
                    inner = self.unfocused(current)
                block_end = self.tokens.lines.next_within(position + 1, end, column)
                self.block(position + 1, block_end, inner, depth + 1)
                following = max(following, block_end)  # a `;` after the dot separates steps of its own block
            elif focused:
                current, focused = self.first_of(step, focused[0], current, depth), []
            else:
                assert current is not None
                after = self.step(step, current, depth)
                current, focused = after.goal, after.focused
                following = step.following if after.following is None else after.following
            position = following

    def components(self, opener: int, end: int) -> list[tuple[int, int]]:
        """The token ranges of the first `_MOST_COMPONENTS` components of the anonymous constructor `⟨a, b⟩`."""
        closer = self.brackets.close(opener, end)
        begins = [opener + 1]
        while (comma := self.brackets.stop(begins[-1], closer, _COMMA)) < closer:
            begins.append(comma + 1)
            if len(begins) >= _MOST_COMPONENTS:
                break
        return list(zip(begins, [*(begin - 1 for begin in begins[1:]), closer], strict=True))

    def next_line_step(self, position: int, column: int, end: int) -> int:
        """The next step after a token that begins a line in this column; `end` if there is none."""
        first = self.tokens.lines.next_within(position + 1, end, column)
        return first if first < end and self.tokens.column(first) == column else end

    @abstractmethod
    def enter(self, begin: int, end: int, goal: _GoalT) -> bool:
        """Visit a term. Returns whether to follow the goal into it."""

    @abstractmethod
    def function(self, begin: int, end: int, goal: _GoalT, depth: int) -> None:
        """Follow the goal into `fun x => e`."""

    @abstractmethod
    def constructor(self, begin: int, end: int, goal: _GoalT) -> list[tuple[tuple[int, int], _GoalT]]:
        """The components of `⟨a, b⟩`, each with its goal."""

    def other_term(self, begin: int, end: int, goal: _GoalT, depth: int) -> None:
        """Follow the goal into any other term."""
        return

    @abstractmethod
    def read_step(self, position: int, column: int, end: int) -> Step:
        """The step that begins at the token `position`, in a block that begins in `column` and ends at `end`."""

    @abstractmethod
    def step(self, step: Step, goal: _GoalT, depth: int) -> AfterStep[_GoalT]:
        """Follow the goal through a step that is not a focus dot."""

    @abstractmethod
    def unfocused(self, goal: _GoalT) -> _GoalT:
        """The goal after a focus dot for which no goal was recorded."""

    def first_of(self, step: Step, first: _GoalT, rest: _GoalT | None, depth: int) -> _GoalT | None:
        """Follow a step that works on the first of several goals without focusing it. Returns the goal after it."""
        return None
