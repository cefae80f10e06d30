"""Cancellation: whether the result of the current work is still wanted.

A thread cannot be stopped from outside, so long computations call `check_wanted` now and then. The call costs
next to nothing. Unless `wanted_until` or `context_until` is in effect, all work is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context

_IS_UNWANTED: ContextVar[Callable[[], bool]] = ContextVar("is_unwanted", default=lambda: False)


class Unwanted(Exception):
    """The result of this work is no longer wanted."""


def check_wanted() -> None:
    """Raise Unwanted if the result of this work is no longer wanted."""
    if _IS_UNWANTED.get()():
        raise Unwanted


@contextmanager
def wanted_until(is_unwanted: Callable[[], bool]) -> Iterator[None]:
    """Cancel the work in the block, by raising Unwanted, once `is_unwanted` returns True."""
    before = _IS_UNWANTED.set(is_unwanted)
    try:
        yield
    finally:
        _IS_UNWANTED.reset(before)


def context_until(is_unwanted: Callable[[], bool]) -> Context:
    """A context whose work, including threads started in it, is cancelled once `is_unwanted` returns True."""
    context = copy_context()
    context.run(_IS_UNWANTED.set, is_unwanted)
    return context
