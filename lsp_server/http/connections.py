"""Connections with limits that uvicorn lacks: their number, and the time for a request's head and for reading.

uvicorn waits for a request's head, and for a client to read, as long as it takes. Here every connection is
looked at twice a second (`sweep`); what takes too long is ended.
"""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from lsp_server.http.addresses import party
from lsp_server.http.limits import MAX_FIELD_BYTES, MAX_FIELDS, HttpLimits
from lsp_server.http.problems import Refusal

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_LOOKED_AFTER = 4096
"""The head is parsed again only after this many more bytes, so that slow input does not cost quadratic time."""
_NOTHING_SENT = frozenset({h11.IDLE, h11.SEND_RESPONSE})


class Connection(H11Protocol):
    """One client's connection."""

    limits: ClassVar[HttpLimits]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register a new connection. If there are too many, the one that has been idle longest is closed."""
        super().connection_made(transport)
        self.party = party(self.client[0]) if self.client else ""
        self.waiting_since: float | None = self.loop.time()
        """Since when the client has had to send something: a head, or the rest of a body that nobody reads."""
        self._unlooked = 0
        self._stuck: tuple[float, int] | None = None
        """Since when the client has read nothing, and how many bytes wait to be sent."""
        self._make_room()

    def _make_room(self) -> None:
        most, each = self.limits.connections, self.limits.connections_each
        if len(self.connections) <= min(most, each):
            return
        open_ones = [one for one in self.connections if isinstance(one, Connection) and not one.is_closing]
        pool = [one for one in open_ones if one.party == self.party]
        if len(pool) <= each:
            pool = open_ones
            if len(pool) <= most:
                return
        waiting = [(one.waiting_since, one) for one in pool if one.waiting_since and one is not self]
        if waiting:
            min(waiting, key=lambda pair: pair[0])[1].transport.close()
        else:
            self._refuse(Refusal(503, "Too many connections are open.", "Try again.", {"Retry-After": "1"}))

    @property
    def is_closing(self) -> bool:
        """Whether it is being closed; it may still wait for the client to read the rest."""
        return bool(self.transport.is_closing())

    def data_received(self, data: bytes) -> None:
        """Receive data."""
        if not self.is_closing:
            self._unlooked += len(data)
            super().data_received(data)

    def handle_events(self) -> None:
        """Parse the complete part of the received data."""
        if self.conn.their_state is h11.IDLE and self._unlooked > _LOOKED_AFTER:
            waiting = self.conn.trailing_data[0]
            head = head_of(waiting)
            self._unlooked = len(waiting) - len(head)  # another request may follow it
            if is_too_long(head):
                self._refuse(
                    Refusal(
                        431,
                        "The request has too many header lines, or too long ones.",
                        f"At most {MAX_FIELDS} lines and {MAX_FIELD_BYTES:,} bytes are read.",
                    )
                )
                return
        super().handle_events()
        is_answered = self.cycle is not None and self.cycle.response_complete
        if self.conn.their_state is h11.IDLE or is_answered:
            self.waiting_since = self.waiting_since or self.loop.time()
        else:
            self.waiting_since = None

    def on_response_complete(self) -> None:
        """An answer was sent, so the client's time starts."""
        self.waiting_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        """The client has read what was sent."""
        self._stuck = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer data that is not a request."""
        self._refuse(Refusal(400, "This is not an HTTP request.", msg))

    def sweep(self) -> None:
        """Close the connection if the client takes too long."""
        now, left = self.loop.time(), self.transport.get_write_buffer_size()
        if not left:
            self._stuck = None
        elif self._stuck is None or left < self._stuck[1]:
            self._stuck = (now, left)
        elif now - self._stuck[0] > self.limits.write_seconds:
            self.transport.abort()
            return
        late = self.waiting_since is not None and now - self.waiting_since > self.limits.head_seconds
        if late and not self.is_closing:
            self._refuse(Refusal(408, "The request did not arrive in time.", "Send it at once."))

    def _refuse(self, refusal: Refusal) -> None:
        """Send the refusal, unless an answer has begun, and close the connection."""
        if self.cycle is not None:
            self.cycle.disconnected = self.cycle.disconnected or not self.cycle.response_complete
            self.cycle.message_event.set()
        was_asked = self.conn.their_state is not h11.IDLE or self.conn.trailing_data[0]
        if self.conn.our_state in _NOTHING_SENT and (was_asked or refusal.status == 503):
            answer = refusal.response()
            headers = [(name, value) for name, value in answer.raw_headers]
            parts = (
                h11.Response(status_code=refusal.status, headers=[*headers, (b"connection", b"close")]),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            )
            self.transport.write(b"".join(self.conn.send(part) or b"" for part in parts))
        self.transport.close()


def head_of(waiting: bytes) -> bytes:
    """The first request's head, as far as it has been received."""
    end = _END_OF_HEAD.search(waiting)
    return waiting[: end.end()] if end else waiting


def is_too_long(head: bytes) -> bool:
    """Whether a head has too many header lines, or too long ones."""
    first = head.find(b"\n") + 1
    return bool(first) and (head.count(b"\n") > MAX_FIELDS + 2 or len(head) - first > MAX_FIELD_BYTES)


def with_limits(limits: HttpLimits) -> type[Connection]:
    """The protocol factory for uvicorn, which makes the connections of one server."""
    return type("LimitedConnection", (Connection,), {"limits": limits})
