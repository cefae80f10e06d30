"""Finding a Lean project, its packages, and the module name of every source file."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.source.lexer import is_plain_name

_MARKERS = ("lakefile.lean", "lakefile.toml", "lean-toolchain", "lake-manifest.json")
_SKIPPED = frozenset((".lake", ".git", "build", "lake-packages", "node_modules", "__pycache__"))
EVALUATION_FILE = "run.json"
"""What says of a folder that it is an evaluation's."""
EVALUATION_FORMAT = "premise-suggest-evaluation"
"""The `format` in that file."""
_SOURCE_DIR = re.compile(r'\bsrcDir\s*:=\s*"([^"]+)"')
_DEFAULT_PACKAGES = ".lake/packages"


@dataclass(frozen=True, slots=True)
class Package:
    """A dependency that is there on disk. `revision` is what the manifest pins, if it does."""

    name: str
    root: Path
    revision: str | None
    source_roots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its root, its own name and source roots, and its packages."""

    root: Path
    packages: tuple[Package, ...] = ()
    name: str | None = None
    source_roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file and where it belongs. `package` is None for a project that has no name."""

    path: Path
    module: str
    package: str | None
    revision: str | None


def find_project(path: Path) -> Project:
    """The project that a file or folder belongs to: the nearest folder upwards that Lake would know.

    A dependency under `.lake/packages` belongs to the project above it. Without any such folder, the
    folder itself (a file's own folder) is the project.
    """
    path = path.absolute()
    start = path if path.is_dir() else path.parent
    root = next((folder for folder in (start, *start.parents) if is_project_root(folder)), start)
    parts = root.parts
    if ".lake" in parts:
        above = Path(*parts[: parts.index(".lake")])
        root = above if is_project_root(above) else root
    manifest = _manifest(root)
    name = manifest.get("name")
    packages = tuple(_packages(root, manifest))
    return Project(root, packages, name if isinstance(name, str) else None, _source_roots(root))


def is_project_root(folder: Path) -> bool:
    """Whether the folder is a project's own: it holds a lakefile, a manifest or `lean-toolchain`."""
    return any((folder / marker).is_file() for marker in _MARKERS)


def _manifest(root: Path) -> Mapping[str, Any]:
    """The manifest; empty where it is missing, unreadable or no object."""
    return _json_object(root / "lake-manifest.json")


def _packages(root: Path, manifest: Mapping[str, Any]) -> Iterator[Package]:
    """What the manifest lists and the disk has, then whatever else lies in the packages folder."""
    folder = root / str(manifest.get("packagesDir") or _DEFAULT_PACKAGES)
    listed = manifest.get("packages")
    seen: set[Path] = set()
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, dict):
            continue
        inner = next((entry[key] for key in ("git", "path") if isinstance(entry.get(key), dict)), entry)
        name = inner.get("name")
        if not isinstance(name, str):
            continue
        directory = inner.get("dir")
        place = root / directory if isinstance(directory, str) else folder / name.strip("«»")
        if isinstance(inner.get("subDir"), str):
            place = place / inner["subDir"]
        revision = inner.get("rev")
        if place.is_dir() and place not in seen:
            seen.add(place)
            yield Package(name, place, revision if isinstance(revision, str) else None, _source_roots(place))
    if folder.is_dir():
        for place in sorted(folder.iterdir()):
            if place.is_dir() and place not in seen:
                yield Package(place.name, place, None, _source_roots(place))


def _source_roots(root: Path) -> tuple[Path, ...]:
    """The folders that module names are relative to: those plainly stated as `srcDir`, and the root."""
    try:
        lakefile = tomllib.loads(_text(root / "lakefile.toml"))
    except tomllib.TOMLDecodeError:  # Lake will complain; here the root serves
        lakefile = {}
    stated = [*_SOURCE_DIR.findall(_text(root / "lakefile.lean")), *_stated_in_toml(lakefile)]
    folders = {root / folder for folder in stated if (root / folder).is_dir()}
    return (*sorted(folders - {root}, key=lambda folder: -len(folder.parts)), root)


