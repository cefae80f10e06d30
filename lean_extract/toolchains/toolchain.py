"""Chooses the Lean to run for a project.

In order of preference: the setting `lean.command`; the toolchain named in the project's `lean-toolchain` (or
elan's default), if elan has installed it; `lean` on PATH; the packaged runtime. Nothing is ever downloaded:
toolchains are run from elan's folder, not through elan's shims, which would download missing ones.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path

from lean_extract.common.errors import BadSettings, LeanNotFound
from lean_extract.common.files.reading import is_file
from lean_extract.limits import LEAN_VERSION_SECONDS
from lean_extract.source.projects.packages import LAKEFILES
from lean_extract.source.projects.project import find_project, library_folders
from lean_extract.toolchains.elan import (
    EXE,
    FILE,
    find_elan,
    is_lean,
    named_in,
    on_path,
    split_command,
    upwards,
    version_in,
)
from lean_extract.toolchains.packaged import MINI_CORE_IS, prepare

_Kind = Literal["lake", "elan", "path", "packaged"]
_VERSION = re.compile(r"Lean \(?version (\d[^\s,)]*)")
ELAN = "https://lean-lang.org/install"
"""Where to get elan."""
_OVERRIDE = "The Lean command (`--lean` or the setting `lean.command`)"
_INSTALL_HINT = f"Install Lean with elan ({ELAN}), or name it with `--lean` or the setting `lean.command`."


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Lean that can be run.

    `server_command` speaks LSP on standard input and output, and accepts further `-D` options. `lean_command`
    compiles files. `environment` holds the variables that have to be added to the process's own. `reason` is one
    sentence on why this Lean was chosen.
    """

    kind: _Kind
    server_command: tuple[str, ...]
    lean_command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    reason: str = ""
    in_place_of: str = ""
    """The toolchain that the project names, if this one replaces it."""

    @property
    def lake_command(self) -> tuple[str, ...]:
        """Lake's command; empty if Lean runs without it."""
        return self.lean_command[:-2] if self.kind == "lake" else ()

    @property
    def runs_lake(self) -> bool:
        """Whether Lake is run for each file that Lean's server opens: it is the command itself, or next to it."""
        sibling = Path(self.lean_command[0]).with_name(f"lake{EXE}")
        return self.kind == "lake" or (self.kind != "packaged" and sibling.is_file())

    @property
    def library(self) -> str:
        """What this Lean has in place of Lean's own library, as a sentence; empty for any but the packaged one."""
        return f"It has no library but the mini core: {MINI_CORE_IS}." if self.kind == "packaged" else ""

    @property
    def note(self) -> str:
        """Which Lean gives the verdicts, as sentences; empty if it is the one that the project names."""
        if not self.in_place_of:
            return ""
        own = "the packaged Lean" if self.kind == "packaged" else "the Lean on PATH"
        about = (
            f"The project asks for {self.in_place_of}, which was not found, so goals and verdicts are those of"
            f" {own}, {self.version}."
        )
        return " ".join(filter(None, (about, self.library, f"{self.install}.")))

    @property
    def note_on_unknown(self) -> str:
        """What to add where this Lean does not know a name, as sentences; empty if it has Lean's own library."""
        if self.note or self.kind != "packaged":
            return self.note
        return (
            f"The packaged Lean, {self.version}, answered. It knows few names of Lean's own library and none of"
            f" Mathlib's: it has the mini core, {MINI_CORE_IS}. {self.install}."
        )

    @property
    def install(self) -> str:
        """How to get the Lean that the project names, as the beginning of a sentence."""
        return f"Install {self.in_place_of or 'Lean'} with elan: {ELAN}"


def resolve_lean(
    project: Path | None, *, override: str | None = None, environment: Mapping[str, str] = os.environ
) -> Toolchain:
    """Choose the Lean for a project.

    Args:
        project: the project's root folder, or None if there is none.
        override: the setting `lean.command`: a command line, split as in a shell.
        environment: PATH, HOME, ELAN_HOME and ELAN_TOOLCHAIN are read from it.

    Raises:
        BadSettings: `override` cannot be parsed, or does not name a program.
        LeanNotFound: there is no Lean, the requested one is not installed, or it does not run.
    """
    chosen = choose_lean(project, override=override, environment=environment)
    return _from_package(project, environment) if chosen is None else _toolchain(chosen, environment, project)


