"""The documents that are open in the editor, with their text or the reason why it is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from lsprotocol import types

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import format_size
from lean_extract.limits import MAX_SOURCE_BYTES
from lsp_server.documents.changes import TooManyChanges, changed_text
from lsp_server.limits import OPEN_DOCUMENTS_CHARACTERS, URI_CHARACTERS

_REOPEN = "Close it and open it again."
_TOO_LARGE = f"is larger than {format_size(MAX_SOURCE_BYTES)}, so it is not read"


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document as the editor has it. If it has a `fault`, its text is unknown or not stored, and `text` is empty."""

    uri: str
    language: str
    version: int
    text: str
    fault: str = ""
    hint: str = _REOPEN

    def check(self, name: str) -> None:
        """Raise BadSource if the text cannot be used."""
        if self.fault:
            raise BadSource(f"{name} {self.fault}.", self.hint)


class OpenDocuments:
    """Open documents by URI; percent-encoding makes no difference."""

    def __init__(self, max_held: int = OPEN_DOCUMENTS_CHARACTERS) -> None:
        self._held: dict[str, OpenDocument] = {}
        self._max_held = max_held
        self._size = 0

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(self._held.values())

    def get(self, uri: str) -> OpenDocument | None:
        """The document of a URI, if it is open."""
        return self._held.get(unquote(uri))

    def open(self, item: types.TextDocumentItem) -> OpenDocument:
        """Store the text of a document that was opened, perhaps again."""
        return self._put(OpenDocument(item.uri, item.language_id, item.version, item.text))

    def change(self, params: types.DidChangeTextDocumentParams) -> OpenDocument:
        """Apply changes, whole texts or parts, in their order. The last message counts, whatever its version.

        A text that is unknown stays so until it comes whole.
        """
        uri, version = params.text_document.uri, params.text_document.version
        held = self.get(uri)
        if held is None:
            return self.spoil(uri, "was changed but not opened", version)
        text, parts = _after_last_whole(params.content_changes)
        if text is None:
            if held.fault or not parts:
                return self._put(replace(held, version=version))
            text = held.text
        try:
            return self._put(OpenDocument(uri, held.language, version, changed_text(text, parts)))
        except TooManyChanges:
            return self.spoil(uri, "was changed in too many places at once", version)

    def spoil(self, uri: str, fault: str, version: int = 0) -> OpenDocument:
        """Mark the text of this URI as unknown until it is opened again or sent whole."""
        held = self.get(uri)
        return self._put(OpenDocument(uri, held.language if held else "", version, "", fault))

    def close(self, uri: str) -> None:
        """Forget a closed document; the file on disk counts again."""
        held = self._held.pop(unquote(uri), None)
        self._size -= len(held.text) if held else 0

    def _put(self, document: OpenDocument) -> OpenDocument:
        self.close(document.uri)
        if len(document.uri) > URI_CHARACTERS:
            return replace(document, text="", fault="has a URI that is too long, so it is not read", hint="")
        if _is_too_large(document.text):
            document = replace(document, text="", fault=_TOO_LARGE, hint=f"Make it smaller. {_REOPEN}")
        elif self._size + len(document.text) > self._max_held:
            fault = "is one of so many open documents that its text is not kept"
            document = replace(document, text="", fault=fault, hint="Close some, and open it again.")
        self._size += len(document.text)
        self._held[unquote(document.uri)] = document
        return document


def _after_last_whole(
    changes: Sequence[types.TextDocumentContentChangeEvent],
) -> tuple[str | None, list[types.TextDocumentContentChangePartial]]:
    """The last whole text among changes, if there is one, and the changes of parts after it."""
    text: str | None = None
    parts: list[types.TextDocumentContentChangePartial] = []
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            parts.append(change)
        else:
            text, parts = change.text, []
    return text, parts


def _is_too_large(text: str) -> bool:
    if 4 * len(text) <= MAX_SOURCE_BYTES:  # no character takes more than four bytes
        return False
    return len(text) > MAX_SOURCE_BYTES or len(text.encode()) > MAX_SOURCE_BYTES
