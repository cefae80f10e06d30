"""Indexes in a database: publishing a project's, and opening what is published there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.errors import IndexMissing
from lsp_server.engine.engine import Engine
from lsp_server.engine.freshness import pinned_lean
from lsp_server.engine.models import model_folder
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import Progress, index_folder, project_store
from retriever.models.encoder import fingerprint_of
from retriever.search.postgres.database import Database, shown
from retriever.search.postgres.publishing import Published, publish
from retriever.search.postgres.store import DatabaseStore, PublishedLibrary, published

WITHOUT_VERSION = "latest"
"""The revision of a project that names no Lean version."""


def publish_project(root: Path, address: str, name: str, settings: Settings, progress: Progress) -> Published:
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
    found = published(database)
    if not found:
        raise IndexMissing(
            f"The database {shown(address)} holds no library.",
            "Publish one: premise-suggest index --store ADDRESS",
        )
    cache = index_folder() / "databases"
    return [
        OpenLibrary(one, Engine(None, settings, stores=[DatabaseStore(database, one, cache)]))
        for one in found
    ]
