"""Starts a language server that is killed when the process that started it ends.

Run as `python -I -S guard.py PARENT_PID NAME=VALUE... -- COMMAND...`. It imports little, because every start of a
server waits for it.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Set the variables, tie this process to its parent, and become the command."""
    parent, *rest = sys.argv[1:]
    split = rest.index("--")
    variables, command = rest[:split], rest[split + 1 :]
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != int(parent):  # The parent ended before the call above.
            sys.exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which may still need the server
    for variable in variables:
        name, _, value = variable.partition("=")
        os.environ[name] = value
    try:
        if sys.platform == "win32":
            # There `exec` would end this process, which the parent waits for. The import takes 15 ms.
            import subprocess

            sys.exit(subprocess.call(command))
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
