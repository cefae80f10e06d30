"""Refuses to run Lake where it would first fetch packages, or write the manifest.

Every command of Lake that loads a project clones the packages that are missing, and checks out the manifest's
revision in those that have another one. Without a manifest, it first chooses the revisions and writes one. The user
has to start that.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource, ProjectBroken
from lean_extract.common.files.reading import is_file, is_folder, read_regular_text
from lean_extract.common.files.settings_files import json_settings
from lean_extract.common.terminal_text import shown
from lean_extract.limits import GIT_SECONDS, MAX_GIT_LINKS, MAX_GIT_REF_BYTES, MAX_PACKED_REFS_BYTES
from lean_extract.source.projects.packages import (
    MANIFEST,
    OVERRIDES,
    Listed,
    listed_packages,
    manifest_path,
    overridden,
    requires_packages,
)
from lean_extract.toolchains.toolchain import has_lakefile

_OLDEST, _NEWEST_MAJOR = (0, 5), 1
"""Versions of the manifest that Lake reads."""
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\b")
_MOST_NAMED = 3


def refuse_fetching(project: Path) -> None:
    """Return where Lake can load the project as it is. Reads files only.

    Raises ProjectBroken: Lake would fetch, update or check out packages, write a manifest, or refuse the one that is
    there. The hint names the command that does it.
    """
    if not has_lakefile(project):
        return
    manifest = _manifest(project)
    listed = _listed(project, manifest)
    wrong = [one for one in listed if _problem(one)]
    if wrong:
        problems = _enumerated([_problem(one) for one in wrong])
        where, hint = (
            shown(project),
            "Put it there, or correct the lakefile and run `lake update`, then try again.",
        )
        if any(one.revision is not None for one in wrong):
            hint = f"Run `{_fetching(manifest, listed)}` in {where}, then try again."
        raise ProjectBroken(f"The packages of {where} are not those of its {MANIFEST}: {problems}.", hint)


def _manifest(project: Path) -> Mapping[str, Any]:
    """The manifest. Raises ProjectBroken: there is none, or Lake does not read it."""
    path = manifest_path(project)
    if not is_file(path):
        command = "lake update" if requires_packages(project) else "lake build"
        raise ProjectBroken(
            f"{shown(project)} has no {path.name}, which Lake would write, and fetch what the project requires.",
            f"Run `{command}` in {shown(project)}, then try again.",
        )
    try:
        manifest = json_settings(path)
    except BadSource as error:
        raise ProjectBroken(
            error.message, f"Restore it, or run `lake update` in {shown(project)}, then try again."
        ) from error
    _check_version(path, manifest.get("version", manifest.get("schemaVersion")))
    return manifest


def _check_version(path: Path, stated: object) -> None:
    version = _version(stated)
    if version is None or version < _OLDEST:
        raise ProjectBroken(
            f"Lake does not read {shown(path)}: its version is {shown(stated, longest=60)}.",
            f"Run `lake update` in {shown(path.parent)}, then try again.",
        )
    if version[0] > _NEWEST_MAJOR:
        raise ProjectBroken(
            f"{shown(path)} has version {shown(stated, longest=60)}: a newer Lake wrote it.",
            "Name the Lean that the project needs in `lean-toolchain`, or run `lake update`, then try again.",
        )


def _version(stated: object) -> tuple[int, int] | None:
    """The first two numbers of a version; a whole number N means 0.N."""
    if isinstance(stated, int):
        return 0, stated
    found = _VERSION.match(stated) if isinstance(stated, str) else None
    return (int(found[1]), int(found[2])) if found else None


def _listed(project: Path, manifest: Mapping[str, Any]) -> tuple[Listed, ...]:
    """The packages that Lake would load: the overrides replace those of the same name."""
    try:
        overrides = json_settings(project / OVERRIDES)
    except BadSource:  # Lake itself reports it, and fetches nothing
        overrides = {}
    return listed_packages(project, overridden(manifest, overrides))


def _problem(package: Listed) -> str:
    """What Lake would change about a package, as a clause; empty if nothing."""
    if not is_folder(package.base):
        return f"{shown(package.name)} is missing (there is no {shown(package.base)})"
    if package.revision is None:
        return ""
    head = head_revision(package.base)
    if head == package.revision:
        return ""
    if head is None:
        return f"{shown(package.name)} is not a Git checkout whose revision can be read"
    wanted = shown(str(package.revision)[:10])
    return f"{shown(package.name)} is at revision {head[:10]} instead of {wanted}"


def _enumerated(problems: Sequence[str]) -> str:
    rest = len(problems) - _MOST_NAMED
    return ", ".join(problems[:_MOST_NAMED]) + (f", and {rest} more" if rest > 0 else "")


def _fetching(manifest: Mapping[str, Any], listed: Iterable[Listed]) -> str:
    """The command that fetches the packages that the manifest lists, with what is compiled of Mathlib."""
    names = [manifest.get("name"), *(one.name for one in listed)]
    return "lake exe cache get" if "mathlib" in names else "lake build"


_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def head_revision(folder: Path) -> str | None:
    """The commit that `HEAD` names in a checkout; None if the folder is not a checkout, or cannot be read.

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
    for _ in range(MAX_GIT_LINKS):
        if not text.startswith("ref: "):
            return text if _HASH.fullmatch(text) else None
        text = _branch(text.removeprefix("ref: "), common) or ""
    return None


def _branch(name: str, common: Path) -> str | None:
    """The commit that a branch points at: its own file, or else its line in `packed-refs`."""
    if ".." in Path(name).parts or not name.startswith("refs/"):
        return None
    try:
        return _line(common / name)
    except FileNotFoundError:
        lines = read_regular_text(common / "packed-refs", MAX_PACKED_REFS_BYTES).splitlines()
        return next((line.split(" ")[0] for line in lines if line.endswith(f" {name}")), None)


def _line(path: Path) -> str:
    return read_regular_text(path, MAX_GIT_REF_BYTES).strip()


def _asked(folder: Path) -> str | None:
    """The answer of `git`, for references in a form that only Git reads."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=GIT_SECONDS,
        check=False,
    )
    found = done.stdout.strip()
    return found if _HASH.fullmatch(found) else None
