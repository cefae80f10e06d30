"""Trying tactics: first where, then each in a copy of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lean_extract.errors import LeanDied, LeanTimeout, NoGoalHere
from lean_extract.records import TacticOutcome
from lean_extract.session.asking import GoalsFound, error_above
from lean_extract.session.broken import Above, mentioned, rests_on
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, faults_of, open_end
from lean_extract.session.limits import LeanLimits
from lean_extract.session.linting import mended
from lean_extract.session.server import LeanServer
from lean_extract.session.shadow import Shadow, TacticSite, guesses
from lean_extract.session.verdict import (
    CopyMessages,
    cast_doubt,
    doubt,
    insisted,
    judge,
    read,
    same_goal,
    same_outcome,
)
from lean_extract.syntax.tactic_text import defect

_HINT = "Put the cursor on a `sorry`, at the start of a tactic, or on an empty line of the proof."
_MOST_ROUNDS = 5
"""So often commands are taken out that break because others were."""
_BY_TEXT = 3
"""After so many rounds those go, too, that by their text rest on what went."""
_MOST_MENDINGS = 4
"""So many pieces that a linter calls needless are taken out of one tactic."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A site at which Lean shows the goal, and its messages with no tactic there.

    `fault`: why nothing that is accepted here can be judged. `whole`: the same site in the text as it is,
    where this one's has blanks for what is broken above; `names`: what those declare.
    """

    server: LeanServer
    site: TacticSite
    blank: CopyMessages
    fault: Fault | None = None
    whole: Trial | None = None
    names: Mapping[str, Fault] = field(default_factory=dict)

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
            return await self._judged(tactic, seconds, begin)
        except TimeoutError:
            message = f"Lean did not finish within {seconds:g} s"
            return TacticOutcome(tactic, "timeout", None, message, _since(begin))
        except LeanDied as error:
            if not self.server.is_alive:
                raise
            return TacticOutcome(tactic, "fails", None, error.message, _since(begin))

    async def _judged(self, tactic: str, seconds: float, begin: float) -> TacticOutcome:
        """The verdict, in the text without what is broken above or, if the tactic uses that, as it is."""
        outcome, reading = await self._verdict(tactic, seconds, begin)
        if outcome.status == "fails" and self.whole is not None:
            fault = mentioned(tactic, self.names)
            if fault is not None:
                outcome, _ = await self.whole._verdict(tactic, seconds, begin)
                return cast_doubt(outcome, fault)
        if self.fault is not None:
            return cast_doubt(outcome, self.fault)
        if not reading.lints or outcome.status not in ("closes", "progress"):
            return outcome
        return await self._without_needless(outcome, reading, seconds, begin)

    async def _verdict(self, tactic: str, seconds: float, begin: float) -> tuple[TacticOutcome, CopyMessages]:
        reading = await self._read(self.site.shadow(tactic), seconds)
        outcome = judge(tactic, reading, self.blank, self.site, _since(begin))
        if outcome.status in ("closes", "progress") and reading.is_unchecked:
            strict = await self._read(self.site.shadow(tactic, is_strict=True), seconds)
            return insisted(outcome, strict, _since(begin)), reading
        if outcome.status != "closes" or not reading.uses_sorry:
            return outcome, reading
        # Lean warns once a declaration, which has other holes: so the tactic's own are asked for apart.
        filled = self.site.filled(tactic)
        if filled is None:
            return outcome, reading
        return doubt(outcome, await self._read(filled, seconds), _since(begin)), reading

    async def _without_needless(
        self, outcome: TacticOutcome, reading: CopyMessages, seconds: float, begin: float
    ) -> TacticOutcome:
        """The outcome with what linters would write instead, as far as Lean says the same of that."""
        shorter, first = outcome.tactic, self.site.shadow("").inside
        for _ in range(_MOST_MENDINGS):
            new = mended(shorter, reading.lints, first)
            if new is None or defect(new) is not None:
                break
            again, reading = await self._verdict(new, seconds, begin)
            if not same_outcome(again, outcome):
                break
            shorter = new
        remark = reading.lints[0].said if reading.lints else ""
        instead = shorter if shorter != outcome.tactic else ""
        return replace(outcome, instead=instead, remark=remark, milliseconds=_since(begin))

    async def _read(self, shadow: Shadow, seconds: float) -> CopyMessages:
        return read(await self.server.check(shadow.text, seconds), shadow)


async def find_site(
    server: LeanServer, path: Path, document: LeanDocument, found: GoalsFound, limits: LeanLimits
) -> Trial:
    """The first guess at the goal's site at which Lean, given no tactic, reports that very goal.

    Raises:
        NoGoalHere: no guess is right.
        LeanTimeout, LeanDied: Lean did not elaborate the copies.
    """
    finder = _Finder(server, path, document, limits.request_seconds)
    for site in guesses(document, found.position, is_term=found.is_term):
        blank = await finder.blank(site)
        is_right = blank.remaining and same_goal(blank.remaining[0], found.state.goals[0])
        if blank.error is None and is_right:
            return await finder.sound(Trial(server, site, blank, fault=finder.open_end(found)))
    raise NoGoalHere(
        f"There is a goal in line {found.position.line + 1}, but no site there for a tactic.",
        error_above(await server.settle(path), document, found.position) or _HINT,
    )


@dataclass(frozen=True, slots=True)
class _Finder:
    """Has Lean elaborate copies with no tactic in them."""

    server: LeanServer
    path: Path
    document: LeanDocument
    seconds: float

    async def blank(self, site: TacticSite) -> CopyMessages:
        """The messages with nothing between the braces. Raises LeanTimeout, LeanDied."""
        shadow = site.shadow("")
        try:
            diagnostics = await _check_blank(self.server, self.document.header, shadow.text, self.seconds)
        except TimeoutError as error:
            raise LeanTimeout(
                f"Lean did not elaborate a copy of {self.path.name} within {self.seconds:g} s.",
                "Raise the limit `lean.requestSeconds`, or split the file.",
            ) from error
        return read(diagnostics, shadow)

    def open_end(self, found: GoalsFound) -> Fault | None:
        """That the text does not end, if so."""
        return open_end(self.document, *self.document.declaration(self.document.offset(found.position)))

    async def sound(self, trial: Trial) -> Trial:
        """The trial in a text without what is broken above the declaration, if the goal is the same there;
        else the trial as it is, with the fault that keeps it from being judged."""
        line = trial.site.first_line
        faults = [fault for fault in trial.blank.above if fault.position.line < line]
        if trial.fault is not None or not faults:
            return trial
        above = Above(trial.site.above, self.document.header)
        broken: dict[int, Fault] = {}
        apart = trial
        for number in range(_MOST_ROUNDS):
            new = above.broken(faults).keys() - broken.keys()
            if not new:
                break
            broken = above.caused(new, broken) if broken else above.broken(faults)
            if number >= _BY_TEXT:
                broken = above.with_users(broken)
            site = trial.site.on(above.without(broken))
            apart = Trial(self.server, site, await self.blank(site))
            faults = [fault for fault in apart.blank.above if fault.position.line < line]
        return _told_apart(trial, apart, above, broken, faults)


def _told_apart(
    trial: Trial, apart: Trial, above: Above, broken: Mapping[int, Fault], left: Sequence[Fault]
) -> Trial:
    """What to try tactics at: a site as it is, or the one where what is broken above is blank.

    Args:
        trial: the site in the text as it is.
        apart: the same in the text without the `broken` commands.
        above: the commands above the declaration.
        broken: the fault of each that was taken out.
        left: the faults above that are there all the same.
    """
    remains = above.unsound(left)
    if not broken and remains is None:
        return trial
    names = above.names(broken)
    goal, alone = (one.blank.remaining or () for one in (trial, apart))
    is_same = apart.blank.error is None and alone and same_goal(alone[0], goal[0])
    own = set(faults_of(apart.blank.above, trial.site.line)) - set(trial.blank.above)
    fault = remains or rests_on(goal[0], names)
    if fault is None and (own or not is_same):
        fault = min(broken.values())
    if fault is not None:
        return replace(trial, fault=fault)
    return replace(apart, whole=trial, names=names)


async def _check_blank(server: LeanServer, header: str, text: str, seconds: float) -> list[dict[str, Any]]:
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
