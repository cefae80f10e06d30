"""What is known of a project's premises: where its index is kept, and the service that ranks them."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

import retriever
from lean_extract.errors import BadSource, IndexMissing
from lean_extract.records import Goal
from lean_extract.source.project import find_project, find_sources, module_of
from lean_extract.source.reader import SourceModule, read_module
from lsp_server.cache import Cache
from lsp_server.schema import IndexItem, SourceItem
from prover.verify import GoalPlace
from retriever.encoder import Encoder
from retriever.index.build import IndexReport, update_index
from retriever.index.bundled import read_card, unpack, use_counts
from retriever.index.store import IndexStore
from retriever.service import Freshness, Kinds, PremiseService, RankedPremise, Where

Progress = Callable[[str, int, int], None]
"""Hears (stage, done, total)."""
ShouldStop = Callable[[], bool]
Stamp = tuple[int, int, int] | None
"""What changes when a store does."""

first_use = logging.getLogger("premise_suggest.first_use")
"""Hears what is made once and takes a moment; the command line shows it."""

SHIPPED_MODEL = Path(retriever.__path__[0]) / "data" / "encoder"
"""The model folder that comes with the package."""
MATHLIB_CLOSERS = ("norm_num", "ring", "positivity", "linarith", "aesop")
"""Closing tactics that Mathlib brings."""
_PROJECT_FILES = ("lake-manifest.json", "lakefile.toml", "lakefile.lean")
_INDEX_VARIABLE = "PREMISE_SUGGEST_INDEX"
_MODEL_VARIABLE = "PREMISE_SUGGEST_MODEL"


def index_folder() -> Path:
    """Where indexes are kept: PREMISE_SUGGEST_INDEX, else the user's cache."""
    named = os.environ.get(_INDEX_VARIABLE)
    return Path(named) if named else user_cache_path("premise-suggest", appauthor=False) / "index"


def project_store(root: Path) -> IndexStore:
    """The index of the project at `root`."""
    root = root.resolve()
    key = hashlib.sha256(str(root).encode()).hexdigest()[:12]
    return IndexStore(index_folder() / f"{root.name}-{key}")


def model_folder(setting: str) -> Path:
    """The encoder's folder: the one that is set (PREMISE_SUGGEST_MODEL counts, too), else the shipped one."""
    named = setting or os.environ.get(_MODEL_VARIABLE)
    return Path(named) if named else SHIPPED_MODEL


def needs_mathlib(root: Path) -> bool:
    """Whether the project says that it depends on Mathlib."""
    for name in _PROJECT_FILES:
        path = root / name
        if path.is_file() and "mathlib" in path.read_text(encoding="utf-8", errors="replace").lower():
            return True
    return False


def update_project(root: Path, model: str, progress: Progress, should_stop: ShouldStop) -> IndexReport:
    """Build or refresh the index of a project.

    Raises BadSource (no `.lean` file; nothing is written), IndexLocked, IndexWriteFailed, ModelError.
    """
    if not find_sources(root):
        raise BadSource(f"There is no .lean file under {root}.", "Give the folder of a Lean project.")
    encoder = Encoder.load(model_folder(model))
    return update_index(
        root,
        project_store(root),
        encoder,
        progress=progress,
        should_stop=should_stop,
        shared=index_folder() / "packages",
        uses=use_counts(bundled_store()) if needs_mathlib(root) else None,
    )


def bundled_store() -> IndexStore:
    """The shipped Mathlib index, unpacked at first use.

    Raises IndexMissing, IndexDamaged, IndexWriteFailed.
    """
    folder = index_folder() / "bundled"
    if not any(folder.glob(f"*-{read_card().sha256[:16]}")):
        first_use.info("Unpacking the bundled Mathlib index (once) ...")
    return unpack(folder)


def holds_premises(store: IndexStore) -> bool:
    """Whether the index, or one that it includes, holds any premise. Raises IndexMissing, IndexDamaged."""
    manifest, segments = store.open()
    for segment, live in segments:
        dead = frozenset(live.dead_files)
        if any(file.stop > file.start for number, file in enumerate(segment.files) if number not in dead):
            return True
    return any(holds_premises(IndexStore(Path(root))) for root in manifest.includes)


