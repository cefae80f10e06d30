"""How failures reach the user: for requests of the editor itself, and for requests of the user."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from pygls.exceptions import JsonRpcException

from lean_extract.common.errors import BadSettings, PremiseSuggestError, UserError
from lsp_server.protocol.json_rpc import REQUEST_FAILED, in_a_line
from lsp_server.protocol.server import PremiseServer

log = logging.getLogger("premise_suggest")
Parameters = ParamSpec("Parameters")
_Result = TypeVar("_Result")


def passive(
    server: PremiseServer, what: str, *, waits: bool = True
) -> Callable[
    [Callable[Parameters, Awaitable[_Result | None]]], Callable[Parameters, Awaitable[_Result | None]]
]:
    """Handle requests of the editor itself (hover, completion, ...): on failure, an empty answer instead of an error.

    Expected cases (no goal here) stay silent; real failures are shown once.
    """

    def decorate(
        handler: Callable[Parameters, Awaitable[_Result | None]],
    ) -> Callable[Parameters, Awaitable[_Result | None]]:
        @wraps(handler)
        async def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> _Result | None:
            try:
                if waits:
                    await server.settings_known()
                return await handler(*args, **kwargs)
            except JsonRpcException:
                raise
            except UserError as error:
                if isinstance(error, BadSettings):
                    server.show(str(error))
                log.info("%s: %s", what, error)
            except PremiseSuggestError as error:
                server.show(str(error))
            except Exception as error:
                log.error("%s failed: %s", what, in_a_line(error))
                log.debug("%s failed", what, exc_info=True)
                server.show(
                    f"The {what} failed. To see why, run the server with `premise-suggest serve --log FILE`."
                )
            return None

        return guarded

    return decorate


def active(
    server: PremiseServer, what: str
) -> Callable[[Callable[Parameters, Awaitable[_Result]]], Callable[Parameters, Awaitable[_Result]]]:
    """Handle requests of the user: a failure is answered with one sentence and a hint, never a traceback."""

    def decorate(
        handler: Callable[Parameters, Awaitable[_Result]],
    ) -> Callable[Parameters, Awaitable[_Result]]:
        @wraps(handler)
        async def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> _Result:
            try:
                await server.settings_known()
                return await handler(*args, **kwargs)
            except JsonRpcException:
                raise
            except PremiseSuggestError as error:
                data = {"hint": error.hint, "kind": type(error).__name__}
                raise JsonRpcException(_sentence(error.message), REQUEST_FAILED, data) from None
            except Exception as error:
                log.error("%s failed: %s", what, in_a_line(error))
                log.debug("%s failed", what, exc_info=True)
                raise JsonRpcException(
                    f"The {what} failed: {type(error).__name__}.", REQUEST_FAILED, {"hint": "", "kind": ""}
                ) from None

        return guarded

    return decorate


def _sentence(message: str) -> str:
    """A message on one line that ends with a full stop."""
    folded = " ".join(message.split())
    return folded if folded.endswith((".", "!", "?")) else f"{folded}."
