"""Edits of one document as the client takes them."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from lsp_server.documents.document import DocumentSnapshot
from lsp_server.protocol.server import PremiseServer


def workspace_edit(
    server: PremiseServer, document: DocumentSnapshot, edits: Sequence[types.TextEdit]
) -> types.WorkspaceEdit:
    """Edits of a document, with its version if the client checks versions."""
    if not _takes_versions(server.client_capabilities):
        return types.WorkspaceEdit(changes={document.uri: list(edits)})
    which = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(which, list(edits))])


def _takes_versions(client: types.ClientCapabilities) -> bool:
    edits = client.workspace.workspace_edit if client.workspace else None
    return bool(edits and edits.document_changes)
