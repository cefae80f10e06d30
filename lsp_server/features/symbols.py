"""Symbols of the workspace: premises by name, from the indexes of all open projects, imported or not."""

from __future__ import annotations

import asyncio
import logging
from itertools import islice
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from lean_extract.common.errors import BadSource, PremiseSuggestError
from lsp_server.documents.declarations import declaration_span
from lsp_server.engine.engine import Engine
from lsp_server.limits import LISTED_SYMBOLS
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from retriever.lean.declared import DeclarationSite
from retriever.lean.eligibility import RankedPremise

_KINDS = {
    "theorem": types.SymbolKind.Method,  # as Lean's own server has it
    "lemma": types.SymbolKind.Method,
    "axiom": types.SymbolKind.Constant,
    "structure": types.SymbolKind.Struct,
    "class": types.SymbolKind.Class,
    "inductive": types.SymbolKind.Enum,
    "class inductive": types.SymbolKind.Enum,
    "constructor": types.SymbolKind.EnumMember,
    "field": types.SymbolKind.Field,
    "instance": types.SymbolKind.Object,
}
"""Kinds of premises in LSP's; others are functions."""

_Found = tuple[RankedPremise, DeclarationSite]

log = logging.getLogger("premise_suggest")


def register(server: PremiseServer) -> None:
    """`workspace/symbol`, `workspaceSymbol/resolve`."""

    @server.feature(types.WORKSPACE_SYMBOL)
    @passive(server, "search for symbols")
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        if not params.query.strip():
            return []
        engines = await _engines(server)
        found = await asyncio.gather(*(_found(engine, params.query) for engine in engines))
        unique: dict[tuple[str, Path | None], _Found] = {}
        for one in sorted((one for part in found for one in part), key=lambda one: -one[0].score):
            unique.setdefault((one[0].premise.name, one[1].path), one)
        resolves = _resolves(server.client_capabilities)
        placed = (_symbol(premise, site, resolves=resolves) for premise, site in unique.values())
        return list(islice((one for one in placed if one is not None), LISTED_SYMBOLS))

    @server.feature(types.WORKSPACE_SYMBOL_RESOLVE)
    @passive(server, "look-up of a symbol")
    async def resolve(symbol: types.WorkspaceSymbol) -> types.WorkspaceSymbol:
        line = symbol.data if isinstance(symbol.data, int) else -1
        try:
            document = server.document(symbol.location.uri)
            span = await asyncio.to_thread(declaration_span, document.lines, symbol.name, line)
            place = document.range(span)
        except BadSource as error:  # it was removed since; the editor says so when it opens it
            log.info("A symbol: %s", error)
            place = _beginning(line)
        symbol.location = types.Location(symbol.location.uri, place)
        return symbol


async def _engines(server: PremiseServer) -> list[Engine]:
    """The engines of the open projects; if there are none yet, that of the workspace's first folder."""
    found = [engine for engine in server.projects if engine.root is not None]
    return found or [await server.first_engine()]


async def _found(engine: Engine, query: str) -> list[_Found]:
    """What one project's index has; nothing if it cannot be used."""
    try:
        return await engine.symbols(query, LISTED_SYMBOLS)
    except PremiseSuggestError as error:
        log.info("Symbols of %s: %s", engine.root, error)
        return []


def _resolves(client: types.ClientCapabilities) -> bool:
    """Whether the client asks for a symbol's range when it needs it."""
    symbol = client.workspace.symbol if client.workspace else None
    return bool(symbol and symbol.resolve_support and "location.range" in symbol.resolve_support.properties)


def _symbol(ranked: RankedPremise, site: DeclarationSite, *, resolves: bool) -> types.WorkspaceSymbol | None:
    """A premise as a symbol. Its range is the line that the index knows, or is left to `resolve`."""
    uri = from_fs_path(str(site.path)) if site.path is not None else None
    if uri is None:
        return None
    premise = ranked.premise
    return types.WorkspaceSymbol(
        location=types.LocationUriOnly(uri) if resolves else types.Location(uri, _beginning(site.line)),
        name=premise.written,
        kind=_KINDS.get(premise.kind, types.SymbolKind.Function),
        container_name=premise.module,
        data=site.line if resolves else None,
    )


def _beginning(line: int) -> types.Range:
    """The beginning of a line, or of the file if the line is not known."""
    start = types.Position(max(line, 0), 0)
    return types.Range(start, start)
