"""Building and updating the index of a Lean project (`retriever.search.indexing.update`).

Packages at a pinned revision, and Lean's own library, have stores of their own, which projects share.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.errors import IndexDamaged, IndexLocked, IndexMissing, ModelError
from lean_extract.records import Premise
from lean_extract.source.names.scopes import Scope
from lean_extract.source.open_file import library_name
from lean_extract.source.projects import project
from lean_extract.source.reader import is_bare
from lean_extract.source.reader_declarations import Known
from retriever.lean.index.content import NO_PROOFS, Flag
from retriever.lean.index.corpus import LeanFile, LeanIndexCorpus, ListedSource, lean_files
from retriever.lean.index.view import LeanView
from retriever.limits import MAX_FOLDER_NAME_CHARACTERS
from retriever.models.encoder import PremiseEncoder
from retriever.search.index import hnsw
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.store import IndexStore
from retriever.search.index.view import LiveNames
from retriever.search.indexing.plan import UpdatePlan, make_plan
from retriever.search.indexing.report import IndexReport, Progress, UpdateOptions
from retriever.search.indexing.update import update_store

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class SharedPackage:
    """A package whose index is kept once a revision, for all projects that have it."""

    name: str
    revision: str
    root: Path
    """What the index names files relative to."""
    sources: tuple[ListedSource, ...]
    is_fixed: bool = True
    """Whether nothing of a revision ever changes; else its files are compared in each update."""

    def store(self, shared: Path, fingerprint: str) -> IndexStore:
        """Where its index is kept, below the folder of shared ones, for a model."""
        return IndexStore(shared / _folder_name(f"{self.name}-{self.revision}-{fingerprint}"))


def update_index(
    root: Path,
    store: IndexStore,
    encoder: PremiseEncoder,
    *,
    progress: Progress = lambda stage, done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    shared: Path | None = None,
    core: SharedPackage | None = None,
    uses: Mapping[str, int] | None = None,
    proofs: ProofRows = NO_PROOFS,
    unread: frozenset[str] = frozenset(),
    graphs: hnsw.HnswParameters | None = hnsw.HnswParameters(),  # noqa: B008
) -> IndexReport:
    """Bring the index of the project at `root` up to date.

    Args:
        shared: a folder for indexes of packages at a pinned revision, which projects then share; without it
            they go into `store`, and `core` is left out.
        core: Lean's own library.
        uses: how many training proofs use a name.
        proofs: what the proofs of training theorems use.
        unread: theorems of the project's own files whose proofs are not read: they give no steps, and no votes.
        graphs: how to build HNSW graphs for large segments where hnswlib is installed; None for none.

    Where another process writes a shared package, its end is awaited. Raises IndexLocked, IndexWriteFailed,
    and what `find_sources` raises for a folder that is not a project. What was indexed before stays usable in
    all cases.
    """
    options = UpdateOptions(progress, should_stop, graphs)
    corpus = LeanIndexCorpus(encoder, uses or {}, proofs)
    root = project.find_root(root.resolve())
    found = project.find_sources(root, should_stop=should_stop)
    if found.stopped:  # not all sources are known, so none counts as deleted
        _leave_unfinished(root, store, encoder.fingerprint)
        return IndexReport(0, 0, stopped=True, notes=found.notices)
    sources = found.sources
    packages = [] if shared is None else [*pinned_packages(root, sources), *([core] if core else [])]
    if shared is None:
        own: list[ListedSource] = list(sources)
    else:
        own = [source for source in sources if not (source.package and source.revision)]
    is_first = store.stamp() is None
    bare: set[str] = set()
    work: list[StoreWork] = []
    reports: list[IndexReport] = []
    includes: list[str] = []
    for package in packages:
        assert shared is not None
        one = _shared_work(package, package.store(shared, encoder.fingerprint), bare.add)
        reports.append(_update_shared(package, one, corpus, options))
        work.append(one)
        if one.store.stamp() is not None:  # stopped before it was written, it is not there
            includes.append(str(one.store.root.absolute()))
    fields = {"root": str(root), "includes": tuple(includes), "pinned": False}
    work.append(StoreWork(store, lean_files(root, own, unread, bare.add), fields))
    reports.append(update_store(work[-1].files, store, corpus, options, fields=fields))
    reports = _with_targets(work, reports, bare, corpus, options, is_first=is_first)
    return sum(reports, IndexReport(0, 0, notes=found.notices))


def _leave_unfinished(root: Path, store: IndexStore, fingerprint: str) -> None:
    """Where there is no index yet, leave one that says that it is not finished."""
    if store.stamp() is None:
        with suppress(IndexLocked), store.writer(fingerprint) as writer:
            if not writer.manifest.built_at:  # else another process has been faster
                writer.commit((), root=str(root), complete=False)


def update_package(
    package: SharedPackage,
    shared: Path,
    encoder: PremiseEncoder,
    uses: Mapping[str, int] | None = None,
    proofs: ProofRows = NO_PROOFS,
) -> IndexReport:
    """Bring the index of one shared package up to date; see `update_index`. Raises IndexWriteFailed."""
    corpus = LeanIndexCorpus(encoder, uses or {}, proofs)
    bare: set[str] = set()
    work = _shared_work(package, package.store(shared, encoder.fingerprint), bare.add)
    report = _update_shared(package, work, corpus, UpdateOptions())
    return _with_targets([work], [report], bare, corpus, UpdateOptions())[0]


def pinned_packages(root: Path, sources: Sequence[ListedSource]) -> list[SharedPackage]:
    """The packages at a pinned revision among a project's sources, in order."""
    found: dict[tuple[str, str], list[ListedSource]] = {}
    for source in sources:
        if source.package and source.revision:
            found.setdefault((source.package, source.revision), []).append(source)
    return [SharedPackage(*key, root, tuple(listed)) for key, listed in sorted(found.items())]


