"""The wheel, and an environment in which it is installed as the README says, each made once a session."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.once import Once
from tests.packaging.shell_blocks import blocks_of

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, a home, and a folder for commands."""

    bin: Path
    home: Path

    @property
    def variables(self) -> dict[str, str]:
        """No compiler, no git and no network, and nothing of this clone."""
        return {
            "PATH": str(self.bin),
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "LANG": "C.UTF-8",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "HTTP_PROXY": "http://127.0.0.1:9",
        }

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.bin / "premise-suggest", *words],
            input=given,
            capture_output=True,
            text=True,
            cwd=self.home,
            env=self.variables,
            timeout=300,
            check=False,
        )


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the source distribution: `dist` in an empty folder, as in a clone."""
    clone = Once(tmp_path_factory).folder(
        "clone", lambda path: _run(["make", "wheel", f"DIST={path / 'dist'}"])
    )
    return clone / "dist"


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return _with(Once(tmp_path_factory).folder("wheel-environment", lambda path: _install(built, path)))


def _with(folder: Path) -> Installed:
    return Installed(folder / "environment" / "bin", folder / "home")


def _install(built: Path, folder: Path) -> None:
    """Download the wheel's dependencies, and install from what was downloaded alone, by the README's own line."""
    words = install_line()
    extras = words[-1].rpartition("[")[2]
    wheel = f"premise-suggest[{extras} @ {wheel_in(built).as_uri()}"
    _run([sys.executable, "-m", "pip", "--quiet", "download", "--dest", folder / "wheels", wheel])
    _run([sys.executable, "-m", "venv", folder / "environment"])
    there = _with(folder)
    there.home.mkdir()
    offline = ["--quiet", "--no-index", "--only-binary", ":all:", "--find-links", folder / "wheels"]
    pip = [there.bin / "python", "-m", "pip", "install", *offline, *words[2:]]
    _run(pip, there.variables, built.parent)


def install_line() -> list[str]:
    """The words of the README's line that installs the wheel of a clone: `pipx install WHEEL`."""
    lines = [line for block in blocks_of(ROOT / "README.md") for line in block.lines]
    (words,) = (shlex.split(line) for line in lines if line.startswith("pipx install "))
    return words


def wheel_in(built: Path) -> Path:
    """The wheel."""
    (wheel,) = built.glob("*.whl")
    return wheel


def _run(words: Sequence[str | Path], variables: dict[str, str] | None = None, folder: Path = ROOT) -> None:
    done = subprocess.run(
        words, cwd=folder, env=variables, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
