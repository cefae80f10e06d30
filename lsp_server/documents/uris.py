"""URIs as editors send them: which can be read at all, and which are files of this machine."""

from __future__ import annotations

from pathlib import Path

from pygls.uris import to_fs_path

MAX_URI = 32_000
"""Characters. A path has a tenth of that on Linux; Windows has 32,767 at most."""


def is_readable(uri: str) -> bool:
    """Whether a URI can be taken apart; `file://[` cannot."""
    try:
        to_fs_path(uri)
    except ValueError:
        return False
    return len(uri) <= MAX_URI


def file_path(uri: str) -> Path | None:
    """The file behind a URI; None where it is not one that this machine could have."""
    path = to_fs_path(uri) if uri.lower().startswith("file:") and is_readable(uri) else None
    return Path(path) if path and "\0" not in path and Path(path).is_absolute() else None
