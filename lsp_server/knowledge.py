"""What is known of a project's premises: where its index is kept, and the service that ranks them."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

import retriever
from lean_extract.errors import BadSource, IndexMissing
from lean_extract.records import Goal, Position
from lean_extract.source.project import find_project, find_sources, module_of
from lean_extract.source.reader import SourceModule, read_module
from lsp_server.cache import Cache
from lsp_server.freshness import MATHLIB, index_item, pinned_lean, reading_notes
from lsp_server.schema import IndexItem
from prover.verify import GoalPlace
from retriever.encoder import Encoder, fingerprint_of
from retriever.hub import find_model
from retriever.index.build import IndexReport, update_index
from retriever.index.bundled import proof_rows, read_card, unpack, use_counts
from retriever.index.content import NO_PROOFS
from retriever.index.store import IndexStore
from retriever.place import Where
from retriever.reranker import DEPTH
from retriever.service import Freshness, Kinds, PremiseService, RankedPremise

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
_QUICK_SECONDS = 0.05
_PATIENCE = 20
"""A look at the files that took longer than that serves for so many times as long."""
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


def model_folder(setting: str, *, download: bool = False) -> Path:
    """The encoder's folder: the one that is set (PREMISE_SUGGEST_MODEL counts, too), else the shipped one.

    A name of the hub is looked up in the hub's cache, and fetched if `download` says so. Raises ModelError.
    """
    named = setting or os.environ.get(_MODEL_VARIABLE)
    return find_model(named, download=download) if named else SHIPPED_MODEL


def needs_mathlib(root: Path) -> bool:
    """Whether the project says that it depends on Mathlib."""
    for name in _PROJECT_FILES:
        path = root / name
        if path.is_file() and "mathlib" in path.read_text(encoding="utf-8", errors="replace").lower():
            return True
    return False


def update_project(
    root: Path, model: str, progress: Progress, should_stop: ShouldStop, *, download: bool = False
) -> IndexReport:
    """Build or refresh the index of a project.

    Raises BadSource (no `.lean` file; nothing is written), IndexLocked, IndexWriteFailed, ModelError.
    """
    if not find_sources(root):
        raise BadSource(f"There is no .lean file under {root}.", "Give the folder of a Lean project.")
    encoder = Encoder.load(model_folder(model, download=download))
    bundled = bundled_store() if needs_mathlib(root) else None
    return update_index(
        root,
        project_store(root),
        encoder,
        progress=progress,
        should_stop=should_stop,
        shared=index_folder() / "packages",
        uses=use_counts(bundled) if bundled else None,
        proofs=proof_rows(bundled) if bundled else NO_PROOFS,
    )


def bundled_store() -> IndexStore:
    """The shipped Mathlib index, unpacked at first use.

    Raises IndexMissing, IndexDamaged, IndexWriteFailed.
    """
    folder = index_folder() / "bundled"
    if not any(folder.glob(f"*-{read_card().sha256[:16]}")):
        first_use.info("Unpacking the bundled Mathlib index (once) ...")
    return unpack(folder)


def holds_premises(store: IndexStore, package: str | None = None) -> bool:
    """Whether the index, or one that it includes, holds any premise (of this package).

    Raises IndexMissing, IndexDamaged.
    """
    manifest, segments = store.open()
    for segment, live in segments:
        dead = frozenset(live.dead_files)
        for number, file in enumerate(segment.files):
            if number not in dead and file.stop > file.start and package in (None, file.package):
                return True
    return any(holds_premises(IndexStore(Path(root)), package) for root in manifest.includes)


class Knowledge:
    """The premises of one project (`root` None: of Mathlib, from the bundled index alone).

    The bundled index also answers for a project whose own index holds nothing, and for one that needs
    Mathlib and has not indexed it.

    Args:
        root: the project's root.
        model: the model folder, or the hub's name of one; empty: what is shipped.
        download: whether it may be fetched from the hub.
        rerank: how many of the best premises its re-ranker reads again; 0: none.

    Raises IndexMissing, IndexDamaged or ModelError where it is opened. Safe to use from several threads.
    """

    def __init__(self, root: Path | None, model: str, *, download: bool = False, rerank: int = DEPTH) -> None:
        self.root = root
        self.model_setting, self.rerank_setting = model, rerank
        self.note = ""
        """A sentence for the user where the project's own premises are not searched; else empty."""
        self._awaited: tuple[IndexStore, Stamp] | None = None
        self._stores = [bundled_store()] if root is None else self._stores_of(root)
        for store in self._stores:
            store.manifest()  # says at once what is missing, before the model is loaded
        folder = model_folder(model, download=download)
        self._leave_out_what_does_not_fit(folder)
        self._stamps = [store.stamp() for store in self._stores]
        self._project = find_project(root) if root is not None else None
        self._modules: Cache[SourceModule] = Cache(8)
        self._fresh: tuple[float, list[Stamp], str, IndexItem] | None = None
        self._service = PremiseService.open(self._stores, folder, rerank=rerank)

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
            needs_bundled = wants_mathlib and not holds_premises(own, MATHLIB)
            return [own, bundled_store()] if needs_bundled else [own]
        self._awaited = (own, stamp)
        self.note = (
            f"The index of {root} {'holds no premises' if exists else 'is not built yet'}, so only Mathlib's "
            f"names were searched. Run `premise-suggest index {root}`."
        )
        return [bundled_store()]

    def _leave_out_what_does_not_fit(self, folder: Path) -> None:
        """With a model of the user's own the bundled index cannot be searched; the project's still can."""
        if len(self._stores) == 1:
            return
        own, bundled = self._stores
        if bundled.manifest().fingerprint != fingerprint_of(folder):
            self._stores = [own]
            self.note = (
                "The bundled Mathlib index belongs to the model that is shipped, so only the project's own "
                "index was searched. To have Mathlib's lemmas as well, put it under .lake/packages "
                f"(`lake update`) and run `premise-suggest index {self.root}`."
            )

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
        """What a place can use: its module, its imports, what stands above it in the file and proves what."""
        text = _text_of(place)
        return where_in(self._read(place, text), text, place.position.line)

    def _read(self, place: GoalPlace, text: str) -> SourceModule:
        key = (place.path, text)
        source = self._modules.get(key)
        if source is None:
            source = read_module(text, module_of(place.path, self._project), str(place.path))
            self._modules.put(key, source)
        return source

    def notes(self, goal: Goal) -> list[str]:
        """What of a goal the model does not read, or does not know, in sentences."""
        return list(reading_notes(goal, self._service.encoder.fit(goal)))

    def freshness(self, lean: str = "") -> IndexItem:
        """What the index holds, when it was written, and how many files have changed or come since.

        The project's files are looked at each time, those of settled packages never; where that takes long (a
        project of thousands of files), the answer serves for a while.

        Args:
            lean: the version of the Lean that runs; empty: what the project's `lean-toolchain` names.
        """
        stamps = [store.stamp() for store in self._stores]
        started = time.monotonic()
        kept = self._fresh
        if kept is not None and kept[0] > started and kept[1:3] == (stamps, lean):
            return kept[3]
        item = index_item(freshness(self._service, self.root), lean or self._pinned_lean())
        took = time.monotonic() - started
        if took > _QUICK_SECONDS:
            self._fresh = (started + _PATIENCE * took, stamps, lean, item)
        return item

    def _pinned_lean(self) -> str:
        return pinned_lean(self.root) if self.root is not None else read_card().lean


