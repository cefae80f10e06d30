"""Building and updating an index: only what changed is read, only new texts are embedded.

Work is committed in segments of some thousand premises, so a run that is stopped or killed goes on where it
was. When the segments become many, the small ones are merged.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lean_extract.errors import IndexDamaged, IndexMissing, ModelError
from lean_extract.source import project
from retriever.encoder import PremiseEncoder
from retriever.index import hnsw
from retriever.index.content import NO_PROOFS
from retriever.index.plan import Source
from retriever.index.proof_columns import ProofRows
from retriever.index.store import IndexStore
from retriever.index.update import IndexReport, Options, Progress, Update, lacks_graph

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")

__all__ = ["IndexReport", "Options", "Progress", "update_index", "update_store"]


def update_index(
    root: Path,
    store: IndexStore,
    encoder: PremiseEncoder,
    *,
    progress: Progress = lambda stage, done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    shared: Path | None = None,
    uses: Mapping[str, int] | None = None,
    proofs: ProofRows = NO_PROOFS,
    graphs: hnsw.HnswParameters | None = hnsw.HnswParameters(),  # noqa: B008
) -> IndexReport:
    """Bring the index of the project at `root` up to date.

    Args:
        shared: a folder for indexes of packages at a pinned revision, which projects then share; without it
            they go into `store`.
        uses: how many training proofs use a name.
        proofs: what the proofs of training theorems use.
        graphs: how to build HNSW graphs for large segments where hnswlib is installed; None for none.

    Raises IndexLocked, IndexWriteFailed, and what `find_sources` raises for a folder that is no project.
    What was indexed before stays usable in all cases.
    """
    options = Options(progress, should_stop, uses or {}, proofs, graphs)
    root = project.find_project(root.resolve()).root
    own: list[Source] = []
    packages: dict[tuple[str, str], list[Source]] = {}
    for source in project.find_sources(root):
        if shared is not None and source.package and source.revision:
            packages.setdefault((source.package, source.revision), []).append(source)
        else:
            own.append(source)
    report = IndexReport(0, 0)
    includes = []
    for (package, revision), sources in sorted(packages.items()):
        assert shared is not None
        package_store = IndexStore(shared / _UNSAFE.sub("_", f"{package}-{revision}-{encoder.fingerprint}"))
        includes.append(str(package_store.root))
        report += _update_pinned(root, sources, package_store, encoder, options)
    return report + update_store(root, own, store, encoder, options, includes=tuple(includes))


def _update_pinned(
    root: Path, sources: Sequence[Source], store: IndexStore, encoder: PremiseEncoder, options: Options
) -> IndexReport:
    """A package at a fixed revision: once it is complete, graphs and all, there is nothing to look at."""
    with suppress(IndexMissing, IndexDamaged, ModelError):  # then it is built again
        manifest, opened = store.open(encoder.fingerprint)
        segments = [segment for segment, _ in opened]
        graphs = options.graphs
        if manifest.complete and not (graphs and any(lacks_graph(segment, graphs) for segment in segments)):
            return IndexReport(sum(len(s.files) for s in segments), sum(map(len, segments)))
    return update_store(root, sources, store, encoder, options, pinned=True)


def update_store(
    root: Path,
    sources: Sequence[Source],
    store: IndexStore,
    encoder: PremiseEncoder,
    options: Options,
    *,
    includes: tuple[str, ...] = (),
    pinned: bool = False,
) -> IndexReport:
    """Bring one store up to date with these sources. Raises IndexLocked, IndexWriteFailed."""
    started = time.monotonic()
    with store.writer(encoder.fingerprint) as writer:
        update = Update(root, store, writer, encoder, options)
        report = update.run(sources, includes, pinned)
    return replace(report, seconds=time.monotonic() - started)
