"""The revision that is checked out in a folder, read from Git's own files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from lean_extract.common.files.reading import is_folder, read_regular_text

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LONGEST = 4096
_MOST_PACKED = 16 << 20
_MOST_LINKS = 5
_GIT_SECONDS = 10.0


def head_revision(folder: Path) -> str | None:
    """The commit that `HEAD` names in a checkout; None if the folder itself is none, or that cannot be read.

    Never raises. Unlike `git rev-parse`, it does not look in the folders above.
    """
    try:
        place = _git_folder(folder)
        if is_folder(place / "reftable"):
            return _asked(folder)
        return _resolved(place, _common_folder(place))
    except (OSError, ValueError, subprocess.SubprocessError):  # ValueError: not UTF-8, or a NUL in a path
        return None


def _git_folder(folder: Path) -> Path:
    """`.git`, or the folder that it names as a file: in worktrees and submodules."""
    place = folder / ".git"
    return place if is_folder(place) else _named(place, "gitdir: ")


def _common_folder(place: Path) -> Path:
    """The folder with the branches, which worktrees share."""
    try:
        return _named(place / "commondir")
    except FileNotFoundError:
        return place


def _named(path: Path, prefix: str = "") -> Path:
    """The folder that a file names, relative to its own."""
    return path.parent / _line(path).removeprefix(prefix)


def _resolved(place: Path, common: Path) -> str | None:
    text = _line(place / "HEAD")
    for _ in range(_MOST_LINKS):
        if not text.startswith("ref: "):
            return text if _HASH.fullmatch(text) else None
        text = _branch(text.removeprefix("ref: "), common) or ""
    return None


def _branch(name: str, common: Path) -> str | None:
    """What a branch points at: its own file, or else its line in `packed-refs`."""
    if ".." in Path(name).parts or not name.startswith("refs/"):
        return None
    try:
        return _line(common / name)
    except FileNotFoundError:
        lines = read_regular_text(common / "packed-refs", _MOST_PACKED).splitlines()
        return next((line.split(" ")[0] for line in lines if line.endswith(f" {name}")), None)


def _line(path: Path) -> str:
    return read_regular_text(path, _LONGEST).strip()


def _asked(folder: Path) -> str | None:
    """What `git` says, for a form of branches that only Git reads."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
        check=False,
    )
    found = done.stdout.strip()
    return found if _HASH.fullmatch(found) else None
