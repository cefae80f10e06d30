"""Finds out why Lean cannot load the imports of a file, and makes the error that names the file at fault.

Lean's message names only what it did not find. The cause is further up the imports: a module that does not
compile, does not exist, or imports itself through others.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import ProjectBroken
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_SOURCE_BYTES
from lean_extract.session.document import LeanDocument
from lean_extract.source.projects.packages import is_plain_part, requires_packages
from lean_extract.source.projects.project import find_project, library_folders, module_of, source_in
from lean_extract.toolchains.compile import CircularImports, header_imports
from lean_extract.toolchains.toolchain import ELAN, Toolchain, compiled_folders, has_lakefile

OUT_OF_DATE = "Imports are out of date"
"""How Lean begins its message where Lake would have to build what a file imports."""

_COMMAND = re.compile(r"(?P<unread>Invalid output from )?`(?=[^`\n]*+`)[^`\n]*\bsetup-file [^`\n]*+`")
_ERROR = re.compile(r"^error: (?P<reason>.+)", re.MULTILINE)
_UNHELPFUL = re.compile(r"build failed$|.*: package configuration has errors$")
_NEEDS_RESTART = (
    "Please restart the server after fixing the error above",
    "Please restart the server after fixing the Lake configuration file",
)
_NOT_LOADED = "Failed to load the Lake workspace"


@dataclass(frozen=True, slots=True)
class LakeFailure:
    """Why Lake could not prepare a file.

    `reason` is one line. `is_configuration`: the project's configuration cannot be loaded. `needs_restart`: the server
    keeps failing, even after that has been fixed.
    """

    reason: str
    is_configuration: bool = False
    needs_restart: bool = False


def lake_failure(message: str) -> LakeFailure | None:
    """The failure of Lake that a message of Lean about a file's header reports; None if it reports none."""
    command = _COMMAND.match(message)
    if command is None:
        return None
    if command["unread"]:
        return LakeFailure("Lake gave an answer that this Lean does not understand")
    needs_restart = any(text in message for text in _NEEDS_RESTART)
    return LakeFailure(_lake_reason(message), needs_restart or _NOT_LOADED in message, needs_restart)


def _lake_reason(message: str) -> str:
    """Lake's last specific error, or else its last line."""
    errors = [found["reason"].strip() for found in _ERROR.finditer(message)]
    specific = [one for one in errors if not _UNHELPFUL.match(one)] or errors
    printed = [line.strip() for line in message.splitlines()[1:] if line.strip() not in ("", "stderr:")]
    return next(iter([*specific[-1:], *printed[-1:]]), "Lake gives no reason").rstrip(" .:")


LEANS_OWN = frozenset(("Init", "Std", "Lean", "Lake"))
"""The first parts of the names of modules that come with Lean."""
_LACKS_LEANS_OWN = re.compile(
    r"unknown module prefix '(?:Init|Std|Lean|Lake)'|of module Init(?:\.\S{1,200}+)? does not exist"
)
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """A module that a file imports, directly or not: its file, and that file's content.

    The content is None where the project has no such file, as for modules of its packages: `path` is then where it
    would be.
    """

    module: str
    path: Path
    content: bytes | None


def imported_sources(text: str, project: Path) -> Iterator[ImportedSource]:
    """The modules that a text imports, directly or through files of the project, nearest first.

    Reads each file of the project once, and none of its packages.
    """
    roots = find_project(project).source_roots or (project,)
    waiting = deque(header_imports(LeanDocument(text).header))
    seen: set[str] = set()
    while waiting:
        module = waiting.popleft()
        if module in seen or not all(is_plain_part(part.strip("«»")) for part in module.split(".")):
            continue
        seen.add(module)
        path = source_in(roots, module)
        content = None
        if path is not None:
            with suppress(OSError):  # Lean itself would report it
                content = read_regular(path, MAX_SOURCE_BYTES)
                waiting.extend(header_imports(content.decode("utf-8", errors="replace")))
        yield ImportedSource(module, path or _below(roots[0], module, ".lean"), content)


def compiled_files(project: Path, module: str) -> tuple[Path, ...]:
    """Where Lake puts the compiled form of a module of the project itself, in any of its versions."""
    return tuple(_below(folder, module, ".olean") for folder in library_folders(project))


def _below(folder: Path, module: str, suffix: str) -> Path:
    *parts, last = [part.strip("«»") for part in module.split(".")]
    return folder.joinpath(*parts, f"{last}{suffix}")


@dataclass(frozen=True, slots=True)
class Blocked:
    """The module that keeps the imports of a file from loading.

    `path` is the module's file, if it exists: then everything that it imports is compiled, but it is not, or
    `is_outdated`: it has changed since.
    `through` names the chain of modules that leads to it, the direct importer last. It is empty if the file
    imports the module directly.
    """

    module: str
    path: Path | None
    through: tuple[str, ...] = ()
    is_outdated: bool = False


