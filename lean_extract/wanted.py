"""Whether somebody still waits for the work that is being done.

A thread cannot be stopped from outside. So long work looks here now and then, wherever it is called from:
`check_wanted` costs next to nothing, and where nobody has said otherwise all work is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context

_IS_UNWANTED: ContextVar[Callable[[], bool]] = ContextVar("is_unwanted", default=lambda: False)


class Unwanted(Exception):
    """Nobody waits for this work any more."""


def check_wanted() -> None:
    """Raises Unwanted where nobody waits for this work any more."""
    if _IS_UNWANTED.get()():
        raise Unwanted


@contextmanager
def wanted_until(is_unwanted: Callable[[], bool]) -> Iterator[None]:
    """Work in the block is wanted until this says otherwise: it is asked now and then. Raises Unwanted."""
    before = _IS_UNWANTED.set(is_unwanted)
    try:
        yield
    finally:
        _IS_UNWANTED.reset(before)


def context_until(is_unwanted: Callable[[], bool]) -> Context:
    """A context for work that is wanted until this says otherwise; threads begun in it are, too."""
    context = copy_context()
    context.run(_IS_UNWANTED.set, is_unwanted)
    return context
