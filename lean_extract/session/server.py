"""One Lean language server: starts, watches, queries and stops it, through `leanclient`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from leanclient.aio import (
    AsyncLeanLSPClient,
    DocState,
    LeanClientError,
    LeanRequestTimeout,
    LeanRpcError,
    LeanTransportError,
    LeanWorkerCrashed,
)

from lean_extract.errors import LeanDied, LeanError, LeanNotFound, LeanTimeout
from lean_extract.files.reading import is_folder
from lean_extract.records import Position
from lean_extract.session import processes
from lean_extract.session.faults import Fault
from lean_extract.session.limits import LeanLimits
from lean_extract.session.scratch import Scratch
from lean_extract.session.watching import file_changes
from lean_extract.toolchains.lake_packages import refuse_fetching
from lean_extract.toolchains.toolchain import Toolchain

_T = TypeVar("_T")
_GUARD = Path(__file__).with_name("guard.py")
_OPEN_FILES = 4
_WATCH_SECONDS = 0.25
_TERMINATION_SECONDS = 2.0
_ENDED_SECONDS = 0.02
_END_SECONDS = 5.0
_CONTENT_MODIFIED = -32801
_SCRATCH_NAME = "_premise_suggest_scratch"
_AGAIN = "Try again: Lean will be restarted."


class _Client(AsyncLeanLSPClient):
    """leanclient with `start_seconds` instead of its own limit of 30 s, and a watch over less than all files."""

    def __init__(self, project: Path, toolchain: Toolchain, limits: LeanLimits) -> None:
        super().__init__(
            str(project),
            max_workers=_OPEN_FILES,
            request_timeout=limits.request_seconds,
            check_version=False,
            server_command=_command(toolchain),
        )
        request = self._transport.request

        async def bounded(method: str, params: dict[str, Any], timeout: float | None = None) -> object:
            return await request(method, params, limits.start_seconds if method == "initialize" else timeout)

        self._transport.request = bounded  # type: ignore[method-assign]

    async def _watch_project_files(self) -> None:
        """Tell Lean of changed files.

        leanclient watches all below the folder and all that links lead to. It also marks documents that it has read
        from the disk; ours have their texts from us.
        """
        self._watch_ready.set()
        async for changes in file_changes(Path(self.project_path)):
            said = [{"uri": Path(path).as_uri(), "type": change.value} for change, path in sorted(changes)]
            with contextlib.suppress(LeanTransportError):  # it has ended
                await self._transport.notify("workspace/didChangeWatchedFiles", {"changes": said})


class LeanServer:
    """A running server. Once `is_alive` is False, it must be closed and not be used again."""

    def __init__(self, project: Path, toolchain: Toolchain, limits: LeanLimits) -> None:
        self.project = project
        self.toolchain = toolchain
        self._limits = limits
        self._client = _Client(project, toolchain, limits)
        self._workers: frozenset[processes.Process] = frozenset()
        self._documents: dict[Path, DocState] = {}
        self._watch: asyncio.Task[None] | None = None
        self._outdated: set[Path] = set()
        self._scratch_is_outdated = False
        self._closing: asyncio.Task[None] | None = None
        self._pool: Scratch | None = None
        self._too_big = False
        self.outgrew = False
        """Whether the last worker that ended was killed because of its memory."""
        self._is_given_up = False

    @classmethod
    async def start(cls, project: Path, toolchain: Toolchain, limits: LeanLimits) -> LeanServer:
        """Start a server and initialize it.

        Raises:
            LeanNotFound: the command cannot be run.
            ProjectBroken: Lake would first fetch packages, or write a manifest.
            LeanDied: the server exited, or its response was malformed.
            LeanTimeout: it did not respond within `limits.start_seconds`.
        """
        if not is_folder(project):
            raise LeanNotFound(f"The project folder {project} does not exist.", "Check the path.")
        program = toolchain.server_command[0]
        if shutil.which(program) is None:
            raise LeanNotFound(f"There is no program {program}.", "Run `premise-suggest doctor`.")
        server = cls(project, toolchain, limits)
        await server._refuse_fetching()
        try:
            async with asyncio.timeout(limits.start_seconds):
                with server._errors("starting", may_time_out=True):
                    await server._client.start()
        except (TimeoutError, LeanRequestTimeout) as error:
            await server.close()
            raise LeanTimeout(
                f"Lean did not respond within {limits.start_seconds:g} s of its start.",
                "Run `premise-suggest doctor`, or raise the limit `lean.startSeconds`.",
            ) from error
        except BaseException:
            await server.close()
            raise
        server._watch = asyncio.create_task(server._watch_memory())
        return server

    @property
    def is_alive(self) -> bool:
        """Whether the server still runs and responds."""
        return self._client.alive and not self._is_given_up

    @property
    def pid(self) -> int | None:
        """The process that was started; None once it has ended. Lean's workers are its descendants."""
        process = self._client._transport._proc
        return process.pid if process is not None else None

    def give_up(self) -> None:
        """Mark the server as no longer responding, so that the next request starts another."""
        self._is_given_up = True

    async def close(self) -> None:
        """Stop the server and its workers. This completes even if the caller is cancelled."""
        self.give_up()
        if self._closing is None:
            self._closing = asyncio.create_task(self._end(self._terminate()))
        await asyncio.shield(self._closing)

    def _terminate(self) -> asyncio.subprocess.Process | None:
        if self._watch is not None:
            self._watch.cancel()
        process = self._client._transport._proc
        if process is not None and process.returncode is None:
            self._note_processes(process.pid)
            self._workers |= processes.identify([process.pid])
        processes.terminate(self._workers)  # so that a `git` of Lake can tidy up
        return process

    async def _end(self, process: asyncio.subprocess.Process | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TERMINATION_SECONDS):
                while processes.running(self._workers):
                    await asyncio.sleep(_ENDED_SECONDS)
        if process is not None and process.returncode is None:
            self._note_processes(process.pid)
        # Workers run in sessions of their own, so killing the server's process group is not enough.
        processes.kill(self._workers)
        await self._client.close()
        if process is None:
            return
        reader = self._client._transport._stderr_task
        if reader is not None:
            reader.cancel()
            await asyncio.wait([reader])
        with contextlib.suppress(TimeoutError):  # Another process holds the pipes; the server has ended.
            async with asyncio.timeout(_END_SECONDS):
                await process.communicate()

    def _note_processes(self, pid: int) -> list[int]:
        """The server's descendants. They are recorded, since they may outlive it."""
        pids = processes.descendants(pid)
        self._workers |= processes.identify(pids)
        return pids

    async def _refuse_fetching(self) -> None:
        """Raise ProjectBroken where Lake would change packages: it is run for each worker that starts."""
        if self.toolchain.runs_lake:
            await asyncio.to_thread(refuse_fetching, self.project)

    async def sync(self, path: Path, text: str) -> DocState:
        """Give Lean this text for a file, without reading the disk.

        A file whose worker ended, or whose imports failed, is reopened: Lean would not respond to further
        requests about it, and the imports may have been fixed.

        Raises ProjectBroken: the project's packages have moved, which Lake would undo for the file's worker.
        """
        await self._refuse_fetching()
        with self._errors(f"opening {path.name}"):
            known = self._documents.get(path)
            if known is not None and (known.fatal_error or path in self._outdated):
                await self.forget(path)
            document = await self._client.open(str(path), text=text, wait=False)
            self._documents[path] = document
            return document

    def outdate(self) -> None:
        """Reload the imports of every file at the next request about it."""
        self._outdated |= self._documents.keys()
        self._scratch_is_outdated = True

    async def forget(self, path: Path) -> None:
        """Close a file, which ends its worker."""
        self._documents.pop(path, None)
        self._outdated.discard(path)
        await self._client.close_file(str(path))

    async def settle(self, path: Path) -> DocState:
        """Wait until the whole text of a file is elaborated."""
        known = self._documents.get(path)
        if known is None:
            raise LeanDied(f"{path.name} was closed while Lean worked on it.", _AGAIN)
        # With the text, even if it was closed to make room: of a file that it reads itself, leanclient has Lake build
        # the imports.
        with self._errors(f"opening {path.name}"):
            self._documents[path] = await self._client.open(str(path), text=known.text, wait=False)
        return await self._answer(path, self._client.open(str(path), text=known.text, wait=True))

    async def tactic_goals(self, path: Path, position: Position) -> Mapping[str, Any] | None:
        """Lean's response to `$/lean/plainGoal`, which waits until the text above the position is elaborated."""
        request = self._client.goal(str(path), position.line, position.column, fresh=False)
        goal = await self._answer(path, request)
        return None if goal.status == "no_goal" else {"goals": goal.goals, "rendered": goal.rendered}

    async def term_goal(self, path: Path, position: Position) -> str | None:
        """The printed goal of the term at the position; None if there is none."""
        answer = await self._term_answer(path, position)
        return str(answer["goal"]) if answer is not None else None

    async def expected_type(self, path: Path, position: Position, length: int) -> str | None:
        """The printed goal of the term of this length at the position; None for a term that encloses it."""
        answer = await self._term_answer(path, position)
        if answer is None:
            return None
        start, end = answer["range"]["start"], answer["range"]["end"]
        is_it = start["line"] == end["line"] and end["character"] - start["character"] == length
        return str(answer["goal"]) if is_it else None

    async def _term_answer(self, path: Path, position: Position) -> Mapping[str, Any] | None:
        """Lean's response to `$/lean/plainTermGoal`."""
        request = self._client.term_goal(str(path), position.line, position.column, fresh=False)
        answer = await self._answer(path, request)
        return answer if isinstance(answer, dict) and "goal" in answer else None

    async def _answer(self, path: Path, request: Coroutine[Any, Any, _T]) -> _T:
        """The response to a request about a file.

        If the worker ended just before the request, Lean never responds to it. Then only Lean's notification that
        the worker ended arrives.
        """
        doing = f"elaborating {path.name}"
        asking = asyncio.ensure_future(request)
        try:
            with self._errors(doing), self._malformed_answers(path):
                was_dead = False
                while not (await asyncio.wait([asking], timeout=_WATCH_SECONDS))[0]:
                    document = self._documents.get(path)
                    is_dead = document is not None and document.fatal_error
                    if is_dead and was_dead:
                        raise self._worker_death(doing)
                    was_dead = is_dead
                return asking.result()
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait([asking])

    async def scratch(self, header: str) -> None:
        """Prepare the scratch documents for texts with this header."""
        is_same = self._pool is not None and self._pool.header.strip() == header.strip()
        if is_same and not self._scratch_is_outdated:
            return
        await self._refuse_fetching()
        await self.drop_scratch()
        pool = Scratch(self._client, header, self._limits.slots, _SCRATCH_NAME)
        with self._errors("loading the file's imports"):
            await pool.warm()
        self._pool = pool

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a text, with columns in code points, from the next free scratch document.

        Raises:
            TimeoutError: it took longer than `seconds`, counted from the moment when a document was free.
            LeanDied: Lean's worker or server ended.
        """
        if self._pool is None:
            raise LeanDied("Lean's scratch documents were closed.", _AGAIN)
        try:
            with self._errors("trying a tactic", may_time_out=True):
                return await self._pool.check(text, seconds)
        except LeanRequestTimeout as error:
            raise TimeoutError from error

    async def messages_of(self, path: Path, text: str, seconds: float) -> list[dict[str, Any]] | None:
        """All diagnostics of a file, with columns in code points, if Lean has this text of it; None otherwise."""
        document = self._documents.get(path)
        if document is None or document.text != text:
            return None
        request = self._client.diagnostics(str(path), fresh=True, timeout=seconds)
        report = await self._answer(path, request)
        return list(report.items) if document.text == text else None

    def errors_in(self, path: Path, beginning: str, lines: int) -> list[Fault]:
        """The errors that Lean has reported in the first lines of a file, but for those of the compiler alone.

        `beginning` is the text of these lines; there is none if Lean has another text of them.
        """
        document = self._documents.get(path)
        if document is None or not document.text.startswith(beginning):
            return []
        errors = (one for one in document.diagnostics if one.get("severity") == 1)
        faults = [Fault(_start(one), str(one.get("message", ""))) for one in errors]
        return [one for one in faults if one.position.line < lines and not one.is_about_compiling]

    async def drop_scratch(self) -> None:
        """Close the scratch documents. This ends their workers, which may still be busy."""
        pool, self._pool = self._pool, None
        self._scratch_is_outdated = False
        if pool is not None and self.is_alive:
            await pool.close()

    @contextmanager
    def _errors(self, doing: str, *, may_time_out: bool = False) -> Iterator[None]:
        """Convert leanclient's exceptions to those of this project."""
        try:
            yield
        except LeanTransportError as error:
            self.give_up()
            last = _last_error_line(error)
            if last.startswith(f"{self.toolchain.server_command[0]}: "):  # from `guard.py`
                raise LeanNotFound(f"{last}. It cannot be run.", "Install this Lean again.") from error
            raise LeanDied(f"Lean's server ended while {doing} ({last}).", _AGAIN) from error
        except LeanWorkerCrashed as error:
            raise self._worker_death(doing) from error
        except LeanRequestTimeout as error:
            if may_time_out:
                raise
            raise LeanTimeout(
                f"Lean did not respond within {self._limits.request_seconds:g} s while {doing}.",
                "Raise the limit `lean.requestSeconds`, or split the file.",
            ) from error
        except LeanRpcError as error:
            if error.code == _CONTENT_MODIFIED:
                raise LeanError("The text changed while Lean was working on it.", "Try again.") from error
            raise LeanError(
                f"Lean reported an error while {doing}: {error.rpc_message}", "Try again."
            ) from error
        except LeanClientError as error:
            raise LeanDied(f"Lean failed while {doing}: {error}", _AGAIN) from error

    @contextmanager
    def _malformed_answers(self, path: Path) -> Iterator[None]:
        """Treat a malformed response, on which leanclient fails, as the end of the server."""
        try:
            yield
        except (AttributeError, TypeError) as error:
            self.give_up()
            raise LeanDied(f"Lean's server sent a malformed response about {path.name}.", _AGAIN) from error

    def _worker_death(self, doing: str) -> LeanDied:
        self.outgrew, self._too_big = self._too_big, False
        if self.outgrew:
            return LeanDied(
                f"Lean was stopped while {doing}: it used more than {self._limits.memory_mb} MB of memory.",
                "Raise the memory limit (`lean.memoryMb`), or simplify the file.",
            )
        return LeanDied(f"Lean's worker ended while {doing}.", _AGAIN)

    async def _watch_memory(self) -> None:
        """Kill workers that exceed the memory limit. Lean itself then reports that the worker ended."""
        while self.is_alive and self.pid is not None:
            for pid in self._note_processes(self.pid):
                if processes.private_megabytes(pid) > self._limits.memory_mb:
                    self._too_big = True
                    processes.kill(processes.identify([pid]))
            await asyncio.sleep(_WATCH_SECONDS)


def _start(diagnostic: Mapping[str, Any]) -> Position:
    start = diagnostic["range"]["start"]
    return Position(int(start["line"]), int(start["character"]))


def _command(toolchain: Toolchain) -> list[str]:
    variables = [f"{name}={value}" for name, value in toolchain.environment.items()]
    guard = [sys.executable, "-I", "-S", str(_GUARD), str(os.getpid()), *variables, "--"]
    return [*guard, *toolchain.server_command, "-Dserver.reportDelayMs=0"]


def _last_error_line(error: LeanTransportError) -> str:
    """The last line that the server wrote to standard error, or else the error of the connection."""
    lines = error.stderr_tail.strip().splitlines()
    return lines[-1] if lines else str(error)
