"""Reads the settings files of projects, Lake and elan: untrusted text, TOML and JSON.

A file that is too large, nested too deeply or not a regular file raises BadSource. A missing file counts as
empty.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import read_regular_text
from lean_extract.common.terminal_text import shown
from lean_extract.limits import MAX_SETTINGS_BYTES, MAX_TOML_DOTS, MAX_TOML_KEY_PARTS


def settings_text(path: Path, within: Collection[str] | None = None) -> str:
    """The text of a settings file; empty if there is no file.

    Args:
        path: the file; links are followed.
        within: real folders, one of which must contain the real file; None: it may lie anywhere.

    Raises BadSource: the file cannot be read, is not UTF-8, or lies outside `within`.
    """
    try:
        if not os.path.lexists(path):
            return ""
        if within is not None and not is_within(os.path.realpath(path), within):
            raise _unreadable(path, "it is a link that leads elsewhere")
        return read_regular_text(path, MAX_SETTINGS_BYTES)
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"it is not UTF-8 (byte {error.start})") from error
    except (OSError, ValueError) as error:  # ValueError: the path contains NUL
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def toml_settings(path: Path, within: Collection[str] | None = None) -> dict[str, Any]:
    """The table in a TOML file; empty if there is no file. Raises BadSource."""
    text = settings_text(path, within)
    lines = text.split("\n")
    if any(_key_parts(line) > MAX_TOML_KEY_PARTS for line in lines):
        raise _unreadable(path, f"it has a key with more than {MAX_TOML_KEY_PARTS} parts")
    if any(line.count(".") > MAX_TOML_DOTS for line in lines):  # quoted keys, and keys in inline tables
        raise _unreadable(path, f"it has a line with more than {MAX_TOML_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise _unreadable(path, "it is nested too deeply") from error
    except ValueError as error:
        raise _unreadable(path, f"it is not valid TOML ({shown(error)})") from error


def json_settings(path: Path, within: Collection[str] | None = None) -> dict[str, Any]:
    """The object in a JSON file; empty if there is no file. Raises BadSource."""
    if not os.path.lexists(path):
        return {}
    try:
        found = parse_json(settings_text(path, within))
    except ValueError as error:
        raise _unreadable(path, f"it is not valid JSON ({shown(error)})") from error
    if not isinstance(found, dict):
        raise _unreadable(path, "it is not a JSON object")
    return found


def is_within(real: str, folders: Collection[str]) -> bool:
    """Whether a real path is one of these real folders or lies in one of them."""
    return any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def _key_parts(line: str) -> int:
    """The most parts that the key or table name at the start of a line of TOML can have."""
    key, equals, _ = line.partition("=")
    return key.count(".") + 1 if equals or key.lstrip().startswith("[") else 0


def _unreadable(path: Path, reason: str) -> BadSource:
    return BadSource(f"{shown(path)} cannot be read: {reason}.", "Fix it; until then it counts as empty.")
