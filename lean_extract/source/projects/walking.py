"""Walks an untrusted folder to find `.lean` files, within limits and without leaving the allowed folders."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.settings_files import is_within, json_settings
from lean_extract.common.terminal_text import shown
from lean_extract.limits import (
    MAX_FOLDER_DEPTH,
    MAX_FOLDER_ENTRIES,
    MAX_NEAR_DEPTH,
    MAX_NEAR_ENTRIES,
    MAX_NOTICES,
)
from lean_extract.syntax.lexer import is_plain_name


class Notices:
    """Collects notices."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._more = 0

    def add(self, sentence: str) -> None:
        """Add a sentence, unless it is already there."""
        if sentence in self._sentences:
            return
        if len(self._sentences) < MAX_NOTICES:
            self._sentences[sentence] = None
        else:
            self._more += 1

    def sentences(self) -> tuple[str, ...]:
        """All notices, in order. The last one counts those above the limit."""
        more = (f"{self._more:,} more notices are not shown.",) if self._more else ()
        return (*self._sentences, *more)


_PACKAGE_MARKERS = ("lakefile.lean", "lakefile.toml", "lake-manifest.json")
"""Files that mark a folder as a Lake package."""
MARKERS = (*_PACKAGE_MARKERS, "lean-toolchain")
"""Files that mark a folder as a project of its own."""
EVALUATION_FILE = "run.json"
"""The file that marks a folder as the output of an evaluation."""
EVALUATION_FORMAT = "premise-suggest-evaluation"
"""The value of `format` in that file."""

SKIPPED = frozenset((".lake", ".git", "build", "lake-packages", "node_modules", "__pycache__"))
"""Folders that hold no sources of a project itself."""
_UNNAMEABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CHECK_EVERY = 1024
"""Entries of one folder between two checks whether to stop."""

_Identity = tuple[int, int]


def can_be_named(name: str) -> bool:
    """Whether a module's file or folder can have this name: valid UTF-8 without control characters."""
    stem = name.removesuffix(".lean")
    return _UNNAMEABLE.search(name) is None and ("»" not in stem or is_plain_name(stem))


def identity_of(folder: Path) -> frozenset[_Identity]:
    """The identity of a folder, which is the same through any link; empty if it cannot be accessed."""
    try:
        status = folder.stat()
    except OSError:
        return frozenset()
    return frozenset({(status.st_dev, status.st_ino)})


@dataclass(frozen=True, slots=True)
class NearProjects:
    """The projects below a folder, nearest first, without those inside one another.

    A folder with a `lean-toolchain` alone is one only where there is no Lake package in it. `has_own`: there are
    also `.lean` files outside them.
    """

    projects: tuple[Path, ...]
    has_own: bool


