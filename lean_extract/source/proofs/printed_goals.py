"""The states of a proof for which Lean printed some targets. The targets are Lean's; the contexts come from the text.

A printed target replaces an unknown one, and the walk continues from there.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lean_extract.records import PRINTED, PRINTED_IN_PART, Position
from lean_extract.source.budget import Budget
from lean_extract.source.proofs.inner_goals import StatedGoal, stated_goals
from lean_extract.source.proofs.known_states import KnownStates, StateWalk, allowed_work
from lean_extract.source.proofs.propositions import Sequent
from lean_extract.source.proofs.sequents import KnownState, obtained
from lean_extract.source.proofs.step_bindings import (
    UNKNOWN,
    NameChanges,
    after_changes,
    declared,
    name_changes,
    names_on_the_way,
)
from lean_extract.source.proofs.tactics import AfterStep, Step
from lean_extract.syntax.lexer import Tokens
from lean_extract.syntax.tactic_words import SEPARATORS

_MOST_LOOKED_BACK = 64
"""How many steps above one that the walk did not reach are searched for a known context."""


@dataclass(frozen=True, slots=True)
class PrintedGoal:
    """The target before a tactic, or only its beginning if Lean shortened it."""

    target: str
    is_whole: bool = True


class PrintedGoals:
    """The printed goals of a file by the token that their tactic begins at."""

    def __init__(self, tokens: Tokens, printed: Mapping[Position, PrintedGoal]) -> None:
        lines = tokens.line_offsets() if printed else []
        self._goals: dict[int, PrintedGoal] = {}
        for position, goal in printed.items():
            if position.line < len(lines):
                offset = lines[position.line] + position.column
                token = bisect_left(tokens.starts, offset)
                if token < len(tokens.starts) and tokens.position(tokens.starts[token]) == position:
                    self._goals[token] = goal
        self._tokens = sorted(self._goals)

    def __bool__(self) -> bool:
        return bool(self._goals)

    def within(self, begin: int, end: int) -> dict[int, PrintedGoal]:
        """Those of the tokens [begin, end)."""
        tokens = self._tokens[bisect_left(self._tokens, begin) : bisect_left(self._tokens, end)]
        return {token: self._goals[token] for token in tokens}


def states_with_printed(
    tokens: Tokens,
    begin: int,
    end: int,
    context: tuple[str, ...],
    conclusion: str,
    printed: Mapping[int, PrintedGoal],
    steps: Sequence[tuple[int, int]],
) -> KnownStates:
    """As `known_states`, with these targets known, by the token that a tactic begins at.

    Args:
        steps: all steps of the proof as token ranges, in order.
    """
    work = allowed_work(tokens, begin, end)
    stated = {goal.begin: goal for goal in stated_goals(tokens, begin, end)}
    walk = _PrintedWalk(tokens, end, work, stated, printed)
    walk.term(begin, end, KnownState(Sequent(context, conclusion or None), "start"), 0)
    walk.missed(begin, context, [first for first, _ in steps])
    walk.rest(context)
    return walk.found


class _PrintedWalk(StateWalk):
    """Follows states through the text, and takes printed targets where there are any."""

    def __init__(
        self,
        tokens: Tokens,
        end: int,
        work: Budget,
        stated: dict[int, StatedGoal],
        printed: Mapping[int, PrintedGoal],
    ) -> None:
        super().__init__(tokens, end, work, stated)
        self._printed = printed
        self._contexts: dict[int, tuple[str, ...]] = {}
        """The context before each step that the walk reached."""
        self._begins: list[int] = []

    def step(self, step: Step, goal: KnownState, depth: int) -> AfterStep[KnownState]:
        """Take the printed target; after the step, the names that it binds are in the context."""
        begin, context = step.begin, goal.sequent.context
        if begin not in self._contexts:
            self._contexts[begin] = context
            insort(self._begins, begin)
        printed = self._printed.get(begin)
        if printed and printed.is_whole:
            goal = KnownState(goal.sequent.proving(printed.target), PRINTED)
        elif printed and goal.sequent.target is None:
            cut = KnownState(goal.sequent.proving(printed.target), PRINTED_IN_PART)
            self.found.tactics.setdefault(begin, cut)
        after = super().step(step, goal, depth)
        changes = [changed for changed in self._changes(step) if not changed.is_nothing]
        if not changes:
            return after
        before = set(context)

        def changed(known: KnownState) -> KnownState:
            own = known.sequent.context
            fresh = declared(binder for binder in own if binder not in before)
            for change in changes:
                own = after_changes(own, change, fresh)
            return KnownState(Sequent(own, known.sequent.target), known.origin)

        next_goal = changed(after.goal) if after.goal else None
        return AfterStep(next_goal, [changed(known) for known in after.focused], after.following)

    def first_of(
        self, step: Step, first: KnownState, rest: KnownState | None, depth: int
    ) -> KnownState | None:
        """The first of the goals is next; after it the context stays."""
        after = self.step(step, first, depth)
        return (after.goal or first).with_unknown_target

    def _changes(self, step: Step) -> list[NameChanges]:
        """The changes of names by the step and by the tactics chained to it with `<;>`."""
        found = [name_changes(self.tokens, step.begin, step.stop)]
        stop = step.stop
        while stop < step.following and self.texts[stop] == "<;>":
            begin = stop + 1
            stop = self.brackets.stop(begin, step.following, SEPARATORS)
            if begin < stop:
                found.append(name_changes(self.tokens, begin, stop))
        return found

    def _applied(
        self, word: str, position: int, stop: int, before: Sequent, depth: int
    ) -> list[Sequent] | None:
        """As for the text alone; `rcases h with p` and `cases' h with x y` also destructure known hypotheses."""
        if word not in ("rcases", "cases'"):
            return super()._applied(word, position, stop, before, depth)
        separator = self.brackets.stop(position + 1, stop, frozenset(("with",)))
        if separator >= stop - 1:
            return None
        hypothesis = self.tokens.source(position + 1, separator)
        if word == "rcases":
            return obtained(before, f"{self.tokens.source(separator + 1, stop)} := {hypothesis}")
        names = self.texts[separator + 1 : stop]
        return obtained(before, f"⟨{', '.join(names)}⟩ := {hypothesis}") or obtained(
            before, f"{' | '.join(names)} := {hypothesis}"
        )

    def missed(self, begin: int, context: tuple[str, ...], steps: Sequence[int]) -> None:
        """Walk the blocks around the printed goals that the walk did not reach.

        Such a block is in a term or an alternative; its context is that of the step around it.
        """
        for token in sorted(self._printed.keys() & set(steps)):
            if token in self._contexts:
                continue
            outer, known = self._around(token, begin, context)
            first = self._block_begin(token, outer, steps)
            own = declared(known)
            names = [name for name in names_on_the_way(self.tokens, outer, first) if name not in own]
            known = (*known, *[f"({name} : {UNKNOWN})" for name in names])
            limit = self.tokens.lines.next_within(token + 1, self.end, self.tokens.column(token) - 1)
            end = self.brackets.stop(token, limit, frozenset())
            self.block(first, end, KnownState(Sequent(known, None), PRINTED), 1)

    def _around(self, token: int, begin: int, context: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        """The innermost known step around a token, and its context; else the proof's."""
        last = bisect_left(self._begins, token)
        for step in reversed(self._begins[max(0, last - _MOST_LOOKED_BACK) : last]):
            if self.tokens.lines.next_within(step + 1, token + 1, self.tokens.column(step)) > token:
                return step, self._contexts[step]
        return begin, context

    def _block_begin(self, token: int, outer: int, steps: Sequence[int]) -> int:
        """The first step of the block that contains the step at a token."""
        column = self.tokens.column(token)
        first = token
        last = bisect_left(steps, token)
        for step in reversed(steps[max(0, last - _MOST_LOOKED_BACK) : last]):
            if step <= outer or self.tokens.lines.next_within(step + 1, token, column - 1) < token:
                break
            if self.tokens.column(step) == column:
                first = step
        return first
