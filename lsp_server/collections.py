"""Where indexed collections of other backends are kept, and how one is opened."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import retriever
from lean_extract.errors import IndexMissing, UserError
from lsp_server.schema import CollectionAnswer, CollectionHit
from lsp_server.stores import index_folder
from retriever.backends import find_backend
from retriever.collections.files import MANIFEST, Manifest, read_manifest, read_stored
from retriever.collections.index import CollectionIndex
from retriever.collections.towers import FILE, Towers
from retriever.hub import find_model

_SHIPPED = Path(retriever.__path__[0]) / "data"
_NAME = re.compile(r"[\w][\w.-]{0,63}")


def collections_folder() -> Path:
    """Where they are kept, a folder each."""
    return index_folder() / "collections"


def folder_of(name: str) -> Path:
    """The folder of a collection. Raises UserError when it cannot be a name."""
    if not _NAME.fullmatch(name):
        raise UserError(f"`{name}` cannot name a collection.", "Use letters, digits, dots and hyphens.")
    return collections_folder() / name


def list_collections() -> list[Manifest]:
    """What is indexed, by name. Raises IndexDamaged."""
    folders = sorted(path.parent for path in collections_folder().glob(f"[!.]*/{MANIFEST}"))
    return [read_manifest(folder) for folder in folders]


def find_collection(backend: str, name: str = "") -> Manifest:
    """The collection of a name, or the only one of a backend. Raises PremiseIndexError, UserError."""
    own = [one for one in list_collections() if one.backend == backend]
    named = [one for one in own if name in ("", one.name)]
    hint = f"Index one: premise-suggest index --backend {backend} SOURCE"
    if not own:
        raise IndexMissing(f"No collection of the backend {backend} is indexed.", hint)
    known = ", ".join(one.name for one in own)
    if not named:
        raise IndexMissing(f"There is no collection {name} of the backend {backend}.", f"There is: {known}.")
    if len(named) > 1:
        raise UserError(
            f"Several collections of {backend} are indexed.", f"Choose with --collection: {known}."
        )
    return named[0]


def towers_for(backend: str, setting: str, *, download: bool = False) -> tuple[str, Towers | None]:
    """(name, model) of a backend: the one that is set, else the shipped one, else none. Raises ModelError."""
    if setting:
        folder = find_model(setting, download=download)
        return str(folder.resolve()), Towers.load(folder)
    shipped = _SHIPPED / backend
    if not (shipped / FILE).is_file():
        return "", None
    return "", Towers.load(shipped)


@dataclass(frozen=True, slots=True)
class _Key:
    """What an open collection depends on."""

    folder: Path
    stamp: int


def open_collection(manifest: Manifest) -> CollectionIndex:
    """A collection ready to answer; the last ones opened stay open until they are indexed again.

    Raises IndexMissing, IndexDamaged, ModelError, UserError.
    """
    folder = folder_of(manifest.name)
    try:
        stamp = (folder / MANIFEST).stat().st_mtime_ns
    except OSError as error:
        raise IndexMissing(f"The collection {manifest.name} is gone.", "Index it again.") from error
    return _open(_Key(folder, stamp))


@lru_cache(maxsize=4)
def _open(key: _Key) -> CollectionIndex:
    stored = read_stored(key.folder)
    backend = find_backend(stored.manifest.backend)
    towers = None
    if stored.manifest.fingerprint:
        _, towers = towers_for(backend.name, stored.manifest.model)
    return CollectionIndex(backend, stored, towers)


def answer(index: CollectionIndex, query: str, k: int) -> CollectionAnswer:
    """What a collection answers to a query. Raises UserError when it is none."""
    manifest = index.stored.manifest
    hits = []
    for hit in index.search(query, k):
        shown = index.backend.show(hit.document)
        hits.append(CollectionHit(shown.title, shown.kind, shown.body, shown.where, round(hit.score, 4)))
    warnings = [] if Path(manifest.source).exists() else [f"What was indexed, {manifest.source}, is gone."]
    return CollectionAnswer(manifest.backend, manifest.name, manifest.documents, hits, warnings)
