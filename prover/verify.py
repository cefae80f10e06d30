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
from prover.states import fingerprint

_REACHES_OTHERS = re.compile(
    r"(?<![\w.'!?«])(?:all_goals|any_goals|rotate_left|rotate_right|swap|pick_goal|on_goal|assumption'"
    r"|repeat1?'?|iterate|case'?)(?![\w'!?»])"
)
"""Tactics that may go on to the goals behind the main one."""


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
class GoalPlace:
    """Where the goal stands: the document, its text (None: as on disk), the position in it."""

    path: Path
    text: str | None
    position: Position


async def verify(
    trier: TacticTrier,
    place: GoalPlace,
    before: ProofState,
    candidates: Sequence[Candidate] | AsyncIterable[Candidate],
    *,
    timeout: float,
    within: float | None = None,
    keep_failures: bool = False,
) -> AsyncGenerator[TacticOutcome, None]:
    """Try the candidates at the place and yield Lean's verdicts as they come in.

    A tactic that leaves the state as it was counts as failed, and so does one that may reach the goals behind
    the main one, which were not there when it was tried; `sorry` and `admit` are never tried.
    Failures and timeouts are left out unless `keep_failures`. `timeout` is in seconds for each, `within` for
    all. Raises what the trier raises (NoGoalHere, LeanDied, ...), and what the source of candidates raises.
    """
    given = candidates if isinstance(candidates, AsyncIterable) else _each(candidates)
    async with aclosing(_worth_trying(given)) as tactics:
        stream = trier.try_tactics(
            place.path, place.text, place.position, tactics, timeout=timeout, within=within
        )
        unchanged = fingerprint(before)
        try:
            async for outcome in stream:
                judged = _judge(outcome, unchanged, is_alone=len(before.goals) == 1)
                if keep_failures or judged.status in ("closes", "progress"):
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


def _judge(outcome: TacticOutcome, unchanged: object, *, is_alone: bool) -> TacticOutcome:
    if outcome.status not in ("closes", "progress"):
        return outcome
    reason = ""
    if outcome.state is not None and fingerprint(outcome.state) == unchanged:
        reason = "It changes nothing."
    elif not is_alone and _REACHES_OTHERS.search(outcome.tactic):
        reason = "It may reach the goals behind the main one."
    if not reason:
        return outcome
    return TacticOutcome(outcome.tactic, "fails", message=reason, milliseconds=outcome.milliseconds)


def order(
    outcomes: Iterable[TacticOutcome], scores: Mapping[str, float] | None = None
) -> list[TacticOutcome]:
    """Outcomes in the order to show: what closes, then fewest goals left, then best score, then shortest."""
    known = scores or {}
    rank = {"closes": 0, "progress": 1, "timeout": 2, "fails": 3}

    def key(outcome: TacticOutcome) -> tuple[int, int, float, int, str]:
        remaining = len(outcome.state.goals) if outcome.state else 0
        score = known.get(outcome.tactic, 0.0)
        return rank[outcome.status], remaining, -score, len(outcome.tactic), outcome.tactic

    return sorted(outcomes, key=key)
