"""Finds a Lean project, its packages, and the module name of every source file."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import is_file, is_folder
from lean_extract.common.files.settings_files import is_within
from lean_extract.common.terminal_text import shown
from lean_extract.source.projects.notices import Notices
from lean_extract.source.projects.packages import Package, is_plain_part, read_layout
from lean_extract.source.projects.walking import (
    EVALUATION_FILE,
    EVALUATION_FORMAT,
    MARKERS,
    FolderWalk,
    identity_of,
)
from lean_extract.syntax.lexer import is_plain_name

__all__ = [
    "EVALUATION_FILE",
    "EVALUATION_FORMAT",
    "FoundSources",
    "Package",
    "Project",
    "SourceFile",
    "find_project",
    "find_root",
    "find_sources",
    "is_plain_part",
    "is_project_root",
    "library_sources",
    "module_of",
    "source_in",
]


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its root, its own name and source roots, and its packages.

    `notices` are sentences about settings that are ignored, and about packages outside the project.
    """

    root: Path
    packages: tuple[Package, ...] = ()
    name: str | None = None
    source_roots: tuple[Path, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file, its module and its package. `package` is None for a project without a name."""

    path: Path
    module: str
    package: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class FoundSources:
    """The source files of a project and its packages.

    `notices` are sentences about what was left out, and about packages outside the project. If the search was
    `stopped`, the list of sources is incomplete.
    """

    sources: tuple[SourceFile, ...]
    notices: tuple[str, ...] = ()
    stopped: bool = False


def find_project(path: Path) -> Project:
    """The project that a file or folder belongs to (`find_root`), with its packages. Raises BadSource."""
    root = find_root(path)
    layout = read_layout(root)
    return Project(root, layout.packages, layout.name, layout.source_roots, layout.notices)


def find_root(path: Path) -> Path:
    """The root of the project that a file or folder belongs to: the nearest enclosing Lake project.

    A dependency under `.lake/packages` belongs to the project above it. If there is no Lake project, the folder
    itself (for a file, the folder that contains it) is the project. Raises BadSource: its path is not UTF-8.
    """
    path = path.absolute()
    start = path if is_folder(path) else path.parent
    root = next((folder for folder in (start, *start.parents) if is_project_root(folder)), start)
    parts = root.parts
    if ".lake" in parts:
        above = Path(*parts[: parts.index(".lake")])
        root = above if is_project_root(above) else root
    try:
        str(root).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadSource(
            f"The name of the folder {shown(root)} is not UTF-8.", "Give it another name."
        ) from error
    return root


def is_project_root(folder: Path) -> bool:
    """Whether the folder is a project's root: it contains a lakefile, a manifest or `lean-toolchain`."""
    return any(is_file(folder / marker) for marker in MARKERS)


def module_of(path: Path, project: Project | None = None) -> str:
    """The module name of a source file: its path relative to the source root, with dots."""
    path = path.absolute()
    project = project or find_project(path)
    for package in project.packages:
        if path.is_relative_to(package.root):
            return _module_name(path, package.source_roots)
    return _module_name(path, project.source_roots or (project.root,))


def _module_name(path: Path, source_roots: tuple[Path, ...]) -> str:
    for root in source_roots:
        if path.is_relative_to(root):
            parts = path.relative_to(root).with_suffix("").parts
            return ".".join(part if is_plain_name(part) else f"«{part}»" for part in parts)
    return path.stem


def source_in(roots: Iterable[Path], module: str) -> Path | None:
    """The file of a module below one of these source roots; None if it is missing or links outside them."""
    parts = [part.strip("«»") for part in module.split(".")]
    if not all(is_plain_part(part) for part in parts):
        return None
    folders = tuple(roots)
    paths = (root.joinpath(*parts[:-1], f"{parts[-1]}.lean") for root in folders)
    path = next((path for path in paths if is_file(path)), None)
    if path is None or not is_within(os.path.realpath(path), [os.path.realpath(root) for root in folders]):
        return None
    return path


def find_sources(
    root: Path,
    *,
    without: Container[tuple[str, str | None]] = (),
    should_stop: Callable[[], bool] = lambda: False,
) -> FoundSources:
    """All `.lean` files of the project at `root` and of its packages, in order of package and module.

    Build output, hidden folders, nested projects, folders of evaluations (which repeat theorems of the project)
    and `lakefile.lean` are left out. Circular links are followed once, and links out of the project and its
    packages never. Packages in `without`, given by (name, revision), are skipped. `should_stop` is called now
    and then; if it returns True, the search stops. Raises BadSource: the project's path is not UTF-8.
    """
    project = find_project(root)
    notices = Notices()
    for notice in project.notices:
        notices.add(notice)
    roots = (project.root, *(package.root for package in project.packages))
    walk = FolderWalk(tuple(os.path.realpath(folder) for folder in roots), notices, should_stop)
    found: list[SourceFile] = []
    for package in project.packages:
        if (package.name, package.revision) in without:
            walk.seen.update(identity_of(package.root))
            continue
        for path in walk.lean_files(package.root):
            module = _module_name(path, package.source_roots)
            found.append(SourceFile(path, module, package.name, package.revision))
    own_roots = project.source_roots or (project.root,)
    for path in walk.lean_files(project.root):
        found.append(SourceFile(path, _module_name(path, own_roots), project.name, None))
    return FoundSources(tuple(found), notices.sentences(), walk.stopped)


def library_sources(root: Path, library: str, package: str, revision: str) -> Iterator[SourceFile]:
    """The `.lean` files of a library of Lean below a source root: `library.lean` and the files in its folder.

    A folder with circular links is read once. What cannot be read is left out. Links may lead anywhere, since
    the user has installed this Lean.
    """
    module_file = root / f"{library}.lean"
    if module_file.is_file():
        yield SourceFile(module_file, library, package, revision)
    for path in FolderWalk(None, Notices()).lean_files(root / library):
        yield SourceFile(path, _module_name(path, (root,)), package, revision)


def largest_first(roots: Iterable[Path]) -> list[Path]:
    """Projects by the bytes of their sources: begun in this order, work on them ends soonest. Unreadable ones last."""
    return sorted(roots, key=_bytes_of, reverse=True)


def _bytes_of(root: Path) -> int:
    try:
        return sum(source.path.stat().st_size for source in find_sources(root).sources)
    except (OSError, BadSource):
        return 0
