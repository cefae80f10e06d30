"""Publishes an index: all of it in one transaction, so that readers see the old one or the new one."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lean_extract.common.errors import BadSettings, StoreUnavailable
from retriever.limits import MAX_GRAPH_MEMORY_MIB, MIN_GRAPH_MEMORY_MIB
from retriever.search.index.hnsw import lengthened
from retriever.search.index.manifest import IndexManifest, LiveSegment
from retriever.search.index.meta import META, Meta
from retriever.search.index.store import IndexStore
from retriever.search.index.view import OpenStores, SegmentPart, open_stores
from retriever.search.postgres.database import SCHEMA, TABLES, Database

if TYPE_CHECKING:
    import psycopg

Progress = Callable[[str, int, int], None]
IN_TABLE = frozenset(("records.txt", "records.npy"))
"""The files of a segment whose content is in the table of premises, not in that of files."""
_PAGE = 4 << 20
"""Bytes of a row of the table of files."""
_LOCK = 0x7072656D
"""The number of the lock that one writer holds."""
_M, _EF_CONSTRUCTION = 16, 100
"""MB for building a graph. One that does not fit takes many times as long."""
_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_COPY_END = struct.pack("!h", -1)
_NULL = struct.pack("!i", -1)


@dataclass(frozen=True, slots=True)
class Publication:
    """What was published: where, the revision's number there, and how many premises it has."""

    database: str
    number: int
    premises: int


def publish(
    database: Database,
    stores: Sequence[IndexStore],
    fingerprint: str,
    library: str,
    revision: str,
    lean: str,
    progress: Progress = lambda stage, done, total: None,
) -> Publication:
    """Write what the stores hold, except what is bundled, as a revision of a library.

    The one before it stays, for those that still read it; older ones of the same name go.
    Raises IndexMissing, IndexDamaged, ModelError, BadSettings (there is nothing to publish), and StoreUnavailable: it
    cannot be written, or somebody else publishes now.
    """
    opened = open_stores(stores, fingerprint)
    parts = [part for part in opened.parts if not part.is_bundled and len(part.segment)]
    if not parts:
        raise BadSettings("The index holds nothing that could be published.", "Index a project first.")
    with database.alone() as connection:
        _prepare(database, connection)
        number = _begin(connection, parts, opened, fingerprint, library, revision, lean)
        _copy_files(connection, number, parts, progress)
        total = _copy_premises(connection, number, parts, progress)
        _build_graph(connection, number, total, parts[0].segment.dimension, progress)
        _drop_older(connection, library, revision)
    return Publication(database.name, number, total)


def _prepare(database: Database, connection: psycopg.Connection[Any]) -> None:
    """Take the writers' lock and make the tables if there are none. Raises StoreUnavailable."""
    row = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,)).fetchone()
    if row is None or not row[0]:
        raise StoreUnavailable(
            f"Another process publishes into {database.name} now.", "Wait until it is done."
        )
    there = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.version",)).fetchone()
    if there is not None and there[0] is not None:
        database.checked_version(connection)
        return
    found = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    if found is None:
        raise StoreUnavailable(
            f"PostgreSQL at {database.name} has no pgvector.",
            "Install the extension on its machine: https://github.com/pgvector/pgvector",
        )
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    connection.execute(TABLES)


def _begin(
    connection: psycopg.Connection[Any],
    parts: Sequence[SegmentPart],
    opened: OpenStores,
    fingerprint: str,
    library: str,
    revision: str,
    lean: str,
) -> int:
    """Insert the row of the revision, which others see when all is committed; returns its number."""
    live = tuple(LiveSegment(_name(n), tuple(sorted(part.dead_files))) for n, part in enumerate(parts))
    built = max((manifest.built_at for manifest in opened.manifests), default="")
    manifest = IndexManifest(fingerprint, built_at=built, segments=live, pinned=True)
    row = connection.execute(
        f"INSERT INTO {SCHEMA}.revisions (library, revision, lean, fingerprint, dimension, premises, manifest) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id",
        (
            library,
            revision,
            lean,
            fingerprint,
            parts[0].segment.dimension,
            sum(len(part.segment) for part in parts),
            json.dumps(manifest.to_json()),
        ),
    ).fetchone()
    assert row is not None
    return int(row[0])


def _name(number: int) -> str:
    return f"segment-{number}"


