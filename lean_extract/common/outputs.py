"""Standard output and error of a command: in UTF-8, and whatever has become of who reads them."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO, cast


def open_outputs() -> None:
    """Print UTF-8 in any locale, for Lean's symbols; escape what cannot be encoded.

    What is printed vanishes where the caller has closed standard output or error (`>&-`).
    """
    # Python sets these to None, whatever its types say.
    if cast(object, sys.stdout) is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if cast(object, sys.stderr) is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def print_line(line: str, stream: TextIO | None = None) -> None:
    """Print a line, on standard output if nothing else is named. It is no error if nobody reads it any more."""
    with suppress(OSError, ValueError):
        print(line, file=stream, flush=True)


def settled() -> bool:
    """Print what is still to be printed; whether it could be. What could not is not tried again by Python's end."""
    return [_settled(stream) for stream in (sys.stderr, sys.stdout)][1]


def _settled(stream: TextIO) -> bool:
    try:
        stream.flush()
        return True
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
        return False
