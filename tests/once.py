"""What is made once a session, by whichever worker of pytest-xdist needs it first."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from filelock import FileLock

_MADE = "made"


class Once:
    """Folders that all workers of a session share, each filled by the first that asks for it.

    What tests get of it they only read.
    """

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        base = factory.getbasetemp()
        self._folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once"
        self._folder.mkdir(exist_ok=True)

    def lock(self, name: str) -> AbstractContextManager[object]:
        """No other worker is in the same block of this name."""
        return FileLock(self._folder / f"{name}.lock")

    def folder(self, name: str, fill: Callable[[Path], object]) -> Path:
        """The folder of this name; `fill` is called with it while it is empty, and once a session."""
        path, mark = self._folder / name, self._folder / f"{name}.{_MADE}"
        with self.lock(name):
            if not mark.exists():
                shutil.rmtree(path, ignore_errors=True)  # of a worker that failed
                path.mkdir()
                fill(path)
                mark.touch()
        return path
