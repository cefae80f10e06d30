"""A new Lean process that elaborates one text, with the options that Lake gives the file."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import LeanNotFound
from lean_extract.common.files.json_text import parse_json
from lean_extract.session import processes
from lean_extract.toolchains.compile import messages_in
from lean_extract.toolchains.lake_packages import refuse_fetching
from lean_extract.toolchains.toolchain import Toolchain

_NO_IMPORTS = '{"imports": [], "isModule": false}\n'
_NEVER_FETCH = {"LAKE_NO_CACHE": "true"}


@dataclass(frozen=True, slots=True)
class FreshLean:
    """How a new Lean is run for the files of a project.

    `project`: the folder in which Lean runs; with Lake, this determines where imports are found. `seconds`: after
    this time Lean is killed. `memory_mb`: Lean's own memory limit. `on_start`: called with the number of its process.
    """

    toolchain: Toolchain
    project: Path | None
    seconds: float
    memory_mb: int = 8192
    on_start: Callable[[int], object] = lambda pid: None

    async def elaborate(self, path: Path, text: str) -> FreshMessages | None:
        """Lean's messages about a text as the content of a file, which is not written; None after a timeout.

        Raises:
            LeanNotFound: Lean's program cannot be run.
            ProjectBroken: Lake would first fetch packages.
        """
        toolchain, project = self.toolchain, self.project
        if project is not None and toolchain.kind == "lake":
            await asyncio.to_thread(refuse_fetching, project)
        options = await file_options(toolchain, project, path, self.seconds)
        command = [*toolchain.lean_command, *options, "--json", f"--memory={self.memory_mb}", "--stdin"]
        ran = await _run_lean(
            command, toolchain.environment, project, text, self.seconds, on_start=self.on_start
        )
        if ran is None:
            return None
        code, output, errors = ran
        return FreshMessages(list(messages_in(output)), code, errors)


@dataclass(frozen=True, slots=True)
class FreshMessages:
    """The messages of a Lean process in their order, its exit code, and what it wrote to standard error."""

    messages: Sequence[Mapping[str, Any]]
    code: int
    errors: str


async def file_options(
    toolchain: Toolchain, project: Path | None, path: Path, seconds: float
) -> tuple[str, ...]:
    """The options that Lake gives Lean for a file, as `-Dname=value`; none without Lake, or where it does not answer.

    `lake env lean` knows none of them. Lake builds nothing.

    Args:
        toolchain: whose Lake is run.
        project: the folder in which Lake runs.
        path: the file, which need not exist.
        seconds: after this time Lake is killed.

    Raises LeanNotFound: Lake cannot be run.
    """
    if toolchain.kind != "lake" or project is None:
        return ()
    ask = [*toolchain.lake_command, "setup-file", str(project / path)]
    environment = {**toolchain.environment, **_NEVER_FETCH}
    # Up to Lean 4.21 the imports are arguments instead, and those that Lake does not know do not count.
    for header in (["-"], []):
        ran = await _run_lean([*ask, *header, "--no-build"], environment, project, _NO_IMPORTS, seconds)
        if ran is None:
            break
        code, output, _ = ran
        answer = _json_object(output) if code == 0 else None
        if answer is not None:
            return tuple(_arguments(answer.get("options", answer.get("setupOptions"))))
    return ()


def _json_object(output: str) -> Mapping[str, Any] | None:
    try:
        answer = parse_json(output)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _arguments(options: object) -> Iterator[str]:
    for name, value in options.items() if isinstance(options, dict) else ():
        if isinstance(value, bool):
            yield f"-D{name}={str(value).lower()}"
        elif isinstance(value, str | int):
            yield f"-D{name}={value}"


async def _run_lean(
    command: Sequence[str],
    environment: Mapping[str, str],
    project: Path | None,
    text: str,
    seconds: float,
    *,
    on_start: Callable[[int], object] = lambda pid: None,
) -> tuple[int, str, str] | None:
    """Exit code, standard output and standard error; None after a timeout.

    The process is killed with its descendants, so that a Lean started by Lake ends, too. Ctrl-C, which a terminal
    sends to all processes of a command, does not end it.
    """
    variables = {**os.environ, **environment}
    if shutil.which(command[0], path=variables.get("PATH")) is None:
        raise LeanNotFound(f"{command[0]} cannot be run.", "Run `premise-suggest doctor`.")
    process = await asyncio.create_subprocess_exec(
        *processes.guarded(command, environment),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=project,
        start_new_session=True,
    )
    try:
        on_start(process.pid)
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(text.encode())
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            processes.kill(processes.identify([process.pid, *processes.descendants(process.pid)]))
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")
