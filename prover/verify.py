"""Lean's verdict on candidate tactics, as it comes in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lean_extract.records import Goal, Position, ProofState, TacticOutcome
from prover.candidates import Candidate, is_unfinished


class TacticTrier(Protocol):
    """What can try tactics in Lean without touching the user's document: `LeanSession`."""

    def try_tactics(
        self, path: Path, text: str | None, position: Position, tactics: Sequence[str], *, timeout: float
    ) -> AsyncIterator[TacticOutcome]:
        """Outcomes as they finish, in any order. `timeout` is in seconds, for each tactic."""
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
    candidates: Sequence[Candidate],
    *,
    timeout: float,
    keep_failures: bool = False,
) -> AsyncGenerator[TacticOutcome, None]:
    """Try the candidates at the place and yield Lean's verdicts as they come in.

    A tactic that leaves the state as it was counts as failed; `sorry` and `admit` are never tried.
    Failures and timeouts are left out unless `keep_failures`. Raises what the trier raises
    (NoGoalHere, LeanDied, ProjectBroken, ...).
    """
    tactics = [candidate.tactic for candidate in candidates if not is_unfinished(candidate.tactic)]
    if not tactics:
        return
    stream = trier.try_tactics(place.path, place.text, place.position, tactics, timeout=timeout)
    unchanged = _fingerprint(before)
    try:
        async for outcome in stream:
            judged = _judge(outcome, unchanged)
            if keep_failures or judged.status in ("closes", "progress"):
                yield judged
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()  # Whoever stops listening stops Lean, too.


def _judge(outcome: TacticOutcome, unchanged: object) -> TacticOutcome:
    if outcome.status != "progress" or outcome.state is None or _fingerprint(outcome.state) != unchanged:
        return outcome
    return TacticOutcome(
        outcome.tactic, "fails", message="It changes nothing.", milliseconds=outcome.milliseconds
    )


def _fingerprint(state: ProofState) -> tuple[object, ...]:
    """A state up to spacing and case tags."""
    return tuple(_plain(goal) for goal in state.goals)


def _plain(goal: Goal) -> object:
    hypotheses = tuple(
        (hypothesis.names, " ".join(hypothesis.type.split()), hypothesis.value)
        for hypothesis in goal.hypotheses
    )
    return hypotheses, " ".join(goal.target.split())


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
