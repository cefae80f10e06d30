"""An index in PostgreSQL: published by `index --store`, served by `http --store`."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lean_extract.goals import parse_goal
from lsp_server.engine.stores import model_folder
from retriever.lean.eligibility import RankRequest
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search
from retriever.limits import GRAPH_FROM_PREMISES
from retriever.search.index.segment import search_over
from retriever.search.index.store import IndexStore
from retriever.search.postgres.database import Database
from retriever.search.postgres.search import GraphSearch
from retriever.search.postgres.store import DatabaseStore
from retriever.search.postgres.store import published as libraries
from tests.forked import SCRIPT
from tests.http.conftest import Served, names, serving
from tests.postgres.conftest import Postgres, run

STATES = [
    "m n : Nat\n⊢ m + n = n + m",
    "α : Type u\ninst✝ : Lattice α\na b c : α\nh : a ≤ c\n⊢ a ⊔ b ⊓ c ≤ (a ⊔ b) ⊓ c",
    "k n : Nat\nhk : 0 < k\nhkn : k ≤ n\n⊢ k ∣ n.factorial",
    "α : Type u\nk l : List α\n⊢ (k ++ l).reverse = l.reverse ++ k.reverse",
    "p q r : Prop\nh : p ∧ q\n⊢ q ∧ p",
    "a b c : Nat\nh : a ≤ b\n⊢ a + c ≤ b + c",
]


def eventually(holds: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Ask until it holds; each time asks the server, which looks for news once a second."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := holds():
            return found
    raise AssertionError("it never held")


@pytest.fixture(scope="module")
def served(published: Postgres, environment: dict[str, str]) -> Iterator[Served]:
    with serving(environment, "--store", published.uri) as one:
        yield one


def test_answers_are_those_of_the_index_on_disk(
    served: Served, library: Path, published: Postgres, environment: dict[str, str]
) -> None:
    with serving(environment, "--project", library) as embedded:
        for state in STATES:
            here, there = (one.retrieve(state=state, k=16) for one in (embedded, served))
            assert names(there) == names(here)
            assert [one["score"] for one in there] == pytest.approx([one["score"] for one in here], abs=1e-4)
        for query in ("add comm", "a mirror image seen in a mirror"):
            searched = [one.get("/api/premises", query=query, k=5).json() for one in (embedded, served)]
            assert searched[1]["premises"] == searched[0]["premises"]
            assert all(one["statement"] for one in searched[1]["premises"])
        assert searched[1]["premises"][0]["doc"] == "A mirror image seen in a mirror is the tree."


def test_a_revision_is_asked_for_by_its_lean_version(served: Served) -> None:
    found = served.get("/api/search", query=STATES[0], results=1, rev="v4.35.0").json()
    assert [one["name"] for one in found] == ["Nat.add_comm"]
    refused = served.get("/api/search", query=STATES[0], results=1, rev="v4.1.0")
    assert refused.status_code == 400


def store_of(
    published: Postgres, environment: dict[str, str], graph_from: int = GRAPH_FROM_PREMISES
) -> DatabaseStore:
    """The example library as it is published."""
    database = Counting(published.uri)
    [found] = [one for one in libraries(database) if one.library == "example"]
    copies = Path(environment["PREMISE_SUGGEST_INDEX"]) / "copies"
    return DatabaseStore(database, found, copies, graph_from)


class Counting(Database):
    """A database that counts how often it is asked."""

    asked = 0

    def connected(self) -> AbstractContextManager[Any]:
        self.asked += 1
        return super().connected()


def test_what_is_copied_from_a_database_is_the_users_alone(
    published: Postgres, environment: dict[str, str]
) -> None:
    store = store_of(published, environment)
    store.open()
    copied = [store.root, *store.root.rglob("*")]
    assert len(copied) > 10
    assert [path for path in copied if path.stat().st_mode & 0o077] == []


def test_records_of_an_answer_are_fetched_at_once(published: Postgres, environment: dict[str, str]) -> None:
    store = store_of(published, environment)
    service = PremiseService.open([store], model_folder(""))
    service.rank(RankRequest(parse_goal(STATES[0]), k=32))
    database = store._database
    assert isinstance(database, Counting)
    for ask in (
        lambda: service.rank(RankRequest(parse_goal(STATES[1]), k=32)),
        lambda: search(service, "list reverse append", k=32),
    ):
        store.stamp()  # whether there is a newer revision is asked once a second
        before = database.asked
        found = ask()
        assert len(found) == 32
        assert all(one.premise.conclusion for one in found if one.premise.kind == "theorem")
        assert database.asked - before <= 2


def test_the_graph_in_the_database_finds_what_exact_search_finds(
    published: Postgres, environment: dict[str, str]
) -> None:
    exact, by_graph = (
        PremiseService.open([store_of(published, environment, start)], model_folder(""))
        for start in (GRAPH_FROM_PREMISES, 0)
    )
    for state in STATES:
        here, there = (
            [one.premise.name for one in service.rank(RankRequest(parse_goal(state), k=10))]
            for service in (exact, by_graph)
        )
        assert len(set(here) & set(there)) >= 9


def test_neighbours_under_any_filter_are_the_exact_ones(
    published: Postgres, environment: dict[str, str]
) -> None:
    search = search_over([segment for segment, _ in store_of(published, environment, graph_from=0).open()[1]])
    assert isinstance(search, GraphSearch)
    generator = np.random.default_rng(0)
    count, exact = len(search), search.exact
    dimension = search.table.dimension
    agreed = total = 0
    for share in (1.0, 0.5, 0.05, 0.002):
        for _ in range(6):
            vector = generator.normal(size=dimension).astype(np.float32)
            allowed = generator.random(count) < share
            one, other = search.query(vector), exact.query(vector)
            near, expected = one.top(10, allowed), other.top(10, allowed)
            assert allowed[near].all()
            assert len(near) == len(expected)
            agreed += len(set(near.tolist()) & set(expected.tolist()))
            total += len(expected)
            assert one.scores(expected) == pytest.approx(other.scores(expected), abs=1e-5)
    assert agreed / total >= 0.98
    assert len(search.query(vector).top(3, np.zeros(count, dtype=np.bool_))) == 0


def test_what_is_published_anew_is_served_without_a_restart(
    served: Served, published: Postgres, library: Path, environment: dict[str, str]
) -> None:
    file = library / "Example" / "Fresh.lean"
    file.write_text("theorem freshly_made (n : Nat) : n * 12345 = 12345 * n := sorry\n", encoding="utf-8")
    before = published.execute("SELECT count(*) FROM premise_suggest.revisions")
    done = run(environment, "index", library, "--store", published.uri, "--quiet")
    assert done.returncode == 0, done.stderr
    assert published.execute("SELECT count(*) FROM premise_suggest.revisions")[0][0] == before[0][0] + 1
    state = "n : Nat\n⊢ n * 12345 = 12345 * n"
    eventually(lambda: "freshly_made" in names(served.retrieve(state=f"{state}", k=3)))
    for _ in range(2):
        assert run(environment, "index", library, "--store", published.uri, "--quiet").returncode == 0
    kept = published.execute("SELECT id FROM premise_suggest.revisions ORDER BY id")
    assert len(kept) == 2  # the one that is read, and the one before
    tables = published.execute(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'premise_suggest.premises'::regclass"
    )
    assert tables[0][0] == 2


def test_a_publication_that_is_killed_leaves_nothing(
    published: Postgres, library: Path, environment: dict[str, str]
) -> None:
    import psycopg

    before = published.execute("SELECT id FROM premise_suggest.revisions ORDER BY id")
    with psycopg.connect(published.uri) as other:
        other.execute("LOCK TABLE premise_suggest.files IN ACCESS EXCLUSIVE MODE")  # it waits for this
        command = [str(SCRIPT), "index", str(library), "--store", published.uri, "--quiet"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
            waits = (
                "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'premise_suggest.files'::regclass"
            )
            eventually(lambda: published.execute(waits))
            again = run(environment, "index", library, "--store", published.uri, "--quiet")
            assert again.returncode == 1
            assert "Another process publishes into this machine/postgres now." in again.stderr
            process.send_signal(signal.SIGKILL)
        other.rollback()
    assert published.execute("SELECT id FROM premise_suggest.revisions ORDER BY id") == before
    eventually(
        lambda: run(environment, "index", library, "--store", published.uri, "--quiet").returncode == 0
    )


def test_a_database_that_goes_away_is_told_and_comes_back_by_itself(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory, library: Path
) -> None:
    pgserver: Any = pytest.importorskip("pgserver")
    folder = tmp_path_factory.mktemp("away") / "data"
    server = pgserver.get_server(folder)
    database = Postgres(folder, server.get_uri())
    try:
        assert run(environment, "index", library, "--store", database.uri, "--quiet").returncode == 0
        with serving(environment, "--store", database.uri) as one:
            assert names(one.retrieve(state=STATES[0], k=1)) == ["Nat.add_comm"]
            database.stop()
            gone = one.post("/retrieve", {"state": STATES[1], "k": 1})
            assert gone.status_code == 503
            assert int(gone.headers["Retry-After"]) > 0
            assert "does not answer" in gone.json()["error"]
            assert one.get("/healthz").status_code == 200
            database.start()
            eventually(lambda: one.post("/retrieve", {"state": STATES[1], "k": 1}).status_code == 200)
    finally:
        server.cleanup()


def test_a_role_that_may_only_read_serves_and_cannot_publish(
    published: Postgres, library: Path, environment: dict[str, str]
) -> None:
    published.execute("CREATE ROLE reader LOGIN")
    reading = published.uri.replace("postgres:@", "reader:@")
    refused = run(environment, "http", "--port", "0", "--store", reading)
    assert refused.returncode == 1
    assert "refuses that to this user" in refused.stderr
    published.execute("GRANT USAGE ON SCHEMA premise_suggest TO reader")
    published.execute("GRANT SELECT ON ALL TABLES IN SCHEMA premise_suggest TO reader")
    assert (
        run(environment, "index", library, "--store", published.uri, "--quiet").returncode == 0
    )  # tables of later
    with serving({**environment, "PREMISE_SUGGEST_STORE": reading}) as one:
        assert names(one.retrieve(state=STATES[0], k=1)) == ["Nat.add_comm"]
    done = run(environment, "index", library, "--store", reading, "--quiet")
    assert done.returncode == 1
    assert "refuses that to this user" in done.stderr


SECRET = "hunter2"


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        (
            f"postgresql://someone:{SECRET}@127.0.0.1:1/nothing",
            1,
            "The database 127.0.0.1/nothing does not answer",
        ),
        (f"mysql://someone:{SECRET}@127.0.0.1/x", 2, "is no address of a PostgreSQL database."),
        (f"postgresql://someone:{SECRET}@[::1/x", 2, "is no address of a PostgreSQL database"),
        ("nothing", 2, "is no address of a PostgreSQL database"),
        (f"postgresql://127.0.0.1/x?{SECRET.strip('2')}=x", 2, "127.0.0.1/x has a parameter after the ?"),
    ],
)
def test_what_is_no_database_is_told_without_its_password(
    environment: dict[str, str], address: str, code: int, said: str
) -> None:
    done = run(environment, "http", "--port", "0", "--store", address)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert SECRET not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("login", ["ghost:hunter2", "hunter2", "postgres:hunter2"])
def test_what_a_real_server_refuses_is_told_without_user_and_password(
    published: Postgres, environment: dict[str, str], library: Path, login: str
) -> None:
    address = f"postgresql://{login}@/nothing?host={published.folder}&application_name={SECRET}"
    done = run(environment, "index", library, "--store", address, "--quiet")
    assert done.returncode == 1
    assert "The database this machine/nothing does not answer: " in done.stderr
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["a/b", "..", "a b", "x" * 65, "a\x1b[2J"])
def test_a_library_is_not_published_under_a_name_that_is_not_plain_and_short(
    published: Postgres, environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "my project"
    folder.mkdir()
    (folder / "A.lean").write_text("theorem a : True := trivial\n", encoding="utf-8")
    for given, hint in ((["--name", name], "Use letters"), ([], "Give it another one with --name.")):
        done = run(environment, "index", folder, "--store", published.uri, *given)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"cannot be the name of a library.\nhint: {hint}" in done.stderr
        assert "\x1b" not in done.stderr


def test_what_cannot_be_published_is_told_before_anything_is_read(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("theorem a : True := trivial\n", encoding="utf-8")
    done = run(environment, "index", tmp_path, "--store", "mysql://127.0.0.1/x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no address of a PostgreSQL database" in done.stderr
    other = run(environment, "index", tmp_path, "--backend", "naturalproofs", "--store", "postgresql:///x")
    assert (other.returncode, other.stdout) == (2, "")
    assert "Only Lean projects are published" in other.stderr


def test_tables_of_another_version_are_left_alone(
    postgres: Postgres, library: Path, environment: dict[str, str]
) -> None:
    other = postgres.created("later")
    empty = run(environment, "http", "--port", "0", "--store", other.uri)
    assert empty.returncode == 1
    assert "holds no premise index" in empty.stderr
    other.execute("CREATE SCHEMA premise_suggest")
    other.execute("CREATE TABLE premise_suggest.version (number integer NOT NULL)")
    other.execute("INSERT INTO premise_suggest.version VALUES (99)")
    for arguments in (["http", "--port", "0"], ["index", str(library), "--quiet"]):
        done = run(environment, *arguments, "--store", other.uri)
        assert done.returncode == 1
        assert "has version 99 of its tables; this premise-suggest knows version 2" in done.stderr


def test_a_database_without_pgvector_is_told(
    postgres: Postgres, library: Path, environment: dict[str, str]
) -> None:
    bare = postgres.created("bare")
    postgres.execute("ALTER DATABASE bare SET extension_control_path = '/nowhere'")
    done = run(environment, "index", library, "--quiet", "--store", bare.uri)
    assert done.returncode == 1
    assert "PostgreSQL at this machine/bare has no pgvector." in done.stderr
    assert "https://github.com/pgvector/pgvector" in done.stderr
    assert bare.execute("SELECT to_regnamespace('premise_suggest')") == [(None,)]


def test_a_copy_of_columns_that_is_gone_is_made_again(
    published: Postgres, environment: dict[str, str], tmp_path: Path
) -> None:
    [found] = [one for one in libraries(Database(published.uri)) if one.library == "example"]
    store = DatabaseStore(Database(published.uri), found, tmp_path / "copies")
    assert isinstance(store, IndexStore)
    first = [len(segment) for segment, _ in store.open()[1]]
    shutil.rmtree(tmp_path / "copies")
    assert [len(segment) for segment, _ in store.open()[1]] == first


def test_a_database_that_was_made_anew_is_read_anew(
    postgres: Postgres, environment: dict[str, str], tmp_path: Path
) -> None:
    database = postgres.created("anew")
    root = tmp_path / "small"
    root.mkdir()
    (root / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
    counts = []
    for theorems in (1, 2):
        text = "\n".join(f"theorem t{n} : True := trivial" for n in range(theorems))
        (root / "A.lean").write_text(f"{text}\n", encoding="utf-8")
        assert run(environment, "index", root, "--store", database.uri, "--quiet").returncode == 0
        [found] = libraries(Database(database.uri))
        store = DatabaseStore(Database(database.uri), found, tmp_path / "copies")
        names_there = [name for segment, _ in store.open()[1] for name in segment.names]
        counts.append(sum(name in ("t0", "t1") for name in names_there))
        assert found.number == 1
        database.execute("DROP SCHEMA premise_suggest CASCADE")
    assert counts == [1, 2]


def test_libraries_that_are_published_later_are_served_too(
    postgres: Postgres, environment: dict[str, str], tmp_path: Path
) -> None:
    database = postgres.created("growing")

    def publish(name: str, lean: str) -> None:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        (root / "lakefile.toml").write_text(f'name = "{name}"\n', encoding="utf-8")
        (root / "lean-toolchain").write_text(f"leanprover/lean4:v{lean}\n", encoding="utf-8")
        (root / "A.lean").write_text(f"theorem of_{name} : True ∨ False := .inl trivial\n", encoding="utf-8")
        done = run(environment, "index", root, "--quiet", "--store", database.uri)
        assert done.returncode == 0, done.stderr

    def found(server: Served, **rev: str) -> Any:
        answer = server.get("/api/search", query="⊢ True ∨ False", results=3, **rev)
        return [one["name"] for one in answer.json()] if answer.status_code == 200 else None

    publish("first", "4.20.0")
    publish("second", "4.21.0")
    refused = run(environment, "http", "--port", "0", "--store", database.uri, "--library", "third")
    assert refused.returncode == 2
    assert "holds no library third." in refused.stderr and "It has second, first." in refused.stderr
    with serving(environment, "--store", database.uri, "--library", "first", "--workers", "2") as server:
        assert "of_first" in found(server)
        assert "of_second" in found(server, rev="second")
        assert found(server, rev="v4.22.0") is None
        publish("first", "4.22.0")
        publish("third", "4.23.0")
        eventually(lambda: "of_third" in (found(server, rev="third") or ()))
        eventually(lambda: "of_first" in (found(server, rev="v4.22.0") or ()))
        assert "of_first" in found(server)