def _copy_files(
    connection: psycopg.Connection[Any], number: int, parts: Sequence[SegmentPart], progress: Progress
) -> None:
    files = [(n, path) for n, part in enumerate(parts) for path in _files(part.segment.folder)]
    with connection.cursor().copy(
        f"COPY {SCHEMA}.files (revision_id, segment, name, page, content) FROM STDIN (FORMAT BINARY)"
    ) as copy:
        copy.set_types(["int8", "text", "text", "int4", "bytea"])
        for done, (n, path) in enumerate(files):
            progress("publishing columns", done, len(files))
            for page, content in enumerate(_pages(path)):
                copy.write_row((number, _name(n), path.name, page, content))


def _files(folder: Path) -> list[Path]:
    """The files of a segment that are written as they are: those that its meta.json names, and itself."""
    names = {META, *Meta.read(folder).sums} - IN_TABLE
    return [folder / name for name in sorted(names)]


def _pages(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        yield stream.read(_PAGE)  # one page of an empty file, too
        while page := stream.read(_PAGE):
            yield page


def _copy_premises(
    connection: psycopg.Connection[Any], number: int, parts: Sequence[SegmentPart], progress: Progress
) -> int:
    """Fill the revision's partition; returns how many premises it has."""
    table = f"{SCHEMA}.premises_{number}"
    connection.execute(f"CREATE TABLE {table} (LIKE {SCHEMA}.premises INCLUDING DEFAULTS)")
    total, base = sum(len(part.segment) for part in parts), 0
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(_COPY_HEADER)
        for part in parts:
            for block, rows in enumerate(_rows(part, number, base)):
                progress("publishing premises", base + block * _BLOCK, total)
                copy.write(rows)
            base += len(part.segment)
        copy.write(_COPY_END)
    return total


_BLOCK = 4096


def _rows(part: SegmentPart, number: int, base: int) -> Iterator[bytes]:
    """The rows of a segment's premises in PostgreSQL's binary form, some thousand at a time."""
    segment = part.segment
    files = segment.file_numbers()
    for start in range(0, len(segment), _BLOCK):
        stop = min(start + _BLOCK, len(segment))
        exact = segment.vectors[start:stop].astype(np.float32) * segment.scales[start:stop, None]
        halves = lengthened(exact).astype(">f2")
        head = struct.pack("!HH", halves.shape[1], 0)
        found: list[bytes] = []
        for row in range(stop - start):
            at = start + row
            file = segment.files[int(files[at])]
            fields = (
                struct.pack("!q", number),
                struct.pack("!i", base + at),
                segment.names.raw(at),
                segment.kind(at).encode(),
                file.module.encode(),
                file.package.encode(),
                file.revision.encode(),
                segment.raw_record(at) if segment.has_records else None,
                head + halves[row].tobytes(),
            )
            found.append(struct.pack("!h", len(fields)))
            found += [_NULL if one is None else struct.pack("!i", len(one)) + one for one in fields]
        yield b"".join(found)


def _build_graph(
    connection: psycopg.Connection[Any], number: int, premises: int, dimension: int, progress: Progress
) -> None:
    progress("building the graph", 0, 0)
    table = f"{SCHEMA}.premises_{number}"
    connection.execute(f"SET LOCAL maintenance_work_mem = '{graph_memory(premises)}MB'")
    connection.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (revision_id, document)")
    connection.execute(
        f"CREATE INDEX ON {table} USING hnsw (({embedding(dimension)}) halfvec_ip_ops) "
        f"WITH (m = {_M}, ef_construction = {_EF_CONSTRUCTION})"
    )
    connection.execute(f"ALTER TABLE {table} ADD CHECK (revision_id = {number})")
    connection.execute(f"ALTER TABLE {SCHEMA}.premises ATTACH PARTITION {table} FOR VALUES IN ({number})")
    connection.execute(f"ANALYZE {table}")


def graph_memory(premises: int) -> int:
    """MB for building a graph over so many premises: a kilobyte each, their vectors included."""
    return min(max(MIN_GRAPH_MEMORY_MIB, premises >> 10), MAX_GRAPH_MEMORY_MIB)


def embedding(dimension: int) -> str:
    """The column of embeddings as the graph is over it: libraries may differ in their dimension."""
    return f"embedding::halfvec({dimension + 1})"


def _drop_older(connection: psycopg.Connection[Any], library: str, revision: str) -> None:
    """Remove what this library's revision was before the last two."""
    old = connection.execute(
        f"SELECT id FROM {SCHEMA}.revisions WHERE library = %s AND revision = %s ORDER BY id DESC OFFSET 2",
        (library, revision),
    ).fetchall()
    for (number,) in old:
        connection.execute(f"DROP TABLE IF EXISTS {SCHEMA}.premises_{int(number)}")
        connection.execute(f"DELETE FROM {SCHEMA}.revisions WHERE id = %s", (number,))
