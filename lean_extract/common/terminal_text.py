"""What a command line prints: warnings about data, untrusted text made safe, and how to install what is missing.

Standard output and error are in UTF-8, and usable even after their reader has ended.
"""

from __future__ import annotations

import importlib
import io
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from types import ModuleType
from typing import TextIO, cast
from unicodedata import category

from lean_extract.common.errors import UserError


def pip(action: str) -> str:
    """A command of pip for the running environment, which need not be on PATH.

    Environments that uv makes, for `uv tool` or for pipx, have no pip; uv does its work.
    """
    python = shlex.quote(sys.executable)
    if find_spec("pip") is None:
        return f"uv pip {action} --python {python}"
    return f"{python} -m pip {action}"


def pip_install(extra: str) -> str:
    """The command that installs an extra into the running environment.

    It names the package, not a folder, so that an editable installation stays editable.
    """
    return f"{pip('install')} 'premise-suggest[{extra}]'"


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
    """The message of an error; for a system error without its number and the path."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def without_login(text: str) -> str:
    """A text without everything before its last `@`: it may be an address such as `https://me:secret@host`."""
    _, at, rest = text.rpartition("@")
    return f"…@{rest}" if at else text


_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of characters that a terminal interprets or cannot print."""


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def open_outputs() -> None:
    """Print UTF-8 in any locale, for Lean's symbols; escape what cannot be encoded.

    Output is discarded if the caller has closed standard output or error (`>&-`).
    """
    # Python sets these to None, which its type stubs do not show.
    if cast(object, sys.stdout) is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if cast(object, sys.stderr) is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def print_line(line: str, stream: TextIO | None = None) -> None:
    """Print a line, on standard output if nothing else is named. Ignores a reader that has ended."""
    with suppress(OSError, ValueError):
        print(line, file=stream, flush=True)


def flush_output() -> bool:
    """Flush standard output and error. Returns whether standard output could be; Python does not retry at its exit."""
    return [_flush(stream) for stream in (sys.stderr, sys.stdout)][1]


def _flush(stream: TextIO) -> bool:
    try:
        stream.flush()
        return True
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
        return False


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of a package that an extra installs.

    Args:
        module: its full name, such as `sklearn.feature_extraction.text`.
        extra: the name of the extra in pyproject.toml.
        purpose: what needs the module, as the subject of the error message: `Global decoding`.

    Raises:
        UserError: the module cannot be imported. The hint names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UserError(
            f"{purpose} needs the package `{package}`, which cannot be imported: {error}.",
            f"Install it: {pip_install(extra)}",
        ) from error
