"""What all interfaces share: the indexes, the gate before heavy work, the parsing of states."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from lean_extract.records import Goal
from lean_extract.syntax.with_notation import restored
from lsp_server.engine.requests import main_goal, parse_goal
from lsp_server.engine.tasks import Gate
from lsp_server.http.policy import Policy
from lsp_server.http.revisions import Libraries
from lsp_server.limits import HttpLimits

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class HttpBackend:
    """The parts of one server that its interfaces share."""

    libraries: Libraries
    gate: Gate
    limits: HttpLimits
    policy: Policy

    async def work(self, job: Callable[[], Coroutine[Any, Any, _Answer]]) -> _Answer:
        """Do heavy work when its turn comes. Raises Busy: too much is waiting."""
        return await self.gate.run(job)

    async def goal_of(self, state: str) -> Goal:
        """The main goal of a printed state, in usual notation. Raises BadState, NoGoalHere, Busy."""
        return await self.work(lambda: goal_of(state))


async def goal_of(state: str) -> Goal:
    """The main goal of a printed state, in usual notation. Raises BadState, NoGoalHere."""
    return await asyncio.to_thread(_read, state)


def _read(state: str) -> Goal:
    return main_goal(parse_goal(state)).rewritten(restored)
