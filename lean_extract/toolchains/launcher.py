"""The packaged `lean`: loads Lean's shared library and hands it the command line.

Run as `python -I -S launcher.py LIBRARY ARGUMENTS...`; copied into the user's cache by `packaged.py`.
It imports nothing but the interpreter's own modules, because every Lean worker starts through it.
"""

import _thread
import ctypes
import os
import select
import signal
import sys


def end_with_parent() -> None:
    """End this process as soon as its parent has ended, so that no worker outlives its editor."""
    if not sys.platform.startswith("linux"):  # there is no packaged Lean elsewhere
        return
    try:
        parent = os.pidfd_open(os.getppid())
    except OSError:  # No pidfd in this kernel, or none allowed: Lean still ends at the end of its input.
        return
    _thread.start_new_thread(_wait_and_exit, (parent,))


def _wait_and_exit(parent: int) -> None:
    select.select([parent], [], [])
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run Lean and leave with its exit code, without tearing down threads that may still work."""
    end_with_parent()
    # Python acts on a signal only between its own instructions, and there are none while Lean runs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    library = ctypes.CDLL(sys.argv[1])
    arguments = [b"lean", *map(os.fsencode, sys.argv[2:])]
    argv = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)
    code: int = library.lean_main(len(arguments), argv)
    ctypes.CDLL(None).fflush(None)
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