@dataclass
class FolderWalk:
    """A walk through the folders of one project.

    `territory` holds the real folders that links may lead to; None means anywhere. `seen` holds the folders
    visited so far, so that each is visited once. With `is_whole`, build output, nested projects and evaluations
    are included, and links to folders are not followed. `stopped` is True if `should_stop` returned True, so
    that the result is incomplete.
    """

    territory: tuple[str, ...] | None
    notices: Notices
    should_stop: Callable[[], bool] = lambda: False
    is_whole: bool = False
    seen: set[_Identity] = field(default_factory=set)
    stopped: bool = False
    _left: int = 0

    def lean_files(self, root: Path) -> Iterator[Path]:
        """The `.lean` files under a folder, by folder and name. At most `MAX_FOLDER_ENTRIES` entries are examined."""
        self._left = MAX_FOLDER_ENTRIES
        waiting = [(root, 0)]
        while waiting and not self.stopped:
            folder, depth = waiting.pop()
            listed = self._listed(folder, is_root=depth == 0)
            if listed is None:
                continue
            folders, files = listed
            for name in files:
                yield folder / name
            if folders and depth >= MAX_FOLDER_DEPTH:
                self.notices.add(f"The folders in {shown(folder)} are not read: they are nested too deeply.")
            else:
                waiting += [(folder / name, depth + 1) for name in reversed(folders)]
            if self._left < 0:
                self.notices.add(
                    f"{shown(root)} has more than {MAX_FOLDER_ENTRIES:,} files and folders: the rest is not read."
                )
                return

    def near(self, root: Path) -> NearProjects:
        """The projects below `root`. At most `MAX_NEAR_DEPTH` levels and `MAX_NEAR_ENTRIES` entries are examined."""
        self._left = MAX_NEAR_ENTRIES
        packages: list[Path] = []
        toolchains: list[Path] = []
        has_own = False
        level = [root]
        for _ in range(MAX_NEAR_DEPTH):
            below: list[Path] = []
            for folder in level:
                entries = self._entries(folder) if self._left >= 0 else None
                if entries is None or self._is_evaluation(folder, entries[2]):
                    continue
                folders, files, names = entries
                if folder != root and not names.isdisjoint(_PACKAGE_MARKERS):
                    packages.append(folder)
                    continue
                if folder != root and not names.isdisjoint(MARKERS):
                    toolchains.append(folder)
                has_own = has_own or (bool(files) and not _is_below(folder, toolchains))
                below += (folder / name for name in sorted(folders))
            level = below
        alone = (one for one in toolchains if not any(_is_below(package, [one]) for package in packages))
        return NearProjects((*packages, *alone), has_own)

    def _listed(self, folder: Path, *, is_root: bool) -> tuple[list[str], list[str]] | None:
        """The subfolders to visit and the `.lean` files of a folder, sorted; None if the folder is left out."""
        identity = identity_of(folder)
        if not identity or not self.seen.isdisjoint(identity):
            return None
        entries = self._entries(folder)
        if entries is None:
            return None
        folders, files, names = entries
        if not self.is_whole:
            is_nested = not is_root and not names.isdisjoint(MARKERS)
            if is_nested or self._is_evaluation(folder, names):
                return None
        self.seen.update(identity)
        return sorted(folders), sorted(files)

    def _entries(self, folder: Path) -> tuple[list[str], list[str], set[str]] | None:
        """The subfolders to visit, the `.lean` files, and the names of files that mark a kind of folder."""
        folders: list[str] = []
        files: list[str] = []
        names: set[str] = set()
        try:
            with os.scandir(folder) as entries:
                for count, entry in enumerate(entries):
                    self._left -= 1
                    if count % _CHECK_EVERY == 0 and self.should_stop():
                        self.stopped = True
                        return None
                    if self._left < 0:
                        break
                    name = entry.name
                    if _is_folder(entry):
                        if not self._is_skipped(name) and self._may_follow(entry):
                            folders.append(name)
                    elif name.endswith(".lean"):
                        if name == "lakefile.lean":
                            names.add(name)
                        elif self._may_follow(entry):
                            files.append(name)
                    elif name in MARKERS or name == EVALUATION_FILE:
                        names.add(name)
        except OSError as error:
            self.notices.add(f"{shown(folder)} cannot be read: {error.strerror}.")
            return None
        return folders, files, names

    def _is_skipped(self, name: str) -> bool:
        return name.startswith(".") or (name in SKIPPED and not self.is_whole)

    def _may_follow(self, entry: os.DirEntry[str]) -> bool:
        if not can_be_named(entry.name):
            self.notices.add(f"{shown(entry.path)} is left out: no module can have this name.")
            return False
        if not entry.is_symlink():
            return True
        if self.is_whole and _is_folder(entry):
            return False
        if self.territory is None or is_within(os.path.realpath(entry.path), self.territory):
            return True
        self.notices.add(
            f"{shown(entry.path)} is left out: it is a link out of the project and its packages."
        )
        return False

    def _is_evaluation(self, folder: Path, names: set[str]) -> bool:
        if EVALUATION_FILE not in names:
            return False
        try:
            run = json_settings(folder / EVALUATION_FILE, self.territory)
        except BadSource:  # not written by us
            return False
        return run.get("format") == EVALUATION_FORMAT


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in a circle
        return False


def _is_below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
