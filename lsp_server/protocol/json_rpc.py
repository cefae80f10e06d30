"""JSON-RPC on top of pygls. Every request is answered exactly once.

pygls leaves a request that it cannot read unanswered, sends tracebacks to the client, takes any number of requests,
and keeps the futures of notifications for ever.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from abc import abstractmethod
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from lsp_server.documents.open_documents import OpenDocument
from lsp_server.limits import (
    CAUSE_CHARACTERS,
    CHOICE_SECONDS,
    CLIENT_ANSWER_SECONDS,
    ERROR_CHARACTERS,
    UNANSWERED_BYTES,
    UNANSWERED_REQUESTS,
)
from lsp_server.protocol.messages import BadMessage, Call, ClientAnswer, Id, is_id, read
from lsp_server.protocol.structuring import what_is_wrong

REQUEST_FAILED = types.LSPErrorCodes.RequestFailed.value
"""LSP 3.17: the request was fine, but it failed."""

log = logging.getLogger("premise_suggest")


def in_a_line(error: BaseException) -> str:
    """An exception's message. The traceback is only in the detailed log (`serve --log`)."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:CAUSE_CHARACTERS]}"


class WireServer(LanguageServer):
    """A server that also handles bad notifications and documents."""

    @abstractmethod
    def take_bad_notification(self, call: Call, error: JsonRpcException) -> None:
        """Handle a notification that cannot be read."""

    @abstractmethod
    def take_document(self, document: OpenDocument) -> None:
        """Handle a document that the editor has sent."""


