"""Terminals for the processes of tests."""

from __future__ import annotations

import os
import pty
import subprocess
import termios


def terminal_pair() -> tuple[int, int]:
    """Both ends of a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (40, 100))
    return ours, theirs


def on_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    """What a command prints on a terminal."""
    ours, theirs = terminal_pair()
    with subprocess.Popen(arguments, stdout=theirs, stderr=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: the other side was closed
                break
            if not part:
                break
            shown += part
        process.wait()
    os.close(ours)
    return shown.decode()
