"""One process of leanprover-community/repl, and its answers as records: messages, `sorry`s, goals after a tactic.

Requests and answers are JSON objects, each followed by an empty line. Answers carry no number, so they are matched by
their order: if an answer does not come in time, the process cannot be used any more and is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import LeanDied, LeanError, LeanNotFound
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import is_folder
from lean_extract.limits import LEAN_END_SECONDS, LEAN_WATCH_SECONDS, MAX_REPL_ANSWER_BYTES
from lean_extract.records import Goal, Position
from lean_extract.session import processes
from lean_extract.session.faults import Fault
from lean_extract.session.live import LeanLimits
from lean_extract.session.suggested import suggested_in
from lean_extract.session.verdict import goals_in, uses_sorry
from lean_extract.toolchains.lake_packages import refuse_fetching

_INFORMATION = 3
_SEVERITIES = {"error": 1, "warning": 2}
COMPLETED = "Completed"
"""The `proofStatus` of a proof that Lean's kernel has checked, with no `sorry`."""


@dataclass(frozen=True, slots=True)
class ReplSorry:
    """A `sorry`: its place in the text that was sent, the number of its proof state, and its goals."""

    position: Position
    proof_state: int
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """The REPL's answer to commands."""

    env: int
    sorries: tuple[ReplSorry, ...]
    faults: tuple[Fault, ...]
    """Errors, and warnings of `sorry`, at their places in what was sent."""
    diagnostics: tuple[Mapping[str, Any], ...] = ()
    """All messages, as Lean's language server gives them; columns in code points."""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """What a tactic leaves."""

    goals: tuple[Goal, ...]
    status: str
    """The whole proof's status, if the REPL reports it: `Completed`, `Incomplete: …`, `Error: …`; else empty."""
    error: str
    """The first error; empty if there is none."""
    has_sorry: bool


def refusal(answer: Mapping[str, Any]) -> str | None:
    """The message of an answer that is an error; None for others."""
    message = answer.get("message")
    return str(message) if message is not None and "env" not in answer and "goals" not in answer else None


def command_answer(answer: Mapping[str, Any]) -> CommandAnswer:
    """The answer to a command. Raises ValueError: it has another form."""
    env = answer.get("env")
    if type(env) is not int:
        raise ValueError("it has no environment")
    return CommandAnswer(
        env,
        tuple(hole for entry in _entries(answer, "sorries") if (hole := _sorry(entry)) is not None),
        tuple(fault for entry in _entries(answer, "messages") if (fault := _fault(entry)) is not None),
        tuple(one for entry in _entries(answer, "messages") if (one := _diagnostic(entry)) is not None),
    )


def step_answer(answer: Mapping[str, Any]) -> StepAnswer:
    """The answer to a tactic. Raises ValueError: it has another form."""
    goals = answer.get("goals")
    if not isinstance(goals, list) or not all(isinstance(goal, str) for goal in goals):
        raise ValueError("it has no goals")
    errors = [one for one in _entries(answer, "messages") if one.get("severity") == "error"]
    return StepAnswer(
        tuple(goal for printed in goals for goal in goals_in(printed)),
        str(answer.get("proofStatus", "")),
        str(errors[0].get("data", "")).strip() if errors else "",
        bool(_entries(answer, "sorries")),
    )


