"""When a run is to stop before its end: a time limit, a deadline, Ctrl-C, or SIGTERM. It finishes its step first."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import datetime
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def local_time() -> datetime:
    """Now, with the local time zone."""
    return datetime.now().astimezone()


class Stopping:
    """Asked after every step; a context manager, because it takes over the signals meanwhile.

    The first signal asks for a stop, and gives the signals back: a second one ends the process at once.
    """

    def __init__(
        self,
        minutes: float | None = None,
        deadline: datetime | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = local_time,
    ) -> None:
        """Counts from now.

        Args:
            minutes: the limit, if there is one.
            deadline: the time of the day to stop at, if there is one.
            clock: seconds.
            now: the time of the day.
        """
        self._clock, self._minutes = clock, minutes
        self._now, self._deadline = now, deadline
        self._end = None if minutes is None else clock() + 60.0 * minutes
        self._before: dict[signal.Signals, Any] = {}
        self.signal: signal.Signals | None = None
        """The one that came."""

    def reason(self) -> str:
        """Why to stop now; empty to go on."""
        if self.signal is not None:
            return f"{self.signal.name} came"
        if self._end is not None and self._clock() >= self._end:
            return f"{self._minutes:g} minutes are over"
        if self._deadline is not None and self._now() >= self._deadline:
            return f"the deadline {self._deadline:%H:%M} has come"
        return ""

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._ask) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.signal = signal.Signals(number)
        self._give_back()
        # Not print: the signal may have come in the middle of one.
        os.write(2, b"\nStopping after this step; once more to stop at once.\n")

    def _give_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