class Knowledge:
    """The premises of one project (`root` None: of Mathlib, from the bundled index alone).

    The bundled index also answers for a project whose own index holds nothing, and for one that needs
    Mathlib and has no index yet.

    Raises IndexMissing, IndexDamaged or ModelError where it is opened. Safe to use from several threads.
    """

    def __init__(self, root: Path | None, model: str) -> None:
        self.root = root
        self.model_setting = model
        self.note = ""
        """A sentence for the user where the project's own premises are not searched; else empty."""
        self._awaited: tuple[IndexStore, Stamp] | None = None
        self._stores = [bundled_store()] if root is None else self._stores_of(root)
        for store in self._stores:
            store.manifest()  # says at once what is missing, before the model is loaded
        self._stamps = [store.stamp() for store in self._stores]
        self._project = find_project(root) if root is not None else None
        self._modules: Cache[SourceModule] = Cache(8)
        self._service = PremiseService.open(self._stores, model_folder(model))

    def _stores_of(self, root: Path) -> list[IndexStore]:
        """The stores that answer for a project. Raises IndexMissing, IndexDamaged."""
        own = project_store(root)
        wants_mathlib = needs_mathlib(root)
        stamp = own.stamp()
        exists = stamp is not None
        if not exists and not wants_mathlib:
            raise IndexMissing(
                f"There is no premise index for {root} yet.", f"Run: premise-suggest index {root}"
            )
        if exists and holds_premises(own):
            return [own, bundled_store()] if wants_mathlib else [own]
        self._awaited = (own, stamp)
        self.note = (
            f"The index of {root} {'holds no premises' if exists else 'is not built yet'}, so only Mathlib's "
            f"names were searched. Run `premise-suggest index {root}`."
        )
        return [bundled_store()]

    def is_outdated(self) -> bool:
        """Whether the project's own index, which was not there or empty, has been written since."""
        return self._awaited is not None and self._awaited[0].stamp() != self._awaited[1]

    def has_changed(self) -> bool:
        """Whether the index was written since this was last asked; the service reads it anew by itself."""
        before, self._stamps = self._stamps, [store.stamp() for store in self._stores]
        return before != self._stamps

    @property
    def closers(self) -> tuple[str, ...]:
        """Further closing tactics that the project's dependencies bring."""
        return MATHLIB_CLOSERS if self.root is not None and needs_mathlib(self.root) else ()

    def rank(
        self, goal: Goal, place: GoalPlace | None, k: int, kinds: Kinds = "theorems"
    ) -> list[RankedPremise]:
        """The best `k` premises for a goal; with a place, told apart by what is in scope there."""
        return self._service.rank(goal, self.where(place) if place else None, k, kinds=kinds)

    def where(self, place: GoalPlace) -> Where:
        """What a place can use: its module, its imports, and what stands above it in the file."""
        source = self._read(place)
        imports = tuple(item.module for item in source.module.imports)
        return Where(source.module.name, imports, place.position.line, tuple(source.premises))

    def _read(self, place: GoalPlace) -> SourceModule:
        """The file up to the place's line: what follows cannot be used there."""
        whole = place.text if place.text is not None else place.path.read_text(encoding="utf-8")
        text = "\n".join(whole.split("\n")[: place.position.line + 1])
        key = (place.path, text)
        source = self._modules.get(key)
        if source is None:
            source = read_module(text, module_of(place.path, self._project), str(place.path))
            self._modules.put(key, source)
        return source

    def freshness(self) -> IndexItem:
        """What the index holds, when it was written, and how many files have changed or come since."""
        fresh = freshness(self._service, self.root)
        sources = [SourceItem(one.package, one.revision, one.premises) for one in fresh.sources]
        stale = len(fresh.stale_files) + len(fresh.unindexed_files)
        return IndexItem(sources, fresh.built_at or None, stale)


def freshness(service: PremiseService, root: Path | None) -> Freshness:
    """How fresh the index of a project is, against the files that it and its packages have now."""
    listed = [] if root is None else find_sources(root, without=service.settled_packages())
    return service.freshness(listed)
