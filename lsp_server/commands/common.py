"""What several commands need: files read as text, the project of a path, settings from options."""

from __future__ import annotations

import argparse
from pathlib import Path

from lean_extract.errors import BadSource
from lean_extract.source.project import find_project
from lsp_server.knowledge import project_store
from lsp_server.settings import LeanSettings, Settings


def read_text(path: Path) -> str:
    """A file's text. Raises BadSource: it is missing, a folder, unreadable, or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadSource(f"There is no file {path}.", "Check the path.") from error
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8: byte {error.start} cannot be decoded."
        raise BadSource(message, "Save it as UTF-8.") from error
    except OSError as error:
        raise BadSource(
            f"{path} cannot be read: {error.strerror}.", "Check the path and its rights."
        ) from error


def project_root(path: Path) -> Path:
    """The root of the project that a path belongs to."""
    return find_project(path.resolve()).root


def indexed_root(path: Path) -> Path | None:
    """The root of the project that a path belongs to, if that project has an index."""
    root = project_root(path)
    return root if project_store(root).stamp() is not None else None


def settings_for(options: argparse.Namespace) -> Settings:
    """The settings that a command's options ask for."""
    return Settings(lean=LeanSettings(command=options.lean))
