"""Surveys that wait for their turn, between who wants to know what Lean accepts and who has it tried. Pure."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from lean_extract.records import TacticOutcome
from lean_extract.session.survey import survey_of
from prover.candidates import Candidate, key_of
from prover.limits import MAX_SURVEYED_TACTICS

SOURCE = "survey"
_UNDECIDED = re.compile(r"[Aa]mbiguous|[Uu]nknown (?:identifier|constant)|timeout|maximum recursion depth")
"""Lean's words where another name, or more time, may do."""


class Surveys:
    """The surveys of one goal."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._running: dict[str, asyncio.Future[tuple[TacticOutcome, ...]]] = {}
        self._news: asyncio.Future[None] | None = None
        self._is_slow = False
        self.refused: set[str] = set()
        """What Lean does not accept of what was surveyed, by `key_of`."""

    async def outcomes(self, tactics: Sequence[str]) -> list[TacticOutcome]:
        """What tactics of one line each do, in order, as far as Lean says so. Nothing after a survey took too long."""
        parts = [
            tactics[begin : begin + MAX_SURVEYED_TACTICS]
            for begin in range(0, len(tactics), MAX_SURVEYED_TACTICS)
        ]
        found = await asyncio.gather(*map(self._outcomes, parts))
        return [outcome for part in found for outcome in part]

    async def _outcomes(self, tactics: Sequence[str]) -> tuple[TacticOutcome, ...]:
        if self._is_slow:
            return ()
        text = survey_of(tactics)
        future = self._running.get(text)
        if future is None:
            future = self._running[text] = asyncio.get_running_loop().create_future()
            self._waiting.append(text)
            if self._news is not None and not self._news.done():
                self._news.set_result(None)
        return await future

    def next(self) -> Candidate | None:
        """The next survey to have tried."""
        return Candidate(self._waiting.pop(0), 0.0, SOURCE) if self._waiting else None

    def news(self) -> asyncio.Future[None]:
        """Done once there is another survey."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        return self._news

    def is_survey(self, tactic: str) -> bool:
        """Whether a text is one of these surveys."""
        return tactic in self._running

    def hear(self, outcome: TacticOutcome) -> None:
        """Note what Lean says of a survey."""
        future = self._running.get(outcome.tactic)
        if future is not None and not future.done():
            self._is_slow |= outcome.status == "timeout"
            failed = (one for one in outcome.surveyed if one.status == "fails")
            self.refused |= {key_of(one.tactic) for one in failed if not _UNDECIDED.search(one.message)}
            future.set_result(outcome.surveyed)
