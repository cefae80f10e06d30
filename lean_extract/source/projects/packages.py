"""The layout of a project, read from its own files: its name, its source folders and its packages.

These files are untrusted. A package outside the project is read only if the manifest lists it and it is a Lake
package itself. Every other path must stay inside the project. A notice is recorded for whatever is left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import is_file, is_folder
from lean_extract.common.files.settings_files import is_within, json_settings, settings_text, toml_settings
from lean_extract.common.terminal_text import shown
from lean_extract.limits import (
    MAX_ALL_LAKEFILES_BYTES,
    MAX_PACKAGE_NAME_CHARACTERS,
    MAX_PACKAGES,
    MAX_SOURCE_ROOTS,
)
from lean_extract.source.projects.walking import Notices, can_be_named

MANIFEST = "lake-manifest.json"
OVERRIDES = Path(".lake", "package-overrides.json")
"""Entries in place of those in the manifest, by name."""
LAKEFILES = ("lakefile.toml", "lakefile.lean")

_SOURCE_DIR = re.compile(
    r'^[^\S\n]*+(?:@\[[^\]\n]*+\]\s*+)?(?P<of>package|lean_lib|lean_exe)\b|\bsrcDir\s*+:=\s*+"(?P<folder>[^"\n]++)"',
    re.MULTILINE,
)
"""Where a declaration of a `lakefile.lean` begins, or a source folder that it states."""
_REQUIRE = re.compile(r"^[^\S\n]*(\[\[\s*require\s*\]\]|require\s)", re.MULTILINE)
_MANIFEST_FILE = re.compile(r'^[^\S\n]*manifestFile\s*:?=\s*(?:some\s*)?"([^"\n]+)"', re.MULTILINE)
_REVISION = re.compile(r"[A-Za-z0-9._/+@-]+")
_DEFAULT_PACKAGES = ".lake/packages"


@dataclass(frozen=True, slots=True)
class Package:
    """A dependency that exists on disk. `revision` is the one that the manifest pins, if any."""

    name: str
    root: Path
    revision: str | None
    source_roots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a project's files declare. `notices` report what is ignored or leads outside the project."""

    name: str | None
    source_roots: tuple[Path, ...]
    packages: tuple[Package, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A package in the manifest: its name, the folder in which Lake keeps it, and its unchecked properties.

    `revision` is None for a package whose folder Lake does not manage.
    """

    name: str
    base: Path
    sub_folder: object
    revision: object


def read_layout(root: Path) -> Layout:
    """The layout that the files of the project at `root` declare. Never raises; faults become notices."""
    return _PackageReader(root).layout()


def manifest_path(root: Path) -> Path:
    """The manifest of the project at `root`, which may not exist; a lakefile may give it another name."""
    named = _MANIFEST_FILE.search("\n".join(_lakefile_texts(root)))
    return root / (named[1] if named and leads_below(named[1]) else MANIFEST)


def _lakefile_texts(root: Path) -> Iterator[str]:
    within = (os.path.realpath(root),)
    for name in LAKEFILES:
        with suppress(BadSource):  # Lake itself would report it
            yield settings_text(root / name, within)


def listed_packages(root: Path, manifest: Mapping[str, Any]) -> tuple[Listed, ...]:
    """The packages that a manifest of the project at `root` lists, whether or not they exist."""
    return tuple(_PackageReader(root).listed(manifest))


def requires_packages(root: Path) -> bool:
    """Whether a lakefile of the project requires other packages."""
    return any(map(_REQUIRE.search, _lakefile_texts(root)))


def is_plain_part(part: str) -> bool:
    """Whether a component of a module name can be the name of a file or folder."""
    return part not in ("", ".", "..") and not any(character in part for character in "/\\\0")


class _PackageReader:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._real = os.path.realpath(root)
        self._notices = Notices()
        self._bytes_left = MAX_ALL_LAKEFILES_BYTES

    def layout(self) -> Layout:
        manifest = self._settings(manifest_path(self._root))
        if overrides := self._settings(self._root / OVERRIDES):
            manifest = overridden(manifest, overrides)
        name = manifest.get("name")
        if not isinstance(name, str) or self._wrong_name(name):
            name = None
        packages = tuple(self._packages(manifest))
        return Layout(name, self._source_roots(self._root), packages, self._notices.sentences())

    def _settings(self, path: Path) -> Mapping[str, Any]:
        try:
            return json_settings(path, (self._real,))
        except BadSource as error:
            self._notices.add(str(error))
            return {}

    def listed(self, manifest: Mapping[str, Any]) -> Iterator[Listed]:
        """The packages that the manifest lists, those in a folder outside the project too."""
        stated = manifest.get("packagesDir")
        return self._listed(manifest, self._packages_folder(stated) or self._root / str(stated))

    def _packages(self, manifest: Mapping[str, Any]) -> Iterator[Package]:
        """The packages that the manifest lists and that exist, then any others in the packages folder."""
        folder = self._packages_folder(manifest.get("packagesDir"))
        listed = tuple(self._listed(manifest, folder))
        seen: set[Path] = set()
        for entry in listed:
            package_root = self._inside(
                entry.base, entry.sub_folder, f"`subDir` of the package {shown(entry.name)}"
            )
            if (
                package_root is None
                or package_root in seen
                or not self._is_followed(package_root, entry.name)
            ):
                continue
            seen.add(package_root)
            yield Package(entry.name, package_root, self._revision(entry), self._source_roots(package_root))
        elsewhere = {entry.name.strip("«»") for entry in listed if entry.base.parent != folder}
        for package_root in self._unlisted(folder, {entry.base for entry in listed}):
            if package_root not in seen and package_root.name not in elsewhere:
                yield Package(package_root.name, package_root, None, self._source_roots(package_root))

    def _packages_folder(self, stated: object) -> Path | None:
        """The folder in which Lake keeps packages; None if it is declared to be outside the project."""
        if stated is not None and not isinstance(stated, str):
            self._note("`packagesDir` is not a string", "it is ignored")
            stated = None
        if not stated or leads_below(stated):
            return self._root / (stated or _DEFAULT_PACKAGES)
        self._note(f"`packagesDir` is {shown(stated)}, which leads out of the project", "it is ignored")
        return None

    def _listed(self, manifest: Mapping[str, Any], folder: Path | None) -> Iterator[Listed]:
        listed = manifest.get("packages", [])
        if not isinstance(listed, list):
            self._note("`packages` is not a list", "no package is read from it")
            return
        if len(listed) > MAX_PACKAGES:
            self._note(f"it lists {len(listed):,} packages", f"only the first {MAX_PACKAGES:,} are read")
        for entry in listed[:MAX_PACKAGES]:
            if not isinstance(entry, dict):
                self._note("an entry of `packages` is not an object", "it is left out")
                continue
            kind = next((key for key in ("git", "path") if isinstance(entry.get(key), dict)), None)
            inner = entry[kind] if kind else entry
            name = inner.get("name")
            if not isinstance(name, str) or self._wrong_name(name):
                self._note(f"{shown(name, longest=60)} is not a package name", "it is left out")
            elif (kind or inner.get("type")) == "path":
                if (base := self._at_path(name, inner.get("dir"))) is not None:
                    yield Listed(name, base, inner.get("subDir"), None)  # no revision: it can change any time
            elif folder is not None:
                yield Listed(name, folder / name.strip("«»"), inner.get("subDir"), inner.get("rev"))

    def _at_path(self, name: str, directory: object) -> Path | None:
        if isinstance(directory, str) and can_be_named(directory):
            return self._root / directory
        self._note(f"`dir` of the package {shown(name)} is not a folder name", "it is left out")
        return None

    def _wrong_name(self, name: str) -> bool:
        return (
            len(name) > MAX_PACKAGE_NAME_CHARACTERS
            or not is_plain_part(name.strip("«»"))
            or not can_be_named(name)
        )

    def _revision(self, entry: Listed) -> str | None:
        revision = entry.revision
        if revision is None:
            return None
        if (
            isinstance(revision, str)
            and len(revision) <= MAX_PACKAGE_NAME_CHARACTERS
            and _REVISION.fullmatch(revision)
        ):
            return revision
        problem = f"{shown(revision, longest=60)} is not a revision"
        self._note(problem, f"the package {shown(entry.name)} counts as not pinned")
        return None

    def _is_followed(self, folder: Path, name: str) -> bool:
        """Whether a listed package is read: it exists, and is inside the project or a Lake package."""
        if not is_folder(folder):
            return False
        real = os.path.realpath(folder)
        if real == self._real:
            self._note(f"the package {shown(name)} is the project itself", "it is left out")
            return False
        if is_within(real, (self._real,)):
            return True
        if not is_lake_package(folder):
            problem = (
                f"the package {shown(name)} leads to {shown(real)}, which is not a Lake package (no lakefile)"
            )
            self._note(problem, "it is not read")
            return False
        self._notices.add(
            f"The index of {shown(self._root)} includes the package {shown(name)} in {shown(real)}, outside the"
            " project."
        )
        return True

    def _unlisted(self, folder: Path | None, listed: set[Path]) -> Iterator[Path]:
        """Further folders in the packages folder that are not links and lie inside the project."""
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
                        reason = "it is a link" if entry.is_symlink() else "no package can have this name"
                        self._notices.add(
                            f"{shown(entry.path)} is left out: the manifest does not list it, and {reason}."
                        )
        except OSError as error:
            self._notices.add(f"{shown(folder)} cannot be read: {error.strerror}.")
        yield from (folder / name for name in sorted(found))

    def _source_roots(self, root: Path) -> tuple[Path, ...]:
        """The folders that module names are relative to: those given literally as `srcDir`, and the root."""
        stated = list(dict.fromkeys(self._stated(root)))
        if len(stated) > MAX_SOURCE_ROOTS:
            self._notices.add(
                f"The lakefile in {shown(root)} declares {len(stated):,} source folders. Only the first "
                f"{MAX_SOURCE_ROOTS} are used."
            )
        folders: set[Path] = set()
        for text in stated[:MAX_SOURCE_ROOTS]:
            folder = self._inside(root, text, f"`srcDir` in {shown(root)}")
            if folder is not None and is_folder(folder):
                folders.add(folder)
        return (*sorted(folders - {root}, key=lambda folder: -len(folder.parts)), root)

    def _stated(self, root: Path) -> Iterator[str]:
        """The source folders that a package's lakefiles declare, as written."""
        within = (self._real, os.path.realpath(root))
        toml, lean = (root / name for name in LAKEFILES)
        try:
            yield from _stated_in_lean(settings_text(lean, within) if self._affords(lean) else "")
        except BadSource as error:
            self._notices.add(str(error))
        try:
            yield from _stated_in_toml(toml_settings(toml, within) if self._affords(toml) else {})
        except BadSource as error:
            self._notices.add(str(error))

    def _affords(self, path: Path) -> bool:
        """Whether a lakefile may still be read, given the limit on their total size."""
        try:
            self._bytes_left -= path.stat().st_size
        except OSError:  # missing, or reported when it is read
            return True
        if self._bytes_left < 0:
            self._notices.add(
                f"{shown(path)} is not read: the lakefiles of the project are too large in total."
            )
        return self._bytes_left >= 0

    def _inside(self, root: Path, stated: object, what: str) -> Path | None:
        """A folder declared to be below `root`; None, with a notice, if it leads out of it."""
        if stated is None:
            return root
        if isinstance(stated, str) and leads_below(stated):
            folder = root / stated
            if is_within(os.path.realpath(folder), (os.path.realpath(root),)):
                return folder
        self._notices.add(
            f"{what} is {shown(stated, longest=60)}, which is not a folder inside it, so it is ignored."
        )
        return None

    def _note(self, what: str, outcome: str) -> None:
        self._notices.add(f"{shown(self._root / MANIFEST)}: {what}, so {outcome}.")


def leads_below(stated: str) -> bool:
    """Whether a path is relative and contains no `..`."""
    parts = re.split(r"[/\\]", stated)
    return can_be_named(stated) and not Path(stated).is_absolute() and ".." not in parts


def is_lake_package(folder: Path) -> bool:
    """Whether the folder is a Lake package: it contains a lakefile or a manifest."""
    return any(is_file(folder / name) for name in (*LAKEFILES, MANIFEST))


def overridden(manifest: Mapping[str, Any], overrides: Mapping[str, Any]) -> Mapping[str, Any]:
    """The manifest with the entries that override its own."""
    listed, others = (one.get("packages") for one in (manifest, overrides))
    if not isinstance(others, list):
        return manifest
    own = listed if isinstance(listed, list) else []
    names = {_entry_name(one) for one in others}
    return {**manifest, "packages": [*(one for one in own if _entry_name(one) not in names), *others]}


def _entry_name(entry: object) -> str | None:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def _stated_in_toml(lakefile: Mapping[str, Any]) -> list[str]:
    of_package = _folder_in(lakefile)
    of_targets = []
    for key in ("lean_lib", "lean_exe"):
        entries = lakefile.get(key)
        of_targets += [_folder_in(one) for one in entries] if isinstance(entries, list) else []
    return _below_package(of_package, of_targets)


def _folder_in(table: object) -> str:
    stated = table.get("srcDir") if isinstance(table, dict) else None
    return stated if isinstance(stated, str) else ""


def _stated_in_lean(lakefile: str) -> list[str]:
    of_package, of_targets, is_package = "", [], True
    for found in _SOURCE_DIR.finditer(lakefile):
        if found["of"]:
            is_package = found["of"] == "package"
        elif is_package:
            of_package = found["folder"]
        else:
            of_targets.append(found["folder"])
    return _below_package(of_package, of_targets)


def _below_package(of_package: str, of_targets: Iterable[str]) -> list[str]:
    """The source folders of a package and of its libraries and programs, whose own are relative to it."""
    below = (f"{of_package}/{one}" if of_package else one for one in of_targets if one)
    return [one for one in (of_package, *below) if one]
