"""Which toolchain elan 4.2 would run. Elan itself is not run, since it would download what is missing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource, LeanNotFound
from lean_extract.common.files.reading import is_file
from lean_extract.common.files.settings_files import settings_text, toml_settings
from lean_extract.toolchains.programs import EXE, IS_WINDOWS, on_path
from lean_extract.toolchains.toolchain_name import FILE, checked, named_in

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
    names = ("USERPROFILE", "HOME") if IS_WINDOWS else ("HOME",)
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
