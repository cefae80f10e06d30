"""Running the server: on standard input and output or on a port, until the client goes or a signal comes."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import signal
import sys
from threading import Event
from typing import Any, BinaryIO

from pygls.io_ import StdinAsyncReader, run_async

from lsp_server import ending
from lsp_server.server import PremiseServer
from lsp_server.settings import Settings

FEATURES = (
    "configuration",
    "documents",
    "hover",
    "completion",
    "code_actions",
    "suggest",
    "edits",
    "search",
    "declaration",
    "index",
)

log = logging.getLogger("premise_suggest")


class ClientWriter:
    """Writes to the client while there is one; what comes after it has gone is nobody's, and is dropped."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream

    def write(self, data: bytes) -> None:
        """Send a message."""
        if self._stream is None:
            return
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError) as error:  # a broken pipe, or closed on our side
            self._stream = None
            log.info("The client reads no more: %s", error)

    def close(self) -> None:
        """Close the stream."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def create_server(settings: Settings) -> PremiseServer:
    """A server with every feature registered; nothing is started before a client asks."""
    server = PremiseServer(settings)
    for name in FEATURES:
        importlib.import_module(f"lsp_server.features.{name}").register(server)
    return server


def serve_stdio(server: PremiseServer) -> int:
    """Serve on standard input and output until the client goes; returns the exit code."""
    reader = StdinAsyncReader(sys.stdin.buffer, server.thread_pool)
    writer = ClientWriter(sys.stdout.buffer)
    sys.stdout = sys.stderr  # A stray print must not break the protocol.
    return _run(_serve(server, reader, writer))


def serve_tcp(server: PremiseServer, port: int) -> int:
    """Serve one client on a port of 127.0.0.1 until it goes; returns the exit code."""

    async def main() -> None:
        arrived: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await arrived.put((reader, writer))

        listener = await asyncio.start_server(connected, "127.0.0.1", port)
        actual = listener.sockets[0].getsockname()[1]
        print(f"Listening on 127.0.0.1:{actual}", file=sys.stderr, flush=True)
        async with listener:
            await _serve(server, *await arrived.get())

    return _run(main())


async def _serve(server: PremiseServer, reader: Any, writer: Any) -> None:
    """Handle messages until the input ends, `exit` comes or a signal does; then close every project."""
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    if task is not None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, task.cancel)
    server.protocol.set_writer(writer)
    try:
        await run_async(
            stop_event=Event(),
            reader=reader,
            protocol=server.protocol,
            logger=log,
            error_handler=lambda error, source: server.report_server_error(error, source),
        )
    except (asyncio.IncompleteReadError, BrokenPipeError, ConnectionResetError):
        log.info("The client has gone.")
    finally:
        await ending.close(server)


def _run(main: Any) -> int:
    try:
        ending.run(main)
    except SystemExit as stop:
        return int(stop.code or 0)
    except (asyncio.CancelledError, KeyboardInterrupt):
        return 0
    return 0
