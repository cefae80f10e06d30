"""What a project's own files say of it: its name, its source folders, and where its packages lie.

All of it is another's word. Packages outside of the project are taken where Lake puts them by name: what the
manifest lists, if it is a Lake package itself. Everything else stays inside; what is left out is told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.errors import BadSource
from lean_extract.files.reading import is_file, is_folder
from lean_extract.files.settings_files import is_within, json_settings, settings_text, toml_settings
from lean_extract.source.projects.notices import Notices
from lean_extract.source.projects.walking import can_be_named
from lean_extract.telling import shown

MANIFEST = "lake-manifest.json"
LAKEFILES = ("lakefile.toml", "lakefile.lean")
MAX_PACKAGES = 1000
"""Packages of one project, and folders that are looked at in its packages folder."""
MAX_SOURCE_ROOTS = 100
"""Source folders that one lakefile may state."""
MAX_LAKEFILES = 2 << 20
"""Bytes of all lakefiles of a project and its packages together."""
MAX_NAME = 200
"""Characters of a package's name or revision."""

_SOURCE_DIR = re.compile(r'\bsrcDir\s*+:=\s*+"([^"\n]++)"')
_REVISION = re.compile(r"[A-Za-z0-9._/+@-]+")
_DEFAULT_PACKAGES = ".lake/packages"


