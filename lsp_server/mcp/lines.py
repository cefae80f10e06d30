"""How messages are separated on standard input and output: one a line (MCP, transports, stdio)."""

from __future__ import annotations

import json
from io import BufferedIOBase
from typing import Any

import mcp_types as types
from pydantic import ValidationError

from lean_extract.common.files.reading import format_size
from lsp_server.limits import MCP_LINE_BYTES
from lsp_server.protocol.messages import INVALID_REQUEST, BadMessage, Call, read

_ANY: Any = types.jsonrpc_message_adapter


def read_line(stream: BufferedIOBase) -> bytes:
    """The next line with its end; empty at the end of the stream. If it is too long, only its beginning."""
    line = part = stream.readline(MCP_LINE_BYTES + 1)
    while part and not part.endswith(b"\n"):
        part = stream.readline(MCP_LINE_BYTES)
    return line


def message_in(line: bytes) -> types.JSONRPCMessage:
    """The message in a line. Raises BadMessage, which holds the answer; MCP 2025-06-18 removed batches."""
    if len(line.rstrip()) > MCP_LINE_BYTES:
        raise BadMessage(INVALID_REQUEST, f"A message may have at most {format_size(MCP_LINE_BYTES)}.")
    found = read(line)
    members = dict(found.members)
    if isinstance(found, Call):
        members["method"] = found.method
    if found.id is not None:
        members["id"] = found.id
    try:
        message: types.JSONRPCMessage = _ANY.validate_python({"jsonrpc": "2.0", **members}, by_name=False)
    except ValidationError:
        id = found.id if isinstance(found, Call) else None
        raise BadMessage(INVALID_REQUEST, "params must be an object.", id) from None
    return message


def line_of(message: types.JSONRPCMessage) -> bytes:
    """A message as a line, in ASCII, which can represent any text."""
    return _line(message.model_dump(by_alias=True, exclude_unset=True, mode="json"))


def error_line(bad: BadMessage) -> bytes:
    """The answer to a line that is not a message, as a line."""
    error = {"code": bad.code, "message": bad.message}
    return _line({"jsonrpc": "2.0", "id": bad.id, "error": error})


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n"
