"""ReplSession: goals and trials from a REPL, for people who reach Lean through one.

A `sorry` is inserted where the goal is requested, unless there is one. The text above the declaration is run once,
and each declaration is run in the resulting environment. The REPL gives the state of that `sorry` a number, and each
tactic is run on that state by itself.

It differs from `LeanSession` in two ways. Only the goal of the `sorry` is known, not the other goals there. Tactics
are tried one after the other. In both, the document with the edit of an accepted tactic is elaborated, too.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lean_extract.common.errors import GoalBroken, LeanDied, LeanError, LeanTimeout, NoGoalHere, ProjectBroken
from lean_extract.common.files.reading import read_source
from lean_extract.limits import MAX_REPL_REQUESTS
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.repl.process import (
    AGAIN,
    COMPLETED,
    CommandAnswer,
    ReplProcess,
    ReplSorry,
    StepAnswer,
    command_answer,
    refusal,
    step_answer,
    suggestions_in,
)
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Above, Fault, mentions_sorry
from lean_extract.session.goal_queries import refuse_unread
from lean_extract.session.insertion import Insertion, unhidden
from lean_extract.session.live import LeanLimits, LiveLean, TryTactic
from lean_extract.session.places import Place, bare, hole_at
from lean_extract.session.suggested import as_suggested, is_query
from lean_extract.session.tactic_sites import WHERE_TO_TRY, TacticSite, guesses, snap
from lean_extract.session.verdict import GAVE_UP, mark_unjudged, refused_goals, shortened

_HOLE = "sorry"
_BY = re.compile(r"(?<![\w.'])by(?![\w'])")


@dataclass(frozen=True, slots=True)
class _Found:
    """A `sorry` that the REPL knows, the first fault above it that may have changed its goal, and its place.

    The REPL does not report whether it is a term or a tactic, so there may be a second guess at the place.
    """

    hole: ReplSorry
    fault: Fault | None
    insertions: tuple[Insertion, ...]


@dataclass(frozen=True, slots=True)
class _Documents:
    """Elaborates documents that begin with a text whose environment is known."""

    session: ReplSession
    path: Path
    known: str
    env: int

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a document after the known text."""
        answer = await self.session._run(text.removeprefix(self.known), self.env, self.path, is_kept=False)
        return [_moved_down(one, self.known) for one in answer.diagnostics]

    async def messages_of(self, path: Path, text: str) -> list[dict[str, Any]] | None:
        """Nothing: the REPL keeps no messages."""
        return None


