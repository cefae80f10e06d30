"""Variables for processes of the tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def without_lean(variables: Mapping[str, str]) -> dict[str, str]:
    """These variables, with no Lean to be found but the packaged one."""
    kept = {name: value for name, value in variables.items() if not name.startswith(("ELAN", "LEAN"))}
    folders = [
        folder
        for folder in variables.get("PATH", "").split(os.pathsep)
        if not any(Path(folder, name).exists() for name in ("lean", "lake", "elan"))
    ]
    return {**kept, "PATH": os.pathsep.join(folders), "ELAN_HOME": "/nonexistent"}
