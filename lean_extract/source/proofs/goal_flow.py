"""Derives the types of names that a proof introduces from the theorem's statement.

In `theorem t : a ∧ b → c := fun h => ...`, `h` has type `a ∧ b`. The goal is followed from the statement through
`fun`, `intro`, `constructor`, anonymous constructors and focus dots, as long as the text determines it. Every
name that is bound on the way is recorded with its type.
"""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.limits import MAX_PARTS, MAX_TERM_DEPTH
from lean_extract.source.proofs.local_names import KnownType, LocalNames
from lean_extract.source.proofs.patterns import Patterns
from lean_extract.source.proofs.tactics import AfterStep, ProofWalk, Step
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import ARROWS, FOCUS_DOTS, GIVING, GOAL_KEEPING, INTRODUCING, SPLITTING
from lean_extract.syntax.types import Range

_PATTERN_OPENERS = frozenset(("⟨", "("))
_INTRO_ENDS = frozenset((";", "<;>", ")", "·", "]"))
_INTRO_REACH = 200
_HOLE_REACH = 60
_ALTERNATIVE_REACH = 30


@dataclass(frozen=True, slots=True)
class FlowGoal:
    """A goal: the types of the assumptions still to be introduced (None: unknown), and the conclusion."""

    assumed: tuple[Range | None, ...]
    concluded: Range | None


_UNKNOWN = FlowGoal((), None)


