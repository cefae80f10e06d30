"""Writes docs/demo.svg: what `premise-suggest demo` shows in a terminal, colours and all.

python scripts/screenshot.py [--columns N] [OUT]
"""

from __future__ import annotations

import argparse
import io
import os
import pty
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from lean_extract.common.files.atomic import replacing

ROOT = Path(__file__).resolve().parents[1]


def in_terminal(command: list[str], columns: int) -> str:
    """What a command prints to a terminal of this width."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "LINES": "60", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux's way to say that the other end was closed
            break
        if not piece:
            break
        output += piece
    process.wait()
    return output.decode().replace("\r\n", "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "docs" / "demo.svg")
    parser.add_argument("--columns", type=int, default=100)
    options = parser.parse_args()
    command = [sys.executable, "-m", "lsp_server", "demo"]
    text = in_terminal(command, options.columns).replace(str(ROOT) + "/", "")
    console = Console(record=True, width=options.columns, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("$ premise-suggest demo\n" + text))
    with replacing(options.out) as stream:
        stream.write(console.export_svg(title="premise-suggest"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
