"""Runs the server on standard input and output or on a port, until the client goes or a signal arrives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from io import RawIOBase
from typing import Any

from lean_extract.common.files.reading import format_size
from lsp_server.protocol.client_writer import MAX_UNREAD, PipeWriter, SocketWriter, Writer
from lsp_server.protocol.failures import in_a_line
from lsp_server.protocol.framing import BadFrame, Frames
from lsp_server.protocol.server import PremiseServer
from lsp_server.serving import process

_PIECE = 1 << 16
"""How many bytes are read at once."""

_PARTS = 16

log = logging.getLogger("premise_suggest")


Read = Callable[[int], Awaitable[bytes]]
"""(number of bytes that the current message lacks) -> the next piece of the input; empty at its end."""


def serve_stdio(server: PremiseServer) -> int:
    """Serve on standard input and output until the client goes; returns the exit code. Raises UserError."""
    stdin, stdout = process.standard_streams()
    writer = PipeWriter(stdout)

    async def read(missing: int) -> bytes:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(server.thread_pool, _read_piece, stdin, missing)

    return _run(_serve(server, read, writer))


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
            reader, stream = await arrived.get()
            await _serve(server, lambda missing: reader.read(_PIECE), SocketWriter(stream))

    return _run(main())


def _read_piece(stream: RawIOBase, missing: int) -> bytes:
    """The available input; for a large message a larger piece, since a pipe delivers small parts."""
    parts = [stream.read(_PIECE) or b""]
    while parts[-1] and len(parts) < _PARTS and (missing := missing - len(parts[-1])) > 0:
        parts.append(stream.read(min(missing, _PIECE)) or b"")
    return b"".join(parts)


async def _serve(server: PremiseServer, read: Read, writer: Writer) -> None:
    """Handle messages until the input ends, `exit` comes or a signal does; then close every project.

    Raises BadFrame: the stream from or to the client is broken.
    """
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_stray)
    if task is not None:
        writer.on_stuck = task.cancel
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, task.cancel)
    server.protocol.set_writer(writer)
    try:
        await _listen(server, read)
    except (BrokenPipeError, ConnectionResetError):
        log.info("The client has gone.")
    except BadFrame as error:
        server.show(f"{error} The server is shutting down.")
        raise
    except asyncio.CancelledError:
        if writer.is_stuck:
            raise BadFrame(f"The client has left {format_size(MAX_UNREAD)} of messages unread.") from None
        raise
    finally:
        await server.close()
        writer.close()


async def _listen(server: PremiseServer, read: Read) -> None:
    """Receive messages until the input ends. Raises BadFrame."""
    frames = Frames()
    while piece := await read(frames.missing):
        for body in frames.take(piece):
            server.protocol.receive(body)
            await asyncio.sleep(0)  # so that a request is begun before the message behind it is read
    frames.end()


def _log_stray(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log failures that nobody waits for, which asyncio would print with a traceback."""
    error = context.get("exception") or RuntimeError(context.get("message", ""))
    if not isinstance(error, asyncio.CancelledError):
        log.error("A task failed: %s", in_a_line(error))
        log.debug("A task failed", exc_info=error)


def _run(main: Coroutine[Any, Any, None]) -> int:
    try:
        process.run(main)
    except SystemExit as stop:
        return int(stop.code or 0)
    except BadFrame as error:
        print(f"premise-suggest: {error} The server is shutting down.", file=sys.stderr, flush=True)
        process.leave(1)
    except (asyncio.CancelledError, KeyboardInterrupt):
        return 0
    except Exception as error:  # noqa: BLE001 - whatever it is, the process must end
        print(f"premise-suggest: {in_a_line(error)}", file=sys.stderr, flush=True)
        return 1
    return 0
