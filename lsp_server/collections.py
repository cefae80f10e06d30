"""Where indexed collections of other backends are kept, and how one is opened."""

from __future__ import annotations

import re
from pathlib import Path

import retriever
from lean_extract.errors import IndexDamaged, IndexMissing, UserError
from lsp_server.cache import Cache
from lsp_server.schema import CollectionAnswer, CollectionHit
from lsp_server.stores import index_folder
from retriever.backends import find_backend
from retriever.collections.files import MANIFEST, Manifest, read_manifest, read_stored, remove_stored
from retriever.collections.index import CollectionIndex
from retriever.collections.towers import FILE, Towers
from retriever.hub import find_model
from retriever.reranker import DEPTH

_SHIPPED = Path(retriever.__path__[0]) / "data"
_OPEN = 4
_NAME = re.compile(r"[\w][\w.-]{0,63}")


def collections_folder() -> Path:
    """Where they are kept, a folder each."""
    return index_folder() / "collections"


def folder_of(name: str) -> Path:
    """The folder of a collection. Raises UserError when it cannot be a name."""
    if not _NAME.fullmatch(name):
        raise UserError(f"`{name}` cannot name a collection.", "Use letters, digits, dots and hyphens.")
    return collections_folder() / name


def list_collections() -> tuple[list[Manifest], list[IndexDamaged]]:
    """(what is indexed, by name; what is wrong with those that cannot be read)."""
    found: list[Manifest] = []
    damaged: list[IndexDamaged] = []
    for path in sorted(collections_folder().glob(f"[!.]*/{MANIFEST}")):
        try:
            found.append(read_manifest(path.parent))
        except IndexDamaged as error:
            damaged.append(error)
    return found, damaged


def size_of(name: str) -> int:
    """How many bytes a collection's index takes."""
    return sum(path.stat().st_size for path in folder_of(name).iterdir() if path.is_file())


def remove_collection(name: str) -> int:
    """Take a collection's index away, a damaged one too; how many bytes it took. What it was made of stays.

    Raises IndexMissing, IndexWriteFailed, UserError.
    """
    folder = folder_of(name)
    if not (folder / MANIFEST).is_file():
        known = ", ".join(one.name for one in list_collections()[0]) or "none"
        raise IndexMissing(f"There is no collection {name}.", f"There is: {known}.")
    size = size_of(name)
    remove_stored(folder)
    return size


def find_collection(backend: str, name: str = "") -> Manifest:
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
    """Raises UserError when the name is that of another backend's collection."""
    for one in list_collections()[0]:
        if one.name == name and one.backend != backend:
            raise UserError(
                f"There is a collection {name} of the backend {one.backend}.",
                "Give another name with --name.",
            )


def towers_for(backend: str, setting: str, *, download: bool = False) -> tuple[str, Towers | None]:
    """(name, model) of a backend: the one that is set, else the shipped one, else none. Raises ModelError."""
    if setting:
        folder = find_model(setting, download=download)
        return str(folder.resolve()), Towers.load(folder)
    shipped = _SHIPPED / backend
    if not (shipped / FILE).is_file():
        return "", None
    return "", Towers.load(shipped)


def open_collection(manifest: Manifest, *, rerank: int | None = None) -> CollectionIndex:
    """A collection ready to answer; `rerank` documents are read again, where its model has a re-ranker.

    Raises IndexMissing, IndexDamaged, ModelError, and UserError where it has none and one is asked for.
    """
    stored = read_stored(folder_of(manifest.name))
    backend = find_backend(stored.manifest.backend)
    towers = None
    if stored.manifest.fingerprint:
        _, towers = towers_for(backend.name, stored.manifest.model)
    if rerank and (towers is None or towers.reranker is None):
        message = f"The collection {manifest.name} was indexed with no model that has a re-ranker."
        raise UserError(message, "Leave --rerank out, or index with another --model (docs/backends.md).")
    return CollectionIndex(backend, stored, towers, rerank=DEPTH if rerank is None else rerank)


class OpenCollections:
    """The collections of a server; the last ones asked stay open until they are indexed again."""

    def __init__(self) -> None:
        self._open: Cache[CollectionIndex] = Cache(_OPEN)

    def get(self, backend: str, name: str) -> CollectionIndex:
        """A collection ready to answer. Raises PremiseIndexError, ModelError, UserError."""
        manifest = find_collection(backend, name)
        key = (manifest, (folder_of(manifest.name) / MANIFEST).stat().st_mtime_ns)
        found = self._open.get(key)
        if found is None:
            found = open_collection(manifest)
            self._open.put(key, found)
        return found


def answer(index: CollectionIndex, query: str, k: int) -> CollectionAnswer:
    """What a collection answers to a query. Raises UserError when it is none."""
    manifest = index.stored.manifest
    hits = []
    for hit in index.search(query, k):
        shown = index.backend.show(hit.document)
        hits.append(CollectionHit(shown.title, shown.kind, shown.body, shown.where, round(hit.score, 4)))
    warnings = [] if Path(manifest.source).exists() else [f"What was indexed, {manifest.source}, is gone."]
    return CollectionAnswer(manifest.backend, manifest.name, manifest.documents, hits, warnings)
