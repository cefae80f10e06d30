"""Tries tactics: finds the place to insert them, then tries each in a copy of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from lean_extract.common.errors import LeanDied, NoGoalHere
from lean_extract.limits import MAX_LINTER_SUGGESTIONS, MAX_REMOVAL_ROUNDS
from lean_extract.records import Goal, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Above, Fault, faults_of, mentioned, open_end, rests_on
from lean_extract.session.goal_queries import GoalsFound, error_above
from lean_extract.session.insertion import Insertion, with_warnings
from lean_extract.session.live import LeanLimits
from lean_extract.session.places import bare
from lean_extract.session.server import LeanServer
from lean_extract.session.suggested import apply_suggestion, as_suggested, exact_for, is_query, with_arguments
from lean_extract.session.survey import survey_results, surveyed_in
from lean_extract.session.tactic_sites import WHERE_TO_TRY, PatchedDocument, TacticSite, guesses
from lean_extract.session.verdict import (
    CopyMessages,
    judge,
    judge_strict,
    mark_unjudged,
    read,
    same_goal,
    same_outcome,
)
from lean_extract.syntax.tactic_text import defect

_EXACT_ROUNDS = 2
"""As the term stands, and with the arguments that Lean misses."""
_SURVEY = "It only finds out which tactics Lean accepts."
_BY_TEXT = 3
"""After this many rounds, commands whose text mentions a removed command are also removed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A site at which Lean shows the goal, and Lean's messages with no tactic there.

    A tactic is tried in braces first, which shows what it leaves, and then in the document that its edit makes.

    `fault` is the reason why accepted tactics cannot be judged here. If broken commands above were replaced by
    blanks, `whole` is the same site in the original text, and `names` holds the names that they declare.
    """

    server: LeanServer
    site: TacticSite
    blank: CopyMessages
    insertion: Insertion
    fault: Fault | None = None
    whole: Trial | None = None
    names: Mapping[str, Fault] = field(default_factory=dict)

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        """Lean's verdict on one tactic within this time. At most as many trials as slots may run at once.

        Raises:
            LeanDied: the server ended. If only a worker ends, this tactic fails.
        """
        return await _bounded(self.server, tactic, seconds, self._judged)

    async def run_step(self, tactic: str, seconds: float) -> TacticOutcome:
        """As `run`, but if the tactic leaves goals, only what it leaves is found out, not how it is best written."""
        return await _bounded(self.server, tactic, seconds, partial(self._judged, is_step=True))

    async def _judged(self, tactic: str, seconds: float, *, is_step: bool = False) -> TacticOutcome:
        """The verdict in the text without broken commands, or in the original text if the tactic uses them."""
        if surveyed := surveyed_in(tactic):
            return await self._survey(tactic, surveyed, seconds)
        outcome, reading = await self._verdict(tactic, seconds)
        if outcome.status == "fails" and self.whole is not None:
            fault = mentioned(tactic, self.names)
            if fault is not None:
                outcome, _ = await self.whole._verdict(tactic, seconds)
                return self._unjudged(tactic, mark_unjudged(outcome, fault))
        if self.fault is not None:
            outcome = mark_unjudged(outcome, self.fault)
        if outcome.status not in ("closes", "progress"):
            return self._unjudged(tactic, outcome)
        if is_step and outcome.status == "progress":
            return outcome
        if is_query(tactic):
            judge = partial(self.insertion.judged, seconds=seconds)
            return await as_suggested(outcome, reading.suggestions, judge)
        shorter = await self._with_suggestions(outcome, reading, seconds) if reading.lints else outcome
        if shorter.instead:
            judged = await self.insertion.judged(shorter.instead, shorter, seconds)
            if judged.status == shorter.status:
                return judged
            shorter = replace(outcome, remark=reading.lints[0].warning)
        return await self._as_term(tactic, shorter, seconds) or await self.insertion.judged(
            tactic, shorter, seconds
        )

    async def _survey(self, survey: str, tactics: Sequence[str], seconds: float) -> TacticOutcome:
        """The outcome of a survey: its own is of no use, but it has those of its tactics."""
        found: tuple[TacticOutcome, ...] = ()
        if self.fault is None and self.blank.remaining:
            patched = self.site.patched(survey)
            diagnostics = await self.server.check(patched.text, seconds)
            found = survey_results(diagnostics, patched, tactics, self.blank.remaining[0])
        return TacticOutcome(survey, "fails", message=_SURVEY, surveyed=found)

    async def _as_term(self, tactic: str, outcome: TacticOutcome, seconds: float) -> TacticOutcome | None:
        """The outcome of `exact` in place of an `apply` that closes the goal, if Lean accepts that in the document."""
        exact = exact_for(tactic) if outcome.status == "closes" else ""
        for _ in range(_EXACT_ROUNDS):
            if not exact:
                break
            judged = await self.insertion.judged(exact, replace(outcome, instead=exact), seconds)
            if judged.status == outcome.status:
                return judged
            exact = with_arguments(exact, judged.message)
        return None

    def _unjudged(self, tactic: str, outcome: TacticOutcome) -> TacticOutcome:
        return self.insertion.unjudged(tactic, outcome) if outcome.status == "unjudged" else outcome

    async def _verdict(self, tactic: str, seconds: float) -> tuple[TacticOutcome, CopyMessages]:
        """The verdict on a tactic between braces, and Lean's messages."""
        reading = await self._read(self.site.patched(tactic), seconds)
        outcome = judge(tactic, reading, self.blank, self.site)
        if outcome.status in ("closes", "progress") and reading.is_unchecked:
            outcome = judge_strict(
                outcome, await self._read(self.site.patched(tactic, is_strict=True), seconds)
            )
        return outcome, reading

    async def _with_suggestions(
        self, outcome: TacticOutcome, reading: CopyMessages, seconds: float
    ) -> TacticOutcome:
        """The outcome with the suggestions of linters applied, as long as Lean's verdict stays the same."""
        shorter, first = outcome.tactic, self.site.patched("").inside
        for _ in range(MAX_LINTER_SUGGESTIONS):
            new = apply_suggestion(shorter, reading.lints, first)
            if new is None or defect(new) is not None:
                break
            again, reading_again = await self._verdict(new, seconds)
            if not same_outcome(again, outcome):
                break
            shorter, reading = new, reading_again
        remark = reading.lints[0].warning if reading.lints else ""
        instead = shorter if shorter != outcome.tactic else ""
        return replace(outcome, instead=instead, remark=remark)

    async def _read(self, patched: PatchedDocument, seconds: float) -> CopyMessages:
        return read(await self.server.check(patched.text, seconds), patched)