@dataclass(frozen=True, slots=True)
class Choice:
    """The program that was chosen, without running anything."""

    kind: _Kind
    command: tuple[str, ...]
    """Lake's command if the kind is `lake`, otherwise Lean's."""
    reason: str
    requested: str = ""
    """The toolchain that the project names, if another was chosen without looking for it."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables that have to be added to the process's own."""

    @property
    def prefix(self) -> Path:
        """The folder in which this Lean is installed, with `bin`, `lib` and `src`. Raises OSError."""
        return Path(self.command[0]).resolve(strict=True).parent.parent


def choose_lean(
    project: Path | None, *, override: str | None = None, environment: Mapping[str, str] = os.environ
) -> Choice | None:
    """The same choice as `resolve_lean` without running anything. None: the packaged Lean, if it is installed.

    Raises BadSettings, and LeanNotFound if the requested Lean is not installed.
    """
    if override:
        return _from_override(override, project, environment)
    return _from_elan(project, environment) or _from_path(project, environment)


def has_lakefile(project: Path | None) -> bool:
    """Whether the folder is a Lake package."""
    return project is not None and any((project / name).is_file() for name in LAKEFILES)


def project_oleans(project: Path) -> Path:
    """The folder in the user's cache for the compiled files of a project without Lake."""
    key = hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:16]
    return user_cache_path("premise-suggest", appauthor=False) / "lean" / f"project-{key}"


def compiled_folders(toolchain: Toolchain, project: Path) -> tuple[Path, ...]:
    """The folders in which Lean finds the compiled imports of a project and its packages, except Lean's own."""
    named = toolchain.environment.get("LEAN_PATH", os.environ.get("LEAN_PATH", ""))
    found = [Path(folder) for folder in named.split(os.pathsep) if folder]
    for root in (project, *(package.root for package in find_project(project).packages)):
        found += library_folders(root)
    return tuple(found)


def _from_override(override: str, project: Path | None, environment: Mapping[str, str]) -> Choice:
    try:
        words = split_command(override)
    except ValueError as error:
        raise BadSettings(f"{_OVERRIDE} cannot be read: {error}.", "Correct its quotes.") from error
    program = _named_program(words[0], environment) if words else None
    if program is None:
        raise BadSettings(
            f"{_OVERRIDE} is {override!r}, but there is no such program.",
            "Correct it, or remove it so that Lean is found automatically.",
        )
    if _is_shim(program):
        chosen = _from_elan(project, environment)
        if chosen is None:
            raise LeanNotFound(
                f"{program} belongs to elan, which has no default toolchain.", "Run: elan default stable"
            )
        return replace(chosen, reason=f"{_OVERRIDE} asks for elan's Lean. {chosen.reason}")
    kind: _Kind = "lake" if program.stem.lower() == "lake" else "path"
    return Choice(kind, (str(program), *words[1:]), f"{_OVERRIDE} asks for {override}.")


def _from_elan(project: Path | None, environment: Mapping[str, str]) -> Choice | None:
    elan = find_elan(environment)
    wanted = elan.wanted(project, environment) if elan is not None else None
    if elan is None or wanted is None:
        return None
    folder = elan.installed(wanted.name)
    if folder is None:
        raise LeanNotFound(
            f"{wanted.source} asks for the Lean toolchain {wanted.name}, which elan has not installed.",
            f"Run: elan toolchain install {wanted.name}",
        )
    lake, lean = folder / "bin" / f"lake{EXE}", folder / "bin" / f"lean{EXE}"
    reason = f"{wanted.source} asks for {wanted.name}, and elan has it."
    # As elan's own programs set them: Lake looks for its cache of artifacts there.
    variables = {"ELAN_HOME": str(elan.home), "ELAN_TOOLCHAIN": elan.resolved(wanted.name, folder)}
    if has_lakefile(project) and lake.is_file():
        return Choice("lake", (str(lake),), reason, variables=variables)
    return Choice("elan", (str(lean),), reason, variables=variables)


