"""What indexing a project will read, found out before it begins: without opening a source file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadSettings, LeanError, ModelError, PremiseIndexError
from lean_extract.source.projects.project import FoundSources
from lsp_server.engine.models import model_folder
from lsp_server.engine.stores import core_package, project_core, project_store, shared_folder
from retriever.lean.index.build import SharedPackage, pinned_packages
from retriever.lean.index.corpus import ListedSource
from retriever.models.encoder import fingerprint_of


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """The project itself, one of its packages, or Lean's core."""

    name: str
    files: int
    size: int
    """In bytes."""


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """What is read, and what is there already. Files that changed since they were indexed are not counted."""

    parts: tuple[PlannedPart, ...]
    ready: tuple[str, ...]
    """The packages, with Lean's core, that are indexed at their revision."""
    is_update: bool
    """Whether the project has an index."""

    @property
    def files(self) -> int:
        """How many files are read."""
        return sum(part.files for part in self.parts)

    @property
    def size(self) -> int:
        """How many bytes they have."""
        return sum(part.size for part in self.parts)


def plan_index(root: Path, found: FoundSources, model: str, lean: str) -> IndexPlan:
    """The plan for a project.

    Args:
        root: the project's.
        found: its sources.
        model: the model folder, or the hub's name of one.
        lean: the setting `lean.command`.
    """
    packages = [(package.name, package) for package in pinned_packages(root, found.sources)]
    with suppress(BadSettings, LeanError):  # told when indexing begins
        core = project_core(root, lean)
        packages.append((core.title, core_package(core)))
    ready = [name for name, package in packages if _is_indexed(package, model)]
    is_update = project_store(root).stamp() is not None
    own = [one for one in found.sources if not (one.package and one.revision)]
    parts = [] if is_update else [_part("the project", own)]
    parts += [_part(name, package.sources) for name, package in packages if name not in ready]
    return IndexPlan(tuple(part for part in parts if part.files), tuple(ready), is_update)


def _is_indexed(package: SharedPackage, model: str) -> bool:
    try:
        store = package.store(shared_folder(), fingerprint_of(model_folder(model)))
        return store.stamp() is not None and store.manifest().complete
    except (ModelError, PremiseIndexError):  # it is built again, or the model is still to be fetched
        return False


def _part(name: str, sources: Sequence[ListedSource]) -> PlannedPart:
    size = 0
    for source in sources:
        with suppress(OSError):  # reported where it is read
            size += source.path.stat().st_size
    return PlannedPart(name, len(sources), size)
