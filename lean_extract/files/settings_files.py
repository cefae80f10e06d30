"""The files in which projects, Lake and elan keep settings: text, TOML, JSON that anybody may have written.

What is too large, too deep or no regular file is refused with a sentence; a missing file is empty.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from lean_extract.errors import BadSource
from lean_extract.files.json_text import parse_json
from lean_extract.files.reading import MAX_SETTINGS, read_regular_text
from lean_extract.telling import shown

MAX_DOTS = 200
"""Dots in one line of TOML."""
MAX_KEY_PARTS = 16
"""Parts of one dotted key or table name in TOML: the time that `tomllib` takes grows with their square."""


def settings_text(path: Path, within: Collection[str] | None = None) -> str:
    """The text of a settings file; empty where there is none.

    Args:
        within: real folders, in one of which the file has to lie, by whatever link; None: anywhere.

    Raises BadSource: it cannot be read, is not UTF-8, or lies elsewhere.
    """
    try:
        if not os.path.lexists(path):
            return ""
        if within is not None and not is_within(os.path.realpath(path), within):
            raise _unreadable(path, "it is a link that leads elsewhere")
        return read_regular_text(path, MAX_SETTINGS)
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8 (byte {error.start})") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def toml_settings(path: Path, within: Collection[str] | None = None) -> dict[str, Any]:
    """The table in a TOML file; empty where there is no file. Raises BadSource."""
    text = settings_text(path, within)
    lines = text.split("\n")
    if any(_key_parts(line) > MAX_KEY_PARTS for line in lines):
        raise _unreadable(path, f"it has a key of more than {MAX_KEY_PARTS} parts")
    if any(line.count(".") > MAX_DOTS for line in lines):  # keys in quotes, and in tables inside a line
        raise _unreadable(path, f"it has a line with more than {MAX_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise _unreadable(path, "it is nested too deeply") from error
    except ValueError as error:
        raise _unreadable(path, f"it is no TOML ({shown(error)})") from error


def json_settings(path: Path, within: Collection[str] | None = None) -> dict[str, Any]:
    """The object in a JSON file; empty where there is no file. Raises BadSource."""
    if not os.path.lexists(path):
        return {}
    try:
        found = parse_json(settings_text(path, within))
    except ValueError as error:
        raise _unreadable(path, f"it is no JSON ({shown(error)})") from error
    if not isinstance(found, dict):
        raise _unreadable(path, "it is no JSON object")
    return found


def is_within(real: str, folders: Collection[str]) -> bool:
    """Whether a real path is one of these real folders, or lies in one."""
    return any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def _key_parts(line: str) -> int:
    """How many parts the key or table name has that a line of TOML begins with, at most."""
    key, equals, _ = line.partition("=")
    return key.count(".") + 1 if equals or key.lstrip().startswith("[") else 0


def _unreadable(path: Path, reason: str) -> BadSource:
    return BadSource(f"{shown(path)} cannot be read: {reason}.", "Correct it; until then it counts as empty.")
