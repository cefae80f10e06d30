"""LeanStateSearch's interface, asked as LeanSearchClient asks: by curl, with exactly its arguments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.conftest import ADD_COMM, ADD_COMM_WITHOUT_NOTATION, BUNDLED, Served, curl, escaped, names

LEAN = "v4.35.0"


def state_search(server: Served, state: str, results: int, rev: str) -> Any:
    """What `#statesearch` does: the whole path is in its environment variable."""
    url = f"{server.url}/api/search?query={escaped(state)}&results={results}&rev={rev}"
    return curl("-X", "GET", "--user-agent", "LeanSearchClient", url)


def test_a_goal_of_the_project_is_answered_with_types_that_can_stand_after_have(server: Served) -> None:
    found = state_search(server, ADD_COMM, 6, LEAN)
    assert len(found) == 6
    [best] = [one for one in found if one["name"] == "Nat.add_comm"]
    assert best["rev"] == LEAN
    assert best["module"].startswith(("Example.", "Init"))
    assert best["formal_type"] == "∀ (m n : ℕ), m + n = n + m"
    assert best["kind"] == "theorem"


def test_the_bundled_mathlib_answers_for_its_revision(server: Served) -> None:
    found = state_search(server, "a b : ℝ\n⊢ a + b = b + a", 3, BUNDLED)
    assert "add_comm" in names(found)
    assert {one["rev"] for one in found} == {BUNDLED}
    assert all(one["module"].startswith("Mathlib.") for one in found)
    assert {one["formal_type"] for one in found} == {""}


def test_a_caller_may_be_named(server: Served) -> None:
    even = "a b : ℕ\n⊢ Nat.Even (a * b)"
    kinds = {
        caller: [one["kind"] for one in server.get("/api/search", query=even, caller=caller).json()]
        for caller in ("", "simp", "unfold")
    }
    assert "def" not in kinds[""]
    assert kinds["simp"][2] == "def"
    assert "theorem" not in kinds["unfold"]


@pytest.mark.parametrize("rev", ["4.35.0", "leanprover/lean4:v4.35.0", "example", ""])
def test_a_revision_has_several_names(server: Served, rev: str) -> None:
    assert "Nat.add_comm" in names(state_search(server, ADD_COMM, 6, rev))


@pytest.mark.parametrize("rev", ["v4.1.0", "2020-01-01", "master", "v4.35.0-rc1"])
def test_an_unknown_revision_gets_the_error_that_the_client_prints(server: Served, rev: str) -> None:
    answer = state_search(server, ADD_COMM, 6, rev)
    assert answer["error"] == "Invalid parameter value"
    description = answer["schema"]["description"]
    assert "revision is not indexed" in description
    assert LEAN in description and BUNDLED in description


def test_a_query_without_a_goal_gets_the_documented_error(server: Served) -> None:
    answer = state_search(server, "commutativity of addition", 6, LEAN)
    assert answer == {
        "error": "Invalid parameter value",
        "schema": {"description": "The 'query' parameter must be a valid Lean proof state"},
    }


def test_what_is_missing_or_no_number_is_said(server: Served) -> None:
    assert server.get("/api/search").json()["error"] == "Missing required parameters"
    answer = server.get("/api/search", query=ADD_COMM, results="six")
    assert answer.status_code == 400
    assert answer.json()["schema"]["description"] == "The 'results' parameter must be a valid number"


@pytest.mark.parametrize(("results", "count"), [(-1, 0), (0, 0), (1, 1), (10**9, None)])
def test_the_number_of_results_is_kept_or_capped(server: Served, results: int, count: int | None) -> None:
    found = state_search(server, ADD_COMM, results, LEAN)
    assert len(found) == count if count is not None else 200 < len(found) <= 1024


def test_both_ways_of_printing_find_the_same_lemma(server: Served) -> None:
    found = [state_search(server, state, 1, LEAN) for state in (ADD_COMM, ADD_COMM_WITHOUT_NOTATION)]
    assert [names(one) for one in found] == [["Nat.add_comm"]] * 2


def test_a_state_that_fills_kilobytes_of_url_is_read(server: Served) -> None:
    hypotheses = "".join(f"h{number} : {number} ≤ {number} ∧ α ≠ β\n" for number in range(1000))
    assert names(state_search(server, f"{hypotheses}{ADD_COMM}", 3, LEAN))
