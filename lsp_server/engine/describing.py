"""The answer to what a declaration is: its statement, its place, its text."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.reading import read_source
from lean_extract.records import Span
from lean_extract.source.reader import read_file
from lsp_server.documents.positions import split_lines
from lsp_server.engine.items import premise_item
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.schema import DeclarationAnswer

LONGEST_SOURCE = 4000
"""Characters of a declaration's text that are answered."""
_NEAREST = 3


async def describe(context: RequestContext, name: str, module: str | None) -> DeclarationAnswer:
    """What is known of a declaration; see `Engine.describe`."""
    await context.catch_up()
    await context.files.caught_up()
    index = (await context.index.current()).index
    found = await asyncio.to_thread(index.described, name, module)
    if found is None:
        raise await asyncio.to_thread(_unknown, index, name)
    ranked, site = found
    line, text = await asyncio.to_thread(_text, site.path, ranked.premise.module, ranked.premise.name)
    return DeclarationAnswer(
        premise=premise_item(ranked),
        path=None if site.path is None else str(site.path),
        line=line if line is not None or site.line < 0 else site.line + 1,
        source=text,
        index=await context.freshness(index),
    )


def _unknown(index: ProjectIndex, name: str) -> UserError:
    """The error for a name that the index does not have, with the names that are most like it."""
    near = ", ".join(one.premise.written for one in index.search(name, None, _NEAREST))
    return UserError(
        f"There is no declaration `{name}` in the index.",
        f"The nearest are {near}." if near else "Search for a part of its name.",
    )


def _text(path: Path | None, module: str, name: str) -> tuple[int | None, str]:
    """The line of a declaration, from 1, and its text; (None, "") if its file cannot be read or has it no more."""
    if path is None:
        return None, ""
    try:
        source = read_file(path, module)
        lines = split_lines(read_source(path))
    except BadSource:
        return None, ""
    found = next((one for one in source.premises if one.name == name and one.span is not None), None)
    if found is None or found.span is None:
        return None, ""
    return found.span.start.line + 1, _cut(lines, found.span)


def _cut(lines: list[str], span: Span) -> str:
    rows = lines[span.start.line : span.end.line + 1]
    text = "\n".join(rows).rstrip()
    return text if len(text) <= LONGEST_SOURCE else f"{text[:LONGEST_SOURCE]}…"
