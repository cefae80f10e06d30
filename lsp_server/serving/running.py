"""Runs the server on standard input and output or on a port, until the client disconnects or a signal arrives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Coroutine
from io import BufferedIOBase, BufferedReader, RawIOBase
from typing import Any

from lean_extract.common.files.reading import format_size
from lsp_server.limits import UNREAD_BYTES
from lsp_server.protocol.client_writer import ClientWriter
from lsp_server.protocol.framing import BadFrame, read_message
from lsp_server.protocol.json_rpc import in_a_line
from lsp_server.protocol.server import PremiseServer
from lsp_server.serving import process

log = logging.getLogger("premise_suggest")


def serve_stdio(server: PremiseServer) -> int:
    """Serve on standard input and output until the client disconnects; returns the exit code. Raises UserError."""
    stdin, stdout = process.standard_streams()
    return _run(_serve(server, BufferedReader(stdin), stdout))


def serve_tcp(server: PremiseServer, port: int) -> int:
    """Serve one client on a port of 127.0.0.1 until it disconnects; returns the exit code."""

    async def main() -> None:
        with socket.create_server(("127.0.0.1", port)) as listener:
            print(f"Listening on 127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
            listener.setblocking(False)
            connection, _ = await asyncio.get_running_loop().sock_accept(listener)
        connection.setblocking(True)
        await _serve(server, connection.makefile("rb"), connection.makefile("wb", buffering=0))

    return _run(main())


async def _serve(server: PremiseServer, source: BufferedIOBase, target: RawIOBase) -> None:
    """Handle messages until the input ends, `exit` comes or a signal does; then close every project.

    Raises BadFrame: the stream from or to the client is broken.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    loop.set_exception_handler(_log_stray)
    is_stuck = asyncio.Event()

    def give_up() -> None:
        is_stuck.set()
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, task.cancel)
    writer = ClientWriter(target, give_up)
    server.protocol.set_writer(writer)
    try:
        while (body := await loop.run_in_executor(server.thread_pool, read_message, source)) is not None:
            server.protocol.receive(body)
    except (BrokenPipeError, ConnectionResetError):
        log.info("The client has disconnected.")
    except BadFrame as error:
        server.show(f"{error} The server is shutting down.")
        raise
    except asyncio.CancelledError:
        if is_stuck.is_set():
            raise BadFrame(f"The client has left {format_size(UNREAD_BYTES)} of messages unread.") from None
        raise
    finally:
        await server.close()
        writer.close()


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
        return 1
    except (asyncio.CancelledError, KeyboardInterrupt):
        return 0
    except Exception as error:  # noqa: BLE001 - whatever it is, the process must end
        print(f"premise-suggest: {in_a_line(error)}", file=sys.stderr, flush=True)
        return 1
    return 0
