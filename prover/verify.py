"""Lean's verdict on candidate tactics, as it comes in."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lean_extract.records import Position, ProofState, TacticOutcome
from prover.candidates import Candidate, is_unfinished
from prover.closers import is_worth_cases
from prover.states import adds_nothing
from prover.variants import TacticVariant, distinct

_REACHES_OTHERS = re.compile(
    r"(?<![\w.'!?«])(?:all_goals|any_goals|rotate_left|rotate_right|swap|pick_goal|on_goal|assumption'"
    r"|repeat1?'?|iterate|case'?)(?![\w'!?»])"
)
"""Tactics that may go on to the goals behind the main one."""
_SPLITS = re.compile(r"(?:induction|cases)'?\s+(?P<name>[^\s,:]+)\s*(?:with\b|using\b|generalizing\b|\Z)")
_RANK = {"closes": 0, "progress": 1, "unjudged": 2, "timeout": 3, "fails": 4}


class TacticTrier(Protocol):
    """What can try tactics in Lean without touching the user's document: `LeanSession`."""

    def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: AsyncIterable[str],
        *,
        timeout: float,
        within: float | None = None,
    ) -> AsyncIterator[TacticOutcome]:
        """Outcomes as they finish, in any order; a tactic is taken from its source when there is room for it.

        `timeout` is in seconds, for each tactic; `within` for all together.
        """
        ...


@dataclass(frozen=True, slots=True)
class GoalPosition:
    """Where the goal stands: the document, its text (None: as on disk), the position in it."""

    path: Path
    text: str | None
    position: Position


async def verify(
    trier: TacticTrier,
    place: GoalPosition,
    before: ProofState,
    candidates: Sequence[Candidate] | AsyncIterable[Candidate],
    *,
    timeout: float,
    within: float | None = None,
    keep_failures: bool = False,
) -> AsyncGenerator[TacticOutcome, None]:
    """Try the candidates at the place and yield Lean's verdicts as they come in.

    A tactic that leaves the goal as it was, with nothing new in its context, counts as failed; so does one
    that takes a number or a list apart for which the goal does not ask, and one that may reach the goals
    behind the main one, which were not there when it was tried. `sorry` and `admit` are never tried.
    Failures and timeouts are left out unless `keep_failures`. `timeout` is in seconds for each, `within` for
    all. Raises what the trier raises (NoGoalHere, LeanDied, ...), and what the source of candidates raises.
    """
    given = candidates if isinstance(candidates, AsyncIterable) else _each(candidates)
    async with aclosing(_worth_trying(given)) as tactics:
        stream = trier.try_tactics(
            place.path, place.text, place.position, tactics, timeout=timeout, within=within
        )
        try:
            async for outcome in stream:
                judged = _judge(outcome, before)
                if keep_failures or judged.status in ("closes", "progress", "unjudged"):
                    yield judged
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()  # Whoever stops listening stops Lean, too.


async def _each(candidates: Sequence[Candidate]) -> AsyncIterator[Candidate]:
    for candidate in candidates:
        yield candidate


async def _worth_trying(candidates: AsyncIterable[Candidate]) -> AsyncGenerator[str, None]:
    async for candidate in candidates:
        if not is_unfinished(candidate.tactic):
            yield candidate.tactic


def _judge(outcome: TacticOutcome, before: ProofState) -> TacticOutcome:
    if outcome.state is None:
        return outcome
    reason = ""
    split = _SPLITS.match(outcome.shown.strip())
    if adds_nothing(before.goals[0], outcome.state):
        reason = "It changes nothing, and adds nothing to what is known."
    elif len(before.goals) > 1 and _REACHES_OTHERS.search(outcome.tactic):
        reason = "It may reach the goals behind the main one."
    elif outcome.state.goals and split and not is_worth_cases(before.goals[0], split["name"]):
        reason = f"Nothing in the goal asks for `{split['name']}` to be taken apart."
    if not reason:
        return outcome
    return TacticOutcome(outcome.tactic, "fails", message=reason, milliseconds=outcome.milliseconds)


def order(
    outcomes: Iterable[TacticOutcome], scores: Mapping[str, float] | None = None
) -> list[TacticOutcome]:
    """Outcomes in the order to show, each result once.

    What closes comes first, then what leaves goals, then what cannot be judged. Of two alike the one goes
    first against which no linter has anything, then a step before a case distinction, then the one that
    leaves fewer goals, has the better score, is shorter.
    """

    def key(one: TacticVariant) -> tuple[int, bool, bool, int, float, int, str]:
        outcome = one.outcome
        remaining = len(outcome.state.goals) if outcome.state else 0
        shown = outcome.shown
        is_split = remaining > 0 and _SPLITS.match(shown.strip()) is not None
        status = _RANK[outcome.status]
        return status, bool(outcome.remark), is_split, remaining, -one.score, len(shown), shown

    return [one.outcome for one in sorted(distinct(outcomes, scores or {}), key=key)]
