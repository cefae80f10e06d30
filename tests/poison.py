"""Python files of a project, one under the name of each module that our programs may import: none may be imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Container
from importlib.metadata import packages_distributions
from pathlib import Path

_POISON = """\
with open({noted!r}, "a", encoding="utf-8") as stream:
    print(__name__, file=stream)
raise ImportError("a file of the current folder was imported")
"""
_OURS = {"lean_extract", "lsp_server", "prover", "retriever"}


def poison(folder: Path, noted: Path, spared: Container[str] = ()) -> None:
    """Write the files into a folder; each notes its name in the file `noted` when it is imported."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in {*sys.stdlib_module_names, *packages_distributions(), *_OURS}:
        if name.isidentifier() and name not in spared:
            (folder / f"{name}.py").write_text(_POISON.format(noted=str(noted)), encoding="utf-8")


def found_first(package: str) -> set[str]:
    """What `python -m PACKAGE` imports before any function of ours is called, and the packages themselves."""
    program = f"import sys, {package}, lean_extract.common.verbs; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    return _OURS | {name.partition(".")[0] for name in done.stdout.split()} | {"runpy", "pkgutil"}
