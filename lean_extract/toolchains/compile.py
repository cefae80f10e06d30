"""Runs `lean` itself: on a text, for its messages, and on a folder of modules, to compile what has changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from threading import Event
from typing import Any

from lean_extract.common.errors import ErrorPlace, LeanDied, LeanError, LeanTimeout, ProjectBroken
from lean_extract.common.files.atomic import UMASK, make_private_folder, replacing
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import COMPILE_SECONDS, LEAN_MESSAGES_SECONDS, MAX_SOURCE_BYTES
from lean_extract.source.projects.walking import FolderWalk, Notices

Progress = Callable[[int, int, str], None]
"""Called before each module with the number of modules done, their total number, and the module's name."""
Rejected = Callable[[LeanError], None]
"""Called with the error of a module that cannot be compiled."""


_POLL_SECONDS = 0.2
"""The interval at which a running compilation checks whether to stop."""

_GAP = r"(?>(?:\s|/-(?>(?:[^-]++|-(?!/))*)(?:-/|\Z)|--[^\n]*)@)"
"""White space and comments; `@` is replaced by the quantifier."""
_SOME, _ANY = _GAP.replace("@", "+"), _GAP.replace("@", "*")
_GAPS = re.compile(_ANY)
_IMPORT = re.compile(
    rf"(?:public{_SOME})?(?:meta{_SOME})?import{_SOME}(?:all{_SOME})?((?:(?!--|/-)\S)+){_ANY}"
)
_PREAMBLE = re.compile(rf"(?:module|prelude)\b{_ANY}")


class CompilationStopped(LeanError):
    """The compilation of a folder was stopped on request."""

    def __init__(self) -> None:
        super().__init__(
            "The compilation was stopped.", "Try again; the modules that were compiled are kept."
        )


class CircularImports(ProjectBroken):
    """Imports form a cycle. The modules are given in order, with the first one again at the end."""

    def __init__(self, modules: Sequence[str]) -> None:
        cycle = " -> ".join(modules)
        super().__init__(f"The imports form a cycle: {cycle}.", "Remove one of these imports.")
        self.modules = frozenset(modules)


@dataclass(frozen=True, slots=True)
class LeanSource:
    """One `.lean` file in the folder `root`: its module name, its text and the modules that its header imports."""

    module: str
    root: Path
    path: Path
    text: bytes
    imports: tuple[str, ...]


def header_imports(text: str) -> tuple[str, ...]:
    """The modules that the header imports, in order. `Init` is first unless the file is a `prelude` file."""
    imports: list[str] = []
    is_prelude = False
    gap = _GAPS.match(text)
    offset = gap.end() if gap else 0
    while match := _PREAMBLE.match(text, offset):
        is_prelude = is_prelude or match[0].startswith("prelude")
        offset = match.end()
    while match := _IMPORT.match(text, offset):
        imports.append(match[1])
        offset = match.end()
    return tuple(imports) if is_prelude else ("Init", *imports)


def read_sources(folder: Path) -> dict[str, LeanSource]:
    """All `.lean` files under `folder`, by module name, sorted by path.

    A file or folder with a dot in its name is left out, since dots separate the folders in a module name. Links
    out of the folder, and files that are too large or not regular, are also left out. Importing one of them
    causes an error.
    """
    sources = {}
    walk = FolderWalk((os.path.realpath(folder),), Notices(), is_whole=True)
    for path in sorted(walk.lean_files(folder)):
        parts = path.relative_to(folder).with_suffix("").parts
        if any("." in part for part in parts):
            continue
        module = ".".join(parts)
        try:
            text = read_regular(path, MAX_SOURCE_BYTES)
        except OSError:
            continue
        imports = header_imports(text.decode("utf-8", errors="replace"))
        sources[module] = LeanSource(module, folder, path, text, imports)
    return sources


