"""Text that a command line prints: complaints about data, words of others made safe, installation hints."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unicodedata import category


def pip_install(extra: str) -> str:
    """The command that adds one of our extras to the environment that runs, which need not be on PATH.

    By our name, not by a folder: what is installed stays as it is, editable or not.
    """
    return f"{shlex.quote(sys.executable)} -m pip install 'premise-suggest[{extra}]'"


@contextmanager
def complaints_printed(most: int = 20) -> Iterator[list[str]]:
    """A list for what is wrong in the data that is read.

    When the block ends, also with an error, the first `most` are printed to stderr, and how many there are.
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