def _folder_name(called: str) -> str:
    """A folder's name for what a project calls a package; two that differ (not in «» alone) share none."""
    safe = _UNSAFE.sub("_", called)
    is_safe = _UNSAFE.search(called.replace("«", "").replace("»", "")) is None
    if is_safe and len(safe) <= MAX_FOLDER_NAME_CHARACTERS:
        return safe
    return f"{safe[: MAX_FOLDER_NAME_CHARACTERS - 17]}-{hashlib.sha256(called.encode()).hexdigest()[:16]}"


def _shared_work(package: SharedPackage, store: IndexStore, on_bare: Callable[[str], None]) -> StoreWork:
    fields = {"root": str(package.root), "includes": (), "pinned": True}
    return StoreWork(store, lean_files(package.root, package.sources, on_bare=on_bare), fields)


def _update_shared(
    package: SharedPackage, work: StoreWork, corpus: LeanIndexCorpus, options: UpdateOptions
) -> IndexReport:
    """Read a shared package, if it is not there yet; who finds another process at it waits."""

    def wait() -> bool:
        options.progress("wait", 0, 1)
        return not options.should_stop()

    with suppress(IndexMissing, IndexDamaged, ModelError):  # then it is built again
        if report := complete_report(package, work.store, corpus.fingerprint, options.graphs):
            return report
    try:
        return update_store(work.files, work.store, corpus, options, fields=work.fields, wait=wait)
    except IndexLocked:  # it was stopped while it waited
        return IndexReport(0, 0, stopped=True)


def complete_report(
    package: SharedPackage,
    store: IndexStore,
    fingerprint: str,
    graphs: hnsw.HnswParameters | None = hnsw.HnswParameters(),  # noqa: B008
) -> IndexReport | None:
    """What a package's store holds, where it is complete, graphs and all; None where there is work to do.

    Raises IndexMissing, IndexDamaged, ModelError.
    """
    manifest, opened = store.open(fingerprint)
    segments = [segment for segment, _ in opened]
    if not manifest.complete or (graphs and any(segment.lacks_graph(graphs) for segment in segments)):
        return None
    files = [(segment, *one) for segment, live in opened for one in segment.live_files(live.dead_files)]
    if any(segment.lacks_steps(number) for segment, number, _ in files):
        return None
    known = {file.path: file for _, _, file in files}
    if not package.is_fixed:
        sources = lean_files(package.root, package.sources)
        plan = make_plan(sources, known, manifest.stats, lambda _: None)
        is_same = (
            plan is not None and replace(plan, stats={}) == UpdatePlan() and plan.stats == manifest.stats
        )
        if not is_same or manifest.root != str(package.root):
            return None
    return IndexReport(len(known), sum(file.stop - file.start for file in known.values()))


