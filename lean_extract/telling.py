"""What a command line says when its work does not come to its end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable

from lean_extract.errors import PremiseSuggestError

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


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
