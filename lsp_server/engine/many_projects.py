"""Many projects indexed side by side: first the packages that they share, each once, then the projects.

Tasks are sent to other processes, which must find projects and indexes at the same paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSettings, BadSource, LeanError
from lean_extract.source.projects.project import find_sources
from lsp_server.engine.models import model_folder
from lsp_server.engine.stores import (
    core_package,
    index_folder,
    known_proofs,
    project_core,
    shared_folder,
    update_project,
)
from retriever.lean.index.build import SharedPackage, pinned_packages, update_package
from retriever.models.encoder import Encoder, fingerprint_of
from retriever.search.indexing.report import IndexReport


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
        with suppress(BadSource, BadSettings, LeanError):  # the project's own task tells
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
    return update_package(task.package, shared_folder(), encoder, *known_proofs(task.root))
