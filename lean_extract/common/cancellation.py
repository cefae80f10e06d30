"""Cancellation of long computations.

A thread cannot be stopped from outside, so long computations call `check_cancelled` now and then. The call costs
next to nothing. Nothing is cancelled outside of `cancelled_when` and `context_cancelled_when`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context

_IS_CANCELLED: ContextVar[Callable[[], bool]] = ContextVar("is_cancelled", default=lambda: False)


class Cancelled(Exception):
    """The result of this work is no longer needed."""


def check_cancelled() -> None:
    """Raise Cancelled if the result of this work is no longer needed."""
    if _IS_CANCELLED.get()():
        raise Cancelled


@contextmanager
def cancelled_when(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Cancel the work in the block, by raising Cancelled, once `is_cancelled` returns True."""
    before = _IS_CANCELLED.set(is_cancelled)
    try:
        yield
    finally:
        _IS_CANCELLED.reset(before)


def context_cancelled_when(is_cancelled: Callable[[], bool]) -> Context:
    """A context whose work, including threads started in it, is cancelled once `is_cancelled` returns True."""
    context = copy_context()
    context.run(_IS_CANCELLED.set, is_cancelled)
    return context
