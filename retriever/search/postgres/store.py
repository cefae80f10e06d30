"""A published library as a store: its columns are copied to this machine once, and mapped; the rest stays there."""

from __future__ import annotations

import hashlib
import math
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from lean_extract.common.errors import IndexDamaged, ModelError, StoreUnavailable
from lean_extract.common.files.atomic import make_private_folder, private_file
from lean_extract.common.typed import read_value
from retriever.limits import GRAPH_FROM_PREMISES, REVISION_SECONDS
from retriever.search.index.exact import ExactSearch, NearestNeighbours
from retriever.search.index.files import explained_writes, make_folder
from retriever.search.index.manifest import FORMAT, VERSION, IndexManifest, LiveSegment
from retriever.search.index.meta import Meta, plain_name
from retriever.search.index.segment import Segment
from retriever.search.index.store import IndexStore, Stamp
from retriever.search.postgres.database import SCHEMA, Database
from retriever.search.postgres.publishing import IN_TABLE
from retriever.search.postgres.search import GraphSearch, PremiseTable


@dataclass(frozen=True, slots=True)
class PublishedLibrary:
    """The newest revision of a library under one name."""

    library: str
    revision: str
    lean: str
    number: int


def published(database: Database) -> list[PublishedLibrary]:
    """What a database holds, the last published first. Raises StoreUnavailable."""
    with database.connected() as connection:
        database.checked_version(connection)
        found = connection.execute(
            f"SELECT DISTINCT ON (library, revision) library, revision, lean, id FROM {SCHEMA}.revisions "
            "ORDER BY library, revision, id DESC"
        ).fetchall()
    return sorted((PublishedLibrary(*row) for row in found), key=lambda one: -one.number)


class _Newest(NamedTuple):
    """A revision's number, and when it was published, in microseconds: a database made anew counts from 1 again."""

    number: int
    published: int


class _Records:
    """The records of a segment's premises."""

    def __init__(self, table: PremiseTable, base: int, count: int) -> None:
        self._table, self._base, self._count = table, base, count

    def __len__(self) -> int:
        return self._count

    def raw(self, index: int) -> bytes:
        """A record as JSON."""
        return self._table.record(self._base + index)


class _DatabaseSegment(Segment):
    """A segment whose records are in the table of premises, and a graph over its vectors, too.

    Args:
        folder: of its other columns.
        table: of the revision's premises.
        base: the number of its first premise in the table.
        graph_from: from how many premises of a revision on their neighbours are found by the graph.
    """

    def __init__(self, folder: Path, table: PremiseTable, base: int, graph_from: int) -> None:
        self._table, self._base, self._graph_from = table, base, graph_from
        super().__init__(folder)

    was_read_here = False

    @property
    def searched_with(self) -> object:
        """The segments of one revision are searched together."""
        return self._table

    @classmethod
    def search_over(cls, segments: Sequence[Segment]) -> NearestNeighbours:
        """Exact search over the vectors here; that by the graph where there are many."""
        exact = ExactSearch([(one.vectors, one.scales) for one in segments])
        first = segments[0]
        assert isinstance(first, _DatabaseSegment)
        if len(exact) < first._graph_from:
            return exact
        return GraphSearch(first._table, exact)

    @classmethod
    def prefetch(cls, chosen: Iterable[tuple[Segment, int]]) -> None:
        """Fetch the records of documents in one query."""
        by_table: dict[PremiseTable, list[int]] = {}
        for segment, index in chosen:
            if isinstance(segment, _DatabaseSegment) and segment.has_records:
                by_table.setdefault(segment._table, []).append(segment._base + index)
        for table, documents in by_table.items():
            table.prefetch(documents)

    def _read_records(self, folder: Path) -> Any:
        return _Records(self._table, self._base, self.count)


