"""Names of Lean toolchains, as given in `lean-toolchain`, elan's settings and ELAN_TOOLCHAIN.

A name becomes a subfolder of elan's folder, whose programs are then run. So only names that elan accepts are
accepted.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from lean_extract.common.errors import BadSource, LeanNotFound
from lean_extract.common.files.settings_files import settings_text
from lean_extract.common.terminal_text import shown

FILE = "lean-toolchain"
"""The file in which a project names its toolchain."""

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
_NAME = re.compile(rf"(?:{_PART}/{_PART}:)?{_PART}")
_LEADING_V = re.compile(r"^v(?=\d)")
_HINT = "Name a toolchain as elan does, such as leanprover/lean4:v4.24.0."


def checked(name: str, source: str) -> str:
    """The name, if it is valid: a channel, `owner/repository:channel`, or a toolchain linked with elan.

    Args:
        name: the name of a toolchain.
        source: where the name comes from, as the subject of a sentence.

    Raises LeanNotFound: it is not a valid name.
    """
    if _NAME.fullmatch(name) is None or ".." in name:
        raise LeanNotFound(
            f"{source} asks for {shown(name, longest=80)!r}, which is not the name of a toolchain.", _HINT
        )
    return name


def version_in(name: str) -> str:
    """The version or channel that a toolchain's name stands for: `4.24.0` for `leanprover/lean4:v4.24.0`."""
    return _LEADING_V.sub("", name.rpartition(":")[2])


def is_lean(version: str, named: str) -> bool:
    """Whether a version (`4.31.0-nightly-2026-07-01`) is what a toolchain names (`nightly-2026-07-01`)."""
    return version == named or (named.startswith("nightly-") and version.endswith(f"-{named}"))


def named_in(path: Path) -> str:
    """The toolchain named in a `lean-toolchain` file: its first line, as elan reads it.

    If the file is a link, it must lead to another file of that name (as in a repository with several projects)
    or stay in its folder.

    Raises LeanNotFound: the file cannot be read, is empty, or does not name a toolchain.
    """
    real = os.path.realpath(path)
    within = None if Path(real).name == FILE else (os.path.realpath(path.parent),)
    try:
        text = settings_text(path, within).strip()
    except BadSource as error:
        raise LeanNotFound(error.message, "It should have one line, the name of a toolchain.") from error
    if not text:
        raise LeanNotFound(f"{path} is empty.", "Write a toolchain there, such as leanprover/lean4:v4.24.0.")
    return checked(text.splitlines()[0].strip(), str(path))
