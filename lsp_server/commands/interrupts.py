"""Ctrl-C that first stops the work and keeps what there is of it, and only the second time ends the command."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Set an event at the first Ctrl-C (or SIGTERM); a second Ctrl-C raises KeyboardInterrupt."""
    stop = threading.Event()
    with _at_first_interrupt(stop.set):
        yield stop


@contextmanager
def stop_loop_on_interrupt() -> Iterator[asyncio.Event]:
    """The same with an event of the running loop."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with _at_first_interrupt(lambda: loop.call_soon_threadsafe(stop.set)):
        yield stop


@contextmanager
def _at_first_interrupt(act: Callable[[], object]) -> Iterator[None]:
    has_acted = False

    def take(_number: int, _frame: FrameType | None) -> None:
        nonlocal has_acted
        if has_acted:
            raise KeyboardInterrupt
        has_acted = True
        act()
        print("\nStopping ...", file=sys.stderr)

    old = {number: signal.signal(number, take) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
