"""Ends the server's process even if a thread is stuck."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Coroutine
from io import RawIOBase
from typing import Any, NoReturn, cast

from lean_extract.common.errors import UserError


def run(main: Coroutine[Any, Any, None]) -> None:
    """As `asyncio.run`, without waiting for threads."""
    with asyncio.Runner(loop_factory=_loop) as runner:
        runner.run(main)


def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.shutdown_default_executor = _do_not_wait  # type: ignore[method-assign]
    return loop


async def _do_not_wait() -> None:
    """Replaces asyncio's waiting for every thread, which has no limit."""


def standard_streams() -> tuple[RawIOBase, RawIOBase]:
    """Standard input and output without buffers. What is printed goes to standard error: it would break the protocol.

    Raises UserError: standard input is closed.
    """
    if cast(object, sys.stdin) is None:
        raise UserError(
            "Standard input is closed.", "Clients that start the server send their messages there."
        )
    stdin = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    stdout = open(sys.stdout.fileno(), "wb", buffering=0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stderr
    return stdin, stdout


def exit_process(code: int) -> NoReturn:
    """End the process at once. The interpreter would wait for threads, and one may be reading standard input."""
    logging.shutdown()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
