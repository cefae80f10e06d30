"""How messages are separated on a stream: a header, a blank line, the body (LSP 3.17, base protocol). Pure.

After a header that cannot be read, the beginning of the next message is unknown, so reading stops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lean_extract.common.files.reading import format_size

MAX_MESSAGE = 64 << 20
"""Bytes of one message."""
MAX_HEADER = 4 << 10
"""Bytes of a message's header, all its lines together."""

_SHOWN = 60
_NUMBER = re.compile(r"[0-9]{1,20}", re.ASCII)
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)


class BadFrame(Exception):
    """The rest of the stream cannot be read. The message is one sentence."""


class Frames:
    """Splits what comes from a stream, in pieces of any size, into the bodies of messages.

    Holds no more than one message and the piece after it; memory is never reserved for what a header claims.
    """

    def __init__(self) -> None:
        self._header = bytearray()
        self._searched = 0
        self._body: list[bytes] | None = None
        self._length = 0
        self.missing = 0
        """How many bytes the current message still lacks, as far as is known."""

    def take(self, piece: bytes) -> Iterator[bytes]:
        """The bodies that this piece completes. Raises BadFrame."""
        while True:
            if self._body is None:
                behind = self._take_header(piece)
                if behind is None:
                    return
                piece = behind
            assert self._body is not None
            part = piece[: self.missing]
            self._body.append(part)
            self.missing -= len(part)
            if self.missing:
                return
            body, self._body = b"".join(self._body), None
            piece = piece[len(part) :]
            yield body

    def end(self) -> None:
        """Check the end of the stream. Raises BadFrame: it ended in the middle of a message."""
        if self._body is not None:
            said = f"{self._length - self.missing:,} of its {self._length:,} bytes came"
            raise BadFrame(f"The input ended in the middle of a message: {said}.")
        if self._header:
            raise BadFrame("The input ended in the middle of a message's header.")

    def _take_header(self, piece: bytes) -> bytes | None:
        """Parse the header if this piece completes it; returns what follows it."""
        self._header += piece
        end = self._header.find(b"\r\n\r\n", self._searched)
        if end > MAX_HEADER or (end < 0 and len(self._header) > MAX_HEADER):
            raise BadFrame(f"A message's header is longer than {format_size(MAX_HEADER)}{self._beginning()}.")
        if end < 0:
            self._searched = max(0, len(self._header) - 3)
            self._check_line_ends()
            return None
        self._length = self.missing = content_length(bytes(self._header[:end]))
        behind = bytes(self._header[end + 4 :])
        self._header, self._searched, self._body = bytearray(), 0, []
        return behind

    def _check_line_ends(self) -> None:
        """Refuse other line ends, which would otherwise make the server wait for ever."""
        bare = re.search(rb"(?<!\r)\n", self._header)
        if bare:
            raise BadFrame(f"A line of a message's header does not end in \\r\\n{self._beginning()}.")

    def _beginning(self) -> str:
        return f": {_shown(bytes(self._header[:_SHOWN]))}"


def content_length(header: bytes) -> int:
    """The length of the body that follows a header. Raises BadFrame."""
    lengths: list[int] = []
    for line in header.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise BadFrame(f"A line of a message's header has no colon: {_shown(line)}.")
        if name.lower() == b"content-length":
            lengths.append(_number(value))
        elif name.lower() == b"content-type":
            _check_charset(value)
    if len(lengths) != 1:
        said = "no Content-Length" if not lengths else f"{len(lengths)} times Content-Length"
        raise BadFrame(f"A message's header has {said}: {_shown(header)}.")
    return lengths[0]


def _number(value: bytes) -> int:
    text = value.decode("latin-1").strip(" \t")
    if not _NUMBER.fullmatch(text):
        raise BadFrame(f"Content-Length is not a number of bytes: {_shown(value)}.")
    if int(text) > MAX_MESSAGE:
        raise BadFrame(
            f"A message of {int(text):,} bytes is announced; at most {format_size(MAX_MESSAGE)} are read."
        )
    return int(text)


def _check_charset(value: bytes) -> None:
    charset = _CHARSET.search(value.decode("latin-1"))
    if charset and charset[1].lower() not in ("utf-8", "utf8"):
        raise BadFrame(f"Messages must be UTF-8, not {_shown(charset[1].encode())}.")


def _shown(data: bytes) -> str:
    """The beginning of the input, on one line."""
    text = ascii(data[:_SHOWN].decode("latin-1"))
    return text if len(data) <= _SHOWN else f"{text}…"