@dataclass(frozen=True, slots=True)
class Package:
    """A dependency that is there on disk. `revision` is what the manifest pins, if it does."""

    name: str
    root: Path
    revision: str | None
    source_roots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a project's files say. `notices` are sentences on what of it is not followed, or leads outside."""

    name: str | None
    source_roots: tuple[Path, ...]
    packages: tuple[Package, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Listed:
    """A package that the manifest lists: its name, the folder that Lake has it in, and what is said of it."""

    name: str
    base: Path
    sub_folder: object
    revision: object


def read_layout(root: Path) -> Layout:
    """What the files of the project at `root` say. Never raises: what cannot be used is told."""
    return _PackageReader(root).layout()


def is_plain_part(part: str) -> bool:
    """Whether a part of a module name can be the name of a file or folder below another."""
    return part not in ("", ".", "..") and not any(character in part for character in "/\\\0")


class _PackageReader:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._real = os.path.realpath(root)
        self._notices = Notices()
        self._bytes_left = MAX_LAKEFILES

    def layout(self) -> Layout:
        manifest = self._manifest()
        name = manifest.get("name")
        if not isinstance(name, str) or self._wrong_name(name):
            name = None
        packages = tuple(self._packages(manifest))
        return Layout(name, self._source_roots(self._root), packages, self._notices.sentences())

    def _manifest(self) -> Mapping[str, Any]:
        try:
            return json_settings(self._root / MANIFEST, (self._real,))
        except BadSource as error:
            self._notices.add(str(error))
            return {}

    def _packages(self, manifest: Mapping[str, Any]) -> Iterator[Package]:
        """What the manifest lists and the disk has, then whatever else lies in the packages folder."""
        folder = self._packages_folder(manifest.get("packagesDir"))
        listed = tuple(self._listed(manifest, folder))
        places: set[Path] = set()
        for entry in listed:
            place = self._inside(entry.base, entry.sub_folder, f"`subDir` of the package {shown(entry.name)}")
            if place is None or place in places or not self._is_followed(place, entry.name):
                continue
            places.add(place)
            yield Package(entry.name, place, self._revision(entry), self._source_roots(place))
        for place in self._unlisted(folder, {entry.base for entry in listed}):
            if place not in places:
                yield Package(place.name, place, None, self._source_roots(place))

    def _packages_folder(self, stated: object) -> Path | None:
        """Where Lake keeps packages; None where that is said to be outside of the project."""
        if stated is not None and not isinstance(stated, str):
            self._tell("`packagesDir` is no text", "it is not followed")
            stated = None
        if not stated or _leads_below(stated):
            return self._root / (stated or _DEFAULT_PACKAGES)
        self._tell(f"`packagesDir` is {shown(stated)}, which leads out of the project", "it is not followed")
        return None

    def _listed(self, manifest: Mapping[str, Any], folder: Path | None) -> Iterator[_Listed]:
        listed = manifest.get("packages", [])
        if not isinstance(listed, list):
            self._tell("`packages` is no list", "no package is read from it")
            return
        if len(listed) > MAX_PACKAGES:
            self._tell(f"it lists {len(listed):,} packages", f"the first {MAX_PACKAGES:,} are read")
        for entry in listed[:MAX_PACKAGES]:
            if not isinstance(entry, dict):
                self._tell("an entry of `packages` is no object", "it is left out")
                continue
            kind = next((key for key in ("git", "path") if isinstance(entry.get(key), dict)), None)
            inner = entry[kind] if kind else entry
            name = inner.get("name")
            if not isinstance(name, str) or self._wrong_name(name):
                self._tell(f"{shown(name, longest=60)} is no name of a package", "it is left out")
            elif (kind or inner.get("type")) == "path":
                if (base := self._at_path(name, inner.get("dir"))) is not None:
                    yield _Listed(name, base, inner.get("subDir"), None)  # changes as it likes
            elif folder is not None:
                yield _Listed(name, folder / name.strip("«»"), inner.get("subDir"), inner.get("rev"))

    def _at_path(self, name: str, directory: object) -> Path | None:
        if isinstance(directory, str) and can_be_named(directory):
            return self._root / directory
        self._tell(f"`dir` of the package {shown(name)} is no folder's name", "it is left out")
        return None

    def _wrong_name(self, name: str) -> bool:
        return len(name) > MAX_NAME or not is_plain_part(name.strip("«»")) or not can_be_named(name)

    def _revision(self, entry: _Listed) -> str | None:
        revision = entry.revision
        if revision is None:
            return None
        if isinstance(revision, str) and len(revision) <= MAX_NAME and _REVISION.fullmatch(revision):
            return revision
        said = f"{shown(revision, longest=60)} is no revision"
        self._tell(said, f"the package {shown(entry.name)} counts as not pinned")
        return None

    def _is_followed(self, place: Path, name: str) -> bool:
        """Whether a listed package is read: it is there, and inside of the project or a Lake package."""
        if not is_folder(place):
            return False
        real = os.path.realpath(place)
        if real == self._real:
            self._tell(f"the package {shown(name)} is the project itself", "it is left out")
            return False
        if is_within(real, (self._real,)):
            return True
        if not _is_lake_package(place):
            said = f"the package {shown(name)} leads to {shown(real)}, which is no Lake package (no lakefile)"
            self._tell(said, "it is not read")
            return False
        said = f"also reads the package {shown(name)} in {shown(real)}, outside of the project"
        self._notices.add(f"The index of {shown(self._root)} {said}.")
        return True

    def _unlisted(self, folder: Path | None, listed: set[Path]) -> Iterator[Path]:
        """Further folders in the packages folder: real ones, inside of the project."""
        if folder is None or not is_folder(folder) or not is_within(os.path.realpath(folder), (self._real,)):
            return
        found: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for count, entry in enumerate(entries):
                    if count >= MAX_PACKAGES:
                        self._notices.add(f"{shown(folder)} has more than {MAX_PACKAGES:,} entries.")
                        break
                    if folder / entry.name in listed and entry.is_symlink():
                        continue
                    if entry.is_dir(follow_symlinks=False) and can_be_named(entry.name):
                        found.append(entry.name)
                    elif entry.is_dir():
                        said = "it is a link" if entry.is_symlink() else "no package can have this name"
                        self._notices.add(
                            f"{shown(entry.path)} is left out: the manifest does not list it, and {said}."
                        )
        except OSError as error:
            self._notices.add(f"{shown(folder)} cannot be read: {error.strerror}.")
        yield from (folder / name for name in sorted(found))

    def _source_roots(self, root: Path) -> tuple[Path, ...]:
        """The folders that module names are relative to: those plainly stated as `srcDir`, and the root."""
        stated = list(dict.fromkeys(self._stated(root)))
        if len(stated) > MAX_SOURCE_ROOTS:
            self._notices.add(
                f"The lakefile in {shown(root)} states {len(stated):,} source folders: the first "
                f"{MAX_SOURCE_ROOTS} are used."
            )
        folders: set[Path] = set()
        for text in stated[:MAX_SOURCE_ROOTS]:
            folder = self._inside(root, text, f"`srcDir` in {shown(root)}")
            if folder is not None and is_folder(folder):
                folders.add(folder)
        return (*sorted(folders - {root}, key=lambda folder: -len(folder.parts)), root)

    def _stated(self, root: Path) -> Iterator[str]:
        """The source folders that a package's lakefiles state, as written."""
        within = (self._real, os.path.realpath(root))
        toml, lean = (root / name for name in LAKEFILES)
        try:
            yield from _SOURCE_DIR.findall(settings_text(lean, within) if self._affords(lean) else "")
        except BadSource as error:
            self._notices.add(str(error))
        try:
            yield from _stated_in_toml(toml_settings(toml, within) if self._affords(toml) else {})
        except BadSource as error:
            self._notices.add(str(error))

    def _affords(self, path: Path) -> bool:
        """Whether a lakefile may still be read, all of them having to stay below a limit."""
        try:
            self._bytes_left -= path.stat().st_size
        except OSError:  # missing, or told when it is read
            return True
        if self._bytes_left < 0:
            self._notices.add(
                f"{shown(path)} is not read: the lakefiles of the project are too large in all."
            )
        return self._bytes_left >= 0

    def _inside(self, root: Path, stated: object, what: str) -> Path | None:
        """A folder that is stated to be below another; None, and told, where it would lead out of it."""
        if stated is None:
            return root
        if isinstance(stated, str) and _leads_below(stated):
            place = root / stated
            if is_within(os.path.realpath(place), (os.path.realpath(root),)):
                return place
        self._notices.add(
            f"{what} is {shown(stated, longest=60)}, which is no folder in it: it is not followed."
        )
        return None

    def _tell(self, what: str, outcome: str) -> None:
        self._notices.add(f"{shown(self._root / MANIFEST)}: {what}, so {outcome}.")


def _leads_below(stated: str) -> bool:
    """Whether a relative path has nothing in it that leads up, by its text."""
    parts = re.split(r"[/\\]", stated)
    return can_be_named(stated) and not Path(stated).is_absolute() and ".." not in parts


def _is_lake_package(folder: Path) -> bool:
    return any(is_file(folder / name) for name in (*LAKEFILES, MANIFEST))


def _stated_in_toml(lakefile: Mapping[str, Any]) -> list[str]:
    tables = [lakefile]
    for key in ("lean_lib", "lean_exe"):
        entries = lakefile.get(key)
        tables += [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [table["srcDir"] for table in tables if isinstance(table.get("srcDir"), str)]