@dataclass(frozen=True, slots=True)
class _WholeTrial:
    """A `sorry` where braces are not allowed, or where errors in them are caught, as after `try`.

    A tactic is tried in the document that its edit makes only, so only whether it closes the goal can be seen.
    """

    server: LeanServer
    insertion: Insertion

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        """Lean's verdict on one tactic; see `Trial.run`."""
        return await _bounded(self.server, tactic, seconds, self._judged)

    run_step = run

    async def _judged(self, tactic: str, seconds: float) -> TacticOutcome:
        async def judge(text: str, query: TacticOutcome) -> TacticOutcome:
            return replace(await self.insertion.closed(text, seconds), instead=query.instead)

        if is_query(tactic):  # Lean's suggestions are not visible here
            return await as_suggested(TacticOutcome(tactic, "closes"), (), judge)
        return await self.insertion.closed(tactic, seconds)


async def _bounded(
    server: LeanServer, tactic: str, seconds: float, judge: Callable[[str, float], Awaitable[TacticOutcome]]
) -> TacticOutcome:
    """The verdict on a tactic; a timeout, or that it fails, if its worker ended."""
    begin = time.perf_counter()
    try:
        outcome = await judge(bare(tactic), seconds)
    except TimeoutError:
        outcome = TacticOutcome(tactic, "timeout", None, f"Lean did not finish within {seconds:g} s")
    except LeanDied as error:
        if not server.is_alive:
            raise
        outcome = TacticOutcome(tactic, "fails", None, error.message)
    return replace(outcome, tactic=tactic, milliseconds=(time.perf_counter() - begin) * 1000)