class GoalFlow(ProofWalk[FlowGoal]):
    """Follows a goal through a proof's tokens. The results are in `patterns.types`, `at_dots` and `goals`."""

    def __init__(self, tokens: Tokens, end: int, local: LocalNames) -> None:
        super().__init__(tokens, end, MAX_TERM_DEPTH)
        self._local = local
        self.patterns = Patterns(tokens, end, local)
        self.at_dots: dict[int, list[tuple[str, KnownType]]] = {}
        """For the token of a focus dot: the names in scope after it, with their types."""
        self.goals: dict[int, Range] = {}
        """For the first token of a term or tactic: the goal there, if nothing is left to introduce."""

    def goal(self, statement: Range | None) -> FlowGoal:
        """A statement as a goal."""
        if statement is None or statement[0] >= statement[1]:
            return _UNKNOWN
        assumed, concluded = self._local.premises(statement)
        return FlowGoal(tuple(assumed), concluded)

    def enter(self, begin: int, end: int, goal: FlowGoal) -> bool:
        """Record the goal at a token, if it is known."""
        if not goal.assumed and goal.concluded:
            self.goals[begin] = goal.concluded
        return True

    def function(self, begin: int, end: int, goal: FlowGoal, depth: int) -> None:
        """Bind the arguments of a function, and follow its body."""
        after, rest = self._introduce(begin + 1, goal, ARROWS)
        self.term(after + 1, end, rest, depth + 1)

    def constructor(self, begin: int, end: int, goal: FlowGoal) -> list[tuple[tuple[int, int], FlowGoal]]:
        """The components, each with its part of the goal, up to the shorter of the two lists."""
        parts = self.parts(goal)
        if not parts:
            return []
        return [
            ((first, self.end), part)
            for (first, _), part in zip(self.components(begin, end), parts, strict=False)
        ]

    def other_term(self, begin: int, end: int, goal: FlowGoal, depth: int) -> None:
        """Follow the goal into parentheses, and into the arguments of `Iff.intro` and `And.intro`."""
        word = self.texts[begin]
        if word in ("Iff.intro", "And.intro"):
            for first, part in zip(self._arguments(begin + 1), self.parts(goal), strict=False):
                self.term(first, end, part, depth + 1)
        elif word == "(":
            self.term(begin + 1, end, goal, depth + 1)

    def parts(self, goal: FlowGoal, depth: int = 0) -> list[FlowGoal]:
        """The goals that an anonymous constructor or `constructor` leaves."""
        if goal.assumed or goal.concluded is None or depth > MAX_PARTS:
            return []
        parts = self._local.shape(goal.concluded)
        if parts.connective == "↔":
            left, right = self.goal(parts.left), self.goal(parts.right)
            return [
                FlowGoal((parts.left, *right.assumed), right.concluded),
                FlowGoal((parts.right, *left.assumed), left.concluded),
            ]
        if parts.connective == "∧":
            rest = self.goal(parts.right)
            is_and = parts.right is not None and self._local.shape(parts.right).connective == "∧"
            inner = self.parts(rest, depth + 1) if is_and else ()
            return [self.goal(parts.left), *inner, rest]
        if parts.connective == "∃":
            rest = self.goal(parts.right)
            return [*[_UNKNOWN for _ in parts.names], *(self.parts(rest, depth + 1) or [rest])]
        return []

    def _arguments(self, position: int) -> list[int]:
        begins: list[int] = []
        while position < self.end and self.texts[position] in ("(", "fun"):
            begins.append(position)
            if self.texts[position] == "fun":
                break
            position = self.brackets.close(position, self.end) + 1
        return begins

    def _introduce(self, begin: int, goal: FlowGoal, stops: frozenset[str]) -> tuple[int, FlowGoal]:
        """Bind the patterns from `begin` on. Returns where they stop, and the goal after them."""
        assumed = goal.assumed
        taken = 0
        firsts = set(self.tokens.firsts(begin, min(self.end, begin + _INTRO_REACH)))
        index = begin
        while index < self.end:
            text = self.texts[index]
            if text in stops or (index in firsts and stops is not ARROWS):
                break
            in_brackets = text in _PATTERN_OPENERS
            if not (in_brackets or is_identifier(text) or text == "_"):
                return index, _UNKNOWN
            after = self.brackets.close(index, self.end) + 1 if in_brackets else index + 1
            if taken < len(assumed):
                self.patterns.bind(index, after, assumed[taken])
                taken += 1
            elif goal.concluded is not None:
                goal = _UNKNOWN
            index = after
        return index, FlowGoal(assumed[taken:], goal.concluded)

    def read_step(self, position: int, column: int, end: int) -> Step:
        """A step up to the next line of the block; what follows a `;` belongs to the step before it."""
        following = self.next_line_step(position, column, end)
        return Step(position, following, following, column, end)

    def unfocused(self, goal: FlowGoal) -> FlowGoal:
        """A focus dot that does not follow a split has the goal itself."""
        return goal

    def step(self, step: Step, goal: FlowGoal, depth: int) -> AfterStep[FlowGoal]:
        """Follow the goal through a tactic, as far as its form is known afterwards."""
        begin, word = step.begin, self.texts[step.begin]
        self.enter(begin, step.stop, goal)
        if word in INTRODUCING:
            return self._after_intro(step, goal)
        if word in GIVING:
            self.term(begin + 1, self.end, goal, depth + 1)
            self._holes(step)
            return AfterStep(None)
        if word in SPLITTING or self.texts[begin : begin + 2] == ["apply", "Iff.intro"]:
            return AfterStep(None, self.parts(goal))
        if word in ("show", "change"):
            return AfterStep(self.goal((begin + 1, step.following)))
        if word == "|":
            self._alternative(begin, goal, depth)
            return AfterStep(goal)
        return AfterStep(goal if word in GOAL_KEEPING else None)

    def _after_intro(self, step: Step, goal: FlowGoal) -> AfterStep[FlowGoal]:
        after, rest = self._introduce(step.begin + 1, goal, _INTRO_ENDS)
        if after >= step.following:
            return AfterStep(rest)
        is_dot = after + 1 < step.end and self.texts[after + 1] in FOCUS_DOTS
        if is_dot and self.tokens.column(after + 1) != step.column:
            return AfterStep(None)
        return AfterStep(rest, following=after + 1)

    def _alternative(self, bar: int, goal: FlowGoal, depth: int) -> None:
        """Follow `| succ n ih => ...`, where an induction hypothesis has the form of the goal."""
        for index in range(bar + 1, min(self.end, bar + _ALTERNATIVE_REACH)):
            text = self.texts[index]
            if text == "=>":
                self.block(index + 1, self.end, goal, depth + 1)
                return
            if text[:2].lower() == "ih" and goal.concluded is not None:
                self.patterns.types[index] = goal.concluded

    def _holes(self, step: Step) -> None:
        """Read the holes of `refine ⟨fun h => ?_, fun h => ?_⟩`: each focus dot has the names of its own hole."""
        begin, dot = step.begin, step.following
        holes = [index for index in range(begin, dot - 1) if self.texts[index : index + 2] == ["?", "_"]]
        for hole in holes:
            if dot >= step.end or self.texts[dot] != "·":
                return
            first = hole
            while first > max(begin, hole - _HOLE_REACH) and self.texts[first] not in (",", "⟨"):
                first -= 1
            self.at_dots[dot] = self.patterns.named(first, hole)
            dot = self.next_line_step(dot, step.column, step.end)

    def branches(self, step: int, begin: int, end: int) -> None:
        """Assign the alternatives of the pattern [begin, end) of the step at `step` to the focus dots after it."""
        column = self.tokens.column(step)
        dot = -1
        for first, last in self.patterns.alternatives(begin, end):
            dot = self.next_line_step(step if dot < 0 else dot, column, self.end)
            if dot >= self.end or self.texts[dot] != "·":
                return
            self.at_dots.setdefault(dot, []).extend(self.patterns.named(first, last))
