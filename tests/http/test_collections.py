"""Collections of other backends over HTTP, and on the search page."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retriever.documents.store import write_corpus
from tests.answers import conforming
from tests.http.conftest import Served, run, serving
from tests.retriever.naturalproofs.corpora import gardens

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
GATE = "A garden with a gate"


@pytest.fixture(scope="module")
def gardener(
    environment: dict[str, str], library: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server beside an indexed collection `gardens` of an index folder of its own."""
    folder = tmp_path_factory.mktemp("gardens")
    shutil.copytree(environment["PREMISE_SUGGEST_INDEX"], folder / "index", symlinks=True)
    (folder / "rotten").mkdir()
    (folder / "rotten" / "backend.py").write_text("raise RuntimeError('rotten')\n", encoding="utf-8")
    path = os.pathsep.join([str(folder), *filter(None, [environment.get("PYTHONPATH")])])
    own = {**environment, "PREMISE_SUGGEST_INDEX": str(folder / "index"), "PYTHONPATH": path}
    write_corpus(folder / "gardens.json", gardens(), None)
    done = run(own, "index", "--backend", "naturalproofs", folder / "gardens.json")
    assert done.returncode == 0, done.stderr
    for backend in ("no.such.package", "rotten"):  # of packages that this server cannot load
        copied_for(backend, folder / "index" / "collections" / "gardens")
    with serving(own, "--project", library) as served:
        yield served


def copied_for(backend: str, gardens: Path) -> None:
    """The same collection once more, of another backend and by its name."""
    other = gardens.with_name(backend)
    shutil.copytree(gardens, other)
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    manifest["about"] |= {"name": backend, "backend": backend}
    del manifest["sum"]
    (other / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def test_collections_are_listed_and_asked(gardener: Served) -> None:
    [listed] = gardener.get("/api/collections").json()
    assert (listed["name"], listed["backend"], listed["documents"]) == ("gardens", "naturalproofs", 7)
    answer = gardener.get("/api/collections/naturalproofs/gardens", query=GATE, k=3)
    assert answer.status_code == 200
    hits = conforming(answer.json(), "CollectionAnswer")["hits"]
    assert hits[0]["title"] == "s4" and hits[0]["kind"] == "theorem" and len(hits) == 3
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


@pytest.mark.parametrize(
    ("path", "query", "status", "said"),
    [
        ("naturalproofs/gardens", "  ", 400, "nothing to search for"),
        ("naturalproofs/meadows", GATE, 400, "no collection meadows"),
        ("match/gardens", GATE, 400, "backend match"),
        ("os/gardens", GATE, 400, "backend os"),
    ],
)
def test_what_cannot_be_answered_is_told(
    gardener: Served, path: str, query: str, status: int, said: str
) -> None:
    answer = gardener.get(f"/api/collections/{path}", query=query)
    assert answer.status_code == status
    assert re.search(said, answer.text, re.IGNORECASE)


def test_the_page_searches_a_collection_and_its_link_shows_it_again(gardener: Served) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None and not os.environ.get("CI"):
        pytest.skip("there is no chromium on this machine")
    expect = sync_api.expect
    expect.set_options(timeout=60_000)  # the first search opens the index, on a machine that may be busy
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(base_url=gardener.url)
        page.goto("/")
        page.get_by_text("Filters").click()
        page.get_by_label("Index").select_option("collection/naturalproofs/gardens")
        page.get_by_label("Goal, name, words or pattern").fill(GATE)
        page.get_by_role("button", name="Search").click()
        expect(first_name(page)).to_have_text("s4")
        expect(page.locator("#list li pre").first).to_have_text("A walled garden with a pond has a gate.")
        expect(page.locator("#index")).to_have_text("gardens (naturalproofs): 7 documents")
        again = browser.new_page()
        again.goto(page.url)
        expect(first_name(again)).to_have_text("s4")
        browser.close()


def first_name(page: Any) -> Any:
    return page.locator("#list li .name").first
