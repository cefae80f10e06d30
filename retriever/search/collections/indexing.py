"""Indexing a collection: its documents as the segments of a store, of which only what changed is made anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.cancellation import Cancelled, cancelled_when
from lean_extract.common.errors import BadSettings, IndexLocked, ModelError
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection
from retriever.search.collections.corpus import DocumentCorpus
from retriever.search.collections.manifest import CollectionManifest, remove_old_files, stats_of
from retriever.search.index.files import explained_writes
from retriever.search.index.store import IndexStore
from retriever.search.indexing.report import IndexReport, Progress, UpdateOptions
from retriever.search.indexing.update import update_store


@dataclass(frozen=True, slots=True)
class CollectionReport:
    """What indexing a collection did."""

    manifest: CollectionManifest
    proofs: int
    """Known proofs, which vote."""
    update: IndexReport


def index_collection(
    backend: Backend,
    source: Path,
    folder: Path,
    towers: Towers | None = None,
    *,
    called: str = "",
    model: str = "",
    collection: Collection | None = None,
    progress: Progress = lambda stage, done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> CollectionReport:
    """Index what a backend reads of a source; the collection is called as its folder.

    Only the parts that changed are embedded. Where another process writes the folder, its end is awaited. Where
    indexing is stopped, the folder holds what it held.

    Args:
        backend: what reads the source.
        source: a file or folder.
        folder: where the index is kept.
        towers: the model that makes vectors; None: no vectors.
        called: what the user called the backend, where that is not its name: a package.
        model: the folder of the model, as it was set; empty for the shipped one.
        collection: what the source holds, where it has been read already.
        progress: called with (stage, done, total); counts parts of the collection.
        should_stop: called now and then.

    Raises ModelError when the model was trained for another backend, BadSettings without documents,
    IndexWriteFailed, and what the backend raises.
    """
    if towers is not None and towers.backend != backend.name:
        message = f"The model was trained for the backend {towers.backend}, not {backend.name}."
        raise ModelError(message, "Name another model, or leave --model out.")
    stats = stats_of(source.resolve())  # from before it is read: what changes meanwhile is noticed
    collection = collection or backend.read(source)
    if not collection.documents:
        raise BadSettings(f"There is no document in {source}.", "Give another source.")
    corpus = DocumentCorpus(backend, collection, towers)
    manifest = CollectionManifest(
        name=folder.name,
        backend=called or backend.name,
        source=str(source.resolve()),
        digest=collection.digest,
        documents=len(collection.documents),
        model=model if towers else "",
        fingerprint=towers.fingerprint if towers else "",
        stats=stats,
    )
    proofs = sum(map(len, corpus.proofs.values()))
    try:
        with cancelled_when(should_stop):
            update = _update(
                corpus, manifest, folder, UpdateOptions(progress, should_stop, keeps_partial=False)
            )
    except (Cancelled, IndexLocked):  # stopped while it was read, or while it waited
        return CollectionReport(manifest, proofs, IndexReport(0, 0, stopped=True))
    if not update.stopped:
        with explained_writes(folder):
            remove_old_files(folder)
    return CollectionReport(manifest, proofs, update)


def _update(
    corpus: DocumentCorpus, manifest: CollectionManifest, folder: Path, options: UpdateOptions
) -> IndexReport:
    """Raises IndexLocked where it was stopped while another process wrote the folder."""
    fields = {"root": manifest.source, "about": manifest.to_json()}
    store = IndexStore(folder)
    return update_store(
        corpus.parts, store, corpus, options, fields=fields, wait=lambda: not options.should_stop()
    )
