"""A fourth backend is one folder: recipes ask for what they are cooked with."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lsp_server.cli import main
from retriever.documents.store import write_corpus
from retriever.search import backends
from retriever.search.collections.index import CollectionIndex
from retriever.search.collections.indexing import index_collection
from retriever.search.index.store import IndexStore
from tests.answers import conforming
from tests.retriever.naturalproofs.corpora import gardens

SCRIPT = Path(sys.executable).with_name("premise-suggest")
Run = Callable[..., "Done"]
OF = ("--backend", "cookbook")

BACKEND = '''
"""Recipes: a dish asks for its ingredients. A line is `dish: ingredient, ingredient`."""
import hashlib
import numpy as np
from lean_extract.common.errors import BadSource, UserError
from retriever.search.backend import Collection, Document, Question, DisplayedHit
from retriever.metrics.bootstrap import Bootstrap


class Recipes:
    name = "recipes"
    about = "ingredients of a dish"
    pieces = "[a-z]+"

    def read(self, source):
        lines = source.read_text().splitlines()
        if not all(":" in line for line in lines):
            raise BadSource(f"{source}: a line without a dish.", "Write `dish: ingredients`.")
        dishes = [line.partition(": ")[::2] for line in lines]
        names = sorted({one for _, said in dishes for one in said.split(", ")} | {dish for dish, _ in dishes})
        documents = tuple(Document(one, "food", one.title(), one, f"some {one}") for one in names)
        splits = ["train"] * (len(dishes) - 1) + ["valid"]
        questions = tuple(
            Question(dish, dish, tuple(map(names.index, said.split(", "))), split, names.index(dish))
            for (dish, said), split in zip(dishes, splits)
        )
        pool = tuple(range(len(names)))
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        return Collection(documents, questions, {"train": pool, "valid": pool, "test": pool}, digest)

    def query_text(self, typed):
        if not typed.strip():
            raise UserError("There is nothing to cook.", "Name a dish.")
        return typed.strip().lower()

    def terms(self, text):
        return text.split()

    def figures(self, places, seed=0):
        found = np.array([[100.0 * (min(one) == 1)] for one in places])
        return {"first": Bootstrap(len(places), seed=seed).intervals(found)[0]}

    def show(self, document):
        return DisplayedHit(document.title, document.kind, document.body, document.where)


BACKEND = Recipes()
'''
DISHES = """\
apple pie: flour, apple, sugar
apple cake: flour, apple, egg
tomato soup: tomato, onion
apple tart: flour, apple
"""


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the package of the toy backend, which Python finds, and its data."""
    package = tmp_path / "cookbook"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "backend.py").write_text(BACKEND, encoding="utf-8")
    (tmp_path / "dishes.txt").write_text(DISHES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", str(tmp_path / "index"))
    return tmp_path


@pytest.fixture
def run(kitchen: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`premise-suggest` in this process."""
    monkeypatch.syspath_prepend(str(kitchen))
    for module in ("cookbook", "cookbook.backend"):
        monkeypatch.delitem(sys.modules, module, raising=False)

    def start(*arguments: str, typed: str | None = None) -> Done:
        if typed is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        try:
            code = main(list(arguments))
        except SystemExit as ended:
            code = int(ended.code or 0)
        return Done(code, *capsys.readouterr())

    return start


def test_it_is_indexed_asked_and_measured_from_the_terminal_alone(kitchen: Path, run: Run) -> None:
    path = os.pathsep.join([str(kitchen), *filter(None, [os.environ.get("PYTHONPATH")])])
    line = [str(SCRIPT), "index", *OF, "dishes.txt"]
    indexed = subprocess.run(line, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert indexed.stdout == "dishes (cookbook): 10 documents, 4 proofs that vote\n", indexed.stderr
    found = run("suggest", *OF, "--text", "apple crumble", "--json").stdout
    answer = conforming(json.loads(found), "CollectionAnswer")
    assert (answer["backend"], answer["collection"], answer["documents"]) == ("cookbook", "dishes", 10)
    titles = [hit["title"] for hit in answer["hits"]]
    assert set(titles[:4]) == {"Apple", "Apple Pie", "Apple Cake", "Apple Tart"}
    assert "Flour" in titles and "Tomato" not in titles  # no word of it: known dishes vote for it
    rows = json.loads(run("eval", "retrieval", *OF, "--data", "dishes.txt", "--json").stdout)["rows"]
    assert set(rows) == {"BM25", "neighbours", "weighted sum"}
    assert rows["BM25"]["first"]["mean"] == 100.0


def test_only_what_changed_is_indexed_again_and_an_old_index_says_so(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "many.txt"
    dishes = "".join(f"dish{n} stew: root{n}, salt\n" for n in range(300))
    source.write_text(dishes, encoding="utf-8")
    assert run("index", *OF, "many.txt").returncode == 0
    store = IndexStore(tmp_path / "index" / "collections" / "many")
    [first] = store.manifest().segments

    def ask(text: str) -> tuple[list[str], list[str]]:
        answer = json.loads(run("suggest", *OF, "--text", text, "--json").stdout)
        return [hit["title"] for hit in answer["hits"]], answer["warnings"]

    assert ask("dish7")[0][0] == "Dish7 Stew" and ask("dish7")[1] == []
    source.write_text(dishes + "zebra stew: stripes, salt\n", encoding="utf-8")
    titles, [warning] = ask("zebra")
    assert titles == [] and f"{source} has changed since" in warning
    assert f"premise-suggest index --backend cookbook {source}" in warning
    again = run("index", *OF, "many.txt")
    assert again.stdout == "many (cookbook): 603 documents, 301 proofs that vote\n"
    assert ask("zebra")[0][0] == "Zebra Stew" and ask("zebra")[1] == []
    kept, new = store.manifest().segments
    assert kept.name == first.name and len(kept.dead_files) == 1, "one part was replaced"
    assert len(store.segment(new.name)) <= 130


def test_one_line_makes_it_a_backend_of_ours(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "BUILT_IN", {**backends.BUILT_IN, "recipes": "cookbook"})
    backend = backends.find_backend("recipes")
    report = index_collection(backend, tmp_path / "dishes.txt", tmp_path / "recipes")
    assert (report.manifest.backend, report.manifest.documents, report.proofs) == ("recipes", 10, 4)
    assert CollectionIndex(tmp_path / "recipes", backend).search("tomato", 1)[0].document.key == "tomato"


def test_the_terminal_shows_title_kind_and_text(run: Run) -> None:
    run("index", *OF, "dishes.txt", "--name", "grandmother")
    done = run("suggest", *OF, "--text", "-", "--k", "1", typed="tomato")
    assert done.returncode == 0, done.stderr
    heading, first, body = done.stdout.splitlines()
    assert heading == "grandmother  (cookbook, of 10)"
    assert first.startswith("  1. Tomato") and first.endswith("food")
    assert body == "     some tomato"


TOO_LONG = "\N{MATHEMATICAL SCRIPT CAPITAL A}" * 64


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (("suggest", "--backend", "no.such", "--text", "x"), 2, "There is no backend `no.such`"),
        (("suggest", "--backend", "no.such", "--text", "x"), 2, "naturalproofs"),
        (("suggest", *OF, "--text", "  "), 2, "There is nothing to cook."),
        (("suggest", *OF, "--text", "pie", "--tactics"), 2, "Only the backend lean"),
        (("suggest", *OF, "--text", "pie", "--collection", "other"), 1, "There is: dishes."),
        (("suggest", *OF, "--text", os.fsdecode(b"apple \xff")), 2, "not UTF-8"),
        (("suggest", *OF, "--text", "apple", "--model", "other"), 2, "Give --model to `index`"),
        (("index", *OF, "nowhere.txt"), 2, "nowhere.txt"),
        (("index", *OF, "empty.txt"), 2, "There is no document"),
        (("index", *OF, "dishes.txt", "--name", "../up"), 2, "cannot be the name of a collection"),
        (("index", *OF, "dishes.txt", "--name", TOO_LONG), 2, "cannot be the name of a collection"),
        (("collections", "--remove", TOO_LONG), 2, "cannot be the name of a collection"),
        (("collections", "--remove", "../dishes.txt"), 2, "cannot be the name of a collection"),
        (("collections", "--remove", "grandfather"), 1, "There is: dishes."),
    ],
)
def test_what_cannot_be_is_told_with_what_mends_it(
    run: Run, tmp_path: Path, line: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / "empty.txt").touch()
    assert run("index", *OF, "dishes.txt").returncode == 0
    refused = run(*line)
    assert refused.returncode == code and said in refused.stderr


def test_without_an_index_the_command_that_makes_one_is_told(run: Run) -> None:
    nothing = run("suggest", *OF, "--text", "pie")
    assert nothing.returncode == 1 and "premise-suggest index --backend cookbook" in nothing.stderr


def test_of_several_collections_one_is_chosen(run: Run, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("bean stew: bean\n", encoding="utf-8")
    assert run("index", *OF, "dishes.txt").returncode == 0
    assert run("index", *OF, "more.txt").returncode == 0
    torn = run("suggest", *OF, "--text", "bean")
    assert torn.returncode == 2 and "--collection: dishes, more" in torn.stderr
    chosen = run("suggest", *OF, "--text", "bean", "--collection", "more", "--json")
    assert {hit["title"] for hit in json.loads(chosen.stdout)["hits"]} == {"Bean", "Bean Stew"}


def test_a_name_of_another_backend_is_not_taken(run: Run, tmp_path: Path) -> None:
    write_corpus(tmp_path / "garden.json", gardens(), None)
    assert run("index", "--backend", "naturalproofs", "garden.json").returncode == 0
    refused = run("index", *OF, "dishes.txt", "--name", "garden")
    assert refused.returncode == 2 and "of the backend naturalproofs" in refused.stderr
    assert run("suggest", "--backend", "naturalproofs", "--text", "a gate").returncode == 0


def test_collections_are_listed_and_taken_away(run: Run, tmp_path: Path) -> None:
    assert "No collection is indexed" in run("collections").stdout
    assert run("index", *OF, "dishes.txt").returncode == 0
    assert run("index", *OF, "dishes.txt", "--name", "grandmother").returncode == 0
    first, second = run("collections").stdout.splitlines()
    assert first.startswith("dishes (cookbook): 10 documents, 0.0 MB, of /")
    assert second.startswith("grandmother (cookbook)") and second.endswith("dishes.txt")
    (tmp_path / "index" / "collections" / "dishes" / "manifest.json").write_text("{", encoding="utf-8")
    told = run("collections", "--json")
    listed = json.loads(told.stdout)["collections"]
    assert [(one["name"], one["documents"]) for one in listed] == [("grandmother", 10)]
    assert "dishes is damaged" in told.stderr
    for name in ("dishes", "grandmother"):
        done = run("collections", "--remove", name)
        assert done.returncode == 0 and f"{name}: 0.0 MB removed." in done.stdout
    assert list((tmp_path / "index" / "collections").iterdir()) == []
    assert (tmp_path / "dishes.txt").exists()


def test_a_manifest_that_cannot_be_opened_does_not_hide_another(run: Run, tmp_path: Path) -> None:
    for name in ("broken", "dishes"):
        assert run("index", *OF, "dishes.txt", "--name", name).returncode == 0
    manifest = tmp_path / "index" / "collections" / "broken" / "manifest.json"
    manifest.unlink()
    manifest.mkdir()  # as one without permission, but for root, too
    listed = run("collections")
    assert listed.returncode == 0 and listed.stdout.startswith("dishes (cookbook)")
    assert f"collection broken is damaged: {manifest}: it is not a regular file." in listed.stderr
    assert run("suggest", *OF, "--text", "apple").returncode == 0
    assert run("collections", "--remove", "broken").returncode == 0
    assert [path.name for path in (tmp_path / "index" / "collections").iterdir()] == ["dishes"]


def test_a_renamed_folder_is_told_and_can_be_renamed_back_or_removed(run: Run, tmp_path: Path) -> None:
    for name in ("dishes", "grandmother"):
        assert run("index", *OF, "dishes.txt", "--name", name).returncode == 0
    folder = tmp_path / "index" / "collections"
    (folder / "dishes").rename(folder / "good food")
    for form in ((), ("--json",)):
        listed = run("collections", *form)
        assert listed.returncode == 0 and "grandmother" in listed.stdout and "good food" not in listed.stdout
        wrong = f"{folder / 'good food'} holds the index of a collection of another name, dishes."
        assert wrong in listed.stderr
        assert "Rename it to dishes, or remove it" in listed.stderr
        assert "premise-suggest collections --remove 'good food'" in listed.stderr
    asked = run("suggest", *OF, "--text", "apple", "--json")
    assert json.loads(asked.stdout)["collection"] == "grandmother"
    refused = run("collections", "--remove", "dishes")
    assert refused.returncode == 1 and "There is: grandmother." in refused.stderr
    (folder / "good food").rename(folder / "dishes")
    assert run("collections").stdout.startswith("dishes (cookbook): 10 documents")
    (folder / "dishes").rename(folder / "good food")
    assert run("collections", "--remove", "good food").returncode == 0
    assert [path.name for path in folder.iterdir()] == ["grandmother"]


def test_a_name_may_be_as_long_as_a_file_allows(run: Run) -> None:
    longest = TOO_LONG[:60]
    for _ in range(2):
        assert run("index", *OF, "dishes.txt", "--name", longest).returncode == 0
    assert run("collections", "--remove", longest).returncode == 0


def test_a_source_that_cannot_be_reached_is_told_as_gone(run: Run, tmp_path: Path) -> None:
    assert run("index", *OF, "dishes.txt").returncode == 0
    path = tmp_path / "index" / "collections" / "dishes" / "manifest.json"
    # To stat it is an error that is not "no such file", as in a folder that cannot be entered; for root, too.
    source = f"/{'x' * 300}"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["about"]["source"] = source
    del manifest["sum"]
    path.write_text(json.dumps(manifest))
    done = run("suggest", *OF, "--text", "apple", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["warnings"] == [
        f"The source of this index, {source}, does not exist any more."
    ]


def test_a_source_that_cannot_be_read_leaves_the_index_as_it_was(run: Run, tmp_path: Path) -> None:
    assert run("index", *OF, "dishes.txt").returncode == 0
    (tmp_path / "dishes.txt").write_text("no dish at all\n", encoding="utf-8")
    failed = run("index", *OF, "dishes.txt")
    assert failed.returncode == 2 and "a line without a dish" in failed.stderr
    assert run("suggest", *OF, "--text", "apple").returncode == 0


@pytest.mark.parametrize(("file", "length"), [("manifest.json", 40), ("records.txt", 0)])
def test_a_damaged_index_is_told(run: Run, tmp_path: Path, file: str, length: int) -> None:
    assert run("index", *OF, "dishes.txt").returncode == 0
    [damaged] = (tmp_path / "index" / "collections" / "dishes").rglob(file)
    damaged.write_bytes(damaged.read_bytes()[:length])
    done = run("suggest", *OF, "--text", "apple")
    assert done.returncode == 1 and "is damaged" in done.stderr, done.stderr
    assert "premise-suggest index" in done.stderr
