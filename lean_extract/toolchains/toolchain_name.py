"""Names of Lean toolchains, as `lean-toolchain`, elan's settings and ELAN_TOOLCHAIN give them.

A name becomes a folder below elan's own, whose programs are then run: only what elan takes for one is taken.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from lean_extract.errors import BadSource, LeanNotFound
from lean_extract.files.settings_files import settings_text
from lean_extract.telling import shown

FILE = "lean-toolchain"
"""The file in which a project names its toolchain."""

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
_NAME = re.compile(rf"(?:{_PART}/{_PART}:)?{_PART}")
_HINT = "Name a toolchain as elan does, such as leanprover/lean4:v4.24.0."


def checked(name: str, source: str) -> str:
    """A toolchain's name, if it is one: a channel, `owner/repository:channel`, or one that elan has linked.

    Args:
        source: who asks for it, to begin a sentence with.

    Raises LeanNotFound.
    """
    if _NAME.fullmatch(name) is None or ".." in name:
        raise LeanNotFound(f"{source} asks for {shown(name, longest=80)!r}, which names no toolchain.", _HINT)
    return name


def named_in(path: Path) -> str:
    """What a `lean-toolchain` file names: its first line, as elan reads it.

    A link may lead to another file of that name, as where a repository has several projects, or stay in its
    folder.

    Raises LeanNotFound: it cannot be read, is empty, or names no toolchain.
    """
    real = os.path.realpath(path)
    within = None if Path(real).name == FILE else (os.path.realpath(path.parent),)
    try:
        text = settings_text(path, within).strip()
    except BadSource as error:
        raise LeanNotFound(error.message, "It holds one line: a toolchain.") from error
    if not text:
        raise LeanNotFound(f"{path} is empty.", "Write a toolchain there, such as leanprover/lean4:v4.24.0.")
    return checked(text.splitlines()[0].strip(), str(path))
