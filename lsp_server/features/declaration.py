"""The request `premiseSuggest/declaration` (docs/lsp.md): where a premise is declared, and its doc string."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
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
from lsp_server.engine.declared_text import DeclaredText, declared_text
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer
from retriever.lean.words.english import english

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
        premise, site = await engine.declaration(name, module)
        found = await _found(server, site.path, premise.premise.name if premise else name, module, site.line)
        statement = premise.premise.statement if premise else ""
        return {
            "location": found.location,
            "docUrl": site.doc_url,
            "doc": found.text.doc if found.text else "",
            "statement": statement or (found.text.statement if found.text else ""),
            "reading": english(premise.premise) if premise else "",
        }


@dataclass(frozen=True, slots=True)
class _Found:
    """What the source has of a declaration."""

    location: types.Location | None = None
    text: DeclaredText | None = None


async def _found(server: PremiseServer, path: Path | None, name: str, module: str, line: int) -> _Found:
    """The declaration in the editor's text or else in the file on disk; nothing if that cannot be read."""
    uri = from_fs_path(str(path)) if path is not None else None
    if path is None or uri is None:
        return _Found()
    shown = next((one for one in server.documents if not one.fault and file_path(one.uri) == path), None)
    try:
        source = shown.text if shown else await asyncio.to_thread(read_regular_text, path, MAX_SOURCE_BYTES)
    except (OSError, UnicodeDecodeError):
        return _Found()
    place = await asyncio.to_thread(_range, source, name, line)
    text = await asyncio.to_thread(declared_text, source, module, name)
    return _Found(types.Location(shown.uri if shown else uri, place), text)


def _range(source: str, name: str, line: int) -> types.Range:
    """The position of the name in a text."""
    lines = split_lines(source)
    span = declaration_span(lines, name, line)
    return range_to_lsp(lines, span.start, span.end)
