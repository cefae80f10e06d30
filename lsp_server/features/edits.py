"""The request `premiseSuggest/edits` (docs/lsp.md): the edits that put a tactic or a name into a document."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from lsp_server.documents.document import DocumentSnapshot
from lsp_server.documents.import_lines import IMPORT_LINE
from lsp_server.documents.insertion import (
    Insertion,
    import_insertion,
    name_insertion,
    tactic_insertion,
)
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer

REQUEST = "premiseSuggest/edits"
_NAMES = frozenset({"textDocument", "position", "insert", "as", "import"})


def register(server: PremiseServer) -> None:
    """The request."""

    @server.feature(REQUEST)
    @active(server, "edit")
    async def edits(params: Any = None, *_: Any) -> Any:
        given = Parameters(REQUEST, params, _NAMES)
        uri, position = given.uri(), given.position()
        text = given.needed("insert", "the tactic or the name")
        import_line = given.text("import", "a line `import M`").strip()
        if import_line and not IMPORT_LINE.fullmatch(import_line):
            given.refuse("import must be a line `import M`")
        kind = given.text("as", "`tactic` or `name`")
        if kind not in ("tactic", "name"):
            given.refuse("as must be `tactic` or `name`")
        document = server.text_document(uri)
        cursor = document.position(position)
        insert = tactic_insertion if kind == "tactic" else name_insertion
        found = [insert(document.lines, cursor, text)]
        line = import_insertion(document.lines, import_line) if import_line else None
        if line is not None:
            # Editors insert in this order at one position, and the import is a line above the rest.
            is_above = line.span.start == found[0].span.start and line.text.endswith("\n")
            found.insert(0 if is_above else 1, line)
        return {"edits": [text_edit(document, one) for one in found], "version": document.version}


def text_edit(document: DocumentSnapshot, insertion: Insertion) -> types.TextEdit:
    """An insertion as LSP has it."""
    return types.TextEdit(document.range(insertion.span), insertion.text)
