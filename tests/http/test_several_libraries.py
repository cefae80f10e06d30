"""Several revisions of one library from one server: clients choose by the version that they send or by the address."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.environments import own_indexes
from tests.http.conftest import Served, curl, escaped, names, run, serving

GOAL = "a b : Nat\n⊢ FarLibrary.far a b = FarLibrary.far b a"
OLD, NEW = "FarLibrary.far_comm", "FarLibrary.far_swap"
ALL = [f"/at/{name}" for name in ("v4.27.0", "4.27", "%764.27.0", "4.27.0")]


@pytest.fixture(scope="module")
def fetched(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables for processes on whose machine two revisions of one library were fetched, the newer one last."""
    folder = tmp_path_factory.mktemp("several")
    index = own_indexes(folder / "index")
    variables = {**environment, "PREMISE_SUGGEST_INDEX": str(index)}
    work = folder / "far"
    (work / "FarLibrary").mkdir(parents=True)
    git(work, "init", "--quiet")
    (work / "lakefile.toml").write_text('name = "far"\n[[lean_lib]]\nname = "FarLibrary"\n', encoding="utf-8")
    for version, name in (("v4.27.0", OLD), ("v4.28.0", NEW)):
        (work / "lean-toolchain").write_text(f"leanprover/lean4:{version}\n", encoding="utf-8")
        (work / "FarLibrary" / "Basic.lean").write_text(
            "def FarLibrary.far (a b : Nat) : Nat := a + b\n/-- Far is commutative. -/\n"
            f"theorem {name} (a b : Nat) : FarLibrary.far a b = FarLibrary.far b a := Nat.add_comm a b\n",
            encoding="utf-8",
        )
        git(work, "add", ".")
        git(work, "commit", "--quiet", "-m", version)
        git(work, "tag", version)
        done = run(variables, "setup", "--yes", "--quiet", "--git", f"{work}@{version}")
        assert done.returncode == 0, done.stderr
    return variables


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, env={**os.environ, "LC_ALL": "C"})


