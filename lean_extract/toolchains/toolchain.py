"""Which Lean to run for a project, and why that one.

In this order: the setting `lean.command`; the toolchain that the project's `lean-toolchain` (or elan's
default) names, as elan installed it; `lean` on PATH; the packaged runtime. Nothing is ever downloaded:
toolchains are run from elan's folder, not through elan's shims, which would fetch what is missing.
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

from lean_extract.errors import BadSettings, BadSource, LeanNotFound
from lean_extract.files.reading import is_file
from lean_extract.files.settings_files import settings_text, toml_settings
from lean_extract.source.projects.packages import LAKEFILES
from lean_extract.source.projects.project import find_project
from lean_extract.toolchains.packaged import prepare
from lean_extract.toolchains.toolchain_name import FILE, checked, named_in

Kind = Literal["lake", "elan", "path", "packaged"]
_VERSION_SECONDS = 30.0
_VERSION = re.compile(r"Lean \(?version (\d[^\s,)]*)")
_INSTALL_HINT = "Install Lean with elan (https://lean-lang.org/install), or set `lean.command`."


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Lean that can be run.

    `server_command` speaks LSP on standard input and output, and takes further `-D` options;
    `lean_command` compiles files. `environment` holds what has to be set on top of the process's own
    variables. `reason` is one sentence on why this Lean was chosen.
    """

    kind: Kind
    server_command: tuple[str, ...]
    lean_command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    reason: str = ""


def resolve_lean(
    project: Path | None, *, override: str | None = None, environment: Mapping[str, str] = os.environ
) -> Toolchain:
    """Choose the Lean for a project.

    Args:
        project: the project's root folder, or None where there is none.
        override: the setting `lean.command`: a command line, as a shell would split it.
        environment: PATH, HOME, ELAN_HOME and ELAN_TOOLCHAIN are read from it.

    Raises:
        BadSettings: `override` cannot be read, or names no program.
        LeanNotFound: there is no Lean, the one asked for is not installed, or it does not run.
    """
    chosen = choose_lean(project, override=override, environment=environment)
    return _from_package(project, environment) if chosen is None else _toolchain(chosen, environment, project)


@dataclass(frozen=True, slots=True)
class Choice:
    """The program that was chosen; nothing was run for it."""

    kind: Kind
    command: tuple[str, ...]
    """Lake's where the kind is `lake`, else Lean's."""
    reason: str

    @property
    def prefix(self) -> Path:
        """The folder that this Lean is installed in: it holds `bin`, `lib` and `src`. Raises OSError."""
        return Path(self.command[0]).resolve(strict=True).parent.parent


def choose_lean(
    project: Path | None, *, override: str | None = None, environment: Mapping[str, str] = os.environ
) -> Choice | None:
    """The same choice without running anything; None: the packaged Lean, if it is there.

    Raises BadSettings; LeanNotFound when the one asked for is not installed.
    """
    if override:
        return _from_override(override, project, environment)
    return _from_elan(project, environment) or _from_path(project, environment)


def has_lakefile(project: Path | None) -> bool:
    """Whether the folder is a Lake package."""
    return project is not None and any((project / name).is_file() for name in LAKEFILES)


def project_oleans(project: Path) -> Path:
    """Where a project without Lake keeps what the packaged Lean compiled of it: in the user's cache."""
    key = hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:16]
    return user_cache_path("premise-suggest", appauthor=False) / "lean" / f"project-{key}"


def compiled_folders(toolchain: Toolchain, project: Path) -> tuple[Path, ...]:
    """The folders in which a Lean finds what the project and its packages import, less the Lean's own."""
    named = toolchain.environment.get("LEAN_PATH", os.environ.get("LEAN_PATH", ""))
    found = [Path(folder) for folder in named.split(os.pathsep) if folder]
    for root in (project, *(package.root for package in find_project(project).packages)):
        library = root / ".lake" / "build" / "lib"
        found += [library / "lean", library]
    return tuple(found)


