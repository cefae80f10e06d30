"""Work that goes on whether or not somebody still waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from lean_extract.wanted import context_until

Result = TypeVar("Result")


async def to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for work that goes on where its caller is cancelled: who asks next finds it done."""
    return await asyncio.shield(ahead(work))


def ahead(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Begin work that will be needed; who needs it hears of its errors."""
    # It is wanted though the request that began it may be given up: others will ask for what it makes.
    task = asyncio.create_task(work, context=context_until(lambda: False))
    task.add_done_callback(_heed)
    return task


def _heed(task: asyncio.Task[Any]) -> None:
    """Take note of how a task ended that perhaps nobody waits for."""
    if not task.cancelled():
        task.exception()