@pytest.fixture(scope="module")
def several(fetched: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of both, the older one first."""
    options = ("--library", "Far@v4.28", "--library", "far@v4.27.0")
    with serving(fetched, *options, folder=tmp_path_factory.mktemp("nowhere")) as served:
        yield served


def test_the_revisions_are_listed_in_order(several: Served) -> None:
    [new, old, bundled] = several.get("/api/revisions").json()
    assert (new["name"], old["name"]) == ("far@v4.28.0", "far@v4.27.0")
    assert (
        old["revisions"][0] == "v4.27.0" and len(old["revisions"][1]) == 40 and old["revisions"][2] == "far"
    )
    assert "bundled" in bundled["name"]


@pytest.mark.parametrize(
    ("revision", "found"), [("v4.27.0", OLD), ("v4.28.0", NEW), ("4.27", OLD), (None, NEW), ("far", NEW)]
)
def test_a_client_chooses_by_the_version_that_it_sends(several: Served, revision: Any, found: str) -> None:
    answer = several.get(
        "/api/search", query=GOAL, results=3, **({"rev": revision} if revision else {})
    ).json()
    assert answer[0]["name"] == found and answer[0]["formal_type"].endswith("far a b = FarLibrary.far b a")
    asked = {"inputs": "far is commutative", "top_k": 1, **({"version": revision} if revision else {})}
    assert several.post("/leanfinder", asked).json()["results"][0]["formal_name"] == found


@pytest.mark.parametrize("at", ALL)
def test_an_address_chooses_for_clients_that_send_none(several: Served, at: str) -> None:
    url = f"{several.url}{at}"
    words = curl("-X", "POST", f"{url}/search", "-H", "Content-Type: application/json", "--data",
                 '{"query": ["far is commutative."], "num_results": 1}')  # fmt: skip
    assert ".".join(words[0][0]["result"]["name"]) == OLD
    hits = curl("-X", "GET", f"{url}/json?q={escaped('far _ _ = far _ _')}")["hits"]
    assert [hit["name"] for hit in hits] == [OLD]
    assert names(several.get(f"{at}/api/search", query=GOAL, rev="v4.28.0").json())[0] == OLD
    finder = several.post(f"{at}/leanfinder", {"inputs": "far is commutative", "version": "v4.28.0"})
    assert finder.json()["results"][0]["formal_name"] == OLD
    retrieved = several.post(f"{at}/retrieve", {"state": GOAL, "k": 2}).json()
    assert OLD in names(retrieved) and NEW not in names(retrieved)
    assert OLD in several.get(f"{at}/indexed-premises").json()
    assert several.get(f"{at}/api/premises", query=GOAL).json()["premises"][0]["name"] == OLD


def test_the_default_answers_without_a_name(several: Served) -> None:
    assert names(several.retrieve(state=GOAL, k=1)) == [NEW]
    assert (
        NEW in several.get("/indexed-premises").json() and OLD not in several.get("/indexed-premises").json()
    )


def test_a_declaration_of_an_earlier_revision_has_no_text_of_a_later_one(several: Served) -> None:
    """Its file was replaced."""
    answer = several.get("/at/v4.27.0/api/declaration", name=OLD).json()
    assert answer["premise"]["name"] == OLD and not answer["source"] and answer["path"] is None


@pytest.mark.parametrize("at", ["v4.26.0", "nothing", "%2e%2e", "a b", "ℕ", "v4", "x" * 3000])
def test_an_unknown_name_is_an_error_in_each_clients_form(several: Served, at: str) -> None:
    state_search = several.get(f"/at/{at}/api/search", query=GOAL)
    words = several.post(f"/at/{at}/search", {"query": ["far."]})
    for answer in (state_search, words, several.post(f"/at/{at}/retrieve", {"state": GOAL, "k": 1})):
        assert answer.status_code == 404 and "v4.27.0" in answer.json()["error"]
        assert "/at/NAME" in answer.json()["schema"]["description"]
    for answer in (
        several.get(f"/at/{at}/json", q="far"),
        several.post(f"/at/{at}/leanfinder", {"inputs": "far"}),
    ):
        assert answer.status_code == 200 and "v4.28.0, " in answer.json()["error"]
    fault = several.post(f"/at/{at}/v1/embeddings", {"model": "premise-suggest-encoder", "input": GOAL})
    assert fault.status_code == 404 and "v4.27.0" in fault.json()["error"]["message"]


@pytest.mark.parametrize(
    "path", ["/at", "/at/", "/at//search", "/at/v4.27.0/nothing", "/at/v4.27.0/at/v4.28.0/json"]
)
def test_what_is_no_address_is_not_found(several: Served, path: str) -> None:
    answer = several.get(path)
    assert answer.status_code == 404 and answer.json()["error"]


def test_the_page_of_a_library_opens_with_it_chosen(several: Served) -> None:
    answer = several.get("/at/v4.27.0/")
    assert answer.status_code == 307 and answer.headers["location"] == "/?rev=v4.27.0"
    assert several.client.get("/at/v4.27.0/", headers={"Host": "evil.example"}).status_code == 403


def test_a_body_below_a_name_has_the_same_limits(several: Served) -> None:
    assert several.post("/at/v4.27.0/search", {"query": ["x" * (9 << 20)]}).status_code == 413
    assert several.post("/at/v4.27.0/search", {"query": "text"}).status_code == 422


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("far@v4.27", "FAR@4.27.0"), "The library far@v4.27.0 is named twice"),
        (
            ("far@v4.26",),
            "No library far@v4.26 was fetched to this machine; there is: far@v4.28.0, far@v4.27.0.",
        ),
        (("nothing",), "setup --git ADDRESS@REVISION"),
        (("",), "No library "),
        (("@v4.27.0",), "No library @v4.27.0 was fetched"),
        (("far@a\x1b[2J\nb",), r"far@a\x1b[2J\x0ab"),
    ],
)
def test_a_library_that_is_not_there_is_said(
    fetched: dict[str, str], options: tuple[str, ...], said: str
) -> None:
    done = run(fetched, "http", "--port", "0", *(f"--library={one}" for one in options))
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""


def test_an_index_that_is_gone_is_said_with_the_line_that_makes_it(
    fetched: dict[str, str], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    index.mkdir()
    (index / "libraries").symlink_to(Path(fetched["PREMISE_SUGGEST_INDEX"]) / "libraries")
    variables = {**fetched, "PREMISE_SUGGEST_INDEX": str(index)}
    done = run(variables, "http", "--port", "0", "--library", "far@v4.27")
    assert done.returncode == 1 and "far@v4.27.0 was fetched, and is not indexed." in done.stderr
    assert "setup --git " in done.stderr and "far@v4.27.0" in done.stderr.partition("setup")[2]


def test_beside_a_database_it_names_one_library_alone(fetched: dict[str, str]) -> None:
    options = ("--store", "postgresql://nowhere.invalid/x", "--library", "a", "--library", "b")
    done = run(fetched, "http", "--port", "0", *options)
    assert done.returncode == 2 and "--library names the default library alone" in done.stderr


def test_a_revision_that_is_fetched_again_is_served_once(fetched: dict[str, str], several: Served) -> None:
    """And is then the one that was fetched last."""
    work = Path(fetched["PREMISE_SUGGEST_INDEX"]).parent / "far"
    for version in ("v4.27.0", "v4.28.0"):
        done = run(fetched, "setup", "--yes", "--quiet", "--git", f"{work}@{version}")
        assert done.returncode == 0 and "0 read" in done.stdout, done.stdout + done.stderr
        said = run(fetched, "http", "--port", "0", "--library", "far", "--library", f"far@{version}").stderr
        assert f"The library far@{version} is named twice" in said
    assert names(several.get("/at/v4.27.0/api/search", query=GOAL).json())[0] == OLD