class ReplSession(LiveLean):
    """A live Lean, reached through a REPL, for one project. It writes nothing to disk.

    If the REPL has ended, the next request restarts it. Requests wait for each other.
    """

    def __init__(self, project: Path, command: Sequence[str], limits: LeanLimits) -> None:
        """Use `start` instead."""
        self._project = project.resolve()
        self._command = tuple(command)
        self._limits = limits
        self._tactic_seconds = limits.tactic_seconds
        self._process: ReplProcess | None = None
        self._environments: dict[tuple[int | None, str], CommandAnswer] = {}
        self._requests = 0
        self._using = asyncio.Lock()
        self._is_closed = False
        self._version = ""

    @classmethod
    async def start(
        cls, project: Path, command: Sequence[str], limits: LeanLimits | None = None
    ) -> ReplSession:
        """Start a REPL in a project. Raises LeanNotFound, LeanDied, LeanTimeout."""
        session = cls(project, command, limits or LeanLimits())
        try:
            async with session._using:
                session._version = await session._query_version()
        except BaseException:
            await session.close()
            raise
        return session

    @property
    def lean_version(self) -> str:
        """The version of the running Lean; empty if the REPL does not report it."""
        return self._version

    @property
    def pid(self) -> int | None:
        """The process that was started; None if there is none."""
        return self._process.pid if self._process is not None and self._process.is_alive else None

    async def close(self) -> None:
        """Stop the REPL. The session cannot be used afterwards."""
        self._is_closed = True
        await self._end()

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goal at a position, as the only one of the state.

        Raises: NoGoalHere, BadPosition, BadSource, ProjectBroken, LeanDied, LeanTimeout.
        """
        async with self._using:
            return ProofState((await self._find(path, text, position)).hole.goals)

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Load a file's imports in advance. Raises: as `goals_at`, except NoGoalHere and BadPosition."""
        async with self._using:
            await self._running()
            await self._environment(_document(self._project / path, text).header, path)

    @asynccontextmanager
    async def _trial_at(
        self, path: Path, text: str | None, position: Position, are_steps: bool
    ) -> AsyncGenerator[TryTactic, None]:
        async with self._using:
            found = await self._find(path, text, position)
        if mentions_sorry(found.hole.goals[0]):
            raise GoalBroken("The goal mentions `sorry`.", "Fix the error above it first.")
        yield partial(self._tried, path, text, position)

    async def _tried(
        self, path: Path, text: str | None, position: Position, tactic: str, seconds: float
    ) -> TacticOutcome:
        async with self._using:
            found = await self._find(path, text, position)
            begin = time.perf_counter()
            try:
                answer = await self._current.request(
                    {"tactic": tactic, "proofState": found.hole.proof_state}, seconds
                )
            except TimeoutError:
                message = f"Lean did not finish within {seconds:g} s"
                return TacticOutcome(tactic, "timeout", None, message, _since(begin))
            except LeanDied as error:
                return TacticOutcome(tactic, "fails", None, error.message, _since(begin))
            judged = _judged(tactic, answer, found, _since(begin))
            if judged.status == "unjudged":
                judged = found.insertions[0].unjudged(bare(tactic), judged)
            elif judged.status != "fails" and is_query(bare(tactic)):
                judge = partial(_inserted, found, seconds=seconds)
                judged = await as_suggested(
                    replace(judged, tactic=bare(tactic)), suggestions_in(answer), judge
                )
            elif judged.status != "fails":
                judged = await _inserted(found, bare(tactic), judged, seconds)
            return replace(judged, tactic=tactic, milliseconds=_since(begin))

    async def _find(self, path: Path, text: str | None, position: Position) -> _Found:
        """The `sorry` for a position: the one there, or one that is put there. Raises: as `goals_at`."""
        path = self._project / path
        document = _document(path, text)
        await asyncio.to_thread(refuse_unread, path, document, position)
        position = snap(document, position)
        await self._running()
        for site in await asyncio.to_thread(_sites, document, position):
            found = await self._at_site(document.header, site, path)
            if found is not None:
                return found
        raise NoGoalHere(f"There is no goal in line {position.line + 1} of {path.name}.", WHERE_TO_TRY)

    async def _at_site(self, header: str, site: TacticSite, path: Path) -> _Found | None:
        env, fault = await self._environment(header, path), None
        end = max(len(header) - 1, 0)  # the header ends with a line break of its own
        above, head = site.above[end:], site.head[end:]
        if above.strip():
            answer = await self._run(above, env, path)
            env, head = answer.env, site.head[len(site.above) :]
            faults = [_moved(one, site.head[:end]) for one in answer.faults]
            fault = (await asyncio.to_thread(Above, site.above, header)).unsound(faults)
        answer = await self._run(f"{head}{_HOLE}{site.tail}", env, path)
        here = LeanDocument(head).position(len(head))
        hole = next((one for one in answer.sorries if one.position == here), None)
        if hole is None or not hole.goals:
            return None
        before = site.head[: len(site.head) - len(head)]
        documents = _Documents(self, path, before, env)
        own = [one for one in answer.faults if not (one.is_sorry or one.is_harmless) and one.position < here]
        insertions = tuple(
            Insertion(
                documents, path, replace(site, place=place), self._limits.request_seconds, hole.goals[0]
            )
            for place in _kinds(site)
        )
        return _Found(hole, fault or next((_moved(one, before) for one in own), None), insertions)

    async def _environment(self, header: str, path: Path) -> int:
        """The environment after a file's imports. Raises ProjectBroken."""
        answer = await self._run(header, None, path)
        if answer.faults:
            raise _broken_imports(path, answer.faults[0].first_line)
        return answer.env

    async def _run(self, text: str, env: int | None, path: Path, *, is_kept: bool = True) -> CommandAnswer:
        """The answer to commands in an environment; with `is_kept`, the answer is cached while the process runs."""
        key = (env, text)
        known = self._environments.get(key)
        if known is not None:
            return known
        request: dict[str, Any] = {"cmd": text} if env is None else {"cmd": text, "env": env}
        try:
            answer = await self._current.request(request, self._limits.request_seconds)
        except TimeoutError as error:
            raise LeanTimeout(
                f"The REPL did not elaborate {path.name} within {self._limits.request_seconds:g} s.",
                "Raise the limit `lean.requestSeconds`, or split the file.",
            ) from error
        if (message := refusal(answer)) is not None:
            if env is None:
                raise _broken_imports(path, message.strip())
            raise LeanError(f"The REPL refused the text of {path.name}: {message.strip()}", "Try again.")
        try:
            found = command_answer(answer)
        except ValueError as error:
            await self._end()
            raise LeanDied(f"The REPL's answer has an unknown form: {error}.", AGAIN) from error
        if is_kept:
            self._environments[key] = found
        return found

    async def _query_version(self) -> str:
        await self._running()
        try:
            answer = await self._current.request(
                {"cmd": "#eval Lean.versionString"}, self._limits.start_seconds
            )
        except TimeoutError as error:
            raise LeanTimeout(
                f"The REPL did not answer within {self._limits.start_seconds:g} s of its start.",
                "Check `lean.replCommand`, or raise the limit `lean.startSeconds`.",
            ) from error
        messages = answer.get("messages")
        first = messages[0] if isinstance(messages, list) and messages else {}
        is_version = isinstance(first, dict) and first.get("severity") == "info"
        return str(first.get("data", "")).strip().strip('"') if is_version else ""

    @property
    def _current(self) -> ReplProcess:
        """The process that knows the environments. Raises LeanDied: it has been closed."""
        if self._process is None:
            raise LeanDied("The REPL has ended.", AGAIN)
        self._requests += 1
        return self._process

    async def _running(self) -> None:
        """Start a REPL if none is running, or if it has answered `MAX_REPL_REQUESTS` requests."""
        if self._is_closed:
            raise LeanDied("The Lean session has been closed.", "Open another.")
        if self._process is not None and (not self._process.is_alive or self._requests > MAX_REPL_REQUESTS):
            await self._end()
        if self._process is None:
            self._process = await ReplProcess.start(self._project, self._command, self._limits)
            self._requests = 0

    async def _end(self) -> None:
        self._environments.clear()
        process, self._process = self._process, None
        if process is not None:
            await process.close()


