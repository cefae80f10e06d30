"""The one door to a database: connections, its schema's version, and errors in words, without passwords."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lean_extract.common.errors import StoreUnavailable, UserError
from lean_extract.common.terminal_text import import_extra
from retriever.limits import CONNECTION_SECONDS, MAX_CONNECTIONS
from retriever.search.postgres.address import read_address

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

SCHEMA = "premise_suggest"
VERSION = 2
_REASONS = (
    "password authentication failed",
    "no password supplied",
    "does not exist",
    "no pg_hba.conf entry",
    "Connection refused",
    "No such file or directory",
    "could not translate host name",
    "timeout expired",
    "certificate",
    "SSL",
    "permission denied",
)
"""Words of the driver and the database that say enough where the rest may not be shown."""

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


class Database:
    """Connections to one database; safe to use from several threads.

    Raises UserError: the address is not one of PostgreSQL, or the extra `postgres` is not installed.
    """

    def __init__(self, address: str) -> None:
        self._address = read_address(address)
        self.name = self._address.shown
        """For people: host and database."""
        self._driver: Any = import_extra("psycopg", "postgres", "An index in a database")
        pools: Any = import_extra("psycopg_pool", "postgres", "An index in a database")
        logging.getLogger("psycopg.pool").setLevel(
            logging.ERROR
        )  # it would log each try; requests report the failure once
        self._conninfo = self._checked()
        self._pool: ConnectionPool[psycopg.Connection[Any]] = pools.ConnectionPool(
            self._conninfo,
            min_size=0,
            max_size=MAX_CONNECTIONS,
            timeout=CONNECTION_SECONDS,
            open=False,
        )
        self._pools = pools

    def _checked(self) -> str:
        """The address as libpq reads it. Raises UserError: it has a parameter that libpq lacks."""
        known = {option.keyword.decode() for option in self._driver.pq.Conninfo.get_defaults()}
        if not self._address.parameters.keys() <= known:
            raise UserError(
                f"The address of the database {self.name} has a parameter after the ? that PostgreSQL does not know.",
                "Correct it, or leave it out.",
            )
        waiting = {"connect_timeout": int(CONNECTION_SECONDS)}
        return str(self._driver.conninfo.make_conninfo(**{**self._address.parameters, **waiting}))

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
        with self._explained(), self._driver.connect(self._conninfo) as connection:
            yield connection

    def checked_version(self, connection: psycopg.Connection[Any]) -> None:
        """Raise StoreUnavailable unless the schema is there, and of this version."""
        found = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.version",)).fetchone()
        if found is None or found[0] is None:
            raise StoreUnavailable(
                f"The database {self.name} holds no premise index.",
                "Publish one: premise-suggest index --store ADDRESS",
            )
        row = connection.execute(f"SELECT number FROM {SCHEMA}.version").fetchone()
        if row is None or row[0] != VERSION:
            raise StoreUnavailable(
                f"The premise index in {self.name} has version {row and row[0]} of its tables; this "
                f"premise-suggest knows version {VERSION}.",
                "Use the version of premise-suggest that wrote it, or publish into another database.",
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        driver = self._driver
        try:
            yield
        except (driver.OperationalError, driver.InterfaceError, self._pools.PoolTimeout) as error:
            reason = self._reason(error)
            raise StoreUnavailable(
                f"The database {self.name} does not answer: {reason}",
                "Start it, or correct the address; what waits for it goes on by itself.",
            ) from None
        except driver.errors.InsufficientPrivilege as error:
            raise StoreUnavailable(
                f"The database {self.name} refuses that to this user: {self._reason(error)}",
                "docs/scale.md says which rights reading and publishing need.",
            ) from None
        except driver.Error as error:
            raise StoreUnavailable(
                f"The database {self.name} failed: {self._reason(error)}", "See its log."
            ) from None

    def _reason(self, error: Exception) -> str:
        """What an error of the driver says, without user, password and other parts of the address."""
        line = str(error).strip().partition("\n")[0]
        if line and not self._address.is_told_by(line):
            return line
        return next((reason for reason in _REASONS if reason in line), "it gives no reason that can be shown")