class Targets:
    """What names mean in the stores of a project."""

    def __init__(self, stores: Sequence[IndexStore], fingerprint: str) -> None:
        """Open the stores. Raises IndexMissing, IndexDamaged, ModelError."""
        self._view = LeanView.open(stores, fingerprint)
        self._names = LiveNames.of(self._view)

    def known(self, module: str) -> Known:
        """What a name means in a module, unless the module itself declares it."""

        def find(name: str, scope: Scope) -> Premise | None:
            full = library_name(name, scope, lambda full: self._number(full, module) is not None)
            number = self._number(full, module) if full is not None else None
            return self._view.premise(number) if number is not None else None

        return find

    def _number(self, name: str, module: str) -> int | None:
        number = int(self._names.find_names([name])[0])
        if number < 0 or self._view.flags[number] & Flag.PRIVATE or self._view.module(number) == module:
            return None
        return number

    def bare_files(self) -> frozenset[str]:
        """The files that have aliases without statements, by their names in the index. Raises IndexDamaged."""
        view = self._view
        aliases = np.flatnonzero(view.of_kinds(frozenset(("alias",))) & view.alive & ~view.bundled)
        return frozenset(view.file(int(i)).path for i in aliases if is_bare(view.premise(int(i))))


@dataclass(frozen=True, slots=True)
class StoreWork:
    """A store, the files that it is of, and the further fields of its manifest."""

    store: IndexStore
    files: Sequence[LeanFile]
    fields: Mapping[str, Any]


def _with_targets(
    work: Sequence[StoreWork],
    reports: Sequence[IndexReport],
    bare: Set[str],
    corpus: LeanIndexCorpus,
    options: UpdateOptions,
    *,
    is_first: bool = False,
) -> list[IndexReport]:
    """Give aliases their statements where the target is in another file or package.

    A file is read by itself, so an alias of another file's lemma has no statement at first. Once all is indexed, the
    files with such aliases are read once more, with what the index knows of the targets. Returns the reports with
    what this did.

    Args:
        work: the stores of a project, which have been updated.
        reports: what these updates did.
        bare: the files that were read in them and have such aliases.
        is_first: whether the project is indexed for the first time: a package that was indexed without its
            dependencies is then completed, too.

    A store that another process writes now stays as it is.
    """
    if any(report.stopped for report in reports) or not (bare or is_first):
        return list(reports)
    try:
        targets = Targets([one.store for one in work], corpus.fingerprint)
        again = frozenset(bare) | (targets.bare_files() if is_first else frozenset())
    except (IndexMissing, IndexDamaged, ModelError):
        return list(reports)  # whoever reads the index says what is wrong with it
    return [
        _completed(one, report, again & {file.name for file in one.files}, targets, corpus, options)
        for one, report in zip(work, reports, strict=True)
    ]


def _completed(
    work: StoreWork,
    report: IndexReport,
    again: frozenset[str],
    targets: Targets,
    corpus: LeanIndexCorpus,
    options: UpdateOptions,
) -> IndexReport:
    """The report of a store after these files have been read again."""
    if not again:
        return report
    files = [
        replace(one, known=targets.known(one.module)) if one.name in again else one for one in work.files
    ]
    try:
        second = update_store(files, work.store, corpus, options, fields=work.fields, again=again)
    except IndexLocked:
        return report
    return replace(
        report,
        documents=second.documents,
        documents_embedded=report.documents_embedded + second.documents_embedded,
        embedding_seconds=report.embedding_seconds + second.embedding_seconds,
        stopped=second.stopped,
        seconds=report.seconds + second.seconds,
    )
