"""Indexing projects: bringing an index up to date, what that will read, and many projects in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSettings, BadSource, LeanError, ModelError, PremiseIndexError
from lean_extract.source.projects.project import FoundSources, find_sources, no_sources
from lean_extract.toolchains.core_sources import CoreSources
from lsp_server.engine.stores import (
    Progress,
    ShouldStop,
    bundled_store,
    index_folder,
    model_folder,
    needs_mathlib,
    project_core,
    project_store,
    shared_folder,
)
from retriever.lean.index.build import SharedPackage, pinned_packages, update_index, update_package
from retriever.lean.index.bundled import proof_rows, use_counts
from retriever.lean.index.content import NO_PROOFS
from retriever.lean.index.corpus import ListedSource
from retriever.models.encoder import Encoder, fingerprint_of
from retriever.search.index.proof_columns import ProofRows
from retriever.search.indexing.report import IndexReport


def core_package(core: CoreSources) -> SharedPackage:
    """Lean's own library as an index has it. A linked toolchain may change under one version."""
    return SharedPackage(core.package, core.version, core.root, core.files(), is_fixed=False)


def _known_proofs(root: Path) -> tuple[Mapping[str, int], ProofRows]:
    """How many training proofs use a name, and what they use, for a project that needs Mathlib; else nothing."""
    if not needs_mathlib(root):
        return {}, NO_PROOFS
    bundled = bundled_store()
    return use_counts(bundled), proof_rows(bundled)


def update_project(
    root: Path,
    model: str,
    progress: Progress,
    should_stop: ShouldStop,
    *,
    download: bool = False,
    lean: str = "",
    environment: Mapping[str, str] = os.environ,
    device: Device = "cpu",
    with_core: bool = True,
    on_note: Callable[[str], None] | None = None,
) -> IndexReport:
    """Build or refresh the index of a project, with the core of its Lean where that has its sources.

    Args:
        with_core: whether that core is read.
        lean: the setting `lean.command`.
        environment: determines which Lean is found, as for `resolve_lean`.
        device: where the encoder runs.
        on_note: called with each note before anything is read; without it, they are in the report.

    Raises BadSource (no `.lean` file; nothing is written), IndexLocked, IndexWriteFailed, ModelError.
    """
    found = find_sources(root, should_stop=should_stop)
    if not found.sources and not found.stopped:
        raise no_sources(root, found.notices)
    encoder = Encoder.load(model_folder(model, download=download), device=device)
    core, notes = None, tuple[str, ...]()
    try:
        core = core_package(project_core(root, lean, environment)) if with_core else None
    except (BadSettings, LeanError) as error:
        notes = (f"Lean's own lemmas are not in the index. {error}",)
    if on_note is not None:
        for note in notes:
            on_note(note)
        notes = ()
    uses, proofs = _known_proofs(root)
    report = update_index(
        root,
        project_store(root),
        encoder,
        progress=progress,
        should_stop=should_stop,
        shared=shared_folder(),
        core=core,
        uses=uses,
        proofs=proofs,
    )
    return replace(report, notes=(*notes, *report.notes), place=encoder.place)


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
    with suppress(BadSettings, LeanError):  # reported when indexing begins
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


@dataclass(frozen=True, slots=True)
class IndexingOptions:
    """How projects are indexed: see `update_project`.

    `indexes`: the folder of all indexes. `fingerprint`: the encoder's.
    """

    model: str
    download: bool
    lean: str
    device: Device
    indexes: Path
    fingerprint: str


@dataclass(frozen=True, slots=True)
class IndexTask:
    """A project to index, or one of its packages."""

    root: Path
    options: IndexingOptions
    package: SharedPackage | None = None


def package_tasks(roots: Sequence[Path], options: IndexingOptions) -> list[IndexTask]:
    """A task for each package at a fixed revision, and each Lean's core, of any of these projects."""
    found: dict[tuple[str, str], IndexTask] = {}
    for root in roots:
        packages: list[SharedPackage] = []
        with suppress(BadSource, BadSettings, LeanError):  # the project's own task reports it
            packages += pinned_packages(root, find_sources(root).sources)
            packages.append(core_package(project_core(root, options.lean)))
        for one in packages:
            found.setdefault((one.name, one.revision), IndexTask(root, options, one))
    return list(found.values())


def index_task(task: IndexTask) -> IndexReport:
    """Do a task.

    Raises what `update_project` raises, and BadSettings: the worker keeps its indexes elsewhere, or has another model.
    """
    options = task.options
    if index_folder() != options.indexes:
        raise BadSettings(
            f"A worker keeps its indexes in {index_folder()}, and here they are in {options.indexes}.",
            "Set PREMISE_SUGGEST_INDEX to the same shared folder everywhere.",
        )
    if fingerprint_of(model_folder(options.model, download=options.download)) != options.fingerprint:
        raise BadSettings(
            "A worker has another model than this machine.", "Install the same models on all machines."
        )
    if task.package is None:
        return update_project(
            task.root,
            options.model,
            lambda stage, done, total: None,
            lambda: False,
            download=options.download,
            lean=options.lean,
            device=options.device,
        )
    encoder = Encoder.load(model_folder(options.model, download=options.download), device=options.device)
    return update_package(task.package, shared_folder(), encoder, *_known_proofs(task.root))
