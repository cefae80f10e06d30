"""Libraries of a database that cannot be used are left out with a note, and the others are served."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.http.conftest import names, serving
from tests.postgres.conftest import Postgres, run
from tests.postgres.test_shared_index_for_agents import SUM, agent, ask

SOUND = "SELECT manifest FROM premise_suggest.revisions WHERE library = 'example'"
COPIED = (
    "INSERT INTO premise_suggest.revisions (library, revision, lean, fingerprint, dimension, premises, manifest) "
    "SELECT %s, '1', lean, fingerprint, dimension, premises, %s::jsonb FROM premise_suggest.revisions "
    "WHERE library = 'example' RETURNING id"
)
FILES = (
    "INSERT INTO premise_suggest.files (revision_id, segment, name, page, content) "
    "SELECT %s, segment, CASE name WHEN 'names.txt' THEN %s ELSE name END, page, "
    "CASE name WHEN %s THEN 'x'::bytea ELSE content END FROM premise_suggest.files f "
    "JOIN premise_suggest.revisions r ON r.id = f.revision_id WHERE r.library = 'example'"
)


def malformed(sound: dict[str, Any]) -> dict[str, Any]:
    """Manifests that cannot be read, by the names of their libraries."""
    return {
        "list": [],
        "null": None,
        "text": "manifest",
        "number": 3,
        "nothing": {},
        "without-segments": {key: value for key, value in sound.items() if key != "segments"},
        "unknown-member": {**sound, "more": 1},
        "other-version": {**sound, "version": 99},
        "other-format": {**sound, "format": "x"},
        "segments-no-list": {**sound, "segments": 3},
        "segment-elsewhere": {**sound, "segments": [["../../elsewhere", []]]},
        "segment-no-name": {**sound, "segments": [[None, []]]},
        "dead-no-list": {**sound, "segments": [["segment-0", "x"]]},
        "stats-no-object": {**sound, "stats": [1]},
        "fingerprint-no-text": {**sound, "fingerprint": 7},
    }


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A database with a library that can be used, and others that cannot."""

    postgres: Postgres
    manifests: tuple[str, ...]
    columns: tuple[str, ...]
    """Those whose manifests can be read."""


@pytest.fixture(scope="module")
def spoilt(published: Postgres, library: Path, environment: dict[str, str]) -> Iterator[Spoilt]:
    database = published.created("spoilt")
    done = run(environment, "index", library, "--store", database.uri, "--quiet")
    assert done.returncode == 0, done.stderr
    [(sound,)] = database.execute(SOUND)
    manifests = malformed(sound)
    for name, manifest in manifests.items():
        database.execute(COPIED, name, json.dumps(manifest))
    dead = {**sound, "segments": [[segment, [10**6]] for segment, _ in sound["segments"]]}
    columns = {
        "without-files": (sound, None),
        "file-elsewhere": (sound, ("../elsewhere", "")),
        "file-missing": (sound, ("other.txt", "")),
        "meta-cut-off": (sound, ("names.txt", "meta.json")),
        "column-cut-off": (sound, ("names.txt", "kinds.npy")),
        "dead-files-out-of-range": (dead, ("names.txt", "")),
    }
    for name, (manifest, files) in columns.items():
        [(number,)] = database.execute(COPIED, name, json.dumps(manifest))
        if files is not None:
            database.execute(FILES, number, *files)
    database.execute(COPIED, "bad\x1b[2Jname", json.dumps(sound))
    yield Spoilt(database, tuple(manifests), tuple(columns))


def test_a_server_leaves_out_what_cannot_be_used_and_says_so(
    spoilt: Spoilt, environment: dict[str, str], tmp_path: Path
) -> None:
    errors = tmp_path / "errors"
    with serving(environment, "--store", spoilt.postgres.uri, errors=errors) as served:
        assert names(served.retrieve(state=SUM, k=1)) == ["Nat.add_comm"]
    said = errors.read_text(encoding="utf-8")
    for name in (*spoilt.manifests, *spoilt.columns):
        assert f"note: The library {name} 1 is left out: " in said
    assert r"note: The library bad\x1b[2Jname 1 is left out: Its name is not plain" in said
    assert "Traceback" not in said
    elsewhere = Path(environment["PREMISE_SUGGEST_INDEX"]) / "databases"
    assert not [*elsewhere.rglob("elsewhere")]


async def test_an_agent_is_given_a_library_that_can_be_used(
    spoilt: Spoilt, environment: dict[str, str], tmp_path: Path
) -> None:
    """All are for one Lean version; those whose columns are damaged were published last, and go first."""
    for name in spoilt.columns:
        spoilt.postgres.execute("DELETE FROM premise_suggest.revisions WHERE library = %s", name)
    async with agent(environment, tmp_path, "--store", spoilt.postgres.uri) as client:
        found = await ask(client, "premises", state=SUM, k=1)
    assert found["premises"][0]["name"] == "Nat.add_comm"


@pytest.mark.parametrize("name", ["list", "segment-elsewhere"])
def test_a_library_that_is_asked_for_and_cannot_be_used_is_told(
    spoilt: Spoilt, environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    done = run(environment, "mcp", "--project", tmp_path, "--store", spoilt.postgres.uri, "--library", name)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"error: The library {name} 1 in this machine/spoilt is damaged: its manifest" in done.stderr
    assert "\nhint: Publish it again." in done.stderr


def test_a_database_of_nothing_that_can_be_used_is_told(
    spoilt: Spoilt, environment: dict[str, str], tmp_path: Path
) -> None:
    spoilt.postgres.execute("DELETE FROM premise_suggest.revisions WHERE library = 'example'")
    for line in (("http", "--port", "0"), ("mcp", "--project", str(tmp_path))):
        done = run(environment, *line, "--store", spoilt.postgres.uri)
        assert (done.returncode, done.stdout) == (1, "")
        assert "is damaged: its manifest cannot be read" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_manifest_names_no_folder_of_this_machine(
    published: Postgres, library: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """What it says that it includes is an index of somebody else here."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "lakefile.toml").write_text('name = "own"\n', encoding="utf-8")
    (own / "Own.lean").write_text(
        "theorem my_secret (n : Nat) : n * 777 = 777 * n := sorry\n", encoding="utf-8"
    )
    assert run(environment, "index", own, "--quiet").returncode == 0
    [index] = Path(environment["PREMISE_SUGGEST_INDEX"]).glob("own-*")
    database = published.created("prying")
    assert run(environment, "index", library, "--store", database.uri, "--quiet").returncode == 0
    database.execute(
        "UPDATE premise_suggest.revisions SET manifest = jsonb_set(manifest, '{includes}', %s::jsonb)",
        json.dumps([str(index)]),
    )
    with serving(environment, "--store", database.uri) as served:
        assert "my_secret" not in names(served.retrieve(state="n : Nat\n⊢ n * 777 = 777 * n", k=16))
    shutil.rmtree(index)