async def find_site(
    server: LeanServer, path: Path, document: LeanDocument, found: GoalsFound, limits: LeanLimits
) -> Trial | _WholeTrial:
    """The first place at which Lean, given no tactic, reports exactly this goal.

    Raises:
        NoGoalHere: there is no such place among the guesses.
        LeanTimeout, LeanDied: Lean did not elaborate the copies.
    """
    warned = await asyncio.to_thread(with_warnings, document, server.project)
    finder = _Finder(server, path, warned, limits.request_seconds)
    sites = await asyncio.to_thread(guesses, warned, found.position, is_term=found.is_term)
    for site in sites:
        blank = await finder.blank(site)
        is_right = blank.remaining and same_goal(blank.remaining[0], found.state.goals[0])
        if blank.error is None and is_right:
            fault = await asyncio.to_thread(finder.open_end, found)
            return await finder.without_broken(finder.trial(site, blank, fault))
    _, end = document.declaration(document.offset(found.position))
    await server.sync(path, document.text[:end], document.text)
    hint = error_above(await server.wait_elaborated(path), document, found.position)
    server.release(path)
    if found.is_hole and not hint:
        return _WholeTrial(server, finder.insertion(sites[0]))
    raise NoGoalHere(
        f"There is a goal in line {found.position.line + 1}, but no tactic can be tried there.",
        hint or WHERE_TO_TRY,
    )


@dataclass(frozen=True, slots=True)
class _Finder:
    """Makes Lean elaborate copies without a tactic."""

    server: LeanServer
    path: Path
    document: LeanDocument
    seconds: float

    async def blank(self, site: TacticSite) -> CopyMessages:
        """The messages with nothing between the braces. Raises LeanTimeout, LeanDied."""
        patched = site.patched("")
        line = await asyncio.to_thread(lambda: site.first_line)
        begin = partial(self.server.begin, self.path, self.document.header, patched.text, line)
        try:
            return read(await begin(), patched)
        except LeanDied as error:
            if not self.server.is_alive or error.is_of_memory:
                raise
            # The worker may have ended long ago, and those of the other copies with it.
            await self.server.drop_scratch()
            return read(await begin(), patched)

    def insertion(self, site: TacticSite, goal: Goal | None = None) -> Insertion:
        """The edits at a site."""
        return Insertion(self.server, self.path, site, self.seconds, goal)

    def trial(self, site: TacticSite, blank: CopyMessages, fault: Fault | None = None) -> Trial:
        """The trial at a site."""
        goal = blank.remaining[0] if blank.remaining else None
        return Trial(self.server, site, blank, self.insertion(site, goal), fault)

    def open_end(self, found: GoalsFound) -> Fault | None:
        """A fault if the text is incomplete (`faults.open_end`)."""
        return open_end(self.document, *self.document.declaration(self.document.offset(found.position)))

    async def without_broken(self, trial: Trial) -> Trial:
        """The trial in a text without the broken commands above the declaration, if the goal is the same there;
        otherwise the original trial, with the fault that prevents judging it."""
        line = await asyncio.to_thread(lambda: trial.site.first_line)
        faults = [fault for fault in trial.blank.above if fault.position.line < line]
        if trial.fault is not None or not faults:
            return trial
        above = await asyncio.to_thread(lambda: Above(trial.site.above, self.document.header))
        broken: dict[int, Fault] = {}
        apart = trial
        for number in range(MAX_REMOVAL_ROUNDS):
            new = above.broken(faults).keys() - broken.keys()
            if not new:
                break
            broken = await asyncio.to_thread(above.caused, new, broken) if broken else above.broken(faults)
            if number >= _BY_TEXT:
                broken = await asyncio.to_thread(above.with_users, broken)
            site = trial.site.on(above.without(broken))
            apart = self.trial(site, await self.blank(site))
            faults = [fault for fault in apart.blank.above if fault.position.line < line]
        return _judgeable_trial(trial, apart, above, broken, faults)


def _judgeable_trial(
    trial: Trial, apart: Trial, above: Above, broken: Mapping[int, Fault], left: Sequence[Fault]
) -> Trial:
    """The trial to use: in the original text, or in the text without broken commands.

    Args:
        trial: the site in the original text.
        apart: the same site in the text without the `broken` commands.
        above: the commands above the declaration.
        broken: the removed commands, each with its fault.
        left: the faults above that remain without them.
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
