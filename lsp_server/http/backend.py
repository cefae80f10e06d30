"""What all interfaces share: the indexes, the gate before heavy work, the parsing of states."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request

from lean_extract.common.terminal_text import shown
from lean_extract.records import Goal
from lean_extract.syntax.with_notation import restored
from lsp_server.engine.requests import main_goal, parse_goal
from lsp_server.engine.tasks import Gate
from lsp_server.http.chosen import chosen_in
from lsp_server.http.policy import Policy
from lsp_server.http.problems import Refusal
from lsp_server.http.revisions import Libraries, ServedIndex
from lsp_server.limits import HttpLimits

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class HttpBackend:
    """The parts of one server that its interfaces share."""

    libraries: Libraries
    gate: Gate
    limits: HttpLimits
    policy: Policy

    def library(self, asked: Request, revision: str | None = None) -> ServedIndex:
        """The index that answers: the one in the address, else that of the revision, else the default one.

        Raises Refusal: there is none of that name (404), or for that revision (400).
        """
        chosen = chosen_in(asked.scope)
        if chosen is not None and not self.libraries.has(chosen):
            error = f"No index here is called {shown(chosen, longest=80)}; there is: {self.libraries.listed}."
            raise Refusal(404, error, "Addresses are /at/NAME/...; /api/revisions lists the names.")
        return self.libraries.find(chosen or revision)

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
