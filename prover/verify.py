"""Yields Lean's verdicts on candidate tactics as they arrive."""

from __future__ import annotations

import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.live import TacticSeconds
from lean_extract.session.suggested import asks
from prover.candidates import Candidate, is_unfinished
from prover.closers import is_worth_cases
from prover.states import adds_nothing
from prover.variants import TacticVariant, distinct

_SPLITS = re.compile(r"(?:induction|cases)'?\s+(?P<name>[^\s,:]+)\s*(?:with\b|using\b|generalizing\b|\Z)")
_ASKS = "It only asks Lean what to write."
_RANK = {"closes": 0, "progress": 1, "unjudged": 2, "timeout": 3, "fails": 4}


class TacticTrier(Protocol):
    """Tries tactics in Lean without touching the user's document, as `LeanSession` does."""

    def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: AsyncIterable[str],
        *,
        timeout: TacticSeconds,
        within: float | None = None,
    ) -> AsyncIterator[TacticOutcome]:
        """Yield outcomes as they finish, in any order. A tactic is taken from its source when it can be tried.

        `timeout`: seconds for each tactic, or a function of it that says them. `within`: seconds for all together.
        """
        ...


@dataclass(frozen=True, slots=True)
class GoalPosition:
    """The position of a goal: the document, its text (None: as on disk), and the line and column."""

    path: Path
    text: str | None
    position: Position


async def verify(
    trier: TacticTrier,
    at: GoalPosition,
    before: ProofState,
    candidates: Sequence[Candidate] | AsyncIterable[Candidate],
    *,
    timeout: TacticSeconds,
    within: float | None = None,
    keep_failures: bool = False,
    hear: Callable[[TacticOutcome], None] | None = None,
) -> AsyncGenerator[TacticOutcome, None]:
    """Try the candidates at a position and yield Lean's verdicts as they arrive.

    A tactic counts as failed if it leaves the goal unchanged with nothing new in its context, or if it splits a
    number or a list without need.
    Unfinished tactics (`sorry`, `admit`) are never tried. Failures and timeouts are dropped unless `keep_failures`.

    Args:
        timeout: seconds for each tactic, or a function of it that says them.
        within: seconds for all together.
        hear: called with each of Lean's verdicts.

    Raises what the trier raises (NoGoalHere, LeanDied, ...), and what the source of candidates raises.
    """
    given = candidates if isinstance(candidates, AsyncIterable) else _each(candidates)
    async with aclosing(_worth_trying(given)) as tactics:
        stream = trier.try_tactics(at.path, at.text, at.position, tactics, timeout=timeout, within=within)
        try:
            async for outcome in stream:
                if hear is not None:
                    hear(outcome)
                judged = _judge(outcome, before)
                if keep_failures or judged.status in ("closes", "progress", "unjudged"):
                    yield judged
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()  # Stop Lean when the caller stops listening.


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
    reason = _ASKS if asks(outcome.shown) else ""
    split = _SPLITS.match(outcome.shown.strip())
    if adds_nothing(before.goals[0], outcome.state):
        reason = "It changes nothing and adds nothing new."
    elif outcome.state.goals and split and not is_worth_cases(before.goals[0], split["name"]):
        reason = f"Nothing in the goal calls for splitting `{split['name']}`."
    if not reason:
        return outcome
    return TacticOutcome(outcome.tactic, "fails", message=reason, milliseconds=outcome.milliseconds)


def order(
    outcomes: Iterable[TacticOutcome], scores: Mapping[str, float] | None = None
) -> list[TacticOutcome]:
    """The outcomes in the order to show, each result once.

    Tactics that close the goal come first, those that rest on `sorry` after the others, then those that leave
    goals, then those that cannot be judged. Ties are broken in this order: no linter's remark; not a case
    distinction; fewer goals left; better score; shorter text.
    """

    def key(one: TacticVariant) -> tuple[int, bool, bool, bool, int, float, int, str]:
        outcome = one.outcome
        remaining = len(outcome.state.goals) if outcome.state else 0
        shown = outcome.shown
        is_split = remaining > 0 and _SPLITS.match(shown.strip()) is not None
        status = _RANK[outcome.status]
        sorry = outcome.rests_on_sorry
        return status, sorry, bool(outcome.remark), is_split, remaining, -one.score, len(shown), shown

    return [one.outcome for one in sorted(distinct(outcomes, scores or {}), key=key)]