def import_order(sources: Mapping[str, LeanSource]) -> list[LeanSource]:
    """The sources, each after those that it imports. Raises CircularImports."""
    graph = {
        source.module: [name for name in source.imports if name in sources] for source in sources.values()
    }
    try:
        return [sources[module] for module in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise CircularImports(error.args[1]) from None


def compile_folder(
    sources: Path,
    out: Path,
    *,
    lean_command: Sequence[str],
    environment: Mapping[str, str],
    identity: str,
    progress: Progress | None = None,
    rejected: Rejected | None = None,
    stop: Event | None = None,
) -> tuple[str, ...]:
    """Compile all modules under `sources` into `out` (`.olean`, `.ilean`). Returns the modules compiled.

    A module is compiled again if its text, one of its imports, or `identity` (of Lean and the core) has changed. Until
    then, an error that Lean found in it is raised without running Lean again.
    New files replace old ones atomically, so a Lean that has the old ones open is not affected.

    Args:
        sources: the folder with the `.lean` files.
        out: the folder for the compiled files.
        lean_command: the command of `lean`.
        environment: variables that are added to the process's own; LEAN_PATH has to contain `out`.
        identity: names the Lean and the core that are used.
        progress: called before each module that is compiled.
        rejected: called with the error of each module that cannot be compiled, which names the module. An older
            compiled version is kept and is used by its importers. If there is none, its importers are left out
            too. None: an error is raised instead.
        stop: once it is set, the running Lean is killed.

    Raises:
        ProjectBroken: Lean found an error; the message is its first one. LeanDied, LeanTimeout.
        CompilationStopped: `stop` was set. The modules compiled until then are kept.
    """
    found = read_sources(sources)
    ordered = import_order(found) if rejected is None else order_without_circles(found, rejected)
    _remove_stale(out, found)
    keys: dict[str, str] = {}
    compiled = []
    for done, source in enumerate(ordered):
        if any(name in found and name not in keys for name in source.imports):
            continue
        key, old_key = _key(source, keys, identity), _key_of_compiled(out, source.module)
        if key != old_key:
            try:
                _raise_known(source, out, key)
                if progress is not None:
                    progress(done, len(ordered), source.module)
                _compile_module(source, out, key, lean_command, environment, stop)
                compiled.append(source.module)
            except CompilationStopped:
                raise
            except LeanError as error:
                _remember(error, source, out, key)
                if rejected is None:
                    raise
                error.modules = frozenset((source.module,))
                rejected(error)
                if old_key is None:
                    continue
                key = old_key
        keys[source.module] = key
    return tuple(compiled)


def _remember(error: LeanError, source: LeanSource, out: Path, key: str) -> None:
    """Note Lean's error in a module, so that Lean is not run again before something changes."""
    if isinstance(error, ProjectBroken) and error.place is not None:
        path = _artefact(out, source.module, ".error")
        path.parent.mkdir(parents=True, exist_ok=True)
        place = error.place
        with replacing(path) as stream:
            json.dump(
                {"key": key, "line": place.line, "column": place.column, "message": place.message}, stream
            )


def _raise_known(source: LeanSource, out: Path, key: str) -> None:
    """Raise ProjectBroken where Lean has found an error in the same text with the same imports before."""
    try:
        known = json.loads(_artefact(out, source.module, ".error").read_text(encoding="utf-8"))
        if known["key"] != key:
            return
        place = ErrorPlace(source.path, int(known["line"]), int(known["column"]), str(known["message"]))
    except (OSError, ValueError, KeyError, TypeError):  # missing, or not one of ours: Lean will report it
        return
    raise _rejection(place)


def order_without_circles(sources: Mapping[str, LeanSource], rejected: Rejected) -> list[LeanSource]:
    """The sources, each after those that it imports, without those in import cycles."""
    left = dict(sources)
    while True:
        try:
            return import_order(left)
        except CircularImports as error:
            rejected(error)
            left = {name: source for name, source in left.items() if name not in error.modules}


def _key(source: LeanSource, keys: Mapping[str, str], identity: str) -> str:
    digest = hashlib.sha256(identity.encode())
    digest.update(source.text)
    for name in source.imports:
        digest.update(f"\0{name} {keys.get(name, '')}".encode())
    return digest.hexdigest()


def _artefact(out: Path, module: str, suffix: str) -> Path:
    return out.joinpath(*module.split(".")).with_suffix(suffix)


def _key_of_compiled(out: Path, module: str) -> str | None:
    """The key of the compiled version of a module; None if there is none."""
    mark = _artefact(out, module, ".key")
    return mark.read_text(encoding="utf-8") if mark.is_file() else None


def _compile_module(
    source: LeanSource,
    out: Path,
    key: str,
    lean_command: Sequence[str],
    environment: Mapping[str, str],
    stop: Event | None,
) -> None:
    target = _artefact(out, source.module, ".olean")
    make_private_folder(target.parent)
    with _scratch(target.parent) as scratch:
        olean, ilean = scratch / "new.olean", scratch / "new.ilean"
        _run_lean([*lean_command, "--json", "-o", str(olean), "-i", str(ilean)], source, environment, stop)
        _artefact(out, source.module, ".key").unlink(missing_ok=True)
        ilean.replace(target.with_suffix(".ilean"))
        olean.replace(target)
    with replacing(_artefact(out, source.module, ".key"), is_private=True) as stream:
        stream.write(key)


@contextlib.contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=parent, prefix=".compiling-") as name:
        yield Path(name)