def _from_path(project: Path | None, environment: Mapping[str, str]) -> Choice | None:
    lean = _find_program("lean", environment)
    if lean is None:
        return None
    wanted = asked_toolchain(project)
    requested = wanted[0] if wanted else ""
    about = f"; {wanted[1]} asks for {wanted[0]}, but there is no elan" if wanted else ""
    about += _elan_problem(environment)
    sibling = lean.with_name(f"lake{EXE}")
    lake = sibling if sibling.is_file() else _find_program("lake", environment)
    if has_lakefile(project) and lake is not None:
        return Choice("lake", (str(lake),), f"{lake} is on PATH{about}.", requested)
    return Choice("path", (str(lean),), f"{lean} is on PATH{about}.", requested)


def _from_package(project: Path | None, environment: Mapping[str, str]) -> Toolchain:
    try:
        runtime = prepare()
    except LeanNotFound as error:
        raise LeanNotFound(
            f"No Lean was found, neither through elan nor on PATH. {error.message}",
            f"{_INSTALL_HINT} {error.hint}".strip(),
        ) from error
    variables = runtime.environment_for(project_oleans(project), project) if project else runtime.environment
    wanted = asked_toolchain(project)
    about = f" ({wanted[1]} asks for {wanted[0]}; install that with elan)" if wanted else ""
    about += _elan_problem(environment)
    return Toolchain(
        kind="packaged",
        server_command=runtime.server_command,
        lean_command=runtime.lean_command,
        environment=variables,
        version=runtime.version,
        reason=f"No elan toolchain and no lean on PATH were found, so the packaged Lean is used{about}.",
        in_place_of=_unless(runtime.version, wanted[0] if wanted else ""),
    )


def _toolchain(chosen: Choice, environment: Mapping[str, str], project: Path | None) -> Toolchain:
    """The chosen Lean with its version. Raises LeanNotFound if it does not run."""
    command, kind = chosen.command, chosen.kind
    if kind == "lake":
        lean = Path(command[0]).with_name(f"lean{EXE}")
        has_lean = lean.is_file()
        version = _ask_version((str(lean),) if has_lean else command, environment, project)
        # By its path: PATH may lack it, or name elan's shim, which might download something.
        server, compiler = (*command, "serve", "--"), (*command, "env", str(lean) if has_lean else "lean")
    else:
        version = _ask_version(command, environment, None)
        server, compiler = (*command, "--server"), command
    requested = _unless(version, chosen.requested)
    return Toolchain(kind, server, compiler, chosen.variables, version, chosen.reason, requested)


def _unless(version: str, requested: str) -> str:
    """The toolchain that is named, unless it has this version."""
    return "" if is_lean(version, version_in(requested)) else requested


def _elan_problem(environment: Mapping[str, str]) -> str:
    elan = find_elan(environment)
    return elan.problem if elan is not None else ""


def asked_toolchain(project: Path | None) -> tuple[str, str] | None:
    """The toolchain in the nearest `lean-toolchain`, here or in a folder above, and that file's path.

    Raises LeanNotFound: it does not name one.
    """
    for folder in upwards(project):
        path = folder / FILE
        if is_file(path):
            return named_in(path), str(path)
    return None


def _named_program(name: str, environment: Mapping[str, str]) -> Path | None:
    """A program by its path, or by its name on PATH."""
    if Path(name).name != name:
        found = shutil.which(name)
        return Path(found) if found else None
    return next(on_path(name, environment.get("PATH", "")), None)


def _find_program(name: str, environment: Mapping[str, str]) -> Path | None:
    """A program on PATH that is not one of elan's shims."""
    found = on_path(name, environment.get("PATH", ""))
    return next((program for program in found if not _is_shim(program)), None)


def _is_shim(program: Path) -> bool:
    """Whether the program is elan's shim, which might download something. Shims are in elan's own folder."""
    return program.with_name(f"elan{EXE}").exists() or program.resolve().stem == "elan"


def _ask_version(command: tuple[str, ...], environment: Mapping[str, str], project: Path | None) -> str:
    """The version that `--version` prints. Raises LeanNotFound if the program does not run."""
    try:
        result = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LEAN_VERSION_SECONDS,
            env=dict(environment),
            cwd=project,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LeanNotFound(f"{command[0]} does not run: {error}.", _INSTALL_HINT) from error
    match = _VERSION.search(result.stdout)
    if result.returncode != 0 or match is None:
        answer = (result.stderr.strip() or result.stdout.strip() or "no output").splitlines()[-1]
        raise LeanNotFound(
            f"`{shlex.join(command)} --version` did not print a version of Lean: {answer}", _INSTALL_HINT
        )
    return match.group(1)
