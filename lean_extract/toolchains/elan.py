"""Which toolchain elan 4.2 would run, the names of toolchains, and the programs on PATH.

Elan itself is not run, since it would download what is missing. A name, as given in `lean-toolchain`, elan's settings
and ELAN_TOOLCHAIN, becomes a subfolder of elan's folder, whose programs are then run. So only names that elan accepts
are accepted.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource, LeanNotFound
from lean_extract.common.files.reading import is_file
from lean_extract.common.files.settings_files import settings_text, toml_settings
from lean_extract.common.terminal_text import shown

_IS_WINDOWS = os.name == "nt"
EXE = ".exe" if _IS_WINDOWS else ""
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


def split_command(command: str, *, is_windows: bool = _IS_WINDOWS) -> list[str]:
    """The words of a command, as a shell splits them. On Windows a backslash separates folders, and quotes are double.

    Raises ValueError: a quote is not closed.
    """
    if not is_windows:
        return shlex.split(command)
    lexer = shlex.shlex(command, posix=False)
    lexer.whitespace_split, lexer.quotes, lexer.commenters = True, '"', ""
    return [word.strip('"') for word in lexer]


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


_OWNER = "leanprover/lean4"
_NIGHTLY = "-nightly"
_RELEASE = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:-(?P<pre>[\w.-]+))?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A toolchain's name, and the setting that names it, as the subject of a sentence."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Elan:
    """Elan's folder, and its settings; `problem`: why they cannot be read, as the end of a sentence."""

    home: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""

    def wanted(self, project: Path | None, environment: Mapping[str, str]) -> Wanted | None:
        """The toolchain that elan would run in a folder: that of ELAN_TOOLCHAIN; of the nearest folder with an
        override or a `lean-toolchain`; the default.

        Raises LeanNotFound: what is named is not the name of a toolchain.
        """
        if named := environment.get("ELAN_TOOLCHAIN"):
            return _wanted(named, "The variable ELAN_TOOLCHAIN")
        stated = self.settings.get("overrides")
        overrides = {_key(name): one for name, one in stated.items()} if isinstance(stated, dict) else {}
        for folder in upwards(project):
            override = overrides.get(_key(str(folder)))
            if isinstance(override, str):
                return _wanted(override, f"Elan's override for {folder}")
            if is_file(folder / FILE):
                return Wanted(named_in(folder / FILE), str(folder / FILE))
        default = self.settings.get("default_toolchain")
        return _wanted(default, "Elan's default") if isinstance(default, str) else None

    def installed(self, name: str) -> Path | None:
        """The folder of a toolchain; None if elan has not installed it.

        `stable`, `beta` and `nightly` are the newest of their kind that is installed.

        Raises LeanNotFound: it is incomplete, or a link to it cannot be followed.
        """
        owner, _, release = name.rpartition(":")
        linked = self._folder(release) or self._folder(name)
        if linked is not None:
            return linked
        owner = owner or _OWNER
        if release.startswith("nightly") and not owner.endswith(_NIGHTLY):
            owner += _NIGHTLY
        if release in ("stable", "beta", "nightly"):
            return self._newest(release)
        return self._folder(f"{owner}:v{release}" if release[:1].isdigit() else f"{owner}:{release}")

    def resolved(self, name: str, folder: Path) -> str:
        """What elan resolves a name to, whose toolchain is in this folder; a linked toolchain's is the name itself."""
        is_own = folder.parent == self.home / "toolchains"
        return folder.name.replace("---", ":").replace("--", "/") if is_own else name

    def _folder(self, name: str) -> Path | None:
        """The folder of a toolchain of this name, in which elan writes dashes for `/` and `:`; None if there is none.

        Raises LeanNotFound: it is incomplete, or the link to it cannot be followed.
        """
        place = folder = self.home / "toolchains" / name.replace("/", "--").replace(":", "---")
        again = f"Run: elan toolchain uninstall {name}. Then install it, or link it, again."
        if folder.is_file():  # a linked toolchain: the file contains its path
            try:
                folder = Path(settings_text(folder).strip())
            except BadSource as error:
                raise LeanNotFound(error.message, again) from error
        if (folder / "bin" / f"lean{EXE}").is_file():
            return folder
        if os.path.lexists(place):
            raise LeanNotFound(
                f"Elan's toolchain {name} is incomplete: {folder} has no bin/lean{EXE}.", again
            )
        return None

    def _newest(self, channel: str) -> Path | None:
        found = []
        for folder in (self.home / "toolchains").glob("*---*"):
            key = _age(folder.name.rpartition("---")[2], channel)
            if key is not None and (folder / "bin" / f"lean{EXE}").is_file():
                found.append((key, folder))
        return max(found)[1] if found else None


def find_elan(environment: Mapping[str, str]) -> Elan | None:
    """Elan, if it is installed, or has left toolchains: editors are often started without its folder in PATH."""
    named = environment.get("ELAN_HOME")
    folder = Path(named) if named else _home(environment)
    if folder is None:
        return None
    program = (folder / "bin" / f"elan{EXE}").is_file() or any(on_path("elan", environment.get("PATH", "")))
    if not program and not (folder / "toolchains").is_dir():
        return None
    try:
        return Elan(folder, toml_settings(folder / "settings.toml"))
    except BadSource as error:
        return Elan(folder, {}, f"; {error.message.rstrip('.')}, so elan has no default")


def _home(environment: Mapping[str, str]) -> Path | None:
    """`.elan` in the user's folder."""
    names = ("USERPROFILE", "HOME") if _IS_WINDOWS else ("HOME",)
    home = next((environment[name] for name in names if environment.get(name)), None)
    return Path(home) / ".elan" if home else None


def _key(folder: str) -> str:
    """A folder's name by which it is compared. Rust, in which elan is written, marks whole paths on Windows."""
    return os.path.normcase(folder.removeprefix("\\\\?\\"))


def upwards(project: Path | None) -> Iterator[Path]:
    """A folder and those above it, without links; nothing for None."""
    if project is not None:
        project = project.resolve()
        yield from (project, *project.parents)


def _wanted(name: str, source: str) -> Wanted:
    return Wanted(checked(name.strip(), source), source)


def _age(release: str, channel: str) -> tuple[Any, ...] | None:
    """A key to order the releases of a channel by, the newest last; None for those of other channels."""
    if channel == "nightly":
        return (release,) if release.startswith("nightly-") else None
    version = _RELEASE.fullmatch(release)
    if version is None or (channel == "stable") == bool(version["pre"]):
        return None
    numbers = tuple(int(number) for number in version.groups()[:3])
    return (
        *numbers,
        *(int(part) if part.isdigit() else -1 for part in re.split(r"\D+", version["pre"] or "")),
    )