def _json_object(path: Path) -> dict[str, Any]:
    """A file's JSON object; empty where it is missing, unreadable or no object."""
    try:
        found = json.loads(_text(path))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(path: Path) -> str:
    """A file's text; empty where it is missing or unreadable."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _stated_in_toml(lakefile: Mapping[str, Any]) -> list[str]:
    tables = [lakefile]
    for key in ("lean_lib", "lean_exe"):
        entries = lakefile.get(key)
        tables += [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [table["srcDir"] for table in tables if isinstance(table.get("srcDir"), str)]


def module_of(path: Path, project: Project | None = None) -> str:
    """The module name of a source file: its path from the source root, dotted."""
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
    """The file of a module below one of these source roots, if it is there."""
    parts = [part.strip("«»") for part in module.split(".")]
    if not all(is_plain_part(part) for part in parts):
        return None
    paths = (root.joinpath(*parts[:-1], f"{parts[-1]}.lean") for root in roots)
    try:
        return next((path for path in paths if path.is_file()), None)
    except OSError:  # a name that is too long for a file
        return None


def is_plain_part(part: str) -> bool:
    """Whether a part of a module name can be the name of a file or folder below another."""
    return part not in ("", ".", "..") and not any(character in part for character in "/\\\0")


def find_sources(root: Path, *, without: Container[tuple[str, str | None]] = ()) -> list[SourceFile]:
    """Every `.lean` file of the project at `root` and of its packages, in order of package and module.

    Build output, hidden folders, projects nested in this one, the folders of evaluations (their proofs are
    theorems of the project, once more) and Lake's own `lakefile.lean` are left out; links that lead in a
    circle are followed once. Packages in `without`, by (name, revision), are not looked into.
    """
    project = find_project(root)
    found: list[SourceFile] = []
    seen: set[tuple[int, int]] = set()
    for package in project.packages:
        if (package.name, package.revision) in without:
            seen.update(_identity(package.root))
            continue
        for path in _lean_files(package.root, seen):
            module = _module_name(path, package.source_roots)
            found.append(SourceFile(path, module, package.name, package.revision))
    own_roots = project.source_roots or (project.root,)
    for path in _lean_files(project.root, seen):
        found.append(SourceFile(path, _module_name(path, own_roots), project.name, None))
    return found


def library_sources(root: Path, library: str, package: str, revision: str) -> Iterator[SourceFile]:
    """The `.lean` files of one library below a source root: `library.lean` and what its folder holds.

    A folder that is reached in a circle is read once; what cannot be read is left out.
    """
    module_file = root / f"{library}.lean"
    if module_file.is_file():
        yield SourceFile(module_file, library, package, revision)
    for path in _lean_files(root / library, set()):
        yield SourceFile(path, _module_name(path, (root,)), package, revision)


def _lean_files(root: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """The `.lean` files under a folder, sorted; every folder is visited once, unreadable ones never."""
    for folder, folders, files in os.walk(root, followlinks=True):
        identity = _identity(Path(folder))
        is_nested = Path(folder) != root and not frozenset(_MARKERS).isdisjoint(files)
        is_left_out = is_nested or (EVALUATION_FILE in files and _is_evaluation(Path(folder)))
        if not identity or not seen.isdisjoint(identity) or is_left_out:
            folders.clear()
            continue
        seen.update(identity)
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        for name in sorted(files):
            if name.endswith(".lean") and name != "lakefile.lean":
                yield Path(folder) / name


def _is_evaluation(folder: Path) -> bool:
    return _json_object(folder / EVALUATION_FILE).get("format") == EVALUATION_FORMAT


def _identity(folder: Path) -> frozenset[tuple[int, int]]:
    """What tells a folder from every other, by whatever link it is reached; empty where it is unreadable."""
    try:
        status = folder.stat()
    except OSError:
        return frozenset()
    return frozenset({(status.st_dev, status.st_ino)})
