"""The extension's own checks: types, unit tests by plain node, and the view's page in a browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vscode.test_extension import HARNESS, unable

pytestmark = pytest.mark.vscode

EXTENSION = HARNESS.parent


@pytest.fixture(scope="module")
def npm() -> str:
    """npm, with the extension's packages installed."""
    node, program = shutil.which("node"), shutil.which("npm")
    if node is None or program is None:
        unable("Node 20 and npm are not installed")
    made = subprocess.run(
        [node, str(HARNESS / "setup" / "vsix.mjs")], capture_output=True, text=True, timeout=600
    )
    if made.returncode != 0:
        unable(made.stderr.strip().splitlines()[-1])
    return program


@pytest.mark.parametrize("script", ["check", "test:unit", "test:view"])
def test_script(npm: str, script: str) -> None:
    done = subprocess.run(
        [npm, "run", "--silent", script],
        cwd=EXTENSION,
        capture_output=True,
        text=True,
        timeout=600,
        env=_environment(),
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def _environment() -> dict[str, str]:
    """The process's own, with this Python first on PATH."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
