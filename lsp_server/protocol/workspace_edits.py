"""Edits of one document as the client takes them."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lean_extract.records import Edit, Position, Span
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.schema_items import EditItem
from lsp_server.limits import QUOTED_CHARACTERS
from lsp_server.protocol.server import PremiseServer
from lsp_server.rendering.labels import on_one_line, shorten


def workspace_edit(
    server: PremiseServer, document: DocumentSnapshot, edits: Sequence[types.TextEdit]
) -> types.WorkspaceEdit:
    """Edits of a document, with its version if the client checks versions."""
    if not _takes_versions(server.client_capabilities):
        return types.WorkspaceEdit(changes={document.uri: list(edits)})
    which = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(which, list(edits))])


def text_edits(document: DocumentSnapshot, edit: Edit, line: Edit | None) -> list[types.TextEdit]:
    """The edits in LSP's form. `line`: that of an import, if one is added, too."""
    found = [edit]
    if line is not None:
        # Editors insert in this order at one position, and the import is a line above the rest.
        is_above = line.span.start == edit.span.start and line.text.endswith("\n")
        found.insert(0 if is_above else 1, line)
    return [types.TextEdit(document.range(one.span), one.text) for one in found]


async def applied(
    server: PremiseServer,
    document: DocumentSnapshot,
    edits: Sequence[types.TextEdit],
    tactic: str,
    result: str,
    label: str = "",
) -> str:
    """Have the editor insert tactics, in one step that one undo takes back; why that was impossible, or nothing.

    Args:
        server: the client's.
        document: what the edits are of.
        edits: the edits.
        tactic: what they insert.
        result: what Lean says of it (`closes the goal`).
        label: how the editor names the step; empty: as `tactic`.
    """
    name = shorten(on_one_line(tactic), QUOTED_CHARACTERS)
    what = f"`{name}` {result}"
    workspace = server.client_capabilities.workspace
    if not (workspace and workspace.apply_edit):
        return f"{what}. This editor lets no server insert it."
    if not server.is_current(document):
        return f"{what} as it was, but the document has changed in the meantime. Try again."
    params = types.ApplyWorkspaceEditParams(workspace_edit(server, document, edits), label=label or name)
    try:
        done = await server.workspace_apply_edit_async(params)
    except JsonRpcException as error:
        return f"{what}, but the editor did not insert it: {error.message[:QUOTED_CHARACTERS]}"
    reason = (done.failure_reason or "it gives no reason")[:QUOTED_CHARACTERS]
    return "" if done.applied else f"{what}, but the editor did not insert it: {reason}."


def text_edit(document: DocumentSnapshot, edit: EditItem) -> types.TextEdit:
    """An edit of an answer in LSP's form."""
    start = Position(edit.line - 1, edit.column - 1)
    end = Position(edit.end_line - 1, edit.end_column - 1)
    return types.TextEdit(document.range(Span(start, end)), edit.text)


def _takes_versions(client: types.ClientCapabilities) -> bool:
    edits = client.workspace.workspace_edit if client.workspace else None
    return bool(edits and edits.document_changes)
