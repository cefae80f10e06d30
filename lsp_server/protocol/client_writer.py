"""Sends messages to the client. A client that does not read must neither block the loop nor fill the memory."""

from __future__ import annotations

import contextlib
import logging
import select
from collections import deque
from collections.abc import Callable
from io import RawIOBase
from threading import Condition, Thread

from lsp_server.limits import LAST_WRITES_SECONDS, UNREAD_BYTES

log = logging.getLogger("premise_suggest")


class ClientWriter:
    """Writes to a pipe or a socket in a thread of its own. Messages to a client that has disconnected are dropped.

    pygls writes in the event loop, which a client that does not read would stop. The stream is unbuffered: a
    buffer that is being written to would keep Python from ending.

    Args:
        stream: where to write.
        on_stuck: called when more than `most` bytes are unread; from then on nothing is sent.
        most: bytes.
    """

    def __init__(self, stream: RawIOBase, on_stuck: Callable[[], object], most: int = UNREAD_BYTES) -> None:
        self._stream = stream
        self._on_stuck = on_stuck
        self._most = most
        self._unread: deque[bytes] = deque()
        self._size = 0
        self._is_closed = False
        self._changed = Condition()
        self._thread = Thread(target=self._send_all, name="to the client", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Send a message; does not wait."""
        with self._changed:
            if self._is_closed:
                return
            self._unread.append(data)
            self._size += len(data)
            is_stuck = self._size > self._most
            if is_stuck:
                self._drop()
            self._changed.notify()
        if is_stuck:
            self._on_stuck()

    def close(self) -> None:
        """Send the rest, within a short time, and close the stream."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join(LAST_WRITES_SECONDS)

    def _send_all(self) -> None:
        while (data := self._next()) is not None:
            try:
                self._send(memoryview(data))
            except (OSError, ValueError) as error:  # a broken pipe, or closed on our side
                log.info("The client has stopped reading: %s", error)
                with self._changed:
                    self._drop()
        with contextlib.suppress(OSError):
            self._stream.close()

    def _send(self, data: memoryview) -> None:
        while data:
            sent = self._stream.write(data)
            if sent is None:  # a non-blocking pipe
                select.select([], [self._stream], [])
            data = data[sent or 0 :]

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._unread or self._is_closed)
            if not self._unread:
                return None
            data = self._unread.popleft()
            self._size -= len(data)
            return data

    def _drop(self) -> None:
        self._is_closed = True
        self._unread.clear()
        self._size = 0
