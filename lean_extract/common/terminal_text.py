"""Text that a command line prints: warnings about data, untrusted text made safe, installation hints."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unicodedata import category


def pip() -> str:
    """The pip of the running environment, which need not be on PATH."""
    return f"{shlex.quote(sys.executable)} -m pip"


def pip_install(extra: str) -> str:
    """The command that installs an extra into the running environment.

    It names the package, not a folder, so that an editable installation stays editable.
    """
    return f"{pip()} install 'premise-suggest[{extra}]'"


@contextmanager
def complaints_printed(most: int = 20) -> Iterator[list[str]]:
    """A list to which the block appends warnings about the data that it reads.

    When the block ends, even with an error, the first `most` warnings are printed to stderr. If there are more,
    their number follows.
    """
    complaints: list[str] = []
    try:
        yield complaints
    finally:
        for line in complaints[:most]:
            print(line, file=sys.stderr)
        if len(complaints) > most:
            print(f"... and {len(complaints) - most:,} more; {len(complaints):,} in all.", file=sys.stderr)


def shown(text: object, *, keep: str = "", longest: int = 300) -> str:
    """Untrusted text made safe for display: on one line, of bounded length, without terminal escapes.

    Control characters, characters that change the writing direction and bytes that were not UTF-8 are
    escaped (`\\x1b`, `\\u202e`).

    Args:
        text: shown as `str` gives it.
        keep: control characters to keep, such as line breaks.
        longest: the number of characters to keep, half from each end; 0 keeps all.
    """
    visible = str(text)
    if longest and len(visible) > longest:
        visible = f"{visible[: longest // 2]} … {visible[-(longest // 2) :]}"
    if visible.isprintable():
        return visible
    return "".join(
        character if character in keep or category(character) not in _UNSAFE else _escaped(character)
        for character in visible
    )


def reason(error: Exception) -> str:
    """What an error says: of one of the system, what is wrong, without its number and the path."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def without_login(text: str) -> str:
    """A text without all that stands before its last `@`: it may be an address such as `https://me:secret@host`."""
    _, at, rest = text.rpartition("@")
    return f"…@{rest}" if at else text


_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of characters that a terminal interprets or cannot print."""


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