def _broken_imports(path: Path, reason: str) -> ProjectBroken:
    return ProjectBroken(
        f"The imports of {path.name} cannot be loaded: {reason}",
        "Build the project (`lake build`), and check what `lean.replCommand` runs.",
    )


def _judged(tactic: str, answer: dict[str, Any], found: _Found, milliseconds: float) -> TacticOutcome:
    """The verdict from the REPL's answer to a tactic."""
    problem = refusal(answer)
    step: StepAnswer | None = None
    if problem is None:
        try:
            step = step_answer(answer)
        except ValueError as error:
            problem = f"The REPL's answer has an unknown form: {error}"
        else:
            problem = _problem(step, found)
    if problem is not None or step is None:
        message = shortened((problem or "").removeprefix("Lean error:").strip())
        return TacticOutcome(tactic, "fails", None, message, milliseconds)
    outcome = TacticOutcome(
        tactic, "progress" if step.goals else "closes", ProofState(step.goals), "", milliseconds
    )
    return mark_unjudged(outcome, found.fault) if found.fault is not None else outcome


async def _inserted(found: _Found, tactic: str, accepted: TacticOutcome, seconds: float) -> TacticOutcome:
    """The outcome of the first accepted edit, in the document that it makes."""
    outcomes = [accepted]
    for insertion in found.insertions:
        outcomes.append(await insertion.judged(tactic, accepted, seconds))
        if outcomes[-1].status != "fails":
            return outcomes[-1]
    return outcomes[1]


def _problem(step: StepAnswer, found: _Found) -> str | None:
    """Why a tactic does not count as accepted; None if it does."""
    if step.error:
        return step.error
    if step.has_sorry:
        return GAVE_UP
    if not step.goals:
        return None if step.status in ("", COMPLETED) else step.status
    return refused_goals(step.goals, found.hole.goals[:1])


def _sites(document: LeanDocument, position: Position) -> Iterator[TacticSite]:
    """Where a `sorry` may be put for a position; where a tactic is new, only in a proof by tactics."""
    is_hole = hole_at(document, document.offset(position)) is not None
    sites = guesses(document, position, is_term=None)
    return (site for site in sites if is_hole or _BY.search(site.declaration))


def _kinds(site: TacticSite) -> list[Place]:
    """The site's place, and, if there is a hole, the same place for the other kind of text."""
    if hole_at(site.document, site.place.start) is None:
        return [site.place]
    return [site.place, replace(site.place, in_term=not site.place.in_term)]


def _moved(fault: Fault, before: str) -> Fault:
    """A fault of a text at its place in the file, in which `before` precedes the text."""
    line, column = fault.position.line, fault.position.column
    if line == 0:
        column += len(before) - before.rfind("\n") - 1
    return Fault(Position(before.count("\n") + line, column), fault.message, fault.is_sorry)


def _moved_down(diagnostic: Mapping[str, Any], before: str) -> dict[str, Any]:
    """A diagnostic of a text at its place in the file."""
    ends = {}
    for name, end in diagnostic["range"].items():
        moved = _moved(Fault(Position(end["line"], end["character"]), ""), before).position
        ends[name] = {"line": moved.line, "character": moved.column}
    return {**diagnostic, "range": ends}


def _document(path: Path, text: str | None) -> LeanDocument:
    return LeanDocument(unhidden(read_source(path) if text is None else text))


def _since(begin: float) -> float:
    return (time.perf_counter() - begin) * 1000
