"""Building and updating the index of a Lean project (`retriever.search.indexing.update`).

Packages at a pinned revision, and Lean's own library, have stores of their own, which projects share.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import IndexDamaged, IndexLocked, IndexMissing, ModelError
from lean_extract.source.projects import project
from retriever.lean.index.aliases import StoreWork, with_targets
from retriever.lean.index.content import NO_PROOFS
from retriever.lean.index.corpus import LeanIndexCorpus, ListedSource, lean_files
from retriever.models.encoder import PremiseEncoder
from retriever.search.index import hnsw
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.store import IndexStore
from retriever.search.indexing.plan import UpdatePlan, lacks_steps, make_plan
from retriever.search.indexing.report import IndexReport, Progress, UpdateOptions
from retriever.search.indexing.update import lacks_graph, update_store

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 200


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
    if found.stopped:  # not knowing all sources, it must not take any for gone
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
    reports = with_targets(work, reports, bare, corpus, options, is_first=is_first)
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
    return with_targets([work], [report], bare, corpus, UpdateOptions())[0]


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
    if len(safe) <= _LONGEST_NAME and _UNSAFE.search(called.replace("«", "").replace("»", "")) is None:
        return safe
    return f"{safe[: _LONGEST_NAME - 17]}-{hashlib.sha256(called.encode()).hexdigest()[:16]}"


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
        if report := settled(package, work.store, corpus.fingerprint, options.graphs):
            return report
    try:
        return update_store(work.files, work.store, corpus, options, fields=work.fields, wait=wait)
    except IndexLocked:  # it was stopped while it waited
        return IndexReport(0, 0, stopped=True)


def settled(
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
    if not manifest.complete or (graphs and any(lacks_graph(segment, graphs) for segment in segments)):
        return None
    files = [(segment, *one) for segment, live in opened for one in segment.live_files(live.dead_files)]
    if any(lacks_steps(segment, number) for segment, number, _ in files):
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
