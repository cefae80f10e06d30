"""Walks over a proof's structure: terms, tactic blocks, their steps, and the blocks after focus dots.

Subclasses define what a goal is and how tactics change it (`goal_flow`, `known_states`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from lean_extract.syntax.lexer import Tokens
from lean_extract.syntax.tactic_words import FOCUS_DOTS, FUNCTIONS

GoalT = TypeVar("GoalT")
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
class AfterStep(Generic[GoalT]):
    """The result of following a goal through a step."""

    goal: GoalT | None
    """The next goal. None: only the goals in `focused` are followed further."""
    focused: list[GoalT] = field(default_factory=list)
    """The goals that the focus dots after the step prove, one by one."""
    following: int | None = None
    """The token at which to continue, if not at the next step."""


class ProofWalk(ABC, Generic[GoalT]):
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

    def term(self, begin: int, end: int, goal: GoalT, depth: int = 0) -> None:
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

    def block(self, begin: int, end: int, goal: GoalT, depth: int = 0) -> None:
        """Follow the goal through a tactic block [begin, end)."""
        if begin >= end or depth > self._deepest:
            return
        column = self.tokens.column(begin)
        current: GoalT | None = goal
        focused: list[GoalT] = []
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
    def enter(self, begin: int, end: int, goal: GoalT) -> bool:
        """Visit a term. Returns whether to follow the goal into it."""

    @abstractmethod
    def function(self, begin: int, end: int, goal: GoalT, depth: int) -> None:
        """Follow the goal into `fun x => e`."""

    @abstractmethod
    def constructor(self, begin: int, end: int, goal: GoalT) -> list[tuple[tuple[int, int], GoalT]]:
        """The components of `⟨a, b⟩`, each with its goal."""

    def other_term(self, begin: int, end: int, goal: GoalT, depth: int) -> None:
        """Follow the goal into any other term."""
        return

    @abstractmethod
    def read_step(self, position: int, column: int, end: int) -> Step:
        """The step that begins at the token `position`, in a block that begins in `column` and ends at `end`."""

    @abstractmethod
    def step(self, step: Step, goal: GoalT, depth: int) -> AfterStep[GoalT]:
        """Follow the goal through a step that is not a focus dot."""

    @abstractmethod
    def unfocused(self, goal: GoalT) -> GoalT:
        """The goal after a focus dot for which no goal was recorded."""

    def first_of(self, step: Step, first: GoalT, rest: GoalT | None, depth: int) -> GoalT | None:
        """Follow a step that works on the first of several goals without focusing it. Returns the goal after it."""
        return None
