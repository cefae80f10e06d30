"""An index that is damaged gives way to what is left, says so, and comes back with the command it names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_extract.common.errors import IndexDamaged
from lsp_server.commands.diagnosis import examine
from lsp_server.commands.findings import Finding, IndexReading
from lsp_server.engine.engine import Engine
from lsp_server.engine.indexing import update_project
from lsp_server.engine.requests import SearchRequest
from lsp_server.engine.schema import SearchAnswer
from lsp_server.engine.settings import IndexSettings, Settings
from lsp_server.engine.stores import SHIPPED_MODEL, bundled_store, project_store, shared_folder
from retriever.lean.index.bundled import CARD, DATA

pytestmark = pytest.mark.skipif(
    not (DATA / CARD).is_file() or not (SHIPPED_MODEL / "config.json").is_file(),
    reason="this checkout has no bundled Mathlib index yet",
)
OWN = "theorem of_the_project (a b : Nat) : a + b = b + a := sorry\n"
DEP = "theorem of_the_package (n m : Nat) : n + m = m + n := sorry\n"
QUIET = Settings(index=IndexSettings(on_save=False))
"""Nothing is read again by itself before an answer."""
GOAL = "n m : Nat ⊢ n + m = m + n"


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One folder of indexes, in which the bundled one is unpacked once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREMISE_SUGGEST_INDEX", str(tmp_path_factory.mktemp("index")))
        patch.delenv("PREMISE_SUGGEST_MODEL", raising=False)
        bundled_store()
        yield


def project(root: Path, *, needs_mathlib: bool) -> Path:
    """A project with a package at a pinned revision, indexed."""
    package = root / ".lake" / "packages" / "dep"
    package.mkdir(parents=True)
    require = '[[require]]\nname = "mathlib"\n' if needs_mathlib else ""
    (root / "lakefile.toml").write_text(f'name = "x"\n{require}', encoding="utf-8")
    (root / "A.lean").write_text(OWN, encoding="utf-8")
    (package / "lakefile.toml").write_text('name = "dep"\n', encoding="utf-8")
    (package / "Dep.lean").write_text(DEP, encoding="utf-8")
    revision = os.urandom(8).hex()
    (root / "lake-manifest.json").write_text(
        f'{{"version": "1.1.0", "packages": [{{"name": "dep", "type": "git", "rev": "{revision}"}}]}}'
    )
    index(root)
    return root


def index(root: Path) -> None:
    """What `premise-suggest index` does."""
    update_project(root, "", lambda stage, done, total: None, lambda: False)


def flip(folder: Path, name: str) -> Path:
    """Alter a byte of a file below a folder."""
    [path] = folder.rglob(name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    return path


async def ask(engine: Engine) -> tuple[set[str], list[str]]:
    """(names, warnings) of an answer."""
    answer: SearchAnswer = await engine.search(SearchRequest(GOAL, k=100))
    return {one.name for one in answer.premises}, answer.warnings


def found(root: Path) -> dict[str, Finding]:
    return {one.name: one for one in examine(root)}


async def test_mathlib_answers_where_the_projects_own_index_is_damaged(tmp_path: Path) -> None:
    root = project(tmp_path, needs_mathlib=True)
    engine = Engine(root)
    names, warnings = await ask(engine)
    assert {"of_the_project", "of_the_package"} < names and warnings == []
    store = project_store(root)
    flip(store.root, "terms.txt")
    os.utime(store.manifest_path)  # what is open is looked at again
    names, [warning] = await ask(engine)
    assert "of_the_project" not in names and len(names) > 50
    assert "terms.txt" in warning and f"premise-suggest index {root}" in warning
    assert await ask(Engine(root)) == (names, [warning])
    assert found(root)["index"].status == "missing"
    index(root)
    names, warnings = await ask(engine)
    assert {"of_the_project", "of_the_package"} < names and warnings == []


async def test_what_is_left_answers_where_a_package_is_damaged(tmp_path: Path) -> None:
    root = project(tmp_path, needs_mathlib=False)
    engine = Engine(root, QUIET)
    [include] = [one for one in project_store(root).manifest().includes if "dep-" in one]
    assert Path(include).parent == shared_folder()
    assert "of_the_package" in (await ask(engine))[0]
    flip(Path(include), "files.json")
    doctor = found(root)["index"]
    assert doctor.status == "missing" and "files.json was altered" in doctor.message
    assert doctor.fix == f"premise-suggest index {root}"
    opened_anew = Engine(root, QUIET)
    names, [warning] = await ask(opened_anew)
    assert "of_the_project" in names and "of_the_package" not in names
    assert "files.json" in warning and f"premise-suggest index {root}" in warning
    caught_up = Engine(root)
    for one in (caught_up, engine, opened_anew):  # the first has it read again by itself
        names, warnings = await ask(one)
        assert {"of_the_project", "of_the_package"} < names and warnings == []
    assert "damaged" not in found(root)["index"].message


async def test_a_project_without_mathlib_says_what_is_damaged(tmp_path: Path) -> None:
    root = project(tmp_path, needs_mathlib=False)
    engine = Engine(root)
    await ask(engine)
    path = flip(project_store(root).root, "vectors.npy")
    os.utime(project_store(root).manifest_path)
    for one in (engine, Engine(root)):
        with pytest.raises(IndexDamaged, match="vectors"):
            await ask(one)
    assert str(path) in found(root)["index"].message
    index(root)
    assert "of_the_project" in (await ask(engine))[0]


async def test_the_bundled_copy_is_healed_under_a_running_server_and_by_doctor(tmp_path: Path) -> None:
    engine = Engine(None)
    names, _ = await ask(engine)
    stamp = bundled_store().stamp()
    flip(bundled_store().root, "posting_documents.npy")
    doctor = found(tmp_path)["bundled Mathlib"]
    assert doctor.status == "note" and "posting_documents.npy was altered" in doctor.message
    assert "unpacked again" in doctor.message
    assert bundled_store().stamp() != stamp
    assert await ask(engine) == (names, []) == await ask(Engine(None))
    assert found(tmp_path)["bundled Mathlib"].status == "ok"


def test_a_long_look_is_told_and_has_an_end() -> None:
    told: list[str] = []
    reading = IndexReading(told.append, limit=0.0, every=0.0)
    assert not reading.go_on(3 << 20) and not reading.is_whole
    assert told and "3 MiB" in told[0]
    assert IndexReading(told.append).go_on(1) and len(told) == 1
