"""Finds the sources of Lean's own library, `Init` and `Std`, in a toolchain, without running anything.

A toolchain has them in `PREFIX/src/lean`; the packaged Lean has the mini core instead. The modules of `Lean`
itself (its elaborator, tactics and server) are left out, since proofs about mathematics do not mention them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import NoCoreSources
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_SOURCE_BYTES, MAX_VERSION_HEADER_BYTES
from lean_extract.source.projects.project import SourceFile, library_sources
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import choose_lean

LEAN_CORE = "lean-core"
"""The package name of Lean's own library in an index."""
MINI_CORE = "mini-core"
"""The package name of the packaged Lean's library in an index."""
CORE_PACKAGES = frozenset((LEAN_CORE, MINI_CORE))

_SOURCES = Path("src", "lean")
_VERSION_HEADER = Path("include", "lean", "version.h")
_VERSION = re.compile(r'^#define\s+LEAN_VERSION_STRING\s+"([^"\s]{1,64})"', re.MULTILINE)
_HINT = (
    "A Lean installed by elan includes them (https://lean-lang.org/install). Without them, its lemmas are not"
    " suggested."
)


@dataclass(frozen=True, slots=True)
class CoreSources:
    """The sources of Lean's own library."""

    package: str
    """`LEAN_CORE` or `MINI_CORE`."""
    version: str
    """Lean's version, as in `lean --version`; for the mini core, the version of the packaged distribution."""
    root: Path
    """The folder that module names are relative to."""
    libraries: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its name in messages."""
        return "the mini core" if self.package == MINI_CORE else f"the core of Lean {self.version}"

    def files(self) -> tuple[SourceFile, ...]:
        """Its files, as a package at a fixed revision."""
        return tuple(
            source
            for library in self.libraries
            for source in library_sources(self.root, library, self.package, self.version)
        )


def find_core(
    project: Path | None, *, override: str | None = None, environment: Mapping[str, str] = os.environ
) -> CoreSources:
    """The core of the Lean that `resolve_lean` chooses for a project.

    Raises BadSettings, LeanNotFound (the requested Lean is not installed), NoCoreSources.
    """
    chosen = choose_lean(project, override=override, environment=environment)
    if chosen is None:
        if not packaged.runtime_available():
            raise NoCoreSources("No Lean was found, so the lemmas of its own library cannot be read.", _HINT)
        return _readable(
            CoreSources(MINI_CORE, packaged.release(), packaged.CORE_SOURCES, ("Init", "MiniCore"))
        )
    try:
        prefix = chosen.prefix
    except (OSError, RuntimeError) as error:  # RuntimeError: circular links
        raise NoCoreSources(f"{chosen.command[0]} cannot be resolved: {error}.", _HINT) from error
    return _readable(CoreSources(LEAN_CORE, _version(prefix), prefix / _SOURCES, ("Init", "Std")))


def _readable(core: CoreSources) -> CoreSources:
    """The same core, after checking that its first file can be read. Raises NoCoreSources."""
    first = core.root / "Init.lean"
    try:
        read_regular(first, MAX_SOURCE_BYTES)
        return core
    except FileNotFoundError as error:
        message = f"The Lean in use does not include the sources of its library: there is no {first}."
        raise NoCoreSources(message, _HINT) from error
    except OSError as error:
        raise NoCoreSources(f"{first} cannot be read: {error.strerror}.", _HINT) from error


def _version(prefix: Path) -> str:
    """The version in a toolchain's C header, or the name of the toolchain's folder if it has none."""
    try:
        header = read_regular(prefix / _VERSION_HEADER, MAX_VERSION_HEADER_BYTES)
        found = _VERSION.search(header.decode("utf-8", errors="replace"))
    except OSError:
        found = None
    return found[1] if found else prefix.name
