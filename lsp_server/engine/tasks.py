"""Tasks that continue even if nobody waits for them any more."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from lean_extract.common.cancellation import context_cancelled_when

Result = TypeVar("Result")


async def to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for work that continues if its caller is cancelled, so that the next caller finds it done."""
    return await asyncio.shield(ahead(work))


def ahead(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Begin work that will be needed; errors are raised to whoever waits for it."""
    # It is wanted even if the request that began it is cancelled: others will ask for its result.
    task = asyncio.create_task(work, context=context_cancelled_when(lambda: False))
    task.add_done_callback(_retrieve)
    return task


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Retrieve the error of a task that perhaps nobody waits for, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()
