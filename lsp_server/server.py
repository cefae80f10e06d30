"""The language server on pygls: its settings, projects and documents, and what the user has been told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from lean_extract.errors import BadSource
from lsp_server import __version__
from lsp_server.document import Document
from lsp_server.engine import Engine
from lsp_server.indexing import Indexing
from lsp_server.positions import split_lines
from lsp_server.projects import Projects
from lsp_server.protocol import Protocol, plain_converter
from lsp_server.settings import Settings, parse

LANGUAGES = ("lean4", "lean")
UNSAVED = "Unsaved.lean"
"""What stands for the path of a document that has none."""
_SETTINGS_SECONDS = 3.0

log = logging.getLogger("premise_suggest")


class PremiseServer(LanguageServer):
    """The server: settings, one engine a project, and what the user has been told already."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(
            "premise-suggest",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
            converter_factory=plain_converter,
        )
        self.base_settings = settings
        self.settings = settings
        self.projects = Projects(settings)
        self.indexing = Indexing(self)
        self.initialization_options: Any = None
        self.is_closing = False
        self._settled = asyncio.Event()
        self._settled.set()
        self._told: set[str] = set()

    def take_settings(self, values: Any) -> None:
        """Use what the editor sent; what is not a setting, or not of its type, is told once."""
        self.settings, complaints = parse(values, self.base_settings)
        self.projects.take_settings(self.settings)
        for complaint in complaints:
            self.tell(complaint, types.MessageType.Warning)

    @contextlib.contextmanager
    def settling(self) -> Iterator[None]:
        """While the editor is asked for its settings, requests wait for them."""
        self._settled.clear()
        try:
            yield
        finally:
            self._settled.set()

    async def settled(self) -> None:
        """Wait until the settings are known, but not for long."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), _SETTINGS_SECONDS)

    def tell(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show a message to the user the first time; afterwards only log it."""
        if message in self._told:
            self.window_log_message(types.LogMessageParams(kind, message))
            return
        self._told.add(message)
        self.window_show_message(types.ShowMessageParams(kind, f"premise-suggest: {message}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What pygls could not deal with: logged, and told without a traceback."""
        if source is FeatureRequestError:
            log.info("%s", error)  # The client has it as the answer to its request.
            return
        log.error("%s: %s", getattr(source, "__name__", source), error)
        self.tell(f"A message could not be handled: {type(error).__name__}.")

    def document(self, uri: str) -> Document:
        """The Lean document behind a URI, as the editor has it, else as on disk.

        Raises BadSource: not a file, not Lean, not readable as UTF-8.
        """
        path = self.file_path(uri)
        if path is None:
            raise BadSource(f"{uri} is not a file on this machine.", "Save it first.")
        held = self.workspace.get_text_document(uri)
        is_lean = held.language_id in LANGUAGES if held.language_id else path.suffix == ".lean"
        if not is_lean:
            raise BadSource(f"{path} is not a Lean file.", "Ask in a .lean file.")
        try:
            lines = split_lines(held.source)
        except UnicodeDecodeError as error:
            raise BadSource(f"{path} is not UTF-8.", "Save it as UTF-8.") from error
        except OSError as error:
            raise BadSource(f"{path} cannot be read: {error.strerror}.", "Save it first.") from error
        return Document(uri, path, lines)

    def engine(self, document: Document) -> Engine:
        """The engine of the project that the document belongs to."""
        return self.projects.engine_for(document.path)

    def text_document(self, uri: str) -> Document:
        """The document behind a URI, saved or not. Raises BadSource."""
        held = self.held(uri)
        if held is not None and self.file_path(uri) is None:
            return Document(uri, Path(UNSAVED), split_lines(held.source))
        return self.document(uri)

    def document_or_text(self, uri: str) -> tuple[Document | None, Engine]:
        """The document behind a URI and its project's engine.

        What is no file on this machine (`untitled:`, another program's) has no project: the bundled index
        answers for it, and its text is known only if the editor has opened it. Raises BadSource.
        """
        if self.file_path(uri) is not None:
            document = self.document(uri)
            return document, self.engine(document)
        shown = self.text_document(uri) if self.held(uri) else None
        return shown, self.projects.engine_without_project()

    def held(self, uri: str) -> TextDocument | None:
        """The document that the editor has open under a URI, however its characters are quoted."""
        documents: dict[str, TextDocument] = self.workspace.text_documents
        return documents.get(unquote(uri))

    def first_engine(self) -> Engine:
        """The engine of the first folder of the workspace; where there is none, of no project."""
        for uri in [*self.workspace.folders, self.workspace.root_uri or ""]:
            path = self.file_path(uri)
            if path is not None:
                return self.projects.engine_for(path)
        return self.projects.engine_without_project()

    @staticmethod
    def file_path(uri: str) -> Path | None:
        """The file behind a URI; None where it names none that this machine could have."""
        path = to_fs_path(uri) if uri.lower().startswith("file:") else None
        return Path(path) if path and "\0" not in path and Path(path).is_absolute() else None
