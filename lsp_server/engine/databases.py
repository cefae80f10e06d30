"""Indexes in a database: publishing a project's, and opening what is published there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import IndexDamaged, IndexMissing, UserError
from lean_extract.common.terminal_text import shown
from lean_extract.toolchains.elan import is_lean
from lsp_server.engine.answering_stores import AnsweringLibrary
from lsp_server.engine.engine import Engine
from lsp_server.engine.freshness import pinned_lean
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import (
    Progress,
    checked_name,
    index_folder,
    is_plain_name,
    model_folder,
    project_store,
)
from retriever.models.encoder import fingerprint_of
from retriever.search.postgres.database import Database
from retriever.search.postgres.publishing import Publication, publish
from retriever.search.postgres.store import DatabaseStore, PublishedLibrary, published

_WITHOUT_VERSION = "latest"
"""The revision of a project that names no Lean version."""


def library_name(root: Path, name: str) -> str:
    """The name under which a project's index is published: the one given, else its folder's.

    Raises UserError: it is not plain and short.
    """
    return checked_name(name or root.name, "library", "" if name else "Give it another one with --name.")


def publish_project(
    root: Path, address: str, name: str, settings: Settings, progress: Progress
) -> Publication:
    """Publish a project's index, with those that it includes, into a database.

    `name`: of the library, as `library_name` takes it. Its revision is the project's Lean version.
    Raises IndexMissing, IndexDamaged, ModelError, StoreUnavailable, UserError.
    """
    library = library_name(root, name)
    fingerprint = fingerprint_of(model_folder(settings.model_folder, download=settings.model_download))
    lean = pinned_lean(root)
    stores = [project_store(root)]
    return publish(Database(address), stores, fingerprint, library, lean or _WITHOUT_VERSION, lean, progress)


@dataclass(frozen=True, slots=True)
class OpenLibrary:
    """A published library, and the engine that answers from it."""

    library: PublishedLibrary
    engine: Engine


class ServedLibraries:
    """The libraries of a database that a server serves: all that it holds, and what is published later.

    Args:
        address: the database's.
        settings: for all of them.
        first: the name of the library that comes first; empty: the one that was published last.

    Raises UserError: that is not an address.
    """

    def __init__(self, address: str, settings: Settings, first: str = "") -> None:
        self._database, self._settings, self._first = Database(address), settings, first
        self._known: set[tuple[str, str]] = set()
        self.notes: list[str] = []
        """Which libraries are left out, and why."""

    def open(self) -> list[OpenLibrary]:
        """All that there are now.

        Raises StoreUnavailable, IndexMissing: there is none; UserError: none has the name of the first.
        """
        found = _libraries(self._database, self.notes)
        if self._first:
            found.sort(key=lambda one: one.library != self._first)
            _refuse_unknown(self._database, self._first, found)
        return self._opened(found)

    def unserved(self) -> list[OpenLibrary]:
        """The libraries that are not served or left out yet, the last published first. Raises StoreUnavailable."""
        return self._opened(list(_plain(published(self._database), [])))

    def mark_known(self, one: OpenLibrary, failure: Exception | None = None) -> None:
        """Note that a library is served, or why it cannot be."""
        self._known.add((one.library.library, one.library.revision))
        if failure is not None:
            self.notes.append(_left_out(one.library, failure))

    def _opened(self, found: Sequence[PublishedLibrary]) -> list[OpenLibrary]:
        return [
            OpenLibrary(one, Engine(None, self._settings, library=_answering(self._database, one)))
            for one in found
            if (one.library, one.revision) not in self._known
        ]


class Published:
    """The libraries of a database; each project uses the one that fits it.

    Args:
        address: the database's.
        name: only libraries of this name are used; empty: all.

    Raises StoreUnavailable, IndexMissing: there is none; UserError: none has that name.
    """

    def __init__(self, address: str, name: str = "") -> None:
        self._database = Database(address)
        self.notes: list[str] = []
        """Which libraries are left out, and why."""
        found = _libraries(self._database, self.notes)
        if name:
            _refuse_unknown(self._database, name, found)
        named = [_answering(self._database, one) for one in found if name in ("", one.library)]
        self._libraries = list(self._sound(named))
        if not self._libraries:
            named[0].store.manifest()  # raises why it cannot be used

    def _sound(self, libraries: Sequence[AnsweringLibrary]) -> Iterator[AnsweringLibrary]:
        """Those whose manifests can be read."""
        for one in libraries:
            try:
                one.store.manifest()
                yield one
            except IndexDamaged as error:
                self.notes.append(str(error))

    def fitting(self, root: Path) -> AnsweringLibrary:
        """The library for the Lean version of a project, else the one that was published last."""
        lean = pinned_lean(root)
        return next((one for one in self._libraries if lean and is_lean(one.lean, lean)), self._libraries[0])


def _libraries(database: Database, notes: list[str]) -> list[PublishedLibrary]:
    """All of a database's, the last published first; which are left out is noted.

    Raises StoreUnavailable, IndexMissing: there is none.
    """
    found = list(_plain(published(database), notes))
    if not found:
        raise IndexMissing(
            f"The database {database.name} holds no library.",
            "Publish one: premise-suggest index --store ADDRESS",
        )
    return found


def _plain(found: Iterable[PublishedLibrary], notes: list[str]) -> Iterator[PublishedLibrary]:
    """The libraries whose names can be shown and requested; the others are noted."""
    for one in found:
        if all(map(is_plain_name, (one.library, one.revision, one.lean or one.revision))):
            yield one
        else:
            notes.append(
                _left_out(one, UserError("Its name is not plain and short.", "Publish it under another."))
            )


def _left_out(one: PublishedLibrary, why: Exception) -> str:
    return f"The library {shown(one.library)} {shown(one.revision)} is left out: {why}"


def _refuse_unknown(database: Database, name: str, found: Sequence[PublishedLibrary]) -> None:
    """Raise UserError unless a library has this name."""
    known = list(dict.fromkeys(one.library for one in found))
    if name not in known:
        raise UserError(
            f"The database {database.name} holds no library {name}.", f"It has {', '.join(known)}."
        )


def _answering(database: Database, one: PublishedLibrary) -> AnsweringLibrary:
    store = DatabaseStore(database, one, index_folder() / "databases")
    return AnsweringLibrary(f"{one.library} {one.revision}", one.lean, store)