def _from_override(override: str, project: Path | None, environment: Mapping[str, str]) -> Choice:
    try:
        words = shlex.split(override)
    except ValueError as error:
        raise BadSettings(
            f"The setting `lean.command` cannot be read: {error}.", "Correct its quotes."
        ) from error
    program = shutil.which(words[0], path=environment.get("PATH", "")) if words else None
    if program is None:
        raise BadSettings(
            f"The setting `lean.command` names {override!r}, which is not a program on this machine.",
            "Correct it, or leave it out: Lean is then found automatically.",
        )
    if _is_shim(Path(program)):
        chosen = _from_elan(project, environment)
        if chosen is None:
            raise LeanNotFound(
                f"{program} is elan's, and elan has no default toolchain.", "Run: elan default stable"
            )
        return replace(chosen, reason=f"The setting `lean.command` asks for elan's Lean. {chosen.reason}")
    kind: Kind = "lake" if Path(program).stem == "lake" else "path"
    return Choice(kind, (program, *words[1:]), f"The setting `lean.command` asks for {override}.")


def _from_elan(project: Path | None, environment: Mapping[str, str]) -> Choice | None:
    home = _elan_home(environment)
    if home is None:
        return None
    wanted, source = _wanted_toolchain(project, home, environment)
    if wanted is None:
        return None
    folder = _toolchain_folder(home, wanted)
    if folder is None:
        raise LeanNotFound(
            f"{source} asks for the Lean toolchain {wanted}, which elan has not installed.",
            f"Run: elan toolchain install {wanted}",
        )
    lake, lean = folder / "bin" / "lake", folder / "bin" / "lean"
    reason = f"{source} asks for {wanted}, and elan has it."
    if has_lakefile(project) and lake.is_file():
        return Choice("lake", (str(lake),), reason)
    return Choice("elan", (str(lean),), reason)


def _from_path(project: Path | None, environment: Mapping[str, str]) -> Choice | None:
    lean = _find_program("lean", environment)
    if lean is None:
        return None
    wanted = _named_in_file(project)
    about = f"; {wanted[1]} asks for {wanted[0]}, but there is no elan" if wanted else ""
    about += _elan_trouble(environment)
    lake = lean.with_name("lake") if lean.with_name("lake").is_file() else _find_program("lake", environment)
    if has_lakefile(project) and lake is not None:
        return Choice("lake", (str(lake),), f"{lake} is on PATH{about}.")
    return Choice("path", (str(lean),), f"{lean} is on PATH{about}.")


def _from_package(project: Path | None, environment: Mapping[str, str]) -> Toolchain:
    try:
        runtime = prepare()
    except LeanNotFound as error:
        raise LeanNotFound(
            f"No Lean was found: elan names none, none is on PATH. {error.message}",
            f"{_INSTALL_HINT} {error.hint}".strip(),
        ) from error
    variables = runtime.environment_for(project_oleans(project), project) if project else runtime.environment
    wanted = _named_in_file(project)
    about = f" ({wanted[1]} asks for {wanted[0]}; install that with elan)" if wanted else ""
    about += _elan_trouble(environment)
    return Toolchain(
        kind="packaged",
        server_command=runtime.server_command,
        lean_command=runtime.lean_command,
        environment=variables,
        version=runtime.version,
        reason=f"No elan toolchain and no lean on PATH were found, so the packaged Lean is used{about}.",
    )


def _toolchain(chosen: Choice, environment: Mapping[str, str], project: Path | None) -> Toolchain:
    """The chosen Lean, asked for its version. Raises LeanNotFound when it does not run."""
    command = chosen.command
    if chosen.kind != "lake":
        version = _ask_version(command, environment, None)
        return Toolchain(chosen.kind, (*command, "--server"), command, {}, version, chosen.reason)
    lean = Path(command[0]).with_name("lean")
    version = _ask_version((str(lean),) if lean.is_file() else command, environment, project)
    return Toolchain("lake", (*command, "serve", "--"), (*command, "env", "lean"), {}, version, chosen.reason)


