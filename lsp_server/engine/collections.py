"""Finds, opens and removes the indexed collections of backends other than Lean."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import retriever
from lean_extract.common.devices import Device
from lean_extract.common.errors import IndexDamaged, IndexMissing, PremiseIndexError, UserError
from lean_extract.common.lru import Cache
from lsp_server.engine.requests import refuse_long
from lsp_server.engine.schema import CollectionAnswer
from lsp_server.engine.schema_items import CollectionHit
from lsp_server.engine.stores import checked_name, index_folder
from lsp_server.limits import OPEN_COLLECTIONS
from retriever.models.hub import find_model
from retriever.models.reranker import DEPTH
from retriever.models.towers import FILE, Towers
from retriever.search.backends import find_backend
from retriever.search.collections.index import CollectionIndex
from retriever.search.collections.manifest import CollectionManifest, named_errors, read_manifest
from retriever.search.index.manifest import MANIFEST
from retriever.search.index.store import IndexStore

_SHIPPED = Path(retriever.__path__[0]) / "data"


def _collections_folder() -> Path:
    """The folder that holds them, each in a folder of its own."""
    return index_folder() / "collections"


def folder_of(name: str) -> Path:
    """The folder of a collection. Raises UserError: the name is not valid."""
    return _collections_folder() / checked_name(name, "collection")


def list_collections() -> tuple[list[CollectionManifest], list[PremiseIndexError]]:
    """(the manifests of the collections, by name; the errors of those that cannot be read)."""
    found: list[CollectionManifest] = []
    damaged: list[PremiseIndexError] = []
    for folder in _folders():
        try:
            found.append(_listed(folder))
        except PremiseIndexError as error:
            if _holds_manifest(folder):  # otherwise it is not a collection, or has been removed meanwhile
                damaged.append(error)
    return found, damaged


def _folders() -> list[Path]:
    """The folders that may hold a collection, by name."""
    return sorted(path for path in _collections_folder().glob("*") if not path.name.startswith("."))


def _holds_manifest(folder: Path) -> bool:
    try:
        (folder / MANIFEST).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # a folder that cannot be entered may hold one
        return True
    return True


def _listed(folder: Path) -> CollectionManifest:
    """Its manifest. Raises IndexMissing; IndexDamaged: also if the folder's name is not the collection's."""
    manifest = read_manifest(folder)
    if manifest.name != folder.name:
        raise IndexDamaged(
            f"The folder {folder} holds the index of a collection of another name, {manifest.name}.",
            f"Rename it to {manifest.name}, or remove it: "
            f"premise-suggest collections --remove {shlex.quote(folder.name)}",
        )
    return manifest


def size_of(name: str) -> int:
    """The size of a collection's index in bytes; 0 if it is missing or cannot be read."""
    try:
        folder = _collections_folder() / name
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:
        return 0


def remove_collection(name: str) -> int:
    """Remove a collection's index, even a damaged one; returns its size in bytes. Its source is kept.

    `name` is the name of its folder, even if it is one that only a renamed folder can have.
    Raises IndexMissing, IndexWriteFailed, UserError.
    """
    folder = {path.name: path for path in _folders()}.get(name) or folder_of(name)
    if not _holds_manifest(folder):
        known = ", ".join(one.name for one in list_collections()[0]) or "none"
        raise IndexMissing(f"There is no collection {name}.", f"There is: {known}.")
    size = size_of(folder.name)
    with named_errors(folder):
        IndexStore(folder).remove(wait=lambda: True)
    return size


def find_collection(backend: str, name: str = "") -> CollectionManifest:
    """The collection of a name, or the only one of a backend. Raises PremiseIndexError, UserError."""
    everything, damaged = list_collections()
    own = [one for one in everything if one.backend == backend]
    named = [one for one in own if name in ("", one.name)]
    if not named and damaged:
        raise damaged[0]
    known = ", ".join(one.name for one in own)
    if not own:
        hint = f"Index one: premise-suggest index --backend {backend} SOURCE"
        raise IndexMissing(f"No collection of the backend {backend} is indexed.", hint)
    if not named:
        raise IndexMissing(f"There is no collection {name} of the backend {backend}.", f"There is: {known}.")
    if len(named) > 1:
        raise UserError(
            f"Several collections of {backend} are indexed.", f"Choose with --collection: {known}."
        )
    return named[0]


def refuse_other_backends(name: str, backend: str) -> None:
    """Raise UserError if another backend has a collection of that name."""
    for one in list_collections()[0]:
        if one.name == name and one.backend != backend:
            raise UserError(
                f"There is a collection {name} of the backend {one.backend}.",
                "Give another name with --name.",
            )


def towers_for(
    backend: str, setting: str, *, download: bool = False, device: Device = "cpu"
) -> tuple[str, Towers | None]:
    """(name, model) of a backend: the configured model, else the shipped one, else none. Raises ModelError."""
    if setting:
        folder = find_model(setting, download=download)
        return str(folder.resolve()), Towers.load(folder, device=device)
    shipped = _SHIPPED / backend
    if not (shipped / FILE).is_file():
        return "", None
    return "", Towers.load(shipped, device=device)


def open_collection(
    manifest: CollectionManifest, *, rerank: int | None = None, device: Device = "cpu"
) -> CollectionIndex:
    """Open a collection; if its model has a re-ranker, it re-ranks `rerank` documents.

    Raises IndexMissing, IndexDamaged, ModelError, and UserError if it has none and re-ranking is requested.
    """
    backend = find_backend(manifest.backend)
    towers = None
    if manifest.fingerprint:
        _, towers = towers_for(backend.name, manifest.model, device=device)
    if rerank and (towers is None or towers.reranker is None):
        message = f"The collection {manifest.name} was indexed with no model that has a re-ranker."
        raise UserError(message, "Leave --rerank out, or index with another --model (docs/backends.md).")
    folder, depth = folder_of(manifest.name), DEPTH if rerank is None else rerank
    return CollectionIndex(folder, backend, towers, rerank=depth)


class OpenCollections:
    """The collections of a server. The most recently used stay open until they are indexed again."""

    def __init__(self, device: Device = "cpu") -> None:
        self._device: Device = device
        self._open: Cache[CollectionIndex] = Cache(OPEN_COLLECTIONS)

    def get(self, backend: str, name: str) -> CollectionIndex:
        """A collection ready to answer. Raises PremiseIndexError, ModelError, UserError."""
        manifest = find_collection(backend, name)
        key = (manifest, IndexStore(folder_of(manifest.name)).stamp())
        found = self._open.get(key)
        if found is None:
            found = open_collection(manifest, device=self._device)
            self._open.put(key, found)
        return found


def answer(index: CollectionIndex, query: str, k: int) -> CollectionAnswer:
    """A collection's answer to a query. Raises UserError: the query is empty or far too long."""
    refuse_long(query)
    manifest = index.manifest
    hits = []
    for hit in index.search(query, k):
        shown = index.backend.show(hit.document)
        hits.append(CollectionHit(shown.title, shown.kind, shown.body, shown.where, round(hit.score, 4)))
    # Not Path.exists, which raises PermissionError if the source's folder cannot be entered.
    there = os.path.exists(manifest.source)  # noqa: PTH110
    warnings = [] if there else [f"The source of this index, {manifest.source}, does not exist any more."]
    if there and manifest.is_stale():
        warnings.append(f"{manifest.source} has changed since it was indexed. Run: {manifest.command}")
    return CollectionAnswer(manifest.backend, manifest.name, manifest.documents, hits, warnings)