def _run_lean(
    command: Sequence[str], source: LeanSource, environment: Mapping[str, str], stop: Event | None
) -> None:
    # Lean derives the module's name from the -R folder. Without it, private names contain a wrong module.
    relative = source.path.relative_to(source.root)
    process = subprocess.Popen(
        [*command, "-R", str(source.root), str(relative)],
        cwd=source.root,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        umask=UMASK,
    )
    try:
        output, errors = _await(process, stop)
    except subprocess.TimeoutExpired as error:
        raise LeanTimeout(
            f"Lean did not finish {source.path} within {COMPILE_SECONDS:.0f} seconds.",
            "Look for a proof in it that does not terminate.",
        ) from error
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    result = subprocess.CompletedProcess(process.args, process.returncode, output, errors)
    if result.returncode != 0:
        raise _compile_error(source, result)


def _await(process: subprocess.Popen[bytes], stop: Event | None) -> tuple[bytes, bytes]:
    """The outputs of a process, once it has ended. Raises subprocess.TimeoutExpired, CompilationStopped."""
    deadline = time.monotonic() + COMPILE_SECONDS
    while stop is None or not stop.is_set():
        try:
            return process.communicate(timeout=COMPILE_SECONDS if stop is None else _POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if stop is None or time.monotonic() > deadline:
                raise
    raise CompilationStopped


def messages_in(output: str) -> Iterator[dict[str, Any]]:
    """The messages that Lean writes with `--json`; other lines are skipped."""
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and {"pos", "data", "severity"} <= message.keys():
                yield message


def lean_messages(
    command: Sequence[str], environment: Mapping[str, str], text: str, seconds: float = LEAN_MESSAGES_SECONDS
) -> list[dict[str, Any]]:
    """The messages of a new Lean process about a text, each as its JSON object. Raises LeanDied, LeanTimeout.

    Args:
        command: the command of `lean`.
        environment: variables that are added to the process's own.
        text: the text of a file.
        seconds: the time limit.
    """
    try:
        result = subprocess.run(
            [*command, "--json", "--stdin"],
            input=text.encode("utf-8", errors="replace"),
            env={**os.environ, **environment},
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise LeanTimeout(f"Lean did not finish within {seconds:.0f} seconds.", "Try again.") from error
    found = list(messages_in(result.stdout.decode("utf-8", errors="replace")))
    if result.returncode != any(message["severity"] == "error" for message in found):
        raise LeanDied(f"Lean ended: {_last_words(result)}.", "Try again.")
    return found


def _last_words(result: subprocess.CompletedProcess[bytes]) -> str:
    last = result.stderr.decode("utf-8", errors="replace").strip().splitlines()[-1:]
    return last[0] if last else f"exit code {result.returncode}"


def _compile_error(
    source: LeanSource, result: subprocess.CompletedProcess[bytes]
) -> ProjectBroken | LeanDied:
    for message in messages_in(result.stdout.decode("utf-8", errors="replace")):
        if message["severity"] == "error":
            line, column = message["pos"]["line"], message["pos"]["column"] + 1
            return _rejection(ErrorPlace(source.path, line, column, str(message["data"])))
    why = _last_words(result)
    return LeanDied(f"Lean ended while compiling {source.path}: {why}.", "Run the build again.")


def _rejection(place: ErrorPlace) -> ProjectBroken:
    where = f"{place.path}:{place.line}:{place.column}"
    error = ProjectBroken(f"{where}: {place.message}", "Fix the file and build again.")
    error.place = place
    return error


def _remove_stale(out: Path, sources: Mapping[str, LeanSource]) -> None:
    """Remove compiled files whose sources no longer exist, so that importing them fails."""
    for mark in [*out.rglob("*.key"), *out.rglob("*.error")]:
        module = ".".join(mark.relative_to(out).with_suffix("").parts)
        if module not in sources:
            for suffix in (".key", ".olean", ".ilean", ".error"):
                mark.with_suffix(suffix).unlink(missing_ok=True)
