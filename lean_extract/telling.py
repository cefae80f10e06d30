"""What a command line says: when its work does not come to its end, and in words that others chose."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from unicodedata import category

from lean_extract.errors import PremiseSuggestError

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""
_COMPLAINTS = 20
"""Complaints that are printed."""


def pip_install(extra: str) -> str:
    """The command that adds one of our extras to the environment that runs, which need not be on PATH.

    By our name, not by a folder: what is installed stays as it is, editable or not.
    """
    return f"{shlex.quote(sys.executable)} -m pip install 'premise-suggest[{extra}]'"


def told(work: Callable[[], None], *, stopped: str = "Stopped; nothing was written.") -> int:
    """Do a command's work; its exit code. What went wrong is told in a sentence on standard error.

    Args:
        work: prints its results itself.
        stopped: what is said after Ctrl-C.
    """
    try:
        work()
    except PremiseSuggestError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"{error.filename} cannot be read or written: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return INTERRUPTED
    return 0


def tell_complaints(complaints: Sequence[str]) -> None:
    """Print the first complaints about a source to standard error, and how many there are."""
    for complaint in complaints[:_COMPLAINTS]:
        print(complaint, file=sys.stderr)
    if len(complaints) > _COMPLAINTS:
        print(f"... and {len(complaints) - _COMPLAINTS:,} more; {len(complaints):,} in all.", file=sys.stderr)


def shown(text: object, *, keep: str = "", longest: int = 300) -> str:
    """Words of others on one line for people: no escape of a terminal takes effect, and it ends.

    Control characters, marks that turn the writing round and bytes that were no UTF-8 are written out
    (`\\x1b`, `\\u202e`).

    Args:
        keep: control characters that may stay, such as line breaks.
        longest: characters of it that are kept, from both ends; 0: all.
    """
    said = str(text)
    if longest and len(said) > longest:
        said = f"{said[: longest // 2]} … {said[-(longest // 2) :]}"
    if said.isprintable():
        return said
    return "".join(
        character if character in keep or category(character) not in _TAKE_EFFECT else _written_out(character)
        for character in said
    )


_TAKE_EFFECT = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of Unicode: what a terminal obeys or cannot write."""


def _written_out(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is no UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
