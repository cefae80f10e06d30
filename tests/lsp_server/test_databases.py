"""Local databases: packages indexed once for all projects, and how fresh an answer is."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.environments import own_indexes
from tests.lsp_server.conftest import QUIET, STATE, Cli, place_of, premise_names, start_editor

pytestmark = pytest.mark.lean

MANY = 65
"""More changed files than are read before an answer."""
OLD, NEW = "0123456789abcdef0123456789abcdef01234567", "f" * 40
PACKAGE = """\
theorem Dep.turn (n m : Nat) : n + m = m + n := Nat.add_comm n m
theorem Dep.grow (n m : Nat) : n ≤ n + m := Nat.le_add_right n m
"""


class Workshop:
    """Projects that share one folder of indexes."""

    def __init__(self, folder: Path, cli: Cli, core: tuple[int, int]) -> None:
        """`core`: how many premises and files of Lean's own are read beside the first project."""
        self.folder = folder
        self._core = core
        self._cli = cli
        self.index = own_indexes(folder / "index")

    def project(self, name: str, revision: str | None, text: str = PACKAGE, *, package: str = "dep") -> Path:
        """A project with one module of its own and one package: from git at a revision, or by path."""
        root = self.folder / name
        where = root / ".lake" / "packages" / package if revision else root / "dep"
        where.mkdir(parents=True, exist_ok=True)
        (where / "lakefile.toml").write_text(f'name = "{package}"\n', encoding="utf-8")
        (where / "Dep.lean").write_text(text, encoding="utf-8")
        entry = {"name": package, "type": "git", "rev": revision} if revision else {}
        entry = entry or {"name": "dep", "type": "path", "dir": "dep"}
        manifest = {"name": name, "packagesDir": ".lake/packages", "packages": [entry]}
        (root / "lake-manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        (root / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
        own = f"import Dep\n\ntheorem {name}_own (n : Nat) : n = n := rfl\n"
        (root / f"{name.title()}.lean").write_text(own, encoding="utf-8")
        return root

    def run(self, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        done = self._cli(*arguments, PREMISE_SUGGEST_INDEX=str(self.index), **options)
        assert done.returncode == 0, done.stderr
        return done

    def index_of(self, root: Path) -> tuple[int, int]:
        """Run `index`; (files read, premises embedded), less those of Lean's core."""
        premises, files = (0, 0) if self._packages(is_core=True) else self._core
        said = self.run("index", root).stdout
        found = re.search(r"\((\d+) read, .*, ([\d,]+) premises? embedded", said)
        assert found, said
        return int(found[1]) - files, int(found[2].replace(",", "")) - premises

    def ask(self, root: Path) -> Any:
        return json.loads(self.run("suggest", "--state", "-", "--json", stdin=STATE, cwd=root).stdout)

    def packages(self) -> list[str]:
        """What the projects share, less Lean's core."""
        return self._packages(is_core=False)

    def _packages(self, *, is_core: bool) -> list[str]:
        names = sorted(path.name for path in (self.index / "packages").glob("*"))
        return [name for name in names if name.startswith("mini-core-") == is_core]


@pytest.fixture
def workshop(tmp_path: Path, cli: Cli, core_size: tuple[int, int]) -> Workshop:
    return Workshop(tmp_path, cli, core_size)


def test_a_package_at_a_revision_is_embedded_once_for_all_projects(workshop: Workshop) -> None:
    one, two = workshop.project("one", OLD), workshop.project("two", OLD)
    assert workshop.index_of(one) == (2, 3)
    (package,) = workshop.packages()
    written = (workshop.index / "packages" / package / "manifest.json").stat().st_mtime_ns
    assert workshop.index_of(two) == (1, 1), "only its own module"
    assert workshop.packages() == [package]
    assert (workshop.index / "packages" / package / "manifest.json").stat().st_mtime_ns == written
    for root in (one, two):
        assert premise_names(workshop.ask(root))[0] == "Dep.turn"


def test_another_revision_has_an_index_of_its_own(workshop: Workshop) -> None:
    old = workshop.project("old", OLD)
    new = workshop.project("new", NEW, PACKAGE.replace("Dep.turn", "Dep.turned"))
    assert workshop.index_of(old) == (2, 3)
    assert workshop.index_of(new) == (2, 3)
    assert len(workshop.packages()) == 2
    assert "Dep.turn" in premise_names(workshop.ask(old))
    assert "Dep.turned" in premise_names(workshop.ask(new))
    workshop.project("old", NEW, PACKAGE.replace("Dep.turn", "Dep.turned"))  # `lake update`
    assert workshop.index_of(old) == (0, 0), "the other project has paid for it"
    assert "Dep.turned" in premise_names(workshop.ask(old))
    assert "Dep.turn" not in premise_names(workshop.ask(old))


def test_a_package_by_path_belongs_to_the_project_and_follows_its_files(workshop: Workshop) -> None:
    one, two = workshop.project("one", None), workshop.project("two", None)
    assert workshop.index_of(one) == (2, 3)
    assert workshop.index_of(two) == (2, 3), "what is not pinned is not shared"
    assert workshop.packages() == []
    path = one / "dep" / "Dep.lean"
    path.write_text(PACKAGE + "theorem Dep.fresh (n m : Nat) : m + n = n + m := turn m n\n", encoding="utf-8")
    found = workshop.ask(one)
    assert "Dep.fresh" in premise_names(found), "what changed is read before it answers"
    assert found["index"]["stale_files"] == 0
    assert workshop.index_of(one) == (0, 0)
    assert workshop.ask(two)["index"]["stale_files"] == 0


def test_every_answer_says_what_it_came_from(workshop: Workshop) -> None:
    root = workshop.project("one", OLD)
    workshop.index_of(root)
    index = workshop.ask(root)["index"]
    assert index["line"] == "dep 0123456 · one · Lean 4.35.0 · packaged mini core · up to date"
    assert index["lean"] == "4.35.0"
    for number in range(MANY):
        (root / f"More{number}.lean").write_text("theorem more : True := trivial\n", encoding="utf-8")
    (root / ".lake/packages/dep/Dep.lean").write_text("-- settled: nobody looks\n", encoding="utf-8")
    line = f"dep 0123456 · one · Lean 4.35.0 · packaged mini core · {MANY} files newer than the index"
    assert workshop.ask(root)["index"]["line"] == line
    shown = workshop.run("suggest", "--state", "-", stdin=STATE, cwd=root).stdout
    assert f"\nindex: {line}\n" in shown


def test_a_mathlib_of_ones_own_takes_the_place_of_the_bundled_one(workshop: Workshop) -> None:
    root = workshop.project("one", OLD, package="mathlib")
    before = workshop.ask(root)
    assert [source["bundled"] for source in before["index"]["sources"]] == [True]
    workshop.index_of(root)
    after = workshop.ask(root)
    assert [source["bundled"] for source in after["index"]["sources"]] == [False, False]
    assert after["index"]["line"] == "Mathlib 0123456 · one · Lean 4.35.0 · up to date"
    assert premise_names(after)[0] == "Dep.turn"


def test_a_state_alone_names_the_bundled_mathlib(cli: Cli, tmp_path: Path) -> None:
    done = cli("suggest", "--state", "-", stdin=STATE, cwd=tmp_path)
    assert re.search(r"\nindex: Mathlib of \d{4}-\d\d-\d\d, .+ old \(bundled\) · Lean \S+\n", done.stdout), (
        done.stdout
    )


async def test_a_hover_says_what_it_came_from(project: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    uri = editor.open("Work.lean")
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place_of(editor.text("Work.lean"), "sorry"))
    found = await editor.client.text_document_hover_async(params)
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    last = found.contents.value.splitlines()[-1]
    assert re.fullmatch(r"\*index: this project · Lean \d\S+ · packaged mini core · up to date\*", last)
    await editor.client.shutdown_session()
    await editor.client.stop()  # type: ignore[no-untyped-call]


async def test_a_lemma_counts_as_soon_as_it_is_typed_and_once_saved_everywhere(
    own_project: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(own_project, environment, options={"index": {"auto": False}})
    uri = editor.open("Lib/Numbers.lean")
    before = await editor.suggest("Lib/Numbers.lean", 0, 0, goal=STATE)
    assert "Lib.typed_sum" not in premise_names(before)
    added = "theorem typed_sum (n m : Nat) : n + m = m + n := plus_swap n m\n\nend Lib"
    text = editor.text("Lib/Numbers.lean").replace("end Lib", added)
    change = types.TextDocumentContentChangeWholeDocument(text)
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    end = len(text.splitlines())
    typed = await editor.suggest("Lib/Numbers.lean", end, 0, goal=STATE)
    assert "Lib.typed_sum" in premise_names(typed)
    editor.open("Work.lean")
    assert "Lib.typed_sum" not in premise_names(await editor.suggest("Work.lean", 0, 0, goal=STATE))
    (own_project / "Lib" / "Numbers.lean").write_text(text, encoding="utf-8")
    editor.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await editor.indexed()
    saved = await editor.suggest("Work.lean", 0, 0, goal=STATE)
    assert "Lib.typed_sum" in premise_names(saved)
    assert saved["index"]["stale_files"] == 0
    await editor.client.shutdown_session()
    await editor.client.stop()  # type: ignore[no-untyped-call]
