"""Indexes in a database: publishing a project's, and opening what is published there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.errors import IndexMissing, UserError
from lsp_server.engine.answering_stores import Library
from lsp_server.engine.engine import Engine
from lsp_server.engine.freshness import is_lean, pinned_lean
from lsp_server.engine.models import model_folder
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import Progress, index_folder, project_store
from retriever.models.encoder import fingerprint_of
from retriever.search.postgres.database import Database, shown
from retriever.search.postgres.publishing import Publication, publish
from retriever.search.postgres.store import DatabaseStore, PublishedLibrary, published

WITHOUT_VERSION = "latest"
"""The revision of a project that names no Lean version."""


def publish_project(
    root: Path, address: str, name: str, settings: Settings, progress: Progress
) -> Publication:
    """Publish a project's index, with those that it includes, into a database.

    `name`: of the library; empty: the project's folder's. Its revision is the project's Lean version.
    Raises IndexMissing, IndexDamaged, ModelError, StoreUnavailable, UserError.
    """
    fingerprint = fingerprint_of(model_folder(settings.model_folder, download=settings.model_download))
    lean = pinned_lean(root)
    stores = [project_store(root)]
    return publish(
        Database(address), stores, fingerprint, name or root.name, lean or WITHOUT_VERSION, lean, progress
    )


@dataclass(frozen=True, slots=True)
class OpenLibrary:
    """A published library, and the engine that answers from it."""

    library: PublishedLibrary
    engine: Engine


def open_published(address: str, settings: Settings) -> Sequence[OpenLibrary]:
    """All libraries of a database, the last published first.

    Raises StoreUnavailable, UserError, IndexMissing: there is none.
    """
    database = Database(address)
    return [
        OpenLibrary(one, Engine(None, settings, library=_answering(database, one)))
        for one in _libraries(database)
    ]


class Published:
    """The libraries of a database, of which a project is given the one that fits it.

    Args:
        address: the database's.
        name: only libraries of this name are given; empty: of any.

    Raises StoreUnavailable, IndexMissing: there is none; UserError: none has that name.
    """

    def __init__(self, address: str, name: str = "") -> None:
        self._database = Database(address)
        found = _libraries(self._database)
        self._libraries = [one for one in found if name in ("", one.library)]
        if not self._libraries:
            known = ", ".join(dict.fromkeys(one.library for one in found))
            raise UserError(f"The database {shown(address)} holds no library {name}.", f"It has {known}.")

    def fitting(self, root: Path) -> Library:
        """The library for the Lean version of a project, else the one that was published last."""
        lean = pinned_lean(root)
        fits = (one for one in self._libraries if lean and is_lean(one.lean, lean))
        return _answering(self._database, next(fits, self._libraries[0]))


def _libraries(database: Database) -> list[PublishedLibrary]:
    """All of a database's, the last published first. Raises StoreUnavailable, IndexMissing."""
    found = published(database)
    if not found:
        raise IndexMissing(
            f"The database {shown(database.address)} holds no library.",
            "Publish one: premise-suggest index --store ADDRESS",
        )
    return found


def _answering(database: Database, one: PublishedLibrary) -> Library:
    store = DatabaseStore(database, one, index_folder() / "databases")
    return Library(f"{one.library} {one.revision}", one.lean, store)
