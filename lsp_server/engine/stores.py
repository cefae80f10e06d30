"""Finds the indexes of a project, and brings them up to date."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from platformdirs import user_cache_path

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSettings, BadSource, LeanError, NoCoreSources, PremiseIndexError
from lean_extract.common.files.settings_files import settings_text
from lean_extract.source.projects.project import find_sources, no_sources
from lean_extract.toolchains import packaged
from lean_extract.toolchains.core_sources import CORE_PACKAGES, MINI_CORE, CoreSources, find_core
from lean_extract.toolchains.elan import is_lean, version_in
from lean_extract.toolchains.toolchain import ELAN, asked_toolchain
from lsp_server.engine.models import model_folder
from retriever.lean.index.build import SharedPackage, update_index
from retriever.lean.index.bundled import proof_rows, unpack, use_counts
from retriever.lean.index.content import NO_PROOFS
from retriever.models.encoder import Encoder
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.segment import Segment
from retriever.search.index.store import IndexStore
from retriever.search.indexing.report import IndexReport

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""
ShouldStop = Callable[[], bool]

first_use = logging.getLogger("premise_suggest.first_use")
"""Called with a line of text before a one-time task that takes a moment; the command line prints it."""

_PROJECT_FILES = ("lake-manifest.json", "lakefile.toml", "lakefile.lean")
_VARIABLE = "PREMISE_SUGGEST_INDEX"
_SHOWN_LETTERS = 50
"""Of a project's name in that of its index's folder."""


def index_folder() -> Path:
    """The folder of all indexes: PREMISE_SUGGEST_INDEX, else in the user's cache."""
    named = os.environ.get(_VARIABLE)
    return Path(named).absolute() if named else user_cache_path("premise-suggest", appauthor=False) / "index"


def project_store(root: Path) -> IndexStore:
    """The index of the project at `root`."""
    root = root.resolve()
    key = hashlib.sha256(str(root).encode()).hexdigest()[:12]
    return IndexStore(index_folder() / f"{root.name[:_SHOWN_LETTERS]}-{key}")


def bundled_store() -> IndexStore:
    """The shipped Mathlib index, unpacked at first use, and again if the unpacked copy is damaged.

    Raises IndexMissing, IndexDamaged, IndexWriteFailed.
    """
    return unpack(index_folder() / "bundled", tell=first_use.info)


def libraries_root() -> Path:
    """The root of the Lake project whose packages are the libraries that were fetched by their address."""
    return index_folder() / "libraries"


def shared_folder() -> Path:
    """The folder of package indexes that projects share."""
    return index_folder() / "packages"


def holds_premises(store: IndexStore, package: str | None = None) -> bool:
    """Whether the index, or one that it includes, holds any premise (of this package).

    Lean's core, which every project has, counts where it is asked for by name only. Raises IndexMissing,
    IndexDamaged.
    """
    manifest, segments = store.open()
    if _hold(segments, package):
        return True
    for included in map(IndexStore, map(Path, manifest.includes)):
        with suppress(PremiseIndexError):  # it is left out of what answers, too
            if _hold(included.open()[1], package):
                return True
    return False


def _hold(segments: Sequence[tuple[Segment, LiveSegment]], package: str | None) -> bool:
    for segment, live in segments:
        dead = frozenset(live.dead_files)
        for number, file in enumerate(segment.files):
            is_meant = file.package not in CORE_PACKAGES if package is None else file.package == package
            if is_meant and number not in dead and file.stop > file.start:
                return True
    return False


def indexed_core(store: IndexStore) -> tuple[str, str] | None:
    """(package, revision) of Lean's core as an index includes it; None without core or index.

    Raises IndexMissing (what it includes is gone), IndexDamaged.
    """
    if store.stamp() is None:
        return None
    for root in store.manifest().includes:
        _, segments = IndexStore(Path(root)).open()
        for segment, _ in segments:
            for file in segment.files:
                if file.package in CORE_PACKAGES:
                    return file.package, file.revision
    return None


def needs_mathlib(root: Path) -> bool:
    """Whether the project's files say that it depends on Mathlib."""
    within = (os.path.realpath(root),)
    for name in _PROJECT_FILES:
        with suppress(BadSource):  # reported where the project's sources are searched
            if "mathlib" in settings_text(root / name, within).lower():
                return True
    return False


def project_core(root: Path, lean: str = "", environment: Mapping[str, str] = os.environ) -> CoreSources:
    """Lean's own library as the project at `root` has it; `lean` is the setting `lean.command`.

    Raises BadSettings, LeanNotFound, NoCoreSources.
    """
    core = find_core(root, override=lean or None, environment=environment)
    if core.package == MINI_CORE and needs_mathlib(root):
        raise NoCoreSources(
            f"{root} needs Mathlib, which does not stand on the mini core, and no other Lean was found.",
            f"Install Lean with elan: {ELAN}",
        )
    asked = asked_toolchain(root) if core.package == MINI_CORE else None
    if asked is not None and not is_lean(packaged.lean_version(), version_in(asked[0])):
        raise NoCoreSources(
            f"{root} asks for {asked[0]}, which was not found. The packaged Lean's mini core, "
            f"{packaged.MINI_CORE_IS}, is not its library.",
            f"Install {asked[0]} with elan: {ELAN}",
        )
    return core


def core_package(core: CoreSources) -> SharedPackage:
    """Lean's own library as an index has it. A linked toolchain may change under one version."""
    return SharedPackage(core.package, core.version, core.root, core.files(), is_fixed=False)


def known_proofs(root: Path) -> tuple[Mapping[str, int], ProofRows]:
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
    tell: Callable[[str], None] | None = None,
) -> IndexReport:
    """Build or refresh the index of a project, with the core of its Lean where that has its sources.

    Args:
        with_core: whether that core is read.
        lean: the setting `lean.command`.
        environment: says which Lean there is, as for `resolve_lean`.
        device: where the encoder runs.
        tell: called with what is missing before anything is read; without it, the report's notes say so.

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
    if tell is not None:
        for note in notes:
            tell(note)
        notes = ()
    uses, proofs = known_proofs(root)
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
