"""The server's end: what runs is asked to stop, and no thread that is stuck keeps the process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from lsp_server.protocol.server import PremiseServer

log = logging.getLogger("premise_suggest")
_CLOSING_SECONDS = 5.0
"""How long Lean and what is being read have to come to their ends; an index is whole at any time."""


async def close(server: PremiseServer) -> None:
    """Stop the updates of indexes and close every project, within some seconds."""
    server.is_closing = True
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSING_SECONDS):
            for error in await asyncio.gather(
                server.projects.close(), server.indexing.ended(), return_exceptions=True
            ):
                if isinstance(error, BaseException):
                    log.debug("At the end", exc_info=error)
    asyncio.get_running_loop().set_exception_handler(_pass_over)


def _pass_over(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What fails now was cut off by the end, and nobody waits for it."""
    log.debug("At the end: %s", context.get("message"))


def run(main: Coroutine[Any, Any, None]) -> None:
    """As `asyncio.run`, without waiting for threads."""
    with asyncio.Runner(loop_factory=_loop) as runner:
        runner.run(main)


def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.shutdown_default_executor = _let_go  # type: ignore[method-assign]
    return loop


async def _let_go() -> None:
    """In the place of a wait, without a limit, for every thread that was given work."""


def leave(code: int) -> NoReturn:
    """End the process now: the interpreter would wait for threads, and one may be reading standard input."""
    logging.shutdown()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
