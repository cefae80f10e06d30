"""The request `premiseSuggest/declaration` (docs/lsp.md): where a premise is declared in the source."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from lean_extract.common.files.reading import read_regular_text
from lean_extract.limits import MAX_SOURCE_BYTES
from lsp_server.documents.declarations import declaration_span
from lsp_server.documents.positions import split_lines
from lsp_server.documents.uris import file_path
from lsp_server.documents.utf16 import range_to_lsp
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer

_REQUEST = "premiseSuggest/declaration"
_NAMES = frozenset({"textDocument", "name", "module"})


def register(server: PremiseServer) -> None:
    """The request."""

    @server.feature(_REQUEST)
    @active(server, "look-up")
    async def declaration(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        name = given.needed("name", "the full name of a premise")
        module = given.needed("module", "the module that declares it")
        uri = given.uri() if given.has("textDocument") else None
        engine = server.document_or_text(uri)[1] if uri is not None else await server.first_engine()
        found = await engine.declaration(name, module)
        location = await _location(server, found.path, name, found.line) if found.path else None
        return {"location": location, "docUrl": found.doc_url}


async def _location(server: PremiseServer, path: Path, name: str, line: int) -> types.Location | None:
    """Its position in the editor's text or else in the file on disk; None if that cannot be read."""
    uri = from_fs_path(str(path))
    if uri is None:
        return None
    shown = next((one for one in server.documents if not one.fault and file_path(one.uri) == path), None)
    try:
        place = await asyncio.to_thread(_range, shown.text if shown else path, name, line)
    except (OSError, UnicodeDecodeError):
        return None
    return types.Location(shown.uri if shown else uri, place)


def _range(source: str | Path, name: str, line: int) -> types.Range:
    """The position of the name in a text or a file. Raises OSError, UnicodeDecodeError."""
    lines = split_lines(source if isinstance(source, str) else read_regular_text(source, MAX_SOURCE_BYTES))
    span = declaration_span(lines, name, line)
    return range_to_lsp(lines, span.start, span.end)