def _elan_home(environment: Mapping[str, str]) -> Path | None:
    """Elan's folder, if elan is installed."""
    named = environment.get("ELAN_HOME")
    home = environment.get("HOME")
    folder = Path(named) if named else Path(home) / ".elan" if home else None
    if folder is None:
        return None
    is_there = (folder / "bin" / "elan").is_file() or shutil.which("elan", path=environment.get("PATH", ""))
    return folder if is_there else None


def _wanted_toolchain(
    project: Path | None, home: Path, environment: Mapping[str, str]
) -> tuple[str | None, str]:
    """The toolchain that elan would run, and who asks for it."""
    if named := environment.get("ELAN_TOOLCHAIN"):
        source = "The variable ELAN_TOOLCHAIN"
        return checked(named.strip(), source), source
    if found := _named_in_file(project):
        return found
    default, _ = _elan_default(home)
    return (checked(default, "Elan's default") if default else None), "Elan's default"


def _elan_default(home: Path) -> tuple[str | None, str]:
    """What elan's settings have for a default; and what is wrong with them, to end a sentence with."""
    try:
        default = toml_settings(home / "settings.toml").get("default_toolchain")
    except BadSource as error:
        return None, f"; {error.message.rstrip('.')}, so elan has no default"
    return (default.strip() if isinstance(default, str) else None), ""


def _elan_trouble(environment: Mapping[str, str]) -> str:
    home = _elan_home(environment)
    return _elan_default(home)[1] if home else ""


def _named_in_file(project: Path | None) -> tuple[str, str] | None:
    """What the nearest `lean-toolchain` says, here or in a folder above, and that file's path."""
    if project is None:
        return None
    project = project.resolve()
    for folder in (project, *project.parents):
        path = folder / FILE
        if is_file(path):
            return named_in(path), str(path)
    return None


def _toolchain_folder(home: Path, wanted: str) -> Path | None:
    """The folder of an installed toolchain; elan writes `leanprover/lean4:v4.24.0` with dashes."""
    names = [wanted, f"leanprover/lean4:{wanted}"]
    if re.fullmatch(r"\d.*", wanted):
        names.append(f"leanprover/lean4:v{wanted}")
    for name in names:
        folder = home / "toolchains" / name.replace("/", "--").replace(":", "---")
        if folder.is_file():  # A linked toolchain: the file holds its path.
            try:
                folder = Path(settings_text(folder).strip())
            except BadSource as error:
                raise LeanNotFound(error.message, f"Link it again: elan toolchain link {wanted}") from error
        if (folder / "bin" / "lean").is_file():
            return folder
    return None


def _find_program(name: str, environment: Mapping[str, str]) -> Path | None:
    """A program on PATH that is not one of elan's shims."""
    for folder in environment.get("PATH", "").split(os.pathsep):
        found = shutil.which(name, path=folder) if folder else None
        if found and not _is_shim(Path(found)):
            return Path(found)
    return None


def _is_shim(program: Path) -> bool:
    """Whether elan would answer under this name, and perhaps download: its shims stand beside it."""
    return program.with_name("elan").exists() or program.resolve().name == "elan"


def _ask_version(command: tuple[str, ...], environment: Mapping[str, str], project: Path | None) -> str:
    """What `--version` says. Raises LeanNotFound when the program does not run."""
    try:
        result = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_SECONDS,
            env=dict(environment),
            cwd=project,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LeanNotFound(f"{command[0]} does not run: {error}.", _INSTALL_HINT) from error
    match = _VERSION.search(result.stdout)
    if result.returncode != 0 or match is None:
        said = (result.stderr.strip() or result.stdout.strip() or "it says nothing").splitlines()[-1]
        raise LeanNotFound(f"`{shlex.join(command)} --version` is not Lean's: {said}", _INSTALL_HINT)
    return match.group(1)
