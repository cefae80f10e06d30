"""The language server on pygls: its settings, its projects, and how errors reach the user."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from pathlib import Path
from threading import Event
from typing import Any, ParamSpec, TypeVar

import cattrs
from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)
from pygls.uris import to_fs_path

from lean_extract.errors import BadSettings, BadSource, PremiseSuggestError, UserError
from lsp_server import __version__
from lsp_server.document import Document
from lsp_server.engine import Engine
from lsp_server.positions import split_lines
from lsp_server.projects import Projects
from lsp_server.settings import Settings, parse

LANGUAGES = ("lean4", "lean")
FEATURES = ("configuration", "documents", "hover", "completion", "code_actions", "suggest")
REQUEST_FAILED = -32803
"""LSP 3.17: the request was fine, but it failed."""

_SETTINGS_SECONDS = 3.0

log = logging.getLogger("premise_suggest")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Protocol(LanguageServerProtocol):
    """pygls' protocol, with commands that can be cancelled like any other request."""

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command in a task of its own, which `$/cancelRequest` then cancels."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"There is no command {params.command!r}.")
        return await handler(*(params.arguments or ()))


def plain_converter() -> cattrs.Converter:
    """pygls' converter, leaving the JSON of our own requests as it is."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    converter.register_structure_hook(
        JsonRPCRequestMessage, lambda message, cls: cls(**{"params": None, **message})
    )
    converter.register_structure_hook(
        JsonRPCResponseMessage, lambda message, cls: cls(**{"result": None, **message})
    )
    return converter


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
        path = to_fs_path(uri) if uri.startswith("file:") else None
        if path is None:
            raise BadSource(f"{uri} is not a file on this machine.", "Save it first.")
        held = self.workspace.get_text_document(uri)
        is_lean = held.language_id in LANGUAGES if held.language_id else path.endswith(".lean")
        if not is_lean:
            raise BadSource(f"{path} is not a Lean file.", "Ask in a .lean file.")
        try:
            lines = split_lines(held.source)
        except UnicodeDecodeError as error:
            raise BadSource(f"{path} is not UTF-8.", "Save it as UTF-8.") from error
        except OSError as error:
            raise BadSource(f"{path} cannot be read: {error.strerror}.", "Save it first.") from error
        return Document(uri, Path(path), lines)

    def engine(self, document: Document) -> Engine:
        """The engine of the project that the document belongs to."""
        return self.projects.engine_for(document.path)


def passive(
    server: PremiseServer, what: str, *, waits: bool = True
) -> Callable[
    [Callable[Parameters, Awaitable[Result | None]]], Callable[Parameters, Awaitable[Result | None]]
]:
    """For what the editor asks by itself (hover, completion, ...): no answer rather than an error.

    What the user can do nothing about at this place (no goal here) stays silent; failures are told once.
    """

    def decorate(
        handler: Callable[Parameters, Awaitable[Result | None]],
    ) -> Callable[Parameters, Awaitable[Result | None]]:
        @wraps(handler)
        async def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result | None:
            try:
                if waits:
                    await server.settled()
                return await handler(*args, **kwargs)
            except UserError as error:
                if isinstance(error, BadSettings):
                    server.tell(str(error))
                log.info("%s: %s", what, error)
            except PremiseSuggestError as error:
                server.tell(str(error))
            except Exception:
                log.exception("%s failed", what)
                server.tell(f"The {what} failed; the log of `premise-suggest serve --log FILE` says why.")
            return None

        return guarded

    return decorate


def sentence(message: str) -> str:
    """A message as one line that ends in a full stop."""
    folded = " ".join(message.split())
    return folded if folded.endswith((".", "!", "?")) else f"{folded}."


def active(
    server: PremiseServer, what: str
) -> Callable[[Callable[Parameters, Awaitable[Result]]], Callable[Parameters, Awaitable[Result]]]:
    """For what the user asked: a failure is the answer, one sentence with a hint, never a traceback."""

    def decorate(handler: Callable[Parameters, Awaitable[Result]]) -> Callable[Parameters, Awaitable[Result]]:
        @wraps(handler)
        async def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            try:
                await server.settled()
                return await handler(*args, **kwargs)
            except JsonRpcException:
                raise
            except PremiseSuggestError as error:
                data = {"hint": error.hint, "kind": type(error).__name__}
                raise JsonRpcException(sentence(error.message), REQUEST_FAILED, data) from None
            except Exception as error:
                log.exception("%s failed", what)
                raise JsonRpcException(
                    f"The {what} failed: {type(error).__name__}.", REQUEST_FAILED, {"hint": "", "kind": ""}
                ) from None

        return guarded

    return decorate


def create_server(settings: Settings) -> PremiseServer:
    """A server with every feature registered; nothing is started before a client asks."""
    server = PremiseServer(settings)
    for name in FEATURES:
        importlib.import_module(f"lsp_server.features.{name}").register(server)
    return server


def serve_stdio(server: PremiseServer) -> int:
    """Serve on standard input and output until the client goes; returns the exit code."""
    reader = StdinAsyncReader(sys.stdin.buffer, server.thread_pool)
    writer = StdoutWriter(sys.stdout.buffer)
    sys.stdout = sys.stderr  # A stray print must not break the protocol.
    return _run(_serve(server, reader, writer))


def serve_tcp(server: PremiseServer, port: int) -> int:
    """Serve one client on a port of 127.0.0.1 until it goes; returns the exit code."""

    async def main() -> None:
        arrived: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await arrived.put((reader, writer))

        listener = await asyncio.start_server(connected, "127.0.0.1", port)
        actual = listener.sockets[0].getsockname()[1]
        print(f"Listening on 127.0.0.1:{actual}", file=sys.stderr, flush=True)
        async with listener:
            await _serve(server, *await arrived.get())

    return _run(main())


async def _serve(server: PremiseServer, reader: Any, writer: Any) -> None:
    """Handle messages until the input ends, `exit` comes or a signal does; then close every project."""
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    if task is not None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, task.cancel)
    server.protocol.set_writer(writer)
    try:
        await run_async(
            stop_event=Event(),
            reader=reader,
            protocol=server.protocol,
            logger=log,
            error_handler=lambda error, source: server.report_server_error(error, source),
        )
    except (asyncio.IncompleteReadError, BrokenPipeError, ConnectionResetError):
        log.info("The client has gone.")
    finally:
        server.is_closing = True
        await server.projects.close()


def _run(main: Any) -> int:
    try:
        asyncio.run(main)
    except SystemExit as stop:
        return int(stop.code or 0)
    except (asyncio.CancelledError, KeyboardInterrupt):
        # Stopped by a signal: the thread that reads standard input cannot be woken, so do not wait for it.
        logging.shutdown()
        os._exit(0)
    return 0
