"""How internal errors are reported: in one line, which is all that standard error gets."""

from __future__ import annotations

_SAID = 500


def in_a_line(error: BaseException) -> str:
    """What an exception says. The traceback is only in the detailed log (`serve --log`)."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_SAID]}"