def _text_of(place: GoalPlace) -> str:
    """The file up to the place's line: what follows cannot be used there."""
    whole = place.text if place.text is not None else place.path.read_text(encoding="utf-8")
    return "\n".join(whole.split("\n")[: place.position.line + 1])


def where_in(source: SourceModule, text: str, line: int) -> Where:
    """The place of a goal on a line of a file that was read up to that line.

    The theorem being proved is the declaration that reaches the line, or the last one if nothing but empty
    lines stand between: a goal is always inside of one. It is no premise there.
    """
    around = [p for p in source.premises if p.span and p.span.start.line <= line <= p.span.end.line]
    if not around:
        around = [p for p in source.premises if p.span and _is_blank(text, p.span.end, line)]
    theorem = around[0].name if around else None
    local = tuple(p for p in source.premises if theorem is None or theorem not in (p.name, p.generated_from))
    imports = tuple(item.module for item in source.module.imports)
    return Where(source.module.name, imports, line, local, theorem, source)


def _is_blank(text: str, end: Position, line: int) -> bool:
    """Whether nothing is written from a position to the end of a line."""
    lines = text.split("\n")[end.line : line + 1]
    return not lines[0][end.column :].strip() and not any(row.strip() for row in lines[1:])


def freshness(service: PremiseService, root: Path | None) -> Freshness:
    """How fresh the index of a project is, against the files that it and its packages have now."""
    listed = [] if root is None else find_sources(root, without=service.settled_packages())
    return service.freshness(listed)
