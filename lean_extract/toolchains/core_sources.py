"""The sources of Lean's own library: what `Init` and `Std` declare, as a toolchain carries them.

A toolchain has them in `PREFIX/src/lean`; the packaged Lean stands on the mini core. The modules of `Lean`
itself (its elaborator, tactics and server) are left out: proofs about mathematics do not name them.
Nothing is run to find them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lean_extract.errors import NoCoreSources
from lean_extract.files.reading import MAX_SOURCE, read_regular
from lean_extract.source.projects.project import SourceFile, library_sources
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import choose_lean

LEAN_CORE = "lean-core"
"""The package that Lean's own library is in an index."""
MINI_CORE = "mini-core"
"""The same of the packaged Lean."""
CORE_PACKAGES = frozenset((LEAN_CORE, MINI_CORE))

_SOURCES = Path("src", "lean")
_VERSION_HEADER = Path("include", "lean", "version.h")
_VERSION = re.compile(r'^#define\s+LEAN_VERSION_STRING\s+"([^"\s]{1,64})"', re.MULTILINE)
_LONGEST_HEADER = 1 << 16
_HINT = "Lean as elan installs it has them (https://lean-lang.org/install); without, they are not offered."


@dataclass(frozen=True, slots=True)
class CoreSources:
    """Lean's own library as text."""

    package: str
    """`LEAN_CORE` or `MINI_CORE`."""
    version: str
    """Lean's, as `lean --version` has it; the packaged distribution's for the mini core."""
    root: Path
    """What module names are relative to."""
    libraries: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it is called to people."""
        return "the mini core" if self.package == MINI_CORE else f"the core of Lean {self.version}"

    def files(self) -> tuple[SourceFile, ...]:
        """Its files, as a package of its own at a fixed revision."""
        return tuple(
            source
            for library in self.libraries
            for source in library_sources(self.root, library, self.package, self.version)
        )


def find_core(
    project: Path | None, *, override: str | None = None, environment: Mapping[str, str] = os.environ
) -> CoreSources:
    """The core of the Lean that `resolve_lean` chooses for a project.

    Raises BadSettings, LeanNotFound (the Lean asked for is not installed), NoCoreSources.
    """
    chosen = choose_lean(project, override=override, environment=environment)
    if chosen is None:
        if not packaged.runtime_available():
            raise NoCoreSources("No Lean was found, so there are no lemmas of its own to read.", _HINT)
        return _readable(
            CoreSources(MINI_CORE, packaged.release(), packaged.CORE_SOURCES, ("Init", "MiniCore"))
        )
    try:
        prefix = chosen.prefix
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        raise NoCoreSources(f"{chosen.command[0]} cannot be followed: {error}.", _HINT) from error
    return _readable(CoreSources(LEAN_CORE, _version(prefix), prefix / _SOURCES, ("Init", "Std")))


def _readable(core: CoreSources) -> CoreSources:
    """The same, once its first file has been opened. Raises NoCoreSources."""
    first = core.root / "Init.lean"
    try:
        read_regular(first, MAX_SOURCE)
        return core
    except FileNotFoundError as error:
        message = f"The Lean in use came without the sources of its lemmas: there is no {first}."
        raise NoCoreSources(message, _HINT) from error
    except OSError as error:
        raise NoCoreSources(f"{first} cannot be read: {error.strerror}.", _HINT) from error


def _version(prefix: Path) -> str:
    """The version in a toolchain's C header; where that says none, the name of the toolchain's folder."""
    try:
        header = read_regular(prefix / _VERSION_HEADER, _LONGEST_HEADER)
        found = _VERSION.search(header.decode("utf-8", errors="replace"))
    except OSError:
        found = None
    return found[1] if found else prefix.name
