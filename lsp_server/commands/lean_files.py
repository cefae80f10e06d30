"""Lean files that a command edits: what it does not edit stays byte for byte, and nobody's change is lost."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import PremiseSuggestError, UserError
from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.common.files.reading import is_folder
from lean_extract.source.projects.project import find_project, find_root, find_sources, no_sources
from lsp_server.commands.common import named
from lsp_server.commands.place import lean_text
from lsp_server.engine.projects import projects_for
from lsp_server.engine.schema_items import EditItem

_MARK = "\ufeff"
_NO_END = "\\ No newline at end of file\n"


class FileChanged(PremiseSuggestError):
    """A file is not what it was when it was read."""


@dataclass(frozen=True, slots=True)
class LeanFile:
    """A Lean file. `content`: its characters as they are in the file, with its mark and line ends."""

    path: Path
    content: str

    @classmethod
    def read(cls, path: Path) -> LeanFile:
        """Raises BadSource: there is none, or it is not a Lean file in UTF-8."""
        return cls(path, lean_text(path))

    @property
    def text(self) -> str:
        """The text as an editor sends it: `\\n` ends a line, and there is no mark."""
        return self.content.removeprefix(_MARK).replace("\r\n", "\n")

    def edited(self, edits: Sequence[EditItem]) -> LeanFile:
        """The file after edits of its text, the last in the text first; new lines end as those around them."""
        mark = _MARK if self.content.startswith(_MARK) else ""
        content = self.content.removeprefix(mark)
        for edit in edits:
            lines = content.split("\n")
            start, end = (
                _offset(lines, edit.line, edit.column),
                _offset(lines, edit.end_line, edit.end_column),
            )
            is_last = edit.line == len(lines)
            new = edit.text
            if lines[0 if is_last else edit.line - 1].endswith("\r"):
                new = new.replace("\n", "\r\n")
            content = content[:start] + new + content[end:]
        return replace(self, content=mark + content)

    def write(self, before: LeanFile) -> None:
        """Replace the file, whole or not at all, if it still is what it was `before`.

        Raises FileChanged: it is not; UserError: nobody may write to it; OSError.
        """
        require_writable(self.path)
        if LeanFile.read(self.path).content != before.content:
            hint = "Nothing is written. Run the command again."
            raise FileChanged(f"{named(self.path)} has changed since it was read.", hint)
        real = self.path.resolve()  # a link stays one
        with replacing_bytes(real) as stream:
            stream.write(self.content.encode())
            shutil.copymode(real, stream.name)

    @property
    def name(self) -> str:
        """The path from the current folder, with `/`."""
        try:
            return Path(os.path.relpath(self.path)).as_posix()
        except ValueError:  # on another drive of Windows
            return self.path.as_posix()

    def diff(self, before: LeanFile) -> str:
        """The changes since `before` as `git apply` and `patch` read them; empty without any."""
        old, new = _lines(before.content), _lines(self.content)
        lines = difflib.unified_diff(old, new, f"a/{self.name}", f"b/{self.name}")
        return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}" for line in lines)


def require_writable(path: Path) -> None:
    """Raise UserError if a file is read-only; to replace it would only need its folder to be writable."""
    if not (os.access(path, os.W_OK) and path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)):
        raise UserError(f"{named(path)} is read-only.", "Leave out --write, or change its permissions.")


def files_by_project(paths: Sequence[Path]) -> dict[Path, list[Path]]:
    """The Lean files that are meant, each once, by the roots of their projects. Raises UserError."""
    found: dict[Path, dict[Path, Path]] = {}
    for path in paths:
        real = path.resolve()
        if not is_folder(path):
            found.setdefault(find_root(real), {}).setdefault(real, path)
            continue
        for root in projects_for(real, loose=True):
            files = found.setdefault(root, {})
            for file in _own_files(root, real):
                files.setdefault(file.resolve(), file)
    return {root: [*files.values()] for root, files in found.items()}


def _own_files(root: Path, folder: Path) -> list[Path]:
    """The files of a project, without its packages, that are below a folder. Raises BadSource: there are none."""
    packages = {(one.name, one.revision) for one in find_project(root).packages}
    sources = find_sources(root, without=packages)
    files = [one.path for one in sources.sources if one.path.is_relative_to(folder)]
    if not files:
        raise no_sources(folder, sources.notices)
    return files


def _lines(content: str) -> list[str]:
    """The lines with their ends; only `\\n` ends one, as for `patch`."""
    *whole, last = content.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    """The offset of a line and column that count from 1."""
    return sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
