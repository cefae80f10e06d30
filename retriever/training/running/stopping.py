"""When a run is to stop before its end: a time limit, a deadline, Ctrl-C, or SIGTERM. It finishes its step first."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from types import FrameType, TracebackType
from typing import Any

from lean_extract.common.errors import UserError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How far a call of `train` goes."""

    until: int | None = None
    """Steps, counted from the run's beginning."""
    minutes: float | None = None
    """Of this call."""
    deadline: datetime | None = None
    """With a time zone."""

    def __post_init__(self) -> None:
        if any(limit is not None and limit <= 0 for limit in (self.until, self.minutes)):
            raise UserError(
                "A limit must be positive.", "Leave --minutes and --until out to train to the end."
            )


def local_time() -> datetime:
    """Now, with the local time zone."""
    return datetime.now().astimezone()


def read_deadline(text: str, now: datetime) -> datetime:
    """The deadline that an ISO time or `HH:MM`, the next time the clock shows it, stands for.

    Local time where no zone is named.

    Raises UserError when it is neither, or over.
    """
    try:
        if "-" in text:
            deadline = datetime.fromisoformat(text)
        else:
            deadline = datetime.combine(now.date(), time.fromisoformat(text), tzinfo=now.tzinfo)
            if deadline <= now:
                deadline += timedelta(days=1)
    except ValueError as error:
        hint = "Give HH:MM, or an ISO time such as 2026-12-01T09:30."
        raise UserError(f"{text!r} is not a time.", hint) from error
    if deadline.tzinfo is None:
        deadline = deadline.astimezone()
    if deadline <= now:
        raise UserError(
            f"The deadline {deadline:%Y-%m-%d %H:%M} has already passed: it is {now:%Y-%m-%d %H:%M}.",
            "Give a later time.",
        )
    return deadline


class Stopping:
    """Checked after every step; a context manager, because it takes over the signals meanwhile.

    The first signal requests a stop and restores the handlers, so that a second one ends the process at once.
    """

    def __init__(self, limits: RunLimits | None = None, *, now: Callable[[], datetime] = local_time) -> None:
        """Minutes are counted from here; `now` gives the time of the day."""
        limits = limits or RunLimits()
        self._now = now
        self._ends: list[tuple[datetime, str]] = []
        if limits.minutes is not None:
            end = now() + timedelta(minutes=limits.minutes)
            self._ends.append((end, f"{limits.minutes:g} minutes have passed"))
        if limits.deadline is not None:
            self._ends.append((limits.deadline, f"the deadline {limits.deadline:%H:%M} has passed"))
        self._before: dict[signal.Signals, Any] = {}
        self.signal: signal.Signals | None = None
        """The one that was received."""

    def reason(self) -> str:
        """Why to stop now; empty to go on."""
        if self.signal is not None:
            return f"{self.signal.name} was received"
        now = self._now()
        return next((reason for end, reason in self._ends if now >= end), "")

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._ask) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore_handlers()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.signal = signal.Signals(number)
        self._restore_handlers()
        # Not print: the signal may have come in the middle of one.
        os.write(2, b"\nStopping after this step; once more to stop at once.\n")

    def _restore_handlers(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
