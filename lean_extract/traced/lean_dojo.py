"""LeanDojo (the extra `premise-suggest[dojo]`): imported when it is used, and its traces as records.

Its import runs `git`, resets loguru's sinks, reads a `.env` file, makes a folder in the user's cache and loads
ray. If GITHUB_ACCESS_TOKEN is set, it also accesses the network. So the token is hidden from it, `.env` files are
not read, and its remote cache is turned off: all tracing is done on this machine.

Traces become theorems, tactics with their states, and the premises in them. LeanDojo has names, positions, states and
used premises from elaboration. It has statements only as text, so the source reader takes them from the file, with the
`variable` commands above them.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from lean_extract.common.errors import BadState, LeanError, UserError
from lean_extract.common.python_path import safe_path
from lean_extract.common.terminal_text import pip_install
from lean_extract.goals import parse_state
from lean_extract.records import FileProblem, Position, Premise, Proof, Record, Span, TacticStep
from lean_extract.source.projects.project import Project, find_project, module_of
from lean_extract.source.reader import read_module

_MAJOR = 4
_NEEDED = (
    "Dojo",
    "DojoCrashError",
    "DojoInitError",
    "DojoTacticTimeoutError",
    "LeanError",
    "LeanGitRepo",
    "ProofFinished",
    "ProofGivenUp",
    "TacticState",
    "Theorem",
    "trace",
)
"""The names of `lean_dojo` that are used."""

_LAST_PYTHON = (3, 12)
_HINT = f"Install it, in Python 3.11 or 3.12: {pip_install('dojo')}"
_SETTINGS: Mapping[str, str | None] = {
    "DISABLE_REMOTE_CACHE": "1",
    "GITHUB_ACCESS_TOKEN": None,
    "PYTHON_DOTENV_DISABLED": "1",
}
"""Environment variables during the import; None: not set."""


class LeanDojoMissing(UserError):
    """LeanDojo is not installed, cannot be used here, or has an unsupported version."""


@dataclass(frozen=True, slots=True)
class LeanDojo:
    """The imported package. Its objects are untyped."""

    package: Any
    version: str
    starting: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Held while LeanDojo starts a Lean, since it changes the process's working directory during that time."""

    def repository(self, project: Path) -> Any:
        """`LeanGitRepo` of a local clone. Raises UserError if the folder is not a Git clone."""
        try:
            return self.package.LeanGitRepo.from_path(project)
        except Exception as error:
            raise UserError(
                f"LeanDojo cannot read {project}: {error!r}.",
                "Name a clone of a Git repository with a `lean-toolchain` and at least one commit.",
            ) from error

    def theorem(self, project: Path, file: Path, name: str) -> Any:
        """`lean_dojo.Theorem` of a local clone. `file` is relative to the clone, `name` is the full name."""
        return self.package.Theorem(self.repository(project), file, name)


def load_lean_dojo() -> LeanDojo:
    """Import LeanDojo.

    Raises:
        LeanDojoMissing: it cannot be used here. The hint says what to install.
    """
    if sys.version_info[:2] > _LAST_PYTHON and "lean_dojo" not in sys.modules:
        running = ".".join(map(str, sys.version_info[:2]))
        raise LeanDojoMissing(f"LeanDojo does not run in Python {running}.", _HINT)
    if shutil.which("git") is None:
        raise LeanDojoMissing("LeanDojo needs git, which is not on PATH.", "Install git.")
    try:
        with _environment(_SETTINGS):
            package = importlib.import_module("lean_dojo")
    except ModuleNotFoundError as error:
        raise LeanDojoMissing(f"LeanDojo is not installed ({error}).", _HINT) from error
    except (ImportError, AssertionError, OSError, subprocess.SubprocessError) as error:
        raise LeanDojoMissing(f"LeanDojo cannot be imported: {error!r}.", _HINT) from error
    version = str(getattr(package, "__version__", "unknown"))
    absent = [name for name in _NEEDED if not hasattr(package, name)]
    if version.split(".")[0] != str(_MAJOR) or absent:
        lacks = f" (it lacks {', '.join(absent)})" if absent else ""
        raise LeanDojoMissing(f"LeanDojo {version} is not version {_MAJOR}{lacks}.", _HINT)
    return LeanDojo(package, version)


