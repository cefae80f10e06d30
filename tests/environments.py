"""Variables for processes of the tests, and the folder of indexes that one of them names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_cache_path


def without_lean(variables: Mapping[str, str]) -> dict[str, str]:
    """These variables, with no Lean to be found but the packaged one."""
    kept = {name: value for name, value in variables.items() if not name.startswith(("ELAN", "LEAN"))}
    folders = [
        folder
        for folder in variables.get("PATH", "").split(os.pathsep)
        if not any(Path(folder, name).exists() for name in ("lean", "lake", "elan"))
    ]
    return {**kept, "PATH": os.pathsep.join(folders), "ELAN_HOME": "/nonexistent"}


def own_indexes(folder: Path) -> Path:
    """A new folder of indexes, where the bundled one, which tests only read, is that of the user: unpacked once."""
    folder.mkdir(parents=True)
    bundled = user_cache_path("premise-suggest", appauthor=False) / "index" / "bundled"
    bundled.mkdir(parents=True, exist_ok=True)
    (folder / "bundled").symlink_to(bundled, target_is_directory=True)
    return folder
