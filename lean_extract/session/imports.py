"""Why Lean cannot load the imports of a file: which file of the project is at fault, and what to say.

Lean names only what it looked for and did not find. The cause is farther up: a module that does not
compile, that is not there, or that imports itself on some way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.errors import BadSource, ProjectBroken
from lean_extract.files.reading import MAX_SOURCE, read_regular
from lean_extract.files.settings_files import settings_text
from lean_extract.session.document import LeanDocument
from lean_extract.source.projects.packages import LAKEFILES
from lean_extract.source.projects.project import find_project, module_of, source_in
from lean_extract.toolchains.compile import CircularImports, header_imports
from lean_extract.toolchains.toolchain import Toolchain, compiled_folders, has_lakefile

_REQUIRE = re.compile(r"^\s*(\[\[\s*require\s*\]\]|require\s)", re.MULTILINE)
_BUILD_ERROR = re.compile(r"^error: (?:\./)*(?P<file>[^\s:]+\.lean):(?P<line>\d+):\d+: ", re.MULTILINE)
_LEANS_OWN = frozenset(("Init", "Std", "Lean", "Lake"))
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Blocked:
    """What keeps the imports of a file from loading.

    `path` is the file of `module`, if it has one: it is there and all it imports is compiled, but it is not.
    `through` names the modules on the way to it, the one that imports it last; empty: the file itself does.
    """

    module: str
    path: Path | None
    through: tuple[str, ...] = ()


def blocked_import(path: Path, text: str, project: Path, toolchain: Toolchain) -> Blocked | None:
    """The first import, on any way up from a file, that is not there in compiled form; None: each is.

    Reads the header of each of the project's files at most once. Raises CircularImports.
    """
    known = find_project(project)
    roots = known.source_roots or (project,)
    is_compiled = _compiled(project, toolchain)
    chain = [module_of(path, known)]
    blocked: Blocked | None = None
    while True:
        module = next(
            (name for name in header_imports(LeanDocument(text).header) if not is_compiled(name)), None
        )
        if module is None:
            return blocked
        if module in chain:
            raise CircularImports([*chain[chain.index(module) :], module])
        source = source_in(roots, module)
        blocked = Blocked(module, source, tuple(chain[1:]))
        if source is None:
            return blocked
        chain.append(module)
        try:
            text = read_regular(source, MAX_SOURCE).decode("utf-8", errors="replace")
        except OSError:
            return blocked


def _compiled(project: Path, toolchain: Toolchain) -> Callable[[str], bool]:
    folders = compiled_folders(toolchain, project)

    def is_compiled(module: str) -> bool:
        if toolchain.kind != "packaged" and module.partition(".")[0] in _LEANS_OWN:
            return True
        parts = [part.strip("«»") for part in module.split(".")]
        try:
            return any(folder.joinpath(*parts[:-1], f"{parts[-1]}.olean").is_file() for folder in folders)
        except (OSError, ValueError):  # a name that no file can have
            return False

    return is_compiled


def broken_module(path: Path, blocked: Blocked, errors: Sequence[Mapping[str, Any]]) -> ProjectBroken | None:
    """The error for a file that imports a module which Lean rejects; None where `errors` has none of Lean's.

    Args:
        path: the file that was asked about.
        errors: Lean's diagnostics of severity 1 about the module's own file, from top to bottom.
    """
    if blocked.path is None or not errors:
        return None
    start = errors[0]["range"]["start"]
    said = " ".join(str(errors[0]["message"]).split())
    said = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
    return ProjectBroken(
        f"{blocked.path}:{start['line'] + 1}:{start['character'] + 1}: {said.rstrip('.')}. "
        f"{path.name} imports this file{_through(blocked)}, so nothing in {path.name} can be read.",
        f"Correct {blocked.path.name} and save it, then ask again.",
    )


def broken_imports(
    path: Path, said: str, project: Path, toolchain: Toolchain, blocked: Blocked | None = None
) -> ProjectBroken:
    """The error for a file whose imports cannot be loaded, where Lean names no error in another file.

    Args:
        said: Lean's message. Of a build with Lake it holds the errors that were found; else it lists folders
            behind its first line, which help nobody here.
        blocked: what was found to be missing, if anything was.
    """
    built = _BUILD_ERROR.search(said)
    if built is not None and Path(built["file"]).name != path.name:
        error = said[built.start() + len("error: ") :].split("\nerror: ")[0]
        return ProjectBroken(
            f"{' '.join(error.split())[:_LONGEST]}. {path.name} imports this file.",
            f"Correct {built['file']}, run `lake build`, then ask again.",
        )
    hint = _what_to_do(project, toolchain)
    if blocked is None:
        first = (said.strip().splitlines() or ["Lean does not say why"])[0].rstrip(" .:")
        return ProjectBroken(f"The imports of {path.name} cannot be loaded: {first}.", hint)
    what = "there is no such file in the project, and no compiled module of that name"
    if blocked.path is not None:
        what = f"{blocked.path} is not compiled"
    return ProjectBroken(
        f"The imports of {path.name} cannot be loaded: it imports {blocked.module}{_through(blocked)}, "
        f"and {what}.",
        hint,
    )


def _through(blocked: Blocked) -> str:
    return f" through {', '.join(blocked.through)}" if blocked.through else ""


def _what_to_do(project: Path, toolchain: Toolchain) -> str:
    if not has_lakefile(project):
        return "Check the names of the imports, and that their files compile."
    if toolchain.kind == "packaged" and _has_dependencies(project):
        return (
            "The packaged Lean has neither Mathlib nor Lake: install both Lean and Lake with elan"
            " (https://lean-lang.org/install), run `lake build`, then ask again."
        )
    return "Build the project with `lake build`, then ask again."


def _has_dependencies(project: Path) -> bool:
    within = (os.path.realpath(project),)
    for name in LAKEFILES:
        with suppress(BadSource):  # Lake, which would read it, is not here
            if _REQUIRE.search(settings_text(project / name, within)):
                return True
    return False
