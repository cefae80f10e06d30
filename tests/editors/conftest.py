"""Editors: found or installed, and a copy of the example library for them to open."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import pytest

from lsp_server.commands.demo import EXAMPLE
from tests.editors.neovim import Neovim, running, set_up
from tests.editors.pages import DOCS
from tests.forked import SCRIPT
from tests.lsp_server.conftest import Cli, cli, environment

__all__ = ["cli", "environment"]

FILE = Path("Unfinished") / "FirstSteps.lean"
"""The file that the editors open."""

Open = Callable[..., AbstractContextManager[Neovim]]


@cache
def installed(package: str) -> bool:
    """Try once to install a Debian package, where that is ours to do: as root on CI."""
    if not (os.environ.get("CI") and os.geteuid() == 0 and shutil.which("apt-get")):
        return False
    for command in (["update"], ["install", "-y", "--no-install-recommends", package]):
        subprocess.run(["apt-get", "-qq", *command], timeout=300, check=False)
    return True


def required(program: str, package: str) -> str:
    """A program's path; where there is none, a skip, and on CI a failure."""
    found = shutil.which(program)
    if found is None and installed(package):
        found = shutil.which(program)
    if found is None:
        said = f"there is no {program} here (apt-get install {package})"
        pytest.fail(said) if os.environ.get("CI") else pytest.skip(said)
    return found


def neovims() -> list[str]:
    """Every Neovim on the path and beside our Python, so that several versions can be tried at once."""
    folders = [str(Path(sys.executable).parent), *os.get_exec_path()]
    found = [Path(folder, "nvim") for folder in folders if os.access(Path(folder, "nvim"), os.X_OK)]
    return [str(path) for path in {os.path.realpath(path): path for path in found}.values()] or [""]


@pytest.fixture(scope="module", params=neovims(), ids=lambda path: Path(path).parent.as_posix())
def nvim(request: pytest.FixtureRequest) -> str:
    """Each Neovim there is: the program itself, not what starts it."""
    asked = [
        request.param or required("nvim", "neovim"),
        "--headless",
        "-u",
        "NONE",
        "+echo v:progpath",
        "+q",
    ]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True)
    return (done.stdout or done.stderr).strip()


def copy_modules(folder: Path) -> None:
    """Copy our Lua to where Neovim looks for it, as the page says."""
    folder.mkdir()
    for module in DOCS.glob("*.lua"):
        shutil.copy(module, folder)


NOT_NEEDED = shutil.ignore_patterns(
    *(".*", "Example.lean", "Algebra", "Order", "Demo.lean", "SeveralGoals.lean", "FarAway.lean"),
    *("Gcd.lean", "Image.lean", "Inverse.lean", "Parity.lean", "Sort.lean", "Tree.lean"),
)
"""What `Unfinished/FirstSteps.lean` does not import, directly or not, so that less is compiled."""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """A copy of a part of the example library, indexed; its files are not written to."""
    folder = tmp_path_factory.mktemp("editors") / "library"
    shutil.copytree(EXAMPLE, folder, ignore=NOT_NEEDED)
    done = cli("index", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def text(library: Path) -> list[str]:
    """The lines of the file that is opened."""
    return (library / FILE).read_text(encoding="utf-8").split("\n")


@pytest.fixture(scope="module")
def open_in(
    nvim: str, library: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Open:
    """Start Neovim on the file, with the page's configuration and what a test adds to it."""

    def start(more: str = "") -> AbstractContextManager[Neovim]:
        folder = tmp_path_factory.mktemp("nvim")
        copy_modules(folder / "lua")
        init = f"vim.opt.runtimepath:prepend('{folder}')\n{set_up(nvim)}\n{more}\n"
        variables = {**environment, "PATH": f"{SCRIPT.parent}:{environment['PATH']}"}
        return running(nvim, folder, init, library / FILE, variables)

    return start
