"""The premises of a project: the indexes that answer for it, and the service that ranks them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSettings, LeanError, ModelError, PremiseIndexError
from lean_extract.records import Goal
from lean_extract.session.faults import Fault
from lean_extract.source.projects.project import Project, find_project, source_in
from lean_extract.toolchains.core_sources import MINI_CORE
from lean_extract.toolchains.elan import FILE
from lean_extract.toolchains.toolchain import asked_toolchain
from lsp_server.documents.goal_positions import broken_names
from lsp_server.engine.answering_stores import AnsweringLibrary, stores_for, without_misfits
from lsp_server.engine.current_files import (
    Changes,
    DeclaredPremises,
    GoalContexts,
    IndexedFiles,
    size_and_time,
)
from lsp_server.engine.definitions import in_order, is_data
from lsp_server.engine.freshness import index_item, pinned_lean, reading_notes
from lsp_server.engine.schema_items import IndexItem
from lsp_server.engine.stores import model_folder, needs_mathlib, project_core
from prover.candidates import Candidate
from prover.closers import MATHLIB_CLOSERS
from prover.mentions import DEFINITIONS
from prover.tactic_words import MODULES
from prover.verify import GoalPosition
from retriever.lean.callers import Caller
from retriever.lean.declared import (
    DeclarationSite,
    described,
    sites,
    stated,
)
from retriever.lean.eligibility import Allowed, Kinds, RankedPremise, RankRequest, kinds_for
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.bundled import read_card
from retriever.lean.service import PremiseService
from retriever.lean.spelling import in_full, names_in, respelled, spellings
from retriever.models.reranker import DEPTH

if TYPE_CHECKING:
    from retriever.lean.pattern_search import PatternMatches
    from retriever.lean.rewriting_search import Rewriting
    from retriever.lean.text_search import NearPremise
    from retriever.lean.words.reading import Reading


class ProjectIndex:
    """The premises of one project, or, if `root` is None, of Mathlib (the bundled index only).

    Safe to use from several threads.

    Args:
        root: the project's root.
        model: the model folder, or the hub's name of one; empty: what is shipped.
        download: whether it may be fetched from the hub.
        rerank: how many of the best premises its re-ranker reads again; 0: none.
        device: where the models run.
        library: a published one, which answers in place of the bundled index.

    Raises:
        IndexMissing, IndexDamaged, ModelError: it cannot be opened.
    """

    def __init__(
        self,
        root: Path | None,
        model: str,
        *,
        download: bool = False,
        rerank: int = DEPTH,
        device: Device = "cpu",
        library: AnsweringLibrary | None = None,
    ) -> None:
        self.root = root
        self._opened_with = (model, rerank, device)
        chosen = stores_for(root, library)
        for store in chosen.stores:
            store.manifest()  # reports what is missing at once, before the model is loaded
        folder = model_folder(model, download=download)
        self._chosen = without_misfits(chosen, root, folder)
        self._project = find_project(root) if root is not None else None
        self._service = PremiseService.open(self._chosen.stores, folder, rerank=rerank, device=device)
        self._seen = self._service.opened
        self._contexts = GoalContexts(self._project)
        self._files = IndexedFiles(self._service, root, self._chosen.stores)
        self._declared = DeclaredPremises(self._service, root, self._files)

    @property
    def note(self) -> str:
        """What should be searched but is not, and what to do about it, for the user; empty if nothing is missing."""
        opened = self._service.opened
        left_out = [error.message for error in opened.left_out] if opened is not None else []
        if left_out:
            again = f"index {self.root}" if self.root is not None else "setup --git ADDRESS"
            left_out.append(f"What it holds was not searched. Run `premise-suggest {again}`.")
        return " ".join(filter(None, [self._chosen.note, *left_out]))

    def is_as_set(self, model: str, rerank: int, device: Device) -> bool:
        """Whether it was opened with these settings."""
        return self._opened_with == (model, rerank, device)

    def is_outdated(self) -> bool:
        """Whether the project's own index, which was missing or empty, has been written since."""
        return self._chosen.is_outdated()

    def has_changed(self) -> bool:
        """Whether an index was written, or found damaged, since the last call; the service reads it
        again by itself."""
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
        """The service that ranks premises; it also gives access to the index."""
        return self._service

    @property
    def closers(self) -> tuple[str, ...]:
        """Further closing tactics that the project's dependencies provide."""
        return MATHLIB_CLOSERS if self.root is not None and needs_mathlib(self.root) else ()

    def missing_words(self, position: GoalPosition) -> frozenset[str]:
        """The words of tactics that the imports at a position do not bring. Raises as `context_at`."""
        missing = self.unreached(position, MODULES.values())
        return frozenset(word for word, module in MODULES.items() if module in missing)

    def unreached(self, position: GoalPosition, modules: Iterable[str]) -> frozenset[str]:
        """The indexed ones of these modules that the imports at a position do not bring. Raises as `context_at`."""
        context = self.context_at(position)
        is_prelude = context.source is not None and context.source.is_prelude
        with self._service.reading() as snapshot:
            missing = snapshot.out_of_reach(modules, context.imports, is_prelude=is_prelude)
        return missing - {context.module}

    def smallest_first(self, modules: Iterable[str]) -> list[str]:
        """The modules, each before those of them that import it."""
        found = dict.fromkeys(modules)
        with self._service.reading() as snapshot:
            importers = {one: len(found.keys() & snapshot.importers(one)) for one in found}
        return sorted(found, key=lambda one: (one != "", -importers[one]))

    def rank(self, request: RankRequest) -> list[RankedPremise]:
        """The premises that fit a goal best, of the kinds in the request or those that its caller can use."""
        parts = (
            (request.kinds,) if request.kinds else self.kinds_for(request.goal, request.where, request.caller)
        )
        count = request.k if request.kinds or parts == ("theorems",) else max(request.k, DEFINITIONS)
        found = [self._service.rank(replace(request, k=count, kinds=part)) for part in parts]
        ranked = found[0] if request.kinds else in_order(request.goal, found, request.caller)
        return self._declared.checked(ranked[: request.k], request.where)

    def rank_rewriting(self, request: RankRequest, part: str) -> tuple[list[RankedPremise], Rewriting]:
        """The premises that rewrite a part of the goal's target, ranked, and how each does.

        Raises UserError: the target has no such part.
        """
        from retriever.lean.rewriting_search import rewriting_premises

        found = rewriting_premises(self._service, request.goal, part, request.where)
        if not found.directions:
            return [], found
        allowed = Allowed(names=frozenset(found.directions))
        return self.rank(replace(request, allowed=allowed, caller="rewrite")), found

    def kinds_for(self, goal: Goal, context: GoalContext | None, caller: Caller) -> tuple[Kinds, ...]:
        """What the caller can use on the goal, in parts that are ranked apart."""
        if caller != "apply":
            return kinds_for(caller)
        with self._service.reading() as snapshot:
            return kinds_for(caller, is_data=is_data(goal, lambda name: stated(snapshot, context, name)))

    def after_rules(self, goal: Goal, rules: str, position: GoalPosition) -> Goal:
        """The goal as `rw [rules]` would leave it, as far as the text shows (`rewriting.after_rules`)."""
        from lsp_server.engine.rewriting import after_rules

        with self._service.reading() as snapshot:
            return after_rules(goal, rules, lambda name: stated(snapshot, self.context_at(position), name))

    def search(
        self,
        text: str,
        where: GoalContext | None,
        k: int,
        allowed: Allowed | None = None,
        reading: Reading | None = None,
        *,
        explain: bool = False,
    ) -> list[RankedPremise]:
        """The best `k` premises for words, a name or a statement; `reading`: which it is (None: as it looks)."""
        from retriever.lean.text_search import search

        found = search(self._service, text, where, k, allowed=allowed, reading=reading, explain=explain)
        return self._declared.checked(found, where)

    def search_like(
        self, name: str, where: GoalContext | None, k: int, allowed: Allowed | None = None
    ) -> list[RankedPremise]:
        """The `k` premises most like one of this name. Raises UserError: the index has none."""
        from retriever.lean.text_search import search_like

        found = search_like(self._service, name, where, k, allowed=allowed)
        return self._declared.checked(found, where)

    def without_docs(self) -> int:
        """How many files an older version indexed, which kept no doc strings. Raises IndexMissing, IndexDamaged."""
        with self._service.reading() as snapshot:
            return snapshot.coverage.without_steps

    def near(self, typed: str, position: GoalPosition, k: int) -> list[NearPremise]:
        """The `k` premises usable at a position whose names are nearest to a typed one. Raises as `context_at`."""
        from retriever.lean.text_search import near_premises

        return near_premises(self._service, typed, self.context_at(position), k)

    def search_pattern(
        self, text: str, where: GoalContext | None, k: int, allowed: Allowed | None = None
    ) -> PatternMatches:
        """The best `k` premises that meet a pattern. Raises BadQuery: it is not a pattern."""
        from retriever.lean.pattern_search import pattern_search

        found = pattern_search(self._service, text, where, k, allowed=allowed)
        return replace(found, premises=self._declared.checked(found.premises, where))

    def symbols(self, text: str, k: int) -> list[tuple[RankedPremise, DeclarationSite]]:
        """The best `k` premises by name, of any kind, and where they are declared; those without a file are left out.

        Four times as many names are looked at.
        """
        from retriever.lean.text_search import search_names

        found = self._declared.checked(search_names(self._service, text, 4 * k), None)
        with self._service.reading() as snapshot:
            places = sites(snapshot, [one.premise for one in found])
        placed = (
            (one, self._with_path(site, one.premise.module)) for one, site in zip(found, places, strict=True)
        )
        return list(islice((one for one in placed if one[1].path is not None), k))

    def _with_path(self, site: DeclarationSite, module: str) -> DeclarationSite:
        """A site with the module's current file where the index names none."""
        if site.path is None and self._project is not None:
            return replace(site, path=_source_of(self._project, module))
        return site

    def described(self, name: str, module: str | None) -> tuple[RankedPremise | None, DeclarationSite]:
        """The premise of this name and where it is declared: in the indexed file, else in the module's current file.

        The premise is None if the index does not have it.
        """
        with self._service.reading() as snapshot:
            found = described(snapshot, name, module)
        premise, site = found or (None, DeclarationSite(None, -1, None))
        declaring = premise.premise.module if premise is not None else module
        return premise, site if declaring is None else self._with_path(site, declaring)

    def context_at(self, position: GoalPosition) -> GoalContext:
        """What a goal at the position can use. Raises BadSource: the file cannot be read, or is too large."""
        return self._contexts.at(position)

    def context_of(self, position: GoalPosition | None) -> GoalContext | None:
        """The same, and None for None."""
        return self._contexts.at(position) if position else None

    def unproved(self, position: GoalPosition, faults: Sequence[Fault]) -> frozenset[str]:
        """The declarations that rest on `sorry`, and those of the open file that contain these errors.

        Raises BadSource as `context_at`.
        """
        context = self.context_at(position)
        return self._declared.unproved(context) | {*broken_names(faults, context)}

    def spellings(
        self, position: GoalPosition, names: Iterable[str], hypotheses: Collection[str] = ()
    ) -> dict[str, str]:
        """The names that are written in another way at a position, each as short as it means the same there.

        Raises BadSource as `context_at`.
        """
        context = self.context_at(position)
        with self._service.reading() as snapshot:
            return spellings(snapshot, context, names, hypotheses)

    def respelled(
        self, position: GoalPosition, goal: Goal, candidates: Sequence[Candidate]
    ) -> list[Candidate]:
        """Tactics with the names of premises as short as they mean the same at a position. Raises as `spellings`."""
        own = {name for one in goal.hypotheses for name in one.names}
        names = {name for one in candidates for name in names_in(one.tactic)}
        spelled = self.spellings(position, {name for name in names if name.partition(".")[0] not in own}, own)
        return [_respelled(one, spelled) for one in candidates]

    def relates_to(self, goal: Goal, where: GoalContext | None) -> bool:
        """Whether any premise has a symbol of the goal; if none has, none fits."""
        return self._service.relates_to(goal, where)

    def notes(self, goal: Goal) -> list[str]:
        """Sentences on what of a goal the model does not read or does not know."""
        return list(reading_notes(goal, self._service.encoder.fit(goal)))

    def freshness(self, lean: str = "") -> IndexItem:
        """What the index holds, when it was written, and how many files have changed or come since.

        Args:
            lean: the version of the Lean that runs; empty: what the project's `lean-toolchain` names.
        """
        return index_item(self._files.freshness(), lean or self._pinned_lean())

    def few_changes(self) -> Changes:
        """The project's files that were changed, added or removed since the last indexing, if they are few.

        `lean-toolchain` counts as changed if the index has the mini core and the project needs a Lean that is not
        installed. Empty if there are too many, or if an index is still to be built or finished.
        """
        if self.root is None or self._chosen.awaited is not None:
            return frozenset()
        fresh = self._files.freshness()
        changes = self._files.few_changes(fresh)
        has_mini_core = any(source.package == MINI_CORE for source in fresh.sources)
        if has_mini_core and _wants_another_core(self.root):
            return changes | {(FILE, *size_and_time(self.root / FILE))}
        return changes

    def _pinned_lean(self) -> str:
        return pinned_lean(self.root) if self.root is not None else read_card().lean


def _respelled(candidate: Candidate, spelled: Mapping[str, str]) -> Candidate:
    """The tactic with its names written so, and in full if one of them is shorter."""
    tactic = respelled(candidate.tactic, spelled)
    full = respelled(candidate.tactic, {name: in_full(name, way) for name, way in spelled.items()})
    return replace(candidate, tactic=tactic, in_full=full if full != tactic else "")


def _wants_another_core(root: Path) -> bool:
    """Whether a project needs a Lean that is not installed, so that the mini core is not its library."""
    try:
        if asked_toolchain(root) is not None or needs_mathlib(root):
            project_core(root)
    except (BadSettings, LeanError):
        return True
    return False


def _source_of(project: Project, module: str) -> Path | None:
    """The file of a module among the sources of a project and its packages, if it is there."""
    roots = [*(project.source_roots or (project.root,))]
    roots += [root for package in project.packages for root in package.source_roots]
    return source_in(roots, module)