def blocked_import(path: Path, text: str, project: Path, toolchain: Toolchain) -> Blocked | None:
    """The first direct or indirect import of a file that is not compiled, else one that has changed since; None if
    there is neither.

    Reads each file of the project at most twice. Raises CircularImports.
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
            return blocked or _outdated_import(text, project)
        if module in chain:
            raise CircularImports([*chain[chain.index(module) :], module])
        source = source_in(roots, module)
        blocked = Blocked(module, source, tuple(chain[1:]))
        if source is None:
            return blocked
        chain.append(module)
        try:
            text = read_regular(source, MAX_SOURCE_BYTES).decode("utf-8", errors="replace")
        except OSError:
            return blocked


def _outdated_import(text: str, project: Path) -> Blocked | None:
    """The nearest import whose file is newer than what Lake compiled of it."""
    for one in imported_sources(text, project):
        with suppress(OSError, ValueError):  # a name that no file can have
            compiled = [
                path.stat().st_mtime_ns for path in compiled_files(project, one.module) if path.exists()
            ]
            if compiled and one.path.stat().st_mtime_ns > max(compiled):
                return Blocked(one.module, one.path, is_outdated=True)
    return None


def changed_since_built(path: Path) -> str:
    """The clause for an import that has changed, in the same words everywhere."""
    return f"{path.name} has changed since it was last built"


def _compiled(project: Path, toolchain: Toolchain) -> Callable[[str], bool]:
    folders = compiled_folders(toolchain, project)

    def is_compiled(module: str) -> bool:
        if toolchain.kind != "packaged" and module.partition(".")[0] in LEANS_OWN:
            return True
        try:
            return any(_below(folder, module, ".olean").is_file() for folder in folders)
        except (OSError, ValueError):  # a name that no file can have
            return False

    return is_compiled


def broken_module(path: Path, blocked: Blocked, errors: Sequence[Mapping[str, Any]]) -> ProjectBroken | None:
    """The error for a file that imports a module which Lean rejects; None if it does not.

    Args:
        path: the file of the request.
        blocked: the module.
        errors: Lean's diagnostics of severity 1 about the module's own file, from top to bottom.
    """
    if blocked.path is None or not errors:
        return None
    start, message = errors[0]["range"]["start"], str(errors[0]["message"])
    if message.startswith(OUT_OF_DATE) or lake_failure(message):  # which is not about the module itself
        return None
    return ProjectBroken(
        f"{blocked.path}:{start['line'] + 1}:{start['character'] + 1}: {_in_a_line(message)}. "
        f"{path.name} imports this file{_through(blocked)}, so nothing in {path.name} can be read.",
        f"Fix {blocked.path.name} and save it, then try again.",
    )


def _in_a_line(message: str) -> str:
    line = " ".join(message.split())
    return (line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…").rstrip(".")


def broken_configuration(project: Path, failure: LakeFailure) -> ProjectBroken:
    """The error for a project whose configuration Lake cannot load."""
    return ProjectBroken(
        f"Lake cannot load the project {project}: {_in_a_line(failure.reason)}.", "Fix that, then try again."
    )


def broken_imports(
    path: Path, message: str, project: Path, toolchain: Toolchain, blocked: Blocked | None = None
) -> ProjectBroken:
    """The error for a file whose imports cannot be loaded, if Lean reports no error in another file.

    Args:
        path: the file of the request.
        message: Lean's message. It may list folders after the first line, which are not useful here.
        project: the project's folder.
        toolchain: the Lean in use.
        blocked: the module that is missing, if known.
    """
    failure = lake_failure(message)
    is_known = blocked is not None and (failure is None or blocked.path is None)
    what = _what_blocks(blocked) if blocked is not None and is_known else _reason(message, failure)
    hint = "Fix that, then try again."
    if _LACKS_LEANS_OWN.search(message) and toolchain.kind != "packaged":
        hint = f"The library of this Lean itself is missing. {_reinstall(toolchain)}"
    elif failure is None or is_known:
        hint = _what_to_do(project, toolchain)
    return ProjectBroken(f"The imports of {path.name} cannot be loaded: {what}.", hint)


def _reason(message: str, failure: LakeFailure | None) -> str:
    if failure is not None:
        return _in_a_line(failure.reason)
    first = (message.strip().splitlines() or ["Lean gives no reason"])[0]
    if first.startswith(OUT_OF_DATE):  # what follows is about an editor
        first = first.partition(";")[0]
    return first.rstrip(" .:")


def _what_blocks(blocked: Blocked) -> str:
    what = "there is no such file in the project, and no compiled module of that name"
    if blocked.path is not None:
        is_old = blocked.is_outdated
        what = changed_since_built(blocked.path) if is_old else f"{blocked.path} is not compiled"
    return f"it imports {blocked.module}{_through(blocked)}, and {what}"


def _through(blocked: Blocked) -> str:
    return f" through {', '.join(blocked.through)}" if blocked.through else ""


def _what_to_do(project: Path, toolchain: Toolchain) -> str:
    if not has_lakefile(project):
        return "Check the names of the imports, and whether their files compile."
    if toolchain.kind == "packaged" and requires_packages(project):
        return (
            "The packaged Lean has neither Mathlib nor Lake: install both Lean and Lake with elan"
            " (https://lean-lang.org/install), run `lake build`, then try again."
        )
    if toolchain.kind != "packaged" and not toolchain.runs_lake:
        missing = "There is no Lake with this Lean, so what the project has built is not found."
        return f"{missing} {_reinstall(toolchain)}"
    return "Build the project with `lake build`, then try again."


def _reinstall(toolchain: Toolchain) -> str:
    name = toolchain.environment.get("ELAN_TOOLCHAIN")
    how = f"elan toolchain uninstall {name}; elan toolchain install {name}" if name else f"see {ELAN}"
    return f"Install this Lean again ({how}), then try again."
