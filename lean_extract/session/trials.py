"""Trying tactics: first where, then each in a copy of its own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.errors import LeanDied, LeanTimeout, NoGoalHere
from lean_extract.records import TacticOutcome
from lean_extract.session.asking import Found, error_above
from lean_extract.session.document import Document
from lean_extract.session.limits import Limits
from lean_extract.session.server import Server
from lean_extract.session.shadow import Place, Shadow, guesses
from lean_extract.session.verdict import Reading, doubt, judge, read, same_goal
from lean_extract.tactic_text import defect

_HINT = "Put the cursor on a `sorry`, at the start of a tactic, or on an empty line of the proof."


@dataclass(frozen=True, slots=True)
class Trial:
    """A place at which Lean shows the goal, and its messages with no tactic there."""

    server: Server
    place: Place
    blank: Reading

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        """What Lean says of one tactic, given so many seconds; at most as many at once as there are slots.

        Raises:
            LeanDied: the server ended; a worker that ends fails only this tactic.
        """
        problem = defect(tactic)
        if problem is not None:
            return TacticOutcome(tactic, "fails", None, problem)
        begin = time.perf_counter()
        try:
            reading = await self._read(self.place.shadow(tactic), seconds)
            outcome = judge(tactic, reading, self.blank, self.place, _since(begin))
            if outcome.status != "closes" or not reading.uses_sorry:
                return outcome
            # Lean warns once a declaration, which has other holes: so the tactic's own are asked for apart.
            filled = self.place.filled(tactic)
            apart = None if filled is None else await self._read(filled, seconds)
        except TimeoutError:
            message = f"Lean did not finish within {seconds:g} s"
            return TacticOutcome(tactic, "timeout", None, message, _since(begin))
        except LeanDied as error:
            if not self.server.is_alive:
                raise
            return TacticOutcome(tactic, "fails", None, error.message, _since(begin))
        return outcome if apart is None else doubt(outcome, apart, _since(begin))

    async def _read(self, shadow: Shadow, seconds: float) -> Reading:
        return read(await self.server.check(shadow.text, seconds), shadow)


async def find_place(server: Server, path: Path, document: Document, found: Found, limits: Limits) -> Trial:
    """The first guess at the goal's place at which Lean, given no tactic, reports that very goal.

    Raises:
        NoGoalHere: no guess is right.
        LeanTimeout, LeanDied: Lean did not elaborate the copies.
    """
    for place in guesses(document, found.position, is_term=found.is_term):
        shadow = place.shadow("")
        try:
            diagnostics = await _check_blank(server, document.header, shadow.text, limits.request_seconds)
        except TimeoutError as error:
            raise LeanTimeout(
                f"Lean did not elaborate a copy of {path.name} within {limits.request_seconds:g} s.",
                "Raise the limit `lean.requestSeconds`, or split the file.",
            ) from error
        blank = read(diagnostics, shadow)
        is_right = blank.remaining and same_goal(blank.remaining[0], found.state.goals[0])
        if blank.error is None and is_right:
            return Trial(server, place, blank)
    raise NoGoalHere(
        f"There is a goal in line {found.position.line + 1}, but no place there for a tactic.",
        error_above(await server.settle(path), document, found.position) or _HINT,
    )


async def _check_blank(server: Server, header: str, text: str, seconds: float) -> list[dict[str, Any]]:
    await server.scratch(header)
    try:
        return await server.check(text, seconds)
    except LeanDied:
        if not server.is_alive or server.outgrew:
            raise
        # The worker may have ended long ago, and the other slots' with it.
        await server.drop_scratch()
        await server.scratch(header)
        return await server.check(text, seconds)


def _since(begin: float) -> float:
    return (time.perf_counter() - begin) * 1000
