"""Finds programs on PATH, and splits commands into words, on Windows too."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from lean_extract.common.files.reading import is_file

IS_WINDOWS = os.name == "nt"
EXE = ".exe" if IS_WINDOWS else ""
"""What the names of programs end in."""


def on_path(name: str, path: str) -> Iterator[Path]:
    """The programs of a name in the folders of PATH.

    Unlike `shutil.which` on Windows, it does not look in the current folder first, which may be anybody's project.
    """
    file = name if Path(name).suffix else f"{name}{EXE}"
    for folder in path.split(os.pathsep):
        program = Path(folder.strip('"'), file)
        if folder and is_file(program) and os.access(program, os.X_OK):
            yield program


def split_command(command: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    """The words of a command, as a shell splits them. On Windows a backslash separates folders, and quotes are double.

    Raises ValueError: a quote is not closed.
    """
    if not is_windows:
        return shlex.split(command)
    lexer = shlex.shlex(command, posix=False)
    lexer.whitespace_split, lexer.quotes, lexer.commenters = True, '"', ""
    return [word.strip('"') for word in lexer]
