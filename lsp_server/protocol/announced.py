"""What the server announces: of the newer features, those that the client has."""

from __future__ import annotations

from lsprotocol import types


def leave_out(server: types.ServerCapabilities, client: types.ClientCapabilities) -> None:
    """Take out of the server's capabilities the code lenses and inline completions if the client shows none."""
    document = client.text_document
    if document is None or document.code_lens is None:
        server.code_lens_provider = None
    if document is None or document.inline_completion is None:
        server.inline_completion_provider = None
