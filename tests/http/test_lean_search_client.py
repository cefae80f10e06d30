"""LeanSearch's and Loogle's interfaces, asked as Mathlib's LeanSearchClient asks: by curl, with exactly its arguments.

What it reads of an answer is taken from its source: `ofLeanSearchJson?` and `getLoogleQueryJson`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp_server.commands.client_variables import client_variables
from tests.http.conftest import Served, curl, escaped, serving


@pytest.fixture(scope="module")
def bundled(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the bundled index alone, which has names and no statements."""
    with serving(environment, folder=tmp_path_factory.mktemp("nowhere")) as served:
        yield served


def lean_search(server: Served, query: str, results: int = 6) -> Any:
    """What `#leansearch` gets: the list within the list, or the object with the error."""
    body = json.dumps({"query": [query], "num_results": results}, indent=2)
    headers = ("-H", "accept: application/json", "-H", "Content-Type: application/json")
    url = f"{server.url}/search"
    found = curl("-X", "POST", url, "--user-agent", "LeanSearchClient", *headers, "--data", body)
    return found[0] if isinstance(found, list) else found


def full_name(hit: Any) -> str:
    return ".".join(hit["result"]["name"])


def loogle(server: Served, query: str) -> Any:
    """What `#loogle` gets."""
    return curl("-X", "GET", "--user-agent", "LeanSearchClient", f"{server.url}/json?q={escaped(query)}")


def hit_names(answer: Any) -> list[str]:
    assert "error" not in answer, answer
    assert all(isinstance(hit["type"], str) for hit in answer["hits"])  # without it, the client refuses all
    return [hit["name"] for hit in answer["hits"]]


@pytest.mark.parametrize("stop", [".", "?", " ?", ""])
def test_words_find_declarations_with_types_that_can_stand_after_have(server: Served, stop: str) -> None:
    found = lean_search(server, f"addition of natural numbers is commutative{stop}")
    assert len(found) == 6
    [best] = [hit["result"] for hit in found if full_name(hit) == "Nat.add_comm"]
    assert best["type"] == "∀ (m n : ℕ), m + n = n + m"
    assert best["docstring"] == "Addition is commutative."
    assert best["kind"] == "theorem" and ".".join(best["module_name"]) == "Example.Nat.Basic"


def test_a_name_that_ends_with_a_stop_is_a_name(server: Served) -> None:
    assert full_name(lean_search(server, "Nat.add_comm.")[0]) == "Nat.add_comm"


def test_a_query_that_finds_nothing_is_an_empty_list_within_the_list(server: Served) -> None:
    """The client fails on an empty outer list."""
    assert lean_search(server, "cheap flights to Paris.") == []
    assert lean_search(server, "addition is commutative.", 0) == []


def test_a_name_without_a_statement_has_an_empty_type(bundled: Served) -> None:
    """The client offers no tactics where there is no type at all."""
    found = [hit["result"] for hit in lean_search(bundled, "continuous image of a compact set.")]
    assert "IsCompact" in str(found) and {one["type"] for one in found} == {""}
    assert found[0]["doc_url"].startswith("https://")


@pytest.mark.parametrize("query", ["", ".", "?"])
def test_an_empty_query_is_an_error_that_the_client_prints(server: Served, query: str) -> None:
    assert lean_search(server, query)["error"] == "There is nothing to search for."


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": "text"},
        {"query": [5]},
        {"query": ["add"] * 65},
        {"query": ["add"], "num_results": "six"},
        {"query": ["add"], "num_results": None},
    ],
    ids=str,
)
def test_what_is_no_request_is_refused(server: Served, body: Any) -> None:
    assert server.post("/search", body).status_code == 422


def test_each_query_is_answered_by_itself(server: Served) -> None:
    found = server.post("/search", {"query": ["Nat.add_comm", "Nat.mul_comm"], "num_results": 1}).json()
    assert [[full_name(hit) for hit in hits] for hits in found] == [["Nat.add_comm"], ["Nat.mul_comm"]]


def test_a_query_of_a_hundred_kilobytes_is_answered_or_refused_in_time(server: Served) -> None:
    for letters in (100_000, 1_000_000):
        answer = server.post("/search", {"query": ["a + " * (letters // 4)], "num_results": 1})
        assert answer.status_code in (200, 400)
    assert server.post("/search", {"query": ["x" * (9 << 20)]}).status_code == 413


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("?a + ?b = ?b + ?a", "Nat.add_comm"),
        ('"add_comm"', "Nat.add_comm"),
        ("|- _ * _ = _ * _", "Nat.mul_comm"),
        ("⊢ _ * _ = _ * _", "Nat.mul_comm"),
        ('#find "mul", _ = _ * _', "Nat.mul_comm"),
        ('?a * ?b =\n?b * ?a, "comm"', "Nat.mul_comm"),
    ],
)
def test_loogles_patterns_find_statements(server: Served, query: str, name: str) -> None:
    answer = loogle(server, query)
    assert name in hit_names(answer)
    assert answer["count"] == len(answer["hits"]) and answer["header"].startswith("Found ")


def test_a_hit_has_its_signature_module_and_doc_string(server: Served) -> None:
    [hit] = [hit for hit in loogle(server, '"Nat.add_comm"')["hits"] if hit["name"] == "Nat.add_comm"]
    assert hit["type"] == "(m n : ℕ) : m + n = n + m"
    assert hit["module"] == "Example.Nat.Basic" and hit["doc"] == "Addition is commutative."


def test_an_unknown_name_gets_suggestions_that_find_something(server: Served) -> None:
    answer = loogle(server, "add_comm, _ = _")
    assert "`add_comm`" in answer["error"] and "hits" not in answer
    assert '"add_comm", _ = _' in answer["suggestions"] and len(answer["suggestions"]) <= 5
    for other in answer["suggestions"]:
        assert hit_names(loogle(server, other))


@pytest.mark.parametrize("query", ["_", "(_ + _", "_ +", ",", '""', "x", "?a, " * 100, "f" * 60_000])
def test_what_cannot_be_read_is_an_error_with_a_sentence(server: Served, query: str) -> None:
    response = server.get("/json", q=query)
    assert response.status_code == 200, response.text
    assert response.json()["error"] and "hits" not in response.json()


def test_no_query_is_an_error(server: Served) -> None:
    assert server.get("/json").json() == {
        "error": "There is nothing to search for. Type a name, some words, or a goal with ⊢."
    }


def test_names_alone_are_found_by_their_parts_and_cannot_be_matched(bundled: Served, library: Path) -> None:
    assert "Nat.Prime.two_le" in hit_names(loogle(bundled, '"Prime.two_le"'))
    answer = loogle(bundled, '"continuous"')
    assert len(answer["hits"]) == 200 < answer["count"]
    answer = loogle(bundled, "?a + ?b = ?b + ?a")
    assert "names only" in answer["error"] and "setup" in answer["error"]


def test_one_line_of_the_manual_sets_every_variable() -> None:
    manual = Path(__file__).parents[2] / "docs" / "http.md"
    assert client_variables() in manual.read_text(encoding="utf-8").replace(" \\\n  ", " ")
