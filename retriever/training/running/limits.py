"""How far a call of `train` goes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from lean_extract.common.errors import UserError


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How far this call goes."""

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
            f"The deadline {deadline:%Y-%m-%d %H:%M} is over: it is {now:%Y-%m-%d %H:%M}.",
            "Give a later time.",
        )
    return deadline
