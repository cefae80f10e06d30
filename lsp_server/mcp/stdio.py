"""Serves one client over standard input and output.

The SDK's own transport waits for the next line even when it is cancelled, and does not answer a line that it cannot
read, such as one with half of a surrogate pair.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from io import BufferedReader, RawIOBase
from threading import Thread
from types import TracebackType

import anyio
from mcp.server import Server
from mcp.shared.message import SessionMessage

from lsp_server.mcp.lines import error_line, line_of, message_in, read_line
from lsp_server.protocol.client_writer import ClientWriter
from lsp_server.protocol.messages import BadMessage
from lsp_server.serving.process import standard_streams


async def serve(server: Server[None]) -> None:
    """Serve until the input ends or the task is cancelled; a thread may still wait for input then.

    Raises UserError: standard input is closed.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    stdin, stdout = standard_streams()
    assert task is not None
    writer = ClientWriter(stdout, lambda: loop.call_soon_threadsafe(task.cancel))
    sending, receiving = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    def take(message: SessionMessage | None) -> None:
        """Pass a message on, and wait until it is taken; None: the input has ended."""
        passing = sending.aclose() if message is None else sending.send(message)
        asyncio.run_coroutine_threadsafe(passing, loop).result()

    Thread(target=_listen, args=(stdin, take, writer), name="from the client", daemon=True).start()
    try:
        await server.run(receiving, _ToClient(writer), server.create_initialization_options())
    finally:
        writer.close()


def _listen(stdin: RawIOBase, take: Callable[[SessionMessage | None], None], writer: ClientWriter) -> None:
    """Read messages until the input ends; other lines are answered here."""
    source = BufferedReader(stdin)
    while line := read_line(source):
        if not line.strip():
            continue
        try:
            take(SessionMessage(message_in(line)))
        except BadMessage as bad:
            writer.write(error_line(bad))
    take(None)


class _ToClient:
    """What the server writes to."""

    def __init__(self, writer: ClientWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage, /) -> None:
        self._writer.write(line_of(item.message))

    async def aclose(self) -> None:
        """Do nothing: `serve` closes the writer."""

    async def __aenter__(self) -> _ToClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
