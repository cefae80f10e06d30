"""Says how far Lean is while somebody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

_T = TypeVar("_T")
_FIRST_SECONDS = 2.0
_NEXT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class LeanProgress:
    """How many of the lines down to a goal are elaborated."""

    done: int
    lines: int

    def __str__(self) -> str:
        return f"Lean has elaborated {self.done:,} of {self.lines:,} lines"


OnWaiting = Callable[[LeanProgress], None]
"""Is called from time to time while Lean elaborates what is above a goal."""


async def while_waiting(
    work: Coroutine[Any, Any, _T], look: Callable[[], LeanProgress | None], say: OnWaiting
) -> _T:
    """The result of work; where it takes long, each progress of Lean is said once meanwhile."""
    task = asyncio.ensure_future(work)
    seconds, said = _FIRST_SECONDS, None
    try:
        while not (await asyncio.wait([task], timeout=seconds))[0]:
            seconds = _NEXT_SECONDS
            progress = look()
            if progress is not None and progress != said:
                said = progress
                say(progress)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
