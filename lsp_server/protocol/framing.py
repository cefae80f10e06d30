"""How messages are separated on a stream: a header, a blank line, the body (LSP 3.17, base protocol).

pygls' own loop is not used: after a broken header it waits for ever, and it reads messages of any size.
After a header that cannot be read, the beginning of the next message is unknown, so reading stops.
"""

from __future__ import annotations

import re
from io import BufferedIOBase

from lean_extract.common.files.reading import format_size
from lsp_server.limits import LSP_HEADER_BYTES, LSP_MESSAGE_BYTES, QUOTED_NAME_CHARACTERS

_LENGTH = re.compile(rb"content-length:[ \t]*([0-9]{1,20})[ \t]*", re.IGNORECASE)


class BadFrame(Exception):
    """The rest of the stream cannot be read. The message is one sentence."""


def read_message(stream: BufferedIOBase) -> bytes | None:
    """The body of the next message, which is waited for; None at the end of the stream. Raises BadFrame."""
    header = _read_header(stream)
    if not header:
        return None
    lengths = [found[1] for line in header.split(b"\r\n") if (found := _LENGTH.fullmatch(line))]
    if len(lengths) != 1:
        raise BadFrame(f"A message's header does not have one Content-Length: {_shown(header)}.")
    length = int(lengths[0])
    if length > LSP_MESSAGE_BYTES:
        raise BadFrame(
            f"A message of {length:,} bytes is announced; at most {format_size(LSP_MESSAGE_BYTES)} are read."
        )
    body = stream.read(length)
    if len(body) < length:
        raise BadFrame(
            f"The input ended in the middle of a message, after {len(body):,} of {length:,} bytes."
        )
    return body


def _read_header(stream: BufferedIOBase) -> bytes:
    """The lines of a header and the blank line after them; empty at the end of the stream."""
    header = b""
    while not header.endswith(b"\r\n\r\n") and header != b"\r\n":
        line = stream.readline(LSP_HEADER_BYTES + 1 - len(header))
        header += line
        if len(header) > LSP_HEADER_BYTES:
            raise BadFrame(
                f"A message's header is longer than {format_size(LSP_HEADER_BYTES)}: {_shown(header)}."
            )
        if not line.endswith(b"\r\n"):
            if not header:
                return b""
            if line.endswith(b"\n"):
                raise BadFrame(f"A line of a message's header does not end in \\r\\n: {_shown(line)}.")
            raise BadFrame("The input ended in the middle of a message's header.")
    return header


def _shown(data: bytes) -> str:
    """The beginning of the input, on one line."""
    text = ascii(data[:QUOTED_NAME_CHARACTERS].decode("latin-1"))
    return text if len(data) <= QUOTED_NAME_CHARACTERS else f"{text}…"
