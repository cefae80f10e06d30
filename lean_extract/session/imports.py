"""What to say when Lean cannot load the imports of a file."""

from __future__ import annotations

import re
from pathlib import Path

from lean_extract.errors import ProjectBroken
from lean_extract.toolchain import Toolchain, has_lakefile

_REQUIRE = re.compile(r"^\s*(\[\[\s*require\s*\]\]|require\s)", re.MULTILINE)


def broken_imports(path: Path, said: str, project: Path, toolchain: Toolchain) -> ProjectBroken:
    """The error for a file whose imports cannot be loaded.

    Args:
        said: Lean's message; behind its first line it lists folders, which help nobody here.
    """
    first = (said.strip().splitlines() or ["Lean does not say why"])[0].rstrip(" .:")
    return ProjectBroken(
        f"The imports of {path.name} cannot be loaded: {first}.", _what_to_do(project, toolchain)
    )


def _what_to_do(project: Path, toolchain: Toolchain) -> str:
    if not has_lakefile(project):
        return "Check the names of the imports, and that their files compile."
    if toolchain.kind == "packaged" and _has_dependencies(project):
        return (
            "The packaged Lean has neither Mathlib nor Lake: install both Lean and Lake with elan"
            " (https://lean-lang.org/install), run `lake build`, then ask again."
        )
    return "Build the project with `lake build`, then ask again."


def _has_dependencies(project: Path) -> bool:
    lakefiles = (project / name for name in ("lakefile.toml", "lakefile.lean"))
    return any(
        _REQUIRE.search(lakefile.read_text(encoding="utf-8", errors="replace"))
        for lakefile in lakefiles
        if lakefile.is_file()
    )