class JsonRpc(LanguageServerProtocol):
    """pygls' protocol with our own transport: `receive` handles messages, `_send_data` sends them."""

    _server: WireServer

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._is_initialized = False
        self._waiting: dict[Id, int] = {}
        """Bytes of each request that is not answered yet."""

    # Incoming messages.

    def receive(self, body: bytes) -> None:
        """Handle a message. A request is answered at once, or when its work ends."""
        try:
            message = read(body)
        except BadMessage as bad:
            log.info("A message was refused: %s", bad)
            self._answer_error(bad.id, JsonRpcException(bad.message, bad.code))
            return
        if isinstance(message, ClientAnswer):
            self._take_answer(message)
        elif message.id is None:
            self._take_notification(message)
        else:
            self._take_request(message, message.id, len(body))

    def _take_request(self, call: Call, id: Id, size: int) -> None:
        try:
            self._check_admitted(call, id, size)
            handler = self._handler(call)
            params = self._params(call)
        except JsonRpcException as error:
            self._answer_error(id, error)
            return
        self._waiting[id] = size
        self._shutdown = self._shutdown or call.method == types.SHUTDOWN
        done = partial(self._finish, call=call)
        self._execute_handler(_key(id), handler, done, (params,))

    def _check_admitted(self, call: Call, id: Id, size: int) -> None:
        """Check that a request is allowed now and that there is room for it. Raises JsonRpcException."""
        if self._shutdown:
            raise JsonRpcInvalidRequest("The server is shutting down.")
        if not self._is_initialized and call.method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("The first request must be initialize.")
        if self._is_initialized and call.method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("The server is already initialized.")
        if id in self._waiting:
            raise JsonRpcInvalidRequest(f"An earlier request with the id {id!r} is not answered yet.")
        is_full = (
            len(self._waiting) >= UNANSWERED_REQUESTS or sum(self._waiting.values()) + size > UNANSWERED_BYTES
        )
        if is_full and call.method != types.SHUTDOWN:
            count = f"{len(self._waiting):,}"
            problem = f"{count} requests are not answered yet. Try again when some are."
            raise JsonRpcException(problem, REQUEST_FAILED, {"hint": "", "kind": ""})

    def _take_notification(self, call: Call) -> None:
        if call.method != types.EXIT and (self._shutdown or not self._is_initialized):
            log.info(
                "Ignored, since the server is not running: the notification %s",
                call.method[:ERROR_CHARACTERS],
            )
            return
        if call.method == types.CANCEL_REQUEST:
            self._cancel(call.members.get("params"))
            return
        try:
            handler = self._handler(call)
            params = self._params(call)
        except JsonRpcMethodNotFound:
            return  # as LSP lets us do
        except JsonRpcException as error:
            self._server.take_bad_notification(call, error)
            return
        self._execute_handler(object(), handler, self._check_handler_result, (params,))

    def _cancel(self, params: Any) -> None:
        wanted = params.get("id") if isinstance(params, dict) else None
        future = self._request_futures.get(_key(wanted)) if is_id(wanted) else None
        if future is not None:
            future.cancel()

    def _take_answer(self, answer: ClientAnswer) -> None:
        """Handle the answer to a request of ours. If it cannot be read, the request raises an error."""
        future = self._request_futures.pop(answer.id, None) if isinstance(answer.id, str) else None
        if future is None or future.done():
            log.info("An answer came that no request waits for.")
            return
        kind = self._result_types.pop(answer.id, None)
        try:
            if "error" in answer.members:
                error = self._converter.structure(answer.members["error"], types.ResponseError)
                future.set_exception(JsonRpcException.from_error(error))
            elif kind is None:
                future.set_result(answer.members["result"])
            else:
                message = {"jsonrpc": self.VERSION, "id": answer.id, **answer.members}
                future.set_result(self._converter.structure(message, kind).result)
        except Exception as wrong:
            log.info("The client's answer cannot be read: %s", what_is_wrong(wrong), exc_info=True)
            future.set_exception(JsonRpcInternalError("The client's answer cannot be read."))

    def _handler(self, call: Call) -> Any:
        """The handler of a call. Raises JsonRpcMethodNotFound."""
        known = types.METHOD_TO_TYPES.get(call.method)
        takes_id = known is None or known[1] is not None
        if takes_id is not (call.id is not None):
            raise JsonRpcMethodNotFound(f"{call.method} is a {'request' if takes_id else 'notification'}.")
        features = self.fm.builtin_features, self.fm.features
        handler = next((known[call.method] for known in features if call.method in known), None)
        if handler is None:
            raise JsonRpcMethodNotFound(f"There is no method {call.method}.")
        return handler

    def _params(self, call: Call) -> Any:
        """The parameters of a call. Raises JsonRpcInvalidParams."""
        given = call.members.get("params")
        if not isinstance(given, dict | list | None):
            raise JsonRpcInvalidParams(f"{call.method}: the parameters must be an object.")
        kind = self.get_message_type(call.method)
        if kind is None:
            return given
        message = {"jsonrpc": self.VERSION, "id": call.id, "method": call.method, "params": given}
        try:
            return self._converter.structure(message, kind).params
        except Exception as error:
            raise JsonRpcInvalidParams(f"{call.method}: {what_is_wrong(error)}.") from error

    # Outgoing messages.

    def _finish(self, future: Any, *, call: Call) -> None:
        """Answer a request whose work has ended, successfully or not."""
        assert call.id is not None
        del self._waiting[call.id]
        try:
            if future.cancelled():
                raise JsonRpcRequestCancelled("The request was cancelled.")
            self._send_data({"jsonrpc": self.VERSION, "id": call.id, "result": future.result()})
        except JsonRpcException as error:
            self._answer_error(call.id, error)
        except Exception as error:
            log.error("%s failed: %s", call.method, in_a_line(error))
            log.debug("%s failed", call.method, exc_info=True)
            failure = JsonRpcInternalError(f"{call.method} failed: {type(error).__name__}.")
            self._answer_error(call.id, failure)

    def _answer_error(self, id: Id | None, error: JsonRpcException) -> None:
        log.info("An error was the answer: %s", error.message[:ERROR_CHARACTERS])
        answer = types.ResponseError(error.code, error.message[:ERROR_CHARACTERS], error.data)
        self._send_data({"jsonrpc": self.VERSION, "id": id, "error": answer})

    def _send_data(self, data: Any) -> None:
        """Send a message in ASCII, which can represent any text. Raises if it cannot be written as JSON."""
        if self.writer is None:
            return
        body = json.dumps(data, default=self._serialize_message, allow_nan=False)
        self.writer.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii"))

    async def send_request_async(self, method: str, params: Any = None, msg_id: Any = None) -> Any:
        """Send a request to the client. Raises JsonRpcException: it refuses, or does not answer in time."""
        number = msg_id or str(uuid.uuid4())
        future = self.send_request(method, params, msg_id=number)
        is_choice = method == types.WINDOW_SHOW_MESSAGE_REQUEST
        try:
            # `wait_for` of 3.11 may miss a cancellation.
            async with asyncio.timeout(CHOICE_SECONDS if is_choice else CLIENT_ANSWER_SECONDS):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise JsonRpcException(f"The client did not answer {method}.", REQUEST_FAILED) from None
        finally:
            self._request_futures.pop(number, None)
            self._result_types.pop(number, None)

    def _execute_handler(
        self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None
    ) -> None:
        """pygls', which keeps the futures of notifications for ever."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(partial(self._forget, msg_id))

    def _forget(self, msg_id: Any, future: Any) -> None:
        if self._request_futures.get(msg_id) is future:
            del self._request_futures[msg_id]


def _key(id: Id) -> Any:
    """A request's key among the futures, where ours to the client have theirs."""
    return ("client", id)
