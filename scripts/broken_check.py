"""Gets tactics at goals in files with an error, and has a fresh Lean check them once the error is mended.

Used by `check_shown_tactics.py --broken`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from fresh_lean import FreshLean, errors
from shown_goals import Broken, more_goals

from lean_extract.common.errors import LeanError, UserError
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from prover.verify import GoalPosition


@dataclass(frozen=True, slots=True)
class BrokenGoalResult:
    """The result for one goal. `unusable`: why it cannot be used; it does not count then."""

    key: str
    kind: str
    unusable: str = ""
    reason: str = ""
    """Why no tactic was tried, if none was."""
    closes: list[str] = field(default_factory=list)
    progress: int = 0
    unjudged: list[str] = field(default_factory=list)
    exceptions: dict[str, str] = field(default_factory=dict)
    """The objections of a fresh Lean, in the mended file, to tactics that were shown as closing, by tactic."""
    refused: int = 0
    """Of the tactics that could not be judged, how many a fresh Lean refuses in the mended file."""


class BrokenCheck:
    """Gets tactics in the broken file, and checks them in the mended one."""

    def __init__(self, engine: Engine, lean: FreshLean) -> None:
        self._engine = engine
        self._lean = lean

    async def ask(self, case: Broken) -> BrokenGoalResult:
        """One goal, from the question to the second verdict on all that was accepted."""
        path = EXAMPLE / case.path
        session = await self._engine.session()
        try:
            state = await session.goals_at(path, case.mended, case.mended_place)
        except UserError as error:
            return BrokenGoalResult(case.key, case.kind, unusable=error.message)
        if not state.goals:
            return BrokenGoalResult(case.key, case.kind, unusable="there is no goal")
        whole = more_goals(case, len(state.goals))
        problem = errors(await self._lean.remarks(whole.mended, whole.mended_place))
        if problem:
            return BrokenGoalResult(case.key, case.kind, unusable=f"mended: {problem[0]}")
        if case.has_error and not errors(await self._lean.remarks(whole.text, None)):
            return BrokenGoalResult(case.key, case.kind, unusable="there is no error")
        return await self._judged(whole, len(state.goals))

    async def _judged(self, case: Broken, goals: int) -> BrokenGoalResult:
        place = GoalPosition(EXAMPLE / case.path, case.text, case.place)
        try:
            answer = await self._engine.suggest(SuggestRequest(place, tactics=True))
        except (UserError, LeanError) as error:
            return BrokenGoalResult(case.key, case.kind, reason=str(error))
        closing = [one for one in answer.tactics if one.status == "closes"]
        doubtful = [one for one in answer.tactics if one.status == "unjudged" and not one.remaining_goals]
        named = case.theorem if goals == 1 else ""
        down = case.mended_place.line - case.place.line
        again = [
            self._lean.against(case.mended, case.mended_place, tactic, named, down)
            for tactic in (*closing, *doubtful)
        ]
        amiss = await asyncio.gather(*again)
        objections = dict(zip([one.tactic for one in (*closing, *doubtful)], amiss, strict=True))
        return BrokenGoalResult(
            case.key,
            case.kind,
            reason="" if answer.tactics else "; ".join(answer.warnings),
            closes=[one.tactic for one in closing],
            progress=sum(one.status == "progress" for one in answer.tactics),
            unjudged=[one.tactic for one in answer.tactics if one.status == "unjudged"],
            exceptions={one.tactic: objections[one.tactic] for one in closing if objections[one.tactic]},
            refused=sum(bool(objections[one.tactic]) for one in doubtful),
        )


def report(found: Sequence[BrokenGoalResult], seed: int, seconds: float) -> str:
    """The counts of every kind, in a table, and the exceptions."""
    usable = [one for one in found if not one.unusable]
    kinds: dict[str, list[BrokenGoalResult]] = defaultdict(list)
    for one in usable:
        kinds[one.kind].append(one)
    head = ("kind of error", "goals", "untried", "closes", "steps", "unjudged", "refused", "exceptions")
    rows = [head, *(_row(kind, kinds[kind]) for kind in sorted(kinds)), _row("all", usable)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines += [
        f"goals (seed): {len(usable)} ({seed}); passed over: {len(found) - len(usable)}; {seconds:.0f} s",
        f"exceptions: shown as closing, refused once mended  {sum(len(one.exceptions) for one in usable)}",
    ]
    lines += [
        f"EXCEPTION {one.key}: `{tactic}`: {why}" for one in usable for tactic, why in one.exceptions.items()
    ]
    return "\n".join(lines)


def _row(kind: str, found: Sequence[BrokenGoalResult]) -> tuple[str, ...]:
    counts = (
        len(found),
        sum(bool(one.reason) for one in found),
        sum(len(one.closes) for one in found),
        sum(one.progress for one in found),
        sum(len(one.unjudged) for one in found),
        sum(one.refused for one in found),
        sum(len(one.exceptions) for one in found),
    )
    return (kind, *map(str, counts))