class DatabaseStore(IndexStore):
    """The newest revision of a published library, with a copy of its columns in a folder of this machine.

    Args:
        database: where it is published.
        library: which library and revision.
        cache: where copies are kept; a missing copy is recreated.
        graph_from: from how many premises on the graph in the database finds neighbours.
    """

    def __init__(
        self,
        database: Database,
        library: PublishedLibrary,
        cache: Path,
        graph_from: int = GRAPH_FROM_PREMISES,
    ) -> None:
        named = f"{database.name} {library.library} {library.revision}"
        super().__init__(cache / hashlib.sha256(named.encode()).hexdigest()[:16])
        self._database, self.library, self._graph_from = database, library, graph_from
        self._lock = threading.Lock()
        self._newest: _Newest | None = None
        self._failure: StoreUnavailable | None = None
        self._asked = -math.inf

    def stamp(self) -> Stamp:
        """Of the newest revision; of the last known one while the database does not answer."""
        try:
            newest = self._current()
        except StoreUnavailable:
            if self._newest is None:
                return None
            newest = self._newest
        return newest.number, newest.published, 0

    def _current(self) -> _Newest:
        """The newest revision, looked up at most once a second, as is a failure. Raises StoreUnavailable."""
        with self._lock:
            if time.monotonic() - self._asked > REVISION_SECONDS:
                try:
                    self._newest, self._failure = self._ask(), None
                except StoreUnavailable as error:
                    self._failure = error
                self._asked = time.monotonic()
            if self._failure is not None:
                raise self._failure
            assert self._newest is not None
            return self._newest

    def _ask(self) -> _Newest:
        with self._database.connected() as connection:
            row = connection.execute(
                f"SELECT id, (extract(epoch FROM published) * 1000000)::bigint FROM {SCHEMA}.revisions "
                "WHERE library = %s AND revision = %s ORDER BY id DESC LIMIT 1",
                (self.library.library, self.library.revision),
            ).fetchone()
        if row is None:
            raise StoreUnavailable(
                f"{self.library.library} is not published in {self._database.name} any more.",
                "Publish it again: premise-suggest index --store ADDRESS",
            )
        return _Newest(*row)

    def manifest(self) -> IndexManifest:
        """The manifest of the newest revision. Raises StoreUnavailable, IndexDamaged."""
        return self._manifest(self._current().number)[0]

    def _manifest(self, number: int) -> tuple[IndexManifest, int, int]:
        """(manifest, premises, dimension)."""
        with self._database.connected() as connection:
            self._database.checked_version(connection)
            row = connection.execute(
                f"SELECT manifest, premises, dimension FROM {SCHEMA}.revisions WHERE id = %s", (number,)
            ).fetchone()
        if row is None:
            raise StoreUnavailable(f"Revision {number} is no longer in the database.", "Try again.")
        try:
            manifest = _manifest_in(row[0])
        except (TypeError, ValueError) as error:
            raise self._damaged(f"its manifest cannot be read: {error}") from error
        return manifest, int(row[1]), int(row[2])

    def _damaged(self, what: str) -> IndexDamaged:
        library = f"{self.library.library} {self.library.revision}"
        return IndexDamaged(
            f"The library {library} in {self._database.name} is damaged: {what}.", "Publish it again."
        )

    def open(self, fingerprint: str | None = None) -> tuple[IndexManifest, list[tuple[Segment, LiveSegment]]]:
        """The newest revision, its columns copied here if they are not yet. Raises as `IndexStore.open`."""
        newest = self._current()
        number = newest.number
        manifest, premises, dimension = self._manifest(number)
        self._refuse_other_models(manifest, fingerprint)
        folder = self.root / f"revision-{number}-{newest.published}"
        if not folder.exists():
            self._copy(number, folder)
            self._sweep(folder)
        table = PremiseTable(self._database, number, dimension)
        segments: list[tuple[Segment, LiveSegment]] = []
        base = 0
        for live in manifest.segments:
            segment = _DatabaseSegment(folder / live.name, table, base, self._graph_from)
            base += len(segment)
            segments.append((self._fitting(segment, live), live))
        if base != premises:
            raise IndexDamaged(f"The copy of {self.library.library} in {folder} is not whole.", "Delete it.")
        return manifest, segments

    def _refuse_other_models(self, manifest: IndexManifest, fingerprint: str | None) -> None:
        if fingerprint is not None and manifest.fingerprint != fingerprint:
            raise ModelError(
                f"The library {self.library.library} in {self._database.name} was published with model "
                f"{manifest.fingerprint}; the model in use is {fingerprint}.",
                "Use that model, or publish the library again with this one.",
            )

    def _copy(self, number: int, folder: Path) -> None:
        """Copy a revision's columns into a folder, which is there once it is whole. Raises IndexWriteFailed."""
        with explained_writes(self.root):
            make_folder(self.root)
            temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
            try:
                with self._database.connected() as connection:
                    cursor = connection.cursor(name="columns", binary=True)
                    cursor.itersize = 4  # pages of megabytes
                    cursor.execute(
                        f"SELECT segment, name, content FROM {SCHEMA}.files WHERE revision_id = %s "
                        "ORDER BY segment, name, page",
                        (number,),
                    )
                    self._write(temporary, cursor)
                for one in temporary.iterdir():
                    meta = self._meta(one)
                    kept = {name: found for name, found in meta.sums.items() if name not in IN_TABLE}
                    replace(meta, sums=kept).write(one)
                temporary.rename(folder)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                if folder.exists():  # another process was faster
                    return
                raise

    def _meta(self, folder: Path) -> Meta:
        """What a copied segment says of itself. Raises IndexDamaged."""
        try:
            return Meta.read(folder)
        except (OSError, IndexDamaged) as error:
            raise self._damaged(f"{folder.name} has no meta.json that can be read") from error

    def _write(self, folder: Path, rows: Iterable[Sequence[Any]]) -> None:
        """Write pages of files, in order, into folders of segments. Raises IndexDamaged, OSError."""
        for segment, name, content in rows:
            try:
                within, file = folder / plain_name(segment), plain_name(name)
            except ValueError as error:
                raise self._damaged(str(error)) from error
            make_private_folder(within)
            with open(within / file, "ab", opener=private_file) as stream:
                stream.write(content)

    def _sweep(self, current: Path) -> None:
        """Remove the copies of older revisions but the last."""
        older = sorted(
            (one for one in self.root.glob("revision-*") if one != current),
            key=lambda one: one.stat().st_mtime,
        )
        for one in older[:-1]:
            shutil.rmtree(one, ignore_errors=True)


def _manifest_in(document: Any) -> IndexManifest:
    """The manifest in a document of the database, without what it says of folders. Raises TypeError, ValueError."""
    values = read_value(dict[str, Any], document)
    if (values.pop("format", None), values.pop("version", None)) != (FORMAT, VERSION):
        raise ValueError(f"it is no {FORMAT} of version {VERSION}")
    return replace(IndexManifest.from_json(values), root="", includes=(), stats={})