def suggestions_in(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """What Lean suggests in place of a tactic such as `exact?`."""
    messages = (str(one.get("data", "")) for one in _entries(answer, "messages"))
    return tuple(text for message in messages for text in suggested_in(message))


def _entries(answer: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = answer.get(name, [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _sorry(entry: Mapping[str, Any]) -> ReplSorry | None:
    position, number = _position(entry.get("pos")), entry.get("proofState")
    if position is None or type(number) is not int:
        return None
    return ReplSorry(position, number, goals_in(str(entry.get("goal", ""))))


def _fault(entry: Mapping[str, Any]) -> Fault | None:
    position, message = _position(entry.get("pos")), str(entry.get("data", ""))
    if position is None:
        return None
    if entry.get("severity") == "error":
        return Fault(position, message)
    return Fault(position, message, is_sorry=True) if uses_sorry(message) else None


def _diagnostic(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    start, end = _position(entry.get("pos")), _position(entry.get("endPos"))
    if start is None:
        return None
    severity = _SEVERITIES.get(str(entry.get("severity")), _INFORMATION)
    ends = {"start": start, "end": end or start}
    ranged = {name: {"line": place.line, "character": place.column} for name, place in ends.items()}
    return {"message": str(entry.get("data", "")), "severity": severity, "range": ranged}


def _position(value: object) -> Position | None:
    """A position of the REPL's, whose lines count from 1."""
    if not isinstance(value, dict):
        return None
    line, column = value.get("line"), value.get("column")
    if type(line) is not int or type(column) is not int or line < 1 or column < 0:
        return None
    return Position(line - 1, column)


_KEPT_ERRORS = 4096
AGAIN = "Try again: the REPL will be restarted."


class ReplProcess:
    """A running REPL. Once `is_alive` is False, it must be closed and not be used again."""

    def __init__(self, process: asyncio.subprocess.Process, limits: LeanLimits) -> None:
        """Use `start` instead."""
        self._process = process
        self._limits = limits
        self._is_given_up = False
        self._lock = asyncio.Lock()
        self._errors = bytearray()
        self._listening = asyncio.create_task(self._listen())
        self._known: frozenset[processes.Process] = frozenset()

    @classmethod
    async def start(cls, project: Path, command: Sequence[str], limits: LeanLimits) -> ReplProcess:
        """Start a REPL in a project's folder.

        Raises LeanNotFound: the command cannot be run; ProjectBroken: Lake would first fetch packages.
        """
        if not is_folder(project):
            raise LeanNotFound(f"The project folder {project} does not exist.", "Check the path.")
        if shutil.which(command[0], path=os.environ.get("PATH")) is None:
            raise LeanNotFound(
                f"There is no program {command[0]}, which should run the REPL.",
                "Set `lean.replCommand`, such as `lake env /path/to/repl`.",
            )
        if Path(command[0]).stem == "lake":
            await asyncio.to_thread(refuse_fetching, project)
        process = await asyncio.create_subprocess_exec(
            *processes.guarded(command, {}),
            cwd=project,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=MAX_REPL_ANSWER_BYTES,
        )
        return cls(process, limits)

    @property
    def is_alive(self) -> bool:
        """Whether the process runs and its answers are in step with its requests."""
        return self._process.returncode is None and not self._is_given_up

    @property
    def pid(self) -> int:
        """The process that was started; the REPL may be a descendant of it."""
        return self._process.pid

    async def request(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            TimeoutError: it did not come within these seconds. The process is killed.
            LeanDied: the process ended, used too much memory, or what it wrote is not an answer.
        """
        async with self._lock:
            if not self.is_alive:
                raise LeanDied("The REPL has ended.", AGAIN)
            try:
                async with asyncio.timeout(seconds):
                    return await self._answer(request)
            except BaseException as error:  # also on cancellation: the answer may still come
                if not isinstance(error, LeanError) or isinstance(error, LeanDied):
                    self._give_up()
                raise

    async def close(self) -> None:
        """End the process and all that it started."""
        self._give_up()
        self._listening.cancel()
        await asyncio.wait([self._listening])
        with contextlib.suppress(TimeoutError):  # another process holds the pipes
            async with asyncio.timeout(LEAN_END_SECONDS):
                await self._process.wait()

    async def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        text = json.dumps(dict(request), ensure_ascii=False)
        try:
            self._process.stdin.write(f"{text}\n\n".encode(errors="replace"))
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise self._death() from error
        reading = asyncio.ensure_future(self._read())
        try:
            while not (await asyncio.wait([reading], timeout=LEAN_WATCH_SECONDS))[0]:
                self._check_memory()
            return reading.result()
        finally:
            reading.cancel()

    async def _read(self) -> dict[str, Any]:
        """The lines up to an empty one, as an object."""
        assert self._process.stdout is not None
        lines: list[bytes] = []
        size = 0
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError as error:  # longer than the limit
                raise LeanDied("The REPL's answer is far too long.", AGAIN) from error
            size += len(line)
            if size > MAX_REPL_ANSWER_BYTES:
                raise LeanDied("The REPL's answer is far too long.", AGAIN)
            if not line:
                raise self._death()
            if line.strip():
                lines.append(line)
            elif lines:
                return _object(b"".join(lines))

    async def _listen(self) -> None:
        """Keep the end of what is written to standard error."""
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(_KEPT_ERRORS):
            self._errors = (self._errors + data)[-_KEPT_ERRORS:]

    def _check_memory(self) -> None:
        """Raise LeanDied if a process of the REPL exceeds the memory limit."""
        for pid in self._note_processes():
            if processes.private_megabytes(pid) > self._limits.memory_mb:
                raise LeanDied(
                    f"The REPL was stopped: it used more than {self._limits.memory_mb} MB of memory.",
                    "Raise the memory limit (`lean.memoryMb`), or simplify the file.",
                )

    def _note_processes(self) -> list[int]:
        pids = [self._process.pid, *processes.descendants(self._process.pid)]
        self._known |= processes.identify(pids)
        return pids

    def _give_up(self) -> None:
        self._is_given_up = True
        if self._process.returncode is None:
            self._note_processes()
        processes.kill(self._known)

    def _death(self) -> LeanDied:
        last = next(iter(bytes(self._errors).decode(errors="replace").strip().splitlines()[-1:]), "")
        return LeanDied(f"The REPL ended{f': {last[:300]}' if last else ''}.", AGAIN)


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = parse_json(data)
    except ValueError as error:
        raise LeanDied(f"The REPL's answer is not JSON: {data[:80]!r}.", AGAIN) from error
    if not isinstance(found, dict):
        raise LeanDied("The REPL's answer is not a JSON object.", AGAIN)
    return found