@contextmanager
def _environment(settings: Mapping[str, str | None]) -> Iterator[None]:
    """Change some variables of the process's environment within the block."""
    before = {name: os.environ.get(name) for name in settings}
    _set(settings)
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


_PACKAGES = Path(".lake/packages")


def trace(library: LeanDojo, clone: Path, *, build_deps: bool = False) -> Any:
    """Trace a local clone with `lean_dojo.trace`. Returns a TracedRepo, from LeanDojo's cache if possible.

    Raises:
        UserError: the folder is not a Git clone. LeanError: it cannot be traced; the message is LeanDojo's.
    """
    repository = library.repository(clone)
    try:
        with safe_path():  # of ray's workers
            return library.package.trace(repository, build_deps=build_deps)
    except Exception as error:
        raise LeanError(
            f"LeanDojo cannot trace {clone}: {error!r}.",
            "Make sure that `lake build` works there, then try again.",
        ) from error


def records_of(traced: Any) -> Iterator[Record]:
    """The records of a TracedRepo, file by file, without its dependencies.

    If a state cannot be read, the step has no states and a FileProblem is added.
    """
    project = find_project(traced.root_dir)
    for file in sorted(traced.traced_files, key=lambda file: str(file.path)):
        if not file.path.is_relative_to(_PACKAGES):
            yield from _file_records(file, project)


def _file_records(file: Any, project: Project) -> Iterator[Record]:
    name = module_of(file.abs_path, project)
    read = read_module("\n".join(file.lean_file.code), name, str(file.path))
    yield read.module
    stated = {premise.name: premise for premise in read.premises}
    for definition in file.get_premise_definitions():
        if isinstance(definition["full_name"], str):
            yield _premise(definition, name, stated)
    for theorem in file.get_traced_theorems():
        problems: list[FileProblem] = []
        yield _proof(theorem, name, str(file.path), problems)
        yield from problems


def _premise(definition: Mapping[str, Any], module: str, stated: Mapping[str, Premise]) -> Premise:
    name = definition["full_name"]
    span = _span(definition["start"], definition["end"])
    if name in stated:
        return replace(stated[name], span=span)
    alone = read_module(definition["code"], module, "").premises
    if not alone:
        return Premise(name, str(definition["kind"]), module, span=span)
    return replace(alone[0], name=name, span=span)


def _proof(theorem: Any, module: str, path: str, problems: list[FileProblem]) -> Proof:
    is_tactic = bool(theorem.has_tactic_proof())
    steps = [_step(tactic, path, problems) for tactic in theorem.get_traced_tactics()] if is_tactic else []
    name = theorem.theorem.full_name
    used = _first_uses(theorem.get_proof_node())
    return Proof(
        theorem=name,
        module=module,
        premises=tuple(dict.fromkeys(premise for premise in used if premise != name)),
        steps=tuple(steps),
        is_tactic=is_tactic,
    )


def _first_uses(proof: Any) -> list[str]:
    """The constants mentioned in a proof, as LeanDojo resolved them, without local names."""
    names: list[str] = []

    def note(node: Any, parents: Any) -> None:
        name = getattr(node, "full_name", None)
        if isinstance(name, str) and getattr(node, "mod_name", None) is not None:
            names.append(name)

    proof.traverse_preorder(note, None)
    return names


def _step(tactic: Any, path: str, problems: list[FileProblem]) -> TacticStep:
    span = _span(tactic.start, tactic.end)
    _, provenances = tactic.get_annotated_tactic()
    premises = tuple(dict.fromkeys(str(provenance["full_name"]) for provenance in provenances))
    try:
        before, after = parse_state(tactic.state_before), parse_state(tactic.state_after)
    except BadState as error:
        problems.append(
            FileProblem(path, span.start, f"no state for `{tactic.tactic[:40]}`: {error.message}")
        )
        return TacticStep(tactic.tactic, span, premises)
    return TacticStep(tactic.tactic, span, premises, before, after)


def _span(start: Iterable[int], end: Iterable[int]) -> Span:
    """The span of LeanDojo's positions, which count lines and columns (code points) from 1."""
    return Span(_position(start), _position(end))


def _position(pair: Iterable[int]) -> Position:
    line, column = pair
    return Position(line - 1, column - 1)
