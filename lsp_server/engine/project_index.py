"""What is known of a project's premises: the indexes that answer for it, the service that ranks them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from lean_extract.core_sources import CORE_PACKAGES
from lean_extract.errors import BadSource, IndexDamaged, IndexMissing, ModelError, PremiseIndexError
from lean_extract.lru import Cache
from lean_extract.reading import MAX_SOURCE, said_size
from lean_extract.records import Goal
from lean_extract.source.project import (
    Project,
    find_project,
    find_sources,
    is_project_root,
    module_of,
    source_in,
)
from lean_extract.source.reader import SourceModule, read_file, read_module
from lean_extract.source.unproved import resting_on_sorry
from lsp_server.documents.goal_positions import text_to_line, where_in
from lsp_server.engine.freshness import MATHLIB, index_item, pinned_lean, reading_notes
from lsp_server.engine.models import model_folder
from lsp_server.engine.schema import IndexItem
from lsp_server.engine.stores import bundled_store, holds_premises, needs_mathlib, project_store
from prover.verify import GoalPosition
from retriever.lean.allowed import Allowed
from retriever.lean.declared import DeclarationSite, declared
from retriever.lean.freshness import Freshness
from retriever.lean.goal_context import GoalContext
from retriever.lean.offer import Kinds, RankedPremise
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search
from retriever.lean.unproved import Unproved
from retriever.models.encoder import fingerprint_of
from retriever.models.reranker import DEPTH
from retriever.search.index.bundled import read_card
from retriever.search.index.store import IndexStore

Stamp = tuple[int, int, int] | None
"""What changes when a store does."""
Changes = frozenset[tuple[str, int, int]]
"""Files that differ from what was indexed: name, size and time now, -1 for one that is gone."""

MATHLIB_CLOSERS = ("norm_num", "ring", "positivity", "linarith", "aesop")
"""Closing tactics that Mathlib brings."""
_QUICK_SECONDS = 0.05
_FEW_FILES, _FEW_BYTES = 64, 2_000_000
"""Up to so many changed files are read before an answer."""
_PATIENCE = 20
"""A look at the files that took longer than that serves for so many times as long."""


class ProjectIndex:
    """The premises of one project (`root` None: of Mathlib, from the bundled index alone).

    The bundled index also answers for a project whose own index holds nothing, for one that needs Mathlib
    and has not indexed it, and for the folder of a file outside of any project.

    Args:
        root: the project's root.
        model: the model folder, or the hub's name of one; empty: what is shipped.
        download: whether it may be fetched from the hub.
        rerank: how many of the best premises its re-ranker reads again; 0: none.

    Raises IndexMissing, IndexDamaged or ModelError where it is opened. Safe to use from several threads.
    """

    def __init__(self, root: Path | None, model: str, *, download: bool = False, rerank: int = DEPTH) -> None:
        self.root = root
        self._set = (model, rerank)
        self._note = ""
        self._awaited: tuple[IndexStore, Stamp] | None = None
        self._stores = [bundled_store()] if root is None else self._stores_of(root)
        for store in self._stores:
            store.manifest()  # says at once what is missing, before the model is loaded
        folder = model_folder(model, download=download)
        self._leave_out_what_does_not_fit(folder)
        self._project = find_project(root) if root is not None else None
        self._modules: Cache[SourceModule] = Cache(8)
        self._declared: Cache[frozenset[str]] = Cache(64)
        self._unproved = Unproved()
        self._fresh: tuple[float, list[Stamp], Freshness] | None = None
        self._service = PremiseService.open(self._stores, folder, rerank=rerank)
        self._seen = self._service.opened

    @property
    def note(self) -> str:
        """What is not searched that should be, and what to do about it, for the user; empty: nothing."""
        opened = self._service.opened
        amiss = [error.message for error in opened.left_out] if opened is not None else []
        if amiss:
            amiss.append(f"What it holds was not searched. Run `premise-suggest index {self.root}`.")
        return " ".join(filter(None, [self._note, *amiss]))

    def _stores_of(self, root: Path) -> list[IndexStore]:
        """The stores that answer for a project. Raises IndexMissing, IndexDamaged."""
        own = project_store(root)
        wants_mathlib = needs_mathlib(root)
        stamp = own.stamp()
        exists = stamp is not None
        if not exists and not wants_mathlib and is_project_root(root):
            raise IndexMissing(
                f"There is no premise index for {root} yet.", f"Run: premise-suggest index {root}"
            )
        amiss = ""
        try:
            if exists and holds_premises(own):
                needs_bundled = wants_mathlib and not holds_premises(own, MATHLIB)
                return [own, *self._bundled_beside()] if needs_bundled else [own]
        except IndexDamaged as error:  # as where there is none
            if not wants_mathlib and is_project_root(root):
                raise
            amiss = error.message.removesuffix(".")
        self._awaited = (own, stamp)
        if amiss:
            why, exists = amiss, False
        elif exists:
            why = f"The index of {root} holds no premises of its own"
        elif wants_mathlib:
            why = f"The index of {root} is not built yet"
        else:
            why = f"{root} is no Lean project (no lakefile, no lean-toolchain) and has no index"
        has_core = exists and any(holds_premises(own, package) for package in CORE_PACKAGES)
        searched = "Mathlib's names and Lean's core" if has_core else "Mathlib's names"
        self._note = f"{why}, so only {searched} were searched. Run `premise-suggest index {root}`."
        return [own, bundled_store()] if has_core else [bundled_store()]

    def _bundled_beside(self) -> list[IndexStore]:
        """The bundled index beside a project's own, which answers alone where that cannot be read."""
        try:
            return [bundled_store()]
        except PremiseIndexError as error:
            self._note = f"Mathlib's names were not searched. {error}"
            return []

    def _leave_out_what_does_not_fit(self, folder: Path) -> None:
        """With a model of the user's own the bundled index cannot be searched; the project's still can."""
        if len(self._stores) == 1:
            return
        own, bundled = self._stores
        if bundled.manifest().fingerprint != fingerprint_of(folder):
            self._stores = [own]
            self._note = (
                "The bundled Mathlib index belongs to the model that is shipped, so only the project's own "
                "index was searched. To have Mathlib's lemmas as well, put it under .lake/packages "
                f"(`lake update`) and run `premise-suggest index {self.root}`."
            )

    def is_as_set(self, model: str, rerank: int) -> bool:
        """Whether it was opened with these settings."""
        return self._set == (model, rerank)

    def is_outdated(self) -> bool:
        """Whether the project's own index, which was not there or empty, has been written since."""
        return self._awaited is not None and self._awaited[0].stamp() != self._awaited[1]

    def has_changed(self) -> bool:
        """Whether an index was written, or found damaged, since this was last asked; it is read anew by
        itself."""
        before, self._seen = self._seen, self._service.opened
        return self._seen is not before or self._seen is None or not self._seen.is_current()

    def is_sound(self) -> bool:
        """Whether the indexes can be opened as they are now."""
        try:
            self._seen = self._service.snapshot()
        except (PremiseIndexError, ModelError):
            return False
        return True

    @property
    def service(self) -> PremiseService:
        """What ranks the premises, for whoever looks into the index itself."""
        return self._service

    @property
    def closers(self) -> tuple[str, ...]:
        """Further closing tactics that the project's dependencies bring."""
        return MATHLIB_CLOSERS if self.root is not None and needs_mathlib(self.root) else ()

    def rank(
        self, goal: Goal, place: GoalPosition | None, k: int, kinds: Kinds = "theorems"
    ) -> list[RankedPremise]:
        """The best `k` premises for a goal; with a place, told apart by what is in scope there."""
        return self.rank_where(goal, self.where(place) if place else None, k, kinds)

    def rank_where(
        self,
        goal: Goal,
        where: GoalContext | None,
        k: int,
        kinds: Kinds = "theorems",
        allowed: Allowed | frozenset[str] | None = None,
    ) -> list[RankedPremise]:
        """The same for a place that is known already.

        `allowed` (or the full names that are) restricts what is looked at, so that k premises come back
        where so many pass.
        """
        only = Allowed(names=allowed) if isinstance(allowed, frozenset) else allowed
        return self._told(self._service.rank(goal, where, k, kinds=kinds, allowed=only), where)

    def search(
        self, text: str, place: GoalPosition | None, k: int, allowed: Allowed | None = None
    ) -> list[RankedPremise]:
        """The best `k` premises for free text: names that match first."""
        where = self.where(place) if place else None
        return self._told(search(self._service, text, where, k, allowed=allowed), where)

    def _told(self, ranked: list[RankedPremise], where: GoalContext | None) -> list[RankedPremise]:
        """Ranked premises without those that are gone, and those that rest on `sorry` marked."""
        with self._service.reading() as snapshot:
            found = dict(self._unproved.by_module(snapshot.view))
        if where is not None and where.shows_file and where.module and where.source is not None:
            others = (names for module, names in found.items() if module != where.module)
            found[where.module] = resting_on_sorry(where.source, frozenset().union(*others))
        return [
            replace(one, rests_on_sorry=True)
            if one.premise.name in found.get(one.premise.module, ())
            else one
            for one in self._still_there(ranked, where)
        ]

    def _still_there(self, ranked: list[RankedPremise], where: GoalContext | None) -> list[RankedPremise]:
        """Without what was removed or renamed, in files that the index has not read since.

        Of the stale files only those are read that declare one of the ranked premises.
        """
        stale = frozenset(self._files().stale_files) if self.root is not None else frozenset()
        if self.root is None or not stale:
            return ranked
        own = where.module if where else None
        with self._service.reading() as snapshot:
            files = {f.module: f.path for f in snapshot.view.live_files if f.path in stale}
        files.pop(own or "", None)  # of the open file's declarations its text tells
        declared = {
            module: self._declared_now(self.root / files[module], module)
            for module in {one.premise.module for one in ranked} & files.keys()
        }
        return [
            one
            for one in ranked
            if one.premise.module not in declared or one.premise.name in declared[one.premise.module]
        ]

    def _declared_now(self, path: Path, module: str) -> frozenset[str]:
        key = (path, _size_and_time(path))
        names = self._declared.get(key)
        if names is None:
            try:
                names = frozenset(premise.name for premise in read_file(path, module).premises)
            except BadSource:  # gone, or no text any more
                names = frozenset()
            self._declared.put(key, names)
        return names

    def declared(self, name: str, module: str) -> DeclarationSite:
        """Where a premise stands: in the file that was indexed, else in the module's file as it lies here."""
        with self._service.reading() as snapshot:
            found = declared(snapshot, name, module) or DeclarationSite(None, -1, None)
        if found.path is None and self._project is not None:
            return replace(found, path=source_of(self._project, module))
        return found

    def where(self, place: GoalPosition) -> GoalContext:
        """What a place can use: its module, its imports, what stands above it in the file and proves what.

        Raises BadSource: the file cannot be read, or is too large.
        """
        text = text_to_line(place)
        return where_in(self._read(place, text), text, place.position.line)

    def _read(self, place: GoalPosition, text: str) -> SourceModule:
        key = (place.path, text)
        source = self._modules.get(key)
        if source is None:
            if len(text) > MAX_SOURCE:
                raise BadSource(
                    f"{place.path} has more than {said_size(MAX_SOURCE)} of text above this line.",
                    "Ask nearer to its beginning, or split the file.",
                )
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
        return index_item(self._files(), lean or self._pinned_lean())

    def few_changes(self) -> Changes:
        """The project's files that changed, came or went since they were indexed, if they are soon read.

        Empty where there are too many, or where an index is still to be built or finished.
        """
        fresh = self._files()
        names = {*fresh.stale_files, *fresh.unindexed_files}
        if self.root is None or self._awaited is not None or len(names) > _FEW_FILES:
            return frozenset()
        changes = frozenset((name, *_size_and_time(self.root / name)) for name in names)
        return changes if sum(size for _, size, _ in changes) <= _FEW_BYTES else frozenset()

    def _files(self) -> Freshness:
        """What the index holds against the files that there are, looked at anew unless that takes long."""
        stamps = [store.stamp() for store in self._stores]
        started = time.monotonic()
        kept = self._fresh
        if kept is not None and kept[0] > started and kept[1] == stamps:
            return kept[2]
        found = freshness(self._service, self.root)
        took = time.monotonic() - started
        if took > _QUICK_SECONDS:
            self._fresh = (started + _PATIENCE * took, stamps, found)
        return found

    def _pinned_lean(self) -> str:
        return pinned_lean(self.root) if self.root is not None else read_card().lean


def source_of(project: Project, module: str) -> Path | None:
    """The file of a module among the sources of a project and its packages, if it is there."""
    roots = [*(project.source_roots or (project.root,))]
    roots += [root for package in project.packages for root in package.source_roots]
    return source_in(roots, module)


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def freshness(service: PremiseService, root: Path | None) -> Freshness:
    """How fresh the index of a project is, against the files that it and its packages have now."""
    listed = () if root is None else find_sources(root, without=service.settled_packages()).sources
    return service.freshness(listed)
