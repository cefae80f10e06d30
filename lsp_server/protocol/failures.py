"""Reports internal errors on one line, for standard error."""

from __future__ import annotations

_SAID = 500


def in_a_line(error: BaseException) -> str:
    """An exception's message. The traceback is only in the detailed log (`serve --log`)."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_SAID]}"
