"""Runs the server: its socket, its indexes, its one line on standard output, its shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from lean_extract.common.errors import UserError
from lean_extract.common.terminal_text import print_line, shown
from lsp_server.engine.settings import Settings
from lsp_server.http.app import create_app
from lsp_server.http.metrics import SHARED_FOLDER, forget_process
from lsp_server.http.policy import LOOPBACK, Policy, is_loopback
from lsp_server.http.revisions import Libraries, open_libraries
from lsp_server.http.workers import Workers
from lsp_server.limits import BEYOND_LOOPBACK, QUEUED_CONNECTIONS, SHUTDOWN_SECONDS, HttpLimits


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """The options of the command."""

    host: str
    port: int
    token: str | None
    projects: Sequence[Path]
    revisions: Sequence[str]
    """Further revisions for which the default index answers."""
    rate: float | None
    log_goals: bool
    workers: int = 1
    """How many processes answer."""
    database: str = ""
    """The address of a database whose libraries are served."""
    libraries: Sequence[str] = ()
    """The name of the one that comes first; without a database, fetched libraries, as `NAME@REVISION`."""


class HttpServer(uvicorn.Server):
    """Calls a function when it listens, and remembers the signal that ended it."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start
        self.ended_by = 0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.ended_by = self.ended_by or sig
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        if self.started:
            self._on_start()


def serve(
    options: ServingOptions, settings: Mapping[Path | None, Settings], prepare: Callable[[], None]
) -> None:
    """Serve until a signal ends the process.

    `settings` are those of each project, and, under None, those without one.

    `prepare`, which can be pickled, sets up the logging of each further process.

    Raises UserError (host, port, token), IndexMissing, IndexDamaged, ModelError.
    """
    policy = policy_for(options.host, options.token)
    with listen(options.host, options.port) as listener, contextlib.ExitStack() as stack:
        address = url_of(options.host, listener.getsockname()[1])

        def announce() -> None:
            print_line(f"premise-suggest http: {address} (Ctrl-C ends it)")

        if options.workers == 1:
            ended_by = _Serving(options, settings, policy)(listener, 0, announce)
        else:
            shared = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="premise-suggest-http-")))
            stack.enter_context(_shared_metrics(shared / "metrics"))
            serving = _Serving(options, settings, policy, shared, prepare)
            workers = Workers(
                serving, listener, announce, lambda pid: forget_process(pid, shared / "metrics")
            )
            ended_by = workers.run(options.workers)
    if ended_by == signal.SIGINT:  # if ignored by a shell, uvicorn would exit with 0
        raise KeyboardInterrupt


@contextlib.contextmanager
def _shared_metrics(folder: Path) -> Iterator[None]:
    """Processes that are started in the block add up their metrics."""
    folder.mkdir()
    os.environ[SHARED_FOLDER] = str(folder)
    try:
        yield
    finally:
        del os.environ[SHARED_FOLDER]


@dataclass(frozen=True, slots=True)
class _Serving:
    """One process's part in serving."""

    options: ServingOptions
    settings: Mapping[Path | None, Settings]
    policy: Policy
    shared: Path | None = None
    """A folder of all processes; None if there is one."""
    prepare: Callable[[], None] | None = None

    def __call__(self, listener: socket.socket, number: int, is_ready: Callable[[], None]) -> int:
        """Serve until a signal ends it, and return the signal. Raises IndexMissing, IndexDamaged, ModelError."""
        if self.prepare is not None:
            self.prepare()
        return asyncio.run(self._serve(listener, number, is_ready))

    async def _serve(self, listener: socket.socket, number: int, is_ready: Callable[[], None]) -> int:
        options = self.options
        libraries = await open_libraries(
            options.projects,
            self.settings,
            options.revisions,
            self.shared,
            options.database,
            options.libraries,
        )
        if number == 0:
            await _print_notes(libraries, len(options.projects))
        gc.collect()
        gc.freeze()  # the garbage collector need not scan the permanent objects again and again
        limits = limits_for(self.policy, options.rate, options.workers)
        app = create_app(libraries, self.policy, limits, log_goals=options.log_goals)
        server = server_of(app, limits, is_ready)
        await server.serve([listener])
        return server.ended_by


async def _print_notes(libraries: Libraries, projects: int) -> None:
    """Print what is not served of the projects, which come first, and of the database."""
    for library in libraries.all[:projects]:
        if note := (await library.engine.project_index()).note:
            print_line(f"warning: {note}", sys.stderr)
    for note in libraries.notes:
        print_line(f"note: {shown(note, longest=0)}", sys.stderr)


def server_of(app: ASGIApp, limits: HttpLimits, on_start: Callable[[], None]) -> HttpServer:
    """The server for an application, with limits; `on_start` is called when it listens."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        h11_max_incomplete_event_size=limits.header_bytes,
        limit_concurrency=limits.connections,
        backlog=QUEUED_CONNECTIONS,
        access_log=False,  # it would hold the goals; Measured writes its own lines
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return HttpServer(config, on_start)


def policy_for(host: str, token: str | None) -> Policy:
    """Who may use a server on this host. Raises UserError: other machines can reach it, and there is no token."""
    if token and not (token.isascii() and token.isprintable()):
        raise UserError("The token has characters that a header cannot hold.", "Use letters and digits.")
    if is_loopback(host):
        return Policy(token, LOOPBACK | {_in_url(host.lower())})  # 127.0.0.2 is loopback, too
    if not token:
        raise UserError(
            f"On {host} other machines could reach the server, and no token is set.",
            "Add --token, or set PREMISE_SUGGEST_TOKEN; or leave --host out.",
        )
    return Policy(token, hosts=None)


def limits_for(policy: Policy, rate: float | None, workers: int = 1) -> HttpLimits:
    """The limits of one of so many processes, which are tighter if other machines can reach the server."""
    limits = BEYOND_LOOPBACK if policy.hosts is None else HttpLimits()
    limits = replace(limits, workers=max(1, limits.workers // workers))
    return limits if rate is None else replace(limits, rate=rate, burst=max(1.0, 2 * rate))


def listen(host: str, port: int) -> socket.socket:
    """A socket on the host's port, 0 for a free one. Raises UserError."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Without an explicit protocol, asyncio leaves Nagle's algorithm on, which costs 40 ms for most answers.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise UserError(f"{host} is not an address of this machine.", "Give --host 127.0.0.1.") from error
    try:
        if sys.platform != "win32":  # on Windows it would share a port that is in use
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(QUEUED_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise UserError(
            f"Port {port} of {host} cannot be used: {error.strerror}.", "Give another one with --port."
        ) from error
    return listener


def url_of(host: str, port: int) -> str:
    """The server's address for clients."""
    return f"http://{_in_url(host)}:{port}"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
