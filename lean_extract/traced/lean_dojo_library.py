"""Imports LeanDojo (the extra `premise-suggest[dojo]`) when it is used.

Its import runs `git`, resets loguru's sinks, reads a `.env` file, makes a folder in the user's cache and loads
ray. If GITHUB_ACCESS_TOKEN is set, it also accesses the network. So the token is hidden from it, `.env` files are
not read, and its remote cache is turned off: all tracing is done on this machine.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from lean_extract.common.errors import UserError
from lean_extract.common.terminal_text import pip_install

MAJOR = 4
NEEDED = (
    "Dojo",
    "DojoCrashError",
    "DojoInitError",
    "DojoTacticTimeoutError",
    "LeanError",
    "LeanGitRepo",
    "ProofFinished",
    "ProofGivenUp",
    "TacticState",
    "Theorem",
    "trace",
)
"""The names of `lean_dojo` that are used."""

_LAST_PYTHON = (3, 12)
_HINT = f"Install it, in Python 3.11 or 3.12: {pip_install('dojo')}"
_SETTINGS: Mapping[str, str | None] = {
    "DISABLE_REMOTE_CACHE": "1",
    "GITHUB_ACCESS_TOKEN": None,
    "PYTHON_DOTENV_DISABLED": "1",
}
"""Environment variables during the import; None: not set."""


class LeanDojoMissing(UserError):
    """LeanDojo is not installed, cannot be used here, or has an unsupported version."""


@dataclass(frozen=True, slots=True)
class LeanDojo:
    """The imported package. Its objects are untyped."""

    package: Any
    version: str
    starting: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Held while LeanDojo starts a Lean, since it changes the process's working directory during that time."""

    def repository(self, project: Path) -> Any:
        """`LeanGitRepo` of a local clone. Raises UserError if the folder is not a Git clone."""
        try:
            return self.package.LeanGitRepo.from_path(project)
        except Exception as error:
            raise UserError(
                f"LeanDojo cannot read {project}: {error!r}.",
                "Name a clone of a Git repository with a `lean-toolchain` and at least one commit.",
            ) from error

    def theorem(self, project: Path, file: Path, name: str) -> Any:
        """`lean_dojo.Theorem` of a local clone. `file` is relative to the clone, `name` is the full name."""
        return self.package.Theorem(self.repository(project), file, name)


def load_lean_dojo() -> LeanDojo:
    """Import LeanDojo.

    Raises:
        LeanDojoMissing: it cannot be used here. The hint says what to install.
    """
    if sys.version_info[:2] > _LAST_PYTHON and "lean_dojo" not in sys.modules:
        running = ".".join(map(str, sys.version_info[:2]))
        raise LeanDojoMissing(f"LeanDojo does not run in Python {running}.", _HINT)
    if shutil.which("git") is None:
        raise LeanDojoMissing("LeanDojo needs git, which is not on PATH.", "Install git.")
    try:
        with _environment(_SETTINGS):
            package = importlib.import_module("lean_dojo")
    except ModuleNotFoundError as error:
        raise LeanDojoMissing(f"LeanDojo is not installed ({error}).", _HINT) from error
    except (ImportError, AssertionError, OSError, subprocess.SubprocessError) as error:
        raise LeanDojoMissing(f"LeanDojo cannot be imported: {error!r}.", _HINT) from error
    version = str(getattr(package, "__version__", "unknown"))
    absent = [name for name in NEEDED if not hasattr(package, name)]
    if version.split(".")[0] != str(MAJOR) or absent:
        lacks = f" (it lacks {', '.join(absent)})" if absent else ""
        raise LeanDojoMissing(f"LeanDojo {version} is not version {MAJOR}{lacks}.", _HINT)
    return LeanDojo(package, version)


@contextmanager
def _environment(settings: Mapping[str, str | None]) -> Iterator[None]:
    """Change some variables of the process's environment within the block."""
    before = {name: os.environ.get(name) for name in settings}
    _set(settings)
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
