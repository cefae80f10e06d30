"""The file or folder that was meant by one that is not there, for hints."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from lean_extract.common.files.reading import is_file, is_folder
from lean_extract.common.nearest import nearest_path, question
from lean_extract.common.terminal_text import shown
from lean_extract.limits import NEAREST_ENTRIES
from lean_extract.source.projects.project import find_root, is_project_root
from lean_extract.source.projects.walking import FolderWalk, Notices

_MOST = 3


def file_meant(path: Path) -> str:
    """`Did you mean Lib/Basic.lean?`: a file of this name elsewhere in the project here, else one near it."""
    same = _elsewhere(path.name)[:_MOST]
    near = nearest_path(path)
    if not same and near is not None and is_file(near):
        same = [near]
    return question([shown(one) for one in same])


def folder_meant(path: Path) -> str:
    """The same for a folder, by its name alone."""
    near = nearest_path(path)
    return question([shown(near)]) if near is not None and is_folder(near) else ""


def _elsewhere(name: str) -> list[Path]:
    here = Path.cwd()
    if not is_project_root(find_root(here)):
        return []
    files = islice(FolderWalk((str(here.resolve()),), Notices()).lean_files(here), NEAREST_ENTRIES)
    return [path.relative_to(here) for path in files if path.name == name]
