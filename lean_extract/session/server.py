"""One Lean language server: starts, watches, queries and stops it, through `leanclient`."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from leanclient.aio import (
    DocState,
    LeanClientError,
    LeanRequestTimeout,
    LeanRpcError,
    LeanTransportError,
    LeanWorkerCrashed,
)

from lean_extract.common.errors import LeanDied, LeanError, LeanNotFound, LeanTimeout
from lean_extract.common.files.reading import is_folder
from lean_extract.limits import (
    LEAN_IDLE_SECONDS,
    LEAN_SPARE_SECONDS,
    LEAN_WATCH_SECONDS,
    MAX_OPEN_FILES,
    TERMINATION_SECONDS,
)
from lean_extract.records import Position, Span
from lean_extract.session import processes
from lean_extract.session.client import LeanClient, LeanIsSilent, Patience, Progress, copy_of, name_of
from lean_extract.session.faults import Fault, faults_in, is_error
from lean_extract.session.live import LeanLimits
from lean_extract.session.scratch import Scratch
from lean_extract.toolchains.lake_packages import refuse_fetching
from lean_extract.toolchains.toolchain import Toolchain

_T = TypeVar("_T")
_ENDED_SECONDS = 0.02
_CONTENT_MODIFIED = -32801
_AGAIN = "Try again: Lean will be restarted."


class LeanServer:
    """A running server. Once `is_alive` is False, it must be closed and not be used again."""

    def __init__(self, project: Path, toolchain: Toolchain, limits: LeanLimits) -> None:
        self.project = project
        self.toolchain = toolchain
        self._limits = limits
        command = [*toolchain.server_command, "-Dserver.reportDelayMs=0"]
        command = processes.guarded(command, toolchain.environment)
        self._client = LeanClient(project, command, limits.start_seconds, MAX_OPEN_FILES)
        self._workers: frozenset[processes.Process] = frozenset()
        self._watch: asyncio.Task[None] | None = None
        self._opened: set[Path] = set()
        self._outdated: set[Path] = set()
        self._silent: tuple[str, Progress | None] | None = None
        self._scratch_is_outdated = False
        self._closing: asyncio.Task[None] | None = None
        self._pool: Scratch | None = None
        self._numbers = itertools.count(1)
        self._outgrown = ""
        """What a worker was killed for."""
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
                with server._errors("starting"):
                    await server._client.start()
        except (TimeoutError, LeanTimeout) as error:
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
        process = self._client.process
        return process.pid if process is not None else None

    def give_up(self) -> None:
        """Mark the server as no longer responding, so that the next request starts another."""
        self._is_given_up = True

    async def close(self) -> None:
        """Stop the server and its workers. This completes even if the caller is cancelled."""
        self.give_up()
        if self._closing is None:
            self._terminate()
            self._closing = asyncio.create_task(self._end())
        await asyncio.shield(self._closing)

    def _terminate(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        process = self._client.process
        if process is not None and process.returncode is None:
            self._note_processes(process.pid)
            self._workers |= processes.identify([process.pid])
        processes.terminate(self._workers)  # so that a `git` of Lake can tidy up

    async def _end(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TERMINATION_SECONDS):
                while processes.running(self._workers):
                    await asyncio.sleep(_ENDED_SECONDS)
        process = self._client.process
        if process is not None and process.returncode is None:
            self._note_processes(process.pid)
        # Workers run in sessions of their own, so killing the server's process group is not enough.
        processes.kill(self._workers)
        await self._client.end()

    def _note_processes(self, pid: int) -> list[int]:
        """The server's descendants. They are recorded, since they may outlive it."""
        pids = processes.descendants(pid)
        self._workers |= processes.identify(pids)
        return pids

    async def _refuse_fetching(self) -> None:
        """Raise ProjectBroken where Lake would change packages: it is run for each worker that starts."""
        if self.toolchain.runs_lake:
            await asyncio.to_thread(refuse_fetching, self.project)

    async def sync(self, path: Path, text: str, whole: str = "") -> DocState:
        """Give Lean this text for a file, without reading the disk. It stays open until `release`.

        If Lean has more of `whole`, which begins with the text, it keeps that: it need not elaborate it again.
        A file whose worker ended, or whose imports failed, is reopened: Lean would not respond to further
        requests about it, and the imports may have been fixed.

        Raises ProjectBroken: the project's packages have moved, which Lake would undo for the file's worker.
        """
        await self._refuse_fetching()
        with self._errors(f"opening {name_of(path)}"):
            known = self._client.document(str(path))
            if known is not None and (known.fatal_error or path in self._outdated):
                await self.forget(path)
            self._opened.add(path)
            known = self._client.document(str(path))
            if known is not None and known.text.startswith(text) and whole.startswith(known.text):
                text = known.text
            document = await self._client.open(str(path), text=text, wait=False)
            document.pinned = True
            return document

    def release(self, path: Path) -> None:
        """Let a file be closed when others are opened."""
        document = self._client.document(str(path))
        if document is not None:
            document.pinned = False

    def copy_of(self, path: Path) -> Path:
        """The name of a new copy of a file, which is a document of its own."""
        return Path(copy_of(path, next(self._numbers)))

    def outdate(self) -> None:
        """Reload the imports of every file at the next request about it."""
        self._outdated |= self._opened
        self._scratch_is_outdated = True

    async def forget(self, path: Path) -> None:
        """Close a file, which ends its worker."""
        self._opened.discard(path)
        self._outdated.discard(path)
        await self._client.close_file(str(path))

    async def wait_elaborated(self, path: Path) -> DocState:
        """Wait until the whole text of a file is elaborated. Raises LeanDied: it is no longer open."""
        document = self._client.document(str(path))
        if document is None:
            raise LeanDied(f"{name_of(path)} was closed while Lean worked on it.", _AGAIN)
        await self._answer(path, self._client.barrier(str(path)))
        return document

    def left(self, path: Path, lines: int) -> int:
        """How many of the first lines Lean has still to elaborate of a file, or else of the copy that is furthest."""
        progress = self._client.progress(str(path))
        left = progress.left(lines) if progress is not None else 0
        if left or self._pool is None or self._pool.path != path:
            return left
        return self._pool.left(lines)

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
        """The response to a request about a file, which is awaited as long as Lean makes progress."""
        patience = Patience(self._limits.request_seconds)
        with self._errors(f"elaborating {name_of(path)}"), self._malformed_answers(path):
            answer = await self._client.wait_for(str(path), request, patience)
        self._silent = None
        return answer

    async def prepare(self, path: Path, header: str, above: str, line: int) -> None:
        """Begin to elaborate what is above a declaration in the copies of a file, before `begin`.

        Args: as for `begin`; the text ends above the declaration.
        """
        with self._errors(f"opening {name_of(path)}"):
            await (await self._copies(path, header)).warm(above, line)

    async def begin(self, path: Path, header: str, text: str, line: int) -> list[dict[str, Any]]:
        """All diagnostics of a text without a tactic, which every copy of the file elaborates before `check`.

        Args:
            path: the file.
            header: the imports in the text.
            text: the text, with the declaration.
            line: the first line of the declaration, from 0.

        Raises LeanTimeout, LeanDied.
        """
        pool = await self._copies(path, header)
        with self._errors(f"elaborating a copy of {name_of(path)}"):
            return await pool.begin(text, line)

    async def _copies(self, path: Path, header: str) -> Scratch:
        pool = self._pool
        is_same = pool is not None and (pool.path, pool.header.strip()) == (path, header.strip())
        if pool is None or not is_same or self._scratch_is_outdated:
            await self._refuse_fetching()
            await self.drop_scratch()
            names = [str(self.copy_of(path)) for _ in range(self._limits.slots)]
            pool = Scratch(self._client, path, header, names, self._limits.request_seconds)
            self._pool = pool
        return pool

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a text, with columns in code points, from the next free copy of the file.

        Raises:
            TimeoutError: it took longer than `seconds`, counted from when a copy was free and Lean had elaborated what
                is above the declaration; or Lean does not get there.
            LeanDied: Lean's worker or server ended.
        """
        if self._pool is None:
            raise LeanDied("The copies of the file were closed.", _AGAIN)
        try:
            with self._errors("trying a tactic"):
                return await self._pool.check(text, seconds)
        except LeanTimeout as error:
            raise TimeoutError from error

    async def messages_of(self, path: Path, text: str) -> list[dict[str, Any]] | None:
        """All diagnostics of a file, with columns in code points, if Lean has this text of it; None otherwise."""
        document = self._client.document(str(path))
        if document is None or document.text != text:
            return None
        report = await self._answer(path, self._client.diagnostics(str(path), fresh=True))
        return list(report.items) if document.text == text else None

    async def fresh_messages(self, path: Path, text: str) -> list[dict[str, Any]]:
        """All diagnostics of a text of a file, with columns in code points, by a new worker."""
        copy = self.copy_of(path)
        try:
            await self.sync(copy, text)
            report = await self._answer(copy, self._client.diagnostics(str(copy), fresh=True))
            return list(report.items)
        finally:
            await self.forget(copy)

    async def errors_of(self, path: Path, part: Span) -> list[dict[str, Any]]:
        """Lean's errors in the text of a file that it was last given, as soon as it is past the lines of a part.

        Columns are in code points.
        """
        await self._answer(path, self._client.passed(str(path), part))
        report = await self._answer(path, self._client.diagnostics(str(path), fresh=False))
        return [*filter(is_error, report.items)]

    def errors_in(self, path: Path, beginning: str, lines: int) -> list[Fault]:
        """The errors that Lean has reported in the first lines of a file, but for those of the compiler alone.

        `beginning` is the text of these lines; the list is empty if Lean has another text of them.
        """
        document = self._client.document(str(path))
        if document is None or not document.text.startswith(beginning):
            return []
        faults = faults_in(filter(is_error, document.diagnostics))
        return [one for one in faults if one.position.line < lines and not one.is_about_compiling]

    async def drop_scratch(self) -> None:
        """Close the scratch documents. This ends their workers, which may still be busy."""
        pool, self._pool = self._pool, None
        self._scratch_is_outdated = False
        if pool is not None and self.is_alive:
            await pool.close()

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
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
        except LeanIsSilent as error:
            raise self._silence(doing, error) from error
        except LeanRequestTimeout as error:
            raise LeanTimeout(f"Lean did not respond in time while {doing}.", _AGAIN) from error
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
            raise LeanDied(
                f"Lean's server sent a malformed response about {name_of(path)}.", _AGAIN
            ) from error

    def _silence(self, doing: str, error: LeanIsSilent) -> LeanTimeout:
        """The error if Lean makes no progress. If it made none at all, or stopped there before, Lean is given up."""
        if error.progress is None or self._silent == (error.path, error.progress):
            self.give_up()
        self._silent = error.path, error.progress
        line = error.progress.line if error.progress is not None else None
        where = f" in line {line + 1}" if line is not None else ""
        return LeanTimeout(
            f"Lean has made no progress for {self._limits.request_seconds:g} s{where} while {doing}.",
            "Try again, as Lean goes on with it; or raise the limit `lean.requestSeconds`, or split the file.",
        )

    def _worker_death(self, doing: str) -> LeanDied:
        outgrown, self._outgrown = self._outgrown, ""
        if not outgrown:
            return LeanDied(f"Lean's worker ended while {doing}.", _AGAIN)
        error = LeanDied(
            f"Lean was stopped while {doing}: {outgrown} MB of memory.",
            "Raise the memory limit (`lean.memoryMb`), or simplify the file.",
        )
        error.is_of_memory = True
        return error

    async def _watch_memory(self) -> None:
        """Keep Lean's memory within the limits: close what is not in use, else kill the largest worker.

        Lean itself then reports that the worker ended.
        """
        one_mb, all_mb = self._limits.memory_mb, max(self._limits.memory_mb, self._limits.all_mb)
        while self.is_alive and self.pid is not None:
            if self._pool is not None and self._pool.idle_seconds() > LEAN_IDLE_SECONDS:
                await self.drop_scratch()
            sizes = {pid: processes.private_megabytes(pid) for pid in self._note_processes(self.pid)}
            if max(sizes.values(), default=0) > one_mb:
                self._kill_largest(sizes, one_mb, f"it used more than {one_mb}")
            elif sum(sizes.values()) > all_mb and not await self._free():
                self._kill_largest(sizes, 0, f"all its processes used more than {all_mb}")
            await asyncio.sleep(LEAN_WATCH_SECONDS)

    def _kill_largest(self, sizes: Mapping[int, float], least: float, why: str) -> None:
        """Kill the largest worker of more than `least` MB. What has started others is none: all would end with it."""
        workers = [pid for pid, size in sizes.items() if size > least and not processes.descendants(pid)]
        if workers:
            self._outgrown = why
            processes.kill(processes.identify([max(workers, key=sizes.__getitem__)]))

    async def _free(self) -> bool:
        """End the worker of a file before the last one, else those of copies that are not in use. False: all are."""
        if await self._client.close_older():
            return True
        is_spare = self._pool is not None and self._pool.idle_seconds() > LEAN_SPARE_SECONDS
        if is_spare:
            await self.drop_scratch()
        return is_spare


def _last_error_line(error: LeanTransportError) -> str:
    """The last line that the server wrote to standard error, or else the error of the connection."""
    lines = error.stderr_tail.strip().splitlines()
    return lines[-1] if lines else str(error)
