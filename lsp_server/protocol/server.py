"""The language server on pygls: its settings, projects and documents, and its messages to the user."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import read_regular_text
from lean_extract.common.onnx_runtime import fallback_warning
from lean_extract.limits import MAX_SOURCE_BYTES
from lean_extract.source.projects.project import find_root
from lsp_server import __version__
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.documents.open_documents import OpenDocument, OpenDocuments
from lsp_server.documents.positions import split_lines
from lsp_server.documents.uris import file_path
from lsp_server.engine.engine import Engine
from lsp_server.engine.projects import Projects
from lsp_server.engine.settings import Settings
from lsp_server.engine.settings_files import LayeredSettings
from lsp_server.engine.tasks import start_task
from lsp_server.limits import CLIENT_SETTINGS_SECONDS, CLOSING_SECONDS, QUOTED_CHARACTERS, SHOWN_MESSAGES
from lsp_server.protocol.indexing import Indexing
from lsp_server.protocol.json_rpc import WireServer, in_a_line
from lsp_server.protocol.language_server import Protocol
from lsp_server.protocol.messages import Call
from lsp_server.protocol.structuring import plain_converter

LANGUAGES = ("lean4", "lean")
_UNSAVED = "Unsaved.lean"
"""The path used for a document that has none."""
_BRING_TEXTS = (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE)

log = logging.getLogger("premise_suggest")


class PremiseServer(WireServer):
    """The server: settings, one engine per project, and the messages that the user has seen already.

    Args:
        options: the settings that options of the command line choose, by the names that editors use.
    """

    protocol: Protocol

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__(
            "premise-suggest",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
            converter_factory=plain_converter,
        )
        self._settings = LayeredSettings(options, self._warn)
        self.projects = Projects(self._settings_of)
        self.indexing = Indexing(self)
        self.initialization_options: Any = None
        self._has_settings = asyncio.Event()
        self._has_settings.set()
        self._shown: set[str] = set()
        self._warning: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Stop the updates of indexes and close every project, within some seconds."""
        self.indexing.stop()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                for error in await asyncio.gather(
                    self.projects.close(), self.indexing.ended(), return_exceptions=True
                ):
                    if isinstance(error, BaseException):
                        log.debug("At the end", exc_info=error)
        asyncio.get_running_loop().set_exception_handler(_pass_over)

    def take_settings(self, values: Any) -> None:
        """Use the settings that the editor sent. Unknown settings and wrong types are reported once."""
        self._settings.take_editor(values)
        self._settings_of(None)
        self.projects.take_settings()

    def settings_at(self, uri: str) -> Settings:
        """The settings for a document: those of its project."""
        path = file_path(uri)
        return self._settings_of(find_root(path) if path is not None else None)

    def _settings_of(self, root: Path | None) -> Settings:
        settings = self._settings.at(root)
        if settings.models.device == "cuda" and self._warning is None:
            self._warning = start_task(self._warn_of_fallback(settings.models.device))
        return settings

    def _warn(self, message: str) -> None:
        """Show a warning to the user, once."""
        self.show(message, types.MessageType.Warning)

    async def _warn_of_fallback(self, device: Device) -> None:
        """Warn the user if the GPU that the settings choose cannot be used."""
        if warning := await asyncio.to_thread(fallback_warning, device):
            log.warning("%s", warning)
            self._warn(warning)

    @contextlib.contextmanager
    def receiving_settings(self) -> Iterator[None]:
        """A context in which requests wait for the editor's settings."""
        self._has_settings.clear()
        try:
            yield
        finally:
            self._has_settings.set()

    async def settings_known(self) -> None:
        """Wait until the settings are known, but not for long."""
        if self._has_settings.is_set():
            return  # Requests that waited see the documents as they are afterwards.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLIENT_SETTINGS_SECONDS):
                await self._has_settings.wait()

    def show(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show a message to the user the first time; afterwards only log it."""
        if message in self._shown or len(self._shown) >= SHOWN_MESSAGES:
            self.window_log_message(types.LogMessageParams(kind, message))
            return
        self._shown.add(message)
        self.window_show_message(types.ShowMessageParams(kind, f"premise-suggest: {message}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Report what pygls could not handle: log it, and show it without a traceback."""
        log.error("A notification failed: %s", in_a_line(error))
        log.debug("A notification failed", exc_info=error)
        self.show(f"A message could not be handled: {type(error).__name__}.")

    def take_bad_notification(self, call: Call, error: JsonRpcException) -> None:
        """Handle a notification that cannot be read. The document's text is unknown from then on."""
        log.info("A notification was not read: %s", error.message)
        uri = _uri(call.members.get("params"))
        if uri is not None and call.method in _BRING_TEXTS:
            self.take_document(self.documents.spoil(uri, "came in a message that cannot be read"))
        elif not call.method.startswith("$/"):
            self.show(f"A message could not be read: {error.message}", types.MessageType.Warning)

    def take_document(self, document: OpenDocument) -> None:
        """Check a document that the editor has sent; if it cannot be used, show the user why."""
        if document.fault:
            message = f"{document.uri[:QUOTED_CHARACTERS]} {document.fault}. {document.hint}"
            self.show(message.strip(), types.MessageType.Warning)

    @property
    def documents(self) -> OpenDocuments:
        """What the editor has open."""
        return self.protocol.documents

    def document(self, uri: str) -> DocumentSnapshot:
        """The Lean document of a URI, as the editor has it, else as on disk.

        Raises BadSource: not a file, not Lean, too large, not UTF-8, or not known as the editor has it.
        """
        path = self.lean_path(uri)
        held = self.documents.get(uri)
        if held is not None:
            held.check(str(path))
            return DocumentSnapshot(uri, path, split_lines(held.text), held.version, held.text)
        try:
            return DocumentSnapshot(uri, path, split_lines(read_regular_text(path, MAX_SOURCE_BYTES)))
        except UnicodeDecodeError as error:
            raise BadSource(f"{path} is not UTF-8.", "Save it as UTF-8.") from error
        except OSError as error:
            raise BadSource(f"{path} cannot be read: {error.strerror}.", "Save it first.") from error

    def lean_path(self, uri: str) -> Path:
        """The path of a Lean document. Raises BadSource: not a file, not Lean."""
        path = file_path(uri)
        if path is None:
            raise BadSource(f"{uri[:QUOTED_CHARACTERS]} is not a file on this machine.", "Save it first.")
        held = self.documents.get(uri)
        is_lean = held.language in LANGUAGES if held and held.language else path.suffix == ".lean"
        if not is_lean:
            raise BadSource(f"{path} is not a Lean file.", "Ask in a .lean file.")
        return path

    def check_current(self, document: DocumentSnapshot) -> None:
        """Check that edits still fit the document in the editor. Raises JsonRpcContentModified."""
        if not self.is_current(document):
            raise JsonRpcContentModified("The document has changed in the meantime. Try again.")

    def is_current(self, document: DocumentSnapshot) -> bool:
        """Whether the document is in the editor as it was."""
        held = self.documents.get(document.uri)
        now = (held.version, held.text) if held is not None else (None, None)
        return now == (document.version, document.source)

    def engine(self, document: DocumentSnapshot) -> Engine:
        """The engine of the project that the document belongs to."""
        return self.projects.engine_for(document.path)

    def text_document(self, uri: str) -> DocumentSnapshot:
        """The document of a URI, saved or not. Raises BadSource."""
        held = self.documents.get(uri)
        if held is not None and file_path(uri) is None:
            held.check(uri[:QUOTED_CHARACTERS])
            return DocumentSnapshot(uri, Path(_UNSAVED), split_lines(held.text), held.version, held.text)
        return self.document(uri)

    def document_or_text(self, uri: str) -> tuple[DocumentSnapshot | None, Engine]:
        """The document of a URI and its project's engine.

        A document that is not a file on this machine (`untitled:`, another program's) has no project: the
        bundled index answers for it, and its text is known only if the editor has opened it.

        Raises BadSource.
        """
        if file_path(uri) is not None:
            document = self.document(uri)
            return document, self.engine(document)
        shown = self.text_document(uri) if self.documents.get(uri) else None
        return shown, self.projects.engine_without_project()

    async def first_engine(self) -> Engine:
        """The engine of the workspace's first folder, or of the only project in it; else the one without a project."""
        for uri in [*self.workspace.folders, self.workspace.root_uri or ""]:
            path = file_path(uri)
            if path is not None:
                return await self.projects.engine_for_folder(path)
        return self.projects.engine_without_project()


def _pass_over(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Only log errors of tasks that the shutdown interrupted; nobody waits for them."""
    log.debug("At the end: %s", context.get("message"))


def _uri(params: Any) -> str | None:
    """The URI of the document in the parameters, even if they are otherwise invalid."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None
