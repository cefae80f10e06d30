"""Finds a Lean project or those below a folder, its packages, the module name of every source file, and the folders of
compiled modules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.reading import is_file, is_folder
from lean_extract.common.files.settings_files import is_within, settings_text, toml_settings
from lean_extract.common.terminal_text import shown
from lean_extract.source.projects.packages import (
    LAKEFILES,
    Package,
    is_lake_package,
    is_plain_part,
    leads_below,
    read_layout,
)
from lean_extract.source.projects.walking import (
    EVALUATION_FILE,
    EVALUATION_FORMAT,
    MARKERS,
    FolderWalk,
    NearProjects,
    Notices,
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
    """Projects, those with the most bytes of source first: work in this order ends soonest. Unreadable ones last."""
    return sorted(roots, key=_bytes_of, reverse=True)


def _bytes_of(root: Path) -> int:
    try:
        return sum(source.path.stat().st_size for source in find_sources(root).sources)
    except (OSError, BadSource):
        return 0


_MOST_NAMED = 5
_GIVE_ONE = "Give the folder of one of them."


def near_projects(folder: Path) -> NearProjects:
    """The projects below a folder, found within limits and without following links (`FolderWalk.near`)."""
    return FolderWalk((), Notices()).near(folder)


def projects_at(folder: Path, *, loose: bool = False) -> tuple[Path, ...]:
    """The project that a folder belongs to, or those below it if it is not a project.

    A folder with a `lean-toolchain` alone, and with `loose` any folder, is one if it has `.lean` files besides
    the projects below it. Without projects below, it is the folder itself, as `find_root` says. Raises BadSource as
    that does.
    """
    root = find_root(folder)
    if is_lake_package(root):
        return (root,)
    near = near_projects(root)
    is_one = near.has_own and (loose or is_project_root(root))
    return (root,) if is_one or not near.projects else near.projects


def only_of(folder: Path, projects: Sequence[Path]) -> Path:
    """The only project among those found for a folder. Raises UserError: there are several below it."""
    if len(projects) > 1:
        raise UserError(f"{shown(folder)} is not a Lean project itself. {named_below(projects)}", _GIVE_ONE)
    return projects[0]


def named_below(projects: Sequence[Path]) -> str:
    """A sentence that names the projects below a folder, the first ones if there are many."""
    first = ", ".join(shown(one) for one in projects[:_MOST_NAMED])
    more = len(projects) - _MOST_NAMED
    others = f" and {more:,} more" if more > 0 else ""
    return f"Below it {'is the project' if len(projects) == 1 else 'are the projects'} {first}{others}."


def no_sources(root: Path, notices: Sequence[str] = ()) -> BadSource:
    """The error for a project without source files: where its `.lean` files are, if there are any.

    Args:
        notices: the notices of the search of its folders.
    """
    near = near_projects(root).projects
    if near:
        return BadSource(f"{shown(root)} has no .lean file of its own. {named_below(near)}", _GIVE_ONE)
    unread = next(FolderWalk((), Notices(), is_whole=True).lean_files(root), None)
    if unread is not None:
        return BadSource(
            f"{shown(root)} has no .lean file that is read: build output, nested projects and evaluations are left "
            f"out, such as {shown(unread)}.",
            "Give the folder of a Lean project.",
        )
    hint = " ".join((*notices[:1], "Give the folder of a Lean project."))
    return BadSource(f"There is no .lean file under {root}.", hint)


_BUILD_DIR = re.compile(r'\bbuildDir\s*+:=\s*+"([^"\n]++)"')
_DEFAULT = Path(".lake", "build")


def library_folders(root: Path) -> tuple[Path, Path]:
    """The folders of compiled modules of the package at `root`: those of newer and of older Lakes.

    A `buildDir` that leads out of the package is ignored. Never raises.
    """
    real = os.path.realpath(root)
    stated = (root / one for one in _stated(root, real) if leads_below(one))
    build = next((one for one in stated if is_within(os.path.realpath(one), (real,))), root / _DEFAULT)
    return build / "lib" / "lean", build / "lib"


def _stated(root: Path, real: str) -> Iterator[str]:
    toml, lean = (root / name for name in LAKEFILES)
    with suppress(BadSource):  # Lake itself would report it
        if isinstance(stated := toml_settings(toml, (real,)).get("buildDir"), str):
            yield stated
    with suppress(BadSource):
        yield from _BUILD_DIR.findall(settings_text(lean, (real,)))
