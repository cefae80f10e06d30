"""The first step of a request: the proof state, from Lean, from the request itself, or from the file's text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from lean_extract.common.errors import NoGoalHere
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Position, ProofState
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault
from lean_extract.session.verdict import same_goal
from lean_extract.source.reader import read_module
from lsp_server.documents.goal_positions import cache_key, text_of
from lsp_server.engine.goal_cases import in_case
from lsp_server.engine.goal_places import GoalFound, PlacedGoal, find_goal
from lsp_server.engine.requests import SuggestRequest, parse_goal
from lsp_server.engine.running_lean import RunningLean, begun_again
from lsp_server.limits import CACHED_GOALS
from prover.verify import GoalPosition


class ProofStates:
    """Gets goals from Lean. Answers are cached by document, position, and version of the running Lean."""

    def __init__(self) -> None:
        self._known: Cache[ProofState] = Cache(CACHED_GOALS)
        self._places: Cache[PlacedGoal] = Cache(CACHED_GOALS)

    async def of(self, lean: RunningLean, request: SuggestRequest) -> tuple[ProofState, GoalFound | None]:
        """The state in the request, or else that of the goal for its position, and that goal.

        Raises BadState, NoGoalHere, and as `find`.
        """
        if request.goal is not None:
            return await asyncio.to_thread(parse_goal, request.goal), None
        if request.position is None:
            raise NoGoalHere(
                "Neither a position nor a goal was given.", "Give a file and a line, or a state."
            )
        found = await self.find(lean, request.position)
        return found.state, found

    async def find(self, lean: RunningLean, position: GoalPosition) -> GoalFound:
        """The goal for a position (`goal_places`).

        Raises NoGoalHere, TextUnread, BadPosition, BadSource, and what `RunningLean.session` raises.
        """
        text = await asyncio.to_thread(text_of, position)
        position = replace(position, text=text)
        key = (lean.version, *cache_key(position))
        known = self._places.get(key)
        if known is None:
            known = await begun_again(lambda: self._placed(lean, position))
            self._places.put(key, known)
        return GoalFound(position, known)

    async def chosen(self, lean: RunningLean, found: GoalFound, number: int) -> GoalFound | None:
        """The goal of this number, from 1, by itself; None if `case` does not reach it there.

        Raises as `at`.
        """
        goals = found.state.goals
        goal, tags = goals[number - 1], [one.case for one in goals]
        if goal.case is None or "✝" in goal.case or tags.count(goal.case) > 1:
            return None
        copy = await asyncio.to_thread(in_case, found.asked, goal.case)
        if copy is None:
            return None
        try:
            state = await self.at(lean, GoalPosition(found.asked.path, copy.document.text, copy.hole))
        except NoGoalHere:
            return None
        if len(state.goals) != 1 or not same_goal(state.goals[0], goal):
            return None
        changes = (*found.goal.changes, copy.change)
        placed = replace(found.goal, state=state, position=copy.hole, changes=changes, tag=goal.case)
        return GoalFound(found.at, placed)

    async def _placed(self, lean: RunningLean, position: GoalPosition) -> PlacedGoal:
        return await find_goal(await lean.session(), position, partial(self._at, lean))

    async def at(self, lean: RunningLean, position: GoalPosition) -> ProofState:
        """Lean's goals at exactly a position.

        Raises what `RunningLean.session` and `LeanSession.goals_at` raise.
        """
        return await begun_again(lambda: self._at(lean, position))

    async def _at(self, lean: RunningLean, position: GoalPosition) -> ProofState:
        key = (lean.version, *cache_key(position))
        known = self._known.get(key)
        if known is None:
            session = await lean.session()
            known = await session.goals_at(position.path, position.text, position.position)
            if position.text is not None:
                self._known.put(key, known)
        return known

    async def errors_above(self, lean: RunningLean, position: GoalPosition) -> Sequence[Fault]:
        """Lean's errors in the declarations above a position, as far as it has reported them; it is not started."""
        if not lean.is_running:
            return ()
        session = await lean.session()
        return await session.errors_above(position.path, position.text, position.position)

    async def expected_at(self, lean: RunningLean, position: GoalPosition) -> ProofState:
        """The type that Lean expects of the `sorry` at a position in a term. Raises as `at`."""
        key = ("expected", lean.version, *cache_key(position))
        known = self._known.get(key)
        if known is None:
            session = await lean.session()
            known = await session.expected_at(position.path, position.text, position.position)
            self._known.put(key, known)
        return known


NOTE = "This goal is read from the text: Lean is still at work above it."


def goal_in_text(text: str, position: Position) -> Goal | None:
    """The goal before the step, or the `sorry` of a term, at a position; None where the text does not determine it."""
    document = LeanDocument(text)
    _, end = document.declaration(document.offset(position))
    found: Goal | None = None
    for proof in read_module(text[:end], "", "", states=True).proofs:
        for step in (*proof.steps, *proof.terms):
            if step.span.start <= position <= step.span.end:
                found = step.before
    return found
