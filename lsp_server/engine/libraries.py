"""Libraries that were fetched by their address: they answer where there is no project.

They are the packages of one Lake project in the cache, so that all that holds for a project's packages holds for
them: each is read once per revision and shared with the projects that pin the same one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.atomic import make_private_folder, replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.terminal_text import shown, without_login
from lean_extract.source.projects.packages import LAKEFILES, MANIFEST, read_layout
from lsp_server.engine.git_address import GitAddress
from lsp_server.engine.git_source import fetch
from lsp_server.engine.names import checked_name, is_plain_name
from lsp_server.engine.stores import Progress, ShouldStop, libraries_root, update_project
from retriever.search.indexing.report import IndexReport


@dataclass(frozen=True, slots=True)
class Library:
    """A library in the cache. `address` is for people, without user and password; `revision` is a commit."""

    name: str
    address: str
    revision: str


def libraries() -> list[Library]:
    """The libraries that were fetched, in the order of their names. One that is not readable is left out."""
    try:
        entries = read_json(libraries_root() / MANIFEST)["packages"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    found = [_library(entry) for entry in entries] if isinstance(entries, list) else []
    return sorted(filter(None, found), key=lambda one: one.name)


def _library(entry: Any) -> Library | None:
    """The library of an entry of the manifest; None if that is none."""
    if not isinstance(entry, dict):
        return None
    name, address, revision = (entry.get(key) for key in ("name", "url", "rev"))
    if not (isinstance(name, str) and isinstance(address, str) and isinstance(revision, str)):
        return None
    return Library(name, without_login(address), revision) if is_plain_name(name) else None


def add_library(address: GitAddress, progress: Progress, should_stop: Callable[[], bool]) -> Library:
    """Fetch a library into the cache, in place of another revision of it.

    Raises UserError (no such repository or revision, no git, no Lean library), FetchStopped. Nothing is left then.
    """
    root = libraries_root()
    new = root / ".fetched"
    commit = fetch(address, new, progress, should_stop)
    name = _name_of(new, address.shown)
    folder = root / ".lake" / "packages" / name
    make_private_folder(folder.parent)
    _replace(folder, new)
    library = Library(name, address.shown, commit)
    _write([one for one in libraries() if one.name != name] + [library])
    return library


def index_libraries(
    model: str, progress: Progress, should_stop: ShouldStop, *, download: bool, device: Device
) -> IndexReport:
    """Read and embed what is not indexed yet. Raises as `update_project`."""
    return update_project(
        libraries_root(), model, progress, should_stop, download=download, device=device, with_core=False
    )


def _name_of(folder: Path, address: str) -> str:
    """The name of the Lake package in a folder. Raises UserError, and removes it: there is none."""
    if not any((folder / name).is_file() for name in LAKEFILES) or not any(folder.rglob("*.lean")):
        _remove(folder)
        raise UserError(
            f"{shown(address)} is not a Lean library: it has no lakefile, or no .lean file.",
            "Give the address of a Lake package.",
        )
    stem = address.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
    name = (read_layout(folder).name or stem.lower()).strip("«»")
    try:
        return checked_name(
            name, "library", "It is in its lake-manifest.json, or the last part of the address."
        )
    except UserError:
        _remove(folder)
        raise


def _replace(folder: Path, new: Path) -> None:
    _remove(folder)
    new.rename(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _write(found: list[Library]) -> None:
    entries = [{"type": "git", "name": one.name, "url": one.address, "rev": one.revision} for one in found]
    manifest = {"version": "1.1.0", "name": "libraries", "packages": entries}
    try:
        with replacing(libraries_root() / MANIFEST, is_private=True) as stream:
            json.dump(manifest, stream, indent=1)
    except OSError as error:
        raise BadSource(
            f"{libraries_root()} cannot be written: {error.strerror}.", "Check the disk."
        ) from error
