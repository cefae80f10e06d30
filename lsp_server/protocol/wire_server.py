"""What the protocol needs of the server that it belongs to."""

from __future__ import annotations

from abc import abstractmethod

from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from lsp_server.documents.open_documents import OpenDocument
from lsp_server.protocol.messages import Call


class WireServer(LanguageServer):
    """A server that also takes what is not a request."""

    @abstractmethod
    def take_bad_notification(self, call: Call, error: JsonRpcException) -> None:
        """A notification came that cannot be read."""

    @abstractmethod
    def take_document(self, document: OpenDocument) -> None:
        """The editor has sent a document."""
