"""What the protocol needs of its server."""

from __future__ import annotations

from abc import abstractmethod

from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from lsp_server.documents.open_documents import OpenDocument
from lsp_server.protocol.messages import Call


class WireServer(LanguageServer):
    """A server that also handles bad notifications and documents."""

    @abstractmethod
    def take_bad_notification(self, call: Call, error: JsonRpcException) -> None:
        """Handle a notification that cannot be read."""

    @abstractmethod
    def take_document(self, document: OpenDocument) -> None:
        """Handle a document that the editor has sent."""
