"""Where tries take place: a scratch folder with an indexed copy of the example library, and our programs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_server.commands.demo import EXAMPLE
from tests.environments import own_indexes

REPOSITORY = Path(__file__).parents[3]
PROGRAM = (sys.executable, "-m", "lsp_server")
STATE = "m n : Nat\n⊢ m + n = n + m\n"
_END_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Ground:
    """A scratch folder, the environment of our programs in it, and an indexed project."""

    folder: Path
    environment: dict[str, str]
    library: Path

    def run(
        self,
        *arguments: str | Path,
        seconds: float = 120,
        stdin: str = "",
        limits: str = "",
        folder: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run `premise-suggest` to its end; `limits` are shell commands before it (`ulimit -f 8;`), `folder`
        is where it runs.

        Raises subprocess.TimeoutExpired.
        """
        command: Sequence[str] = [*PROGRAM, *map(str, arguments)]
        if limits:
            command = ["bash", "-c", f'{limits} exec "$@"', "bash", *command]
        return subprocess.run(
            command,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            cwd=folder or self.folder,
        )

    def start(self, *arguments: str | Path, **streams: Any) -> subprocess.Popen[bytes]:
        """Start `premise-suggest` as the head of a process group of its own."""
        return subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            env=self.environment,
            cwd=self.folder,
            start_new_session=True,
            **streams,
        )

    def copy(self, name: str) -> Path:
        """Another copy of the library, not indexed yet."""
        target = self.folder / name
        shutil.copytree(EXAMPLE, target)
        return target


@contextmanager
def prepared(folder: Path) -> Iterator[Ground]:
    """Make the ground below an empty folder. Raises RuntimeError where the library cannot be indexed."""
    index = own_indexes(folder / "index")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREMISE_SUGGEST")},
        "PREMISE_SUGGEST_INDEX": str(index),
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
    }
    library = folder / "library"
    shutil.copytree(EXAMPLE, library)
    ground = Ground(folder, environment, library)
    done = ground.run("index", library)
    if done.returncode:
        raise RuntimeError(f"the example library was not indexed: {done.stderr}")
    yield ground


def group_members(leader: int) -> list[int]:
    """The live processes of a session, by its leader's id (Linux)."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and _session(folder) == leader:
            found.append(int(folder.name))
    return found


def _session(folder: Path) -> int | None:
    """The session of a live process; None where it has ended."""
    try:
        fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[3])


def cpu_seconds(process: int) -> float:
    """What CPU time a process has used, which may have ended but was not waited for (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(process: subprocess.Popen[bytes], with_signal: int = signal.SIGTERM) -> bool:
    """Ask a process to end; whether it does so in time. It is killed where it does not."""
    process.send_signal(with_signal)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True
