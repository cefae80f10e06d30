"""URIs as editors send them: which can be parsed, and which are files on this machine."""

from __future__ import annotations

from pathlib import Path

from pygls.uris import to_fs_path

from lsp_server.limits import URI_CHARACTERS


def is_readable(uri: str) -> bool:
    """Whether a URI can be parsed; `file://[` cannot."""
    try:
        to_fs_path(uri)
    except ValueError:
        return False
    return len(uri) <= URI_CHARACTERS


def file_path(uri: str) -> Path | None:
    """The path of a URI; None if it cannot be a file on this machine."""
    path = to_fs_path(uri) if uri.lower().startswith("file:") and is_readable(uri) else None
    return Path(path) if path and "\0" not in path and Path(path).is_absolute() else None
