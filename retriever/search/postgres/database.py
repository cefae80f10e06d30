"""The one door to a database: connections, its schema's version, and errors in words, without passwords."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lean_extract.errors import StoreUnavailable, UserError
from lean_extract.extras import import_extra

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

SCHEMA = "premise_suggest"
VERSION = 2
_SCHEMES = ("postgresql", "postgres")
_WAIT_SECONDS = 2.0
"""How long a request waits for a connection."""
_MOST_CONNECTIONS = 8
"""Of one process."""
_PASSWORD = re.compile(r"(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'|\S+)|(://[^/@\s:]*+:)[^@\s]*+(@?)")

TABLES = f"""
CREATE TABLE {SCHEMA}.version (number integer NOT NULL);
CREATE TABLE {SCHEMA}.revisions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    library text NOT NULL,
    revision text NOT NULL,
    lean text NOT NULL,
    fingerprint text NOT NULL,
    dimension integer NOT NULL,
    premises integer NOT NULL,
    manifest jsonb NOT NULL,
    published timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON {SCHEMA}.revisions (library, revision, id);
CREATE TABLE {SCHEMA}.files (
    revision_id bigint NOT NULL REFERENCES {SCHEMA}.revisions ON DELETE CASCADE,
    segment text NOT NULL,
    name text NOT NULL,
    page integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (revision_id, segment, name, page)
);
ALTER TABLE {SCHEMA}.files ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE {SCHEMA}.premises (
    revision_id bigint NOT NULL,
    document integer NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    module text NOT NULL,
    package text NOT NULL,
    package_revision text NOT NULL,
    record bytea,
    embedding halfvec NOT NULL,
    PRIMARY KEY (revision_id, document)
) PARTITION BY LIST (revision_id);
INSERT INTO {SCHEMA}.version VALUES ({VERSION});
"""
"""A revision's row is there once all of it is: the transaction that inserts it writes the rest. Each revision's
premises are a partition of their own, with an HNSW graph over `embedding`: a premise's vector in 16-bit floats, with
one more element that makes its length 1 (`index.hnsw`)."""


def shown(address: str) -> str:
    """An address for people: host and database, without user and password."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # it is no address at all
        return "what is given"
    return f"{parts.hostname or 'this machine'}{port}/{parts.path.lstrip('/')}"


def _is_postgres(address: str) -> bool:
    with suppress(ValueError):
        parts = urlsplit(address)
        return parts.scheme in _SCHEMES and (parts.port or 1) > 0
    return False


def without_passwords(text: str) -> str:
    """A text of the database or its driver without any password in it."""
    return _PASSWORD.sub(_without_password, text)


def _without_password(match: re.Match[str]) -> str:
    is_password = match[1] is not None or match[4]
    return f"{match[1] or match[3]}***{match[4] or ''}" if is_password else match[0]


class Database:
    """Connections to one database; safe to use from several threads.

    Raises UserError: the address is none of PostgreSQL, or the extra `postgres` is not installed.
    """

    def __init__(self, address: str) -> None:
        if not _is_postgres(address):
            hint = "Write postgresql://USER@HOST/DATABASE."
            raise UserError(f"{shown(address)} is no address of a PostgreSQL database.", hint)
        self._driver: Any = import_extra("psycopg", "postgres", "An index in a database")
        pools: Any = import_extra("psycopg_pool", "postgres", "An index in a database")
        logging.getLogger("psycopg.pool").setLevel(
            logging.ERROR
        )  # each try would be told; requests tell it once
        self.address = address
        self._pool: ConnectionPool[psycopg.Connection[Any]] = pools.ConnectionPool(
            address,
            min_size=0,
            max_size=_MOST_CONNECTIONS,
            timeout=_WAIT_SECONDS,
            kwargs={"connect_timeout": int(_WAIT_SECONDS)},
            open=False,
        )
        self._pools = pools

    @contextmanager
    def connected(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection for a block, which is one transaction. Raises StoreUnavailable, in the block's place too."""
        with self._explained():
            self._pool.open()
            with self._pool.connection() as connection:
                yield connection

    @contextmanager
    def alone(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection that is not of the pool, for long work. Raises as `connected`."""
        with (
            self._explained(),
            self._driver.connect(self.address, connect_timeout=int(_WAIT_SECONDS)) as connection,
        ):
            yield connection

    def checked_version(self, connection: psycopg.Connection[Any]) -> None:
        """Raise StoreUnavailable unless the schema is there, and of this version."""
        found = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.version",)).fetchone()
        if found is None or found[0] is None:
            raise StoreUnavailable(
                f"The database {shown(self.address)} holds no premise index.",
                "Publish one: premise-suggest index --store ADDRESS",
            )
        row = connection.execute(f"SELECT number FROM {SCHEMA}.version").fetchone()
        if row is None or row[0] != VERSION:
            raise StoreUnavailable(
                f"The premise index in {shown(self.address)} has version {row and row[0]} of its tables; this "
                f"premise-suggest knows version {VERSION}.",
                "Use the version of premise-suggest that wrote it, or publish into another database.",
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        driver = self._driver
        try:
            yield
        except (driver.OperationalError, driver.InterfaceError, self._pools.PoolTimeout) as error:
            said = _first_line(error)
            raise StoreUnavailable(
                f"The database {shown(self.address)} does not answer: {said}",
                "Start it, or correct the address; what waits for it goes on by itself.",
            ) from None
        except driver.errors.InsufficientPrivilege as error:
            raise StoreUnavailable(
                f"The database {shown(self.address)} refuses that to this user: {_first_line(error)}",
                "docs/scale.md says which rights reading and publishing need.",
            ) from None
        except driver.Error as error:
            raise StoreUnavailable(
                f"The database {shown(self.address)} failed: {_first_line(error)}", "See its log."
            ) from None


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return without_passwords(lines[0]) if lines else type(error).__name__
