"""Names of collections and libraries: plain and short, since they become names of folders, and are printed."""

from __future__ import annotations

import re

from lean_extract.common.errors import UserError
from lean_extract.common.terminal_text import shown

_NAME = re.compile(r"\w[\w.-]{0,63}")
_MOST_BYTES = 240
"""File systems allow 255 in the name of a folder."""


def is_plain_name(name: str) -> bool:
    """Whether a name is plain and short."""
    return _NAME.fullmatch(name) is not None and len(name.encode()) <= _MOST_BYTES


def checked_name(name: str, of: str, hint: str = "") -> str:
    """The name. Raises UserError: it is not plain and short.

    Args:
        of: what it is to be the name of, such as `collection`.
        hint: what to do; by default, what a name may hold.
    """
    if not is_plain_name(name):
        form = "Use letters, digits, dots, hyphens and underscores, at most 64 (fewer where one takes four bytes)."
        raise UserError(f"`{shown(name, longest=80)}` cannot be the name of a {of}.", hint or form)
    return name
