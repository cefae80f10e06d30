"""Requests that cannot be answered: each gets a sentence, and the server lives on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.conftest import ADD_COMM, Served

JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def still_alive(server: Served) -> Any:
    yield
    assert server.client.get("/healthz").json()["status"] == "ok"


def check(response: Any, *statuses: int) -> None:
    assert response.status_code in statuses, response.text
    assert response.json()["error"] and "description" in response.json()["schema"]


@pytest.mark.parametrize("path", ["/retrieve", "/generate", "/"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"{",
        b'"text"',
        b"[]",
        b"null",
        b'{"k": 1e999}',
    ],
    ids=lambda content: repr(content[:8]),
)
def test_bodies_that_are_no_request(server: Served, path: str, content: bytes) -> None:
    check(server.client.post(path, content=content, headers=JSON), 400, 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/retrieve", {"state": "{}", "k": 1}),
        ("/generate", {"name": "", "input": "{}"}),
        ("/", {"tactic_state": "{}"}),
    ],
)
def test_a_state_that_is_too_large_is_refused_alike_by_all(server: Served, path: str, body: Any) -> None:
    state = "⊢ " + "a" * 199_999
    sent = {key: state if value == "{}" else value for key, value in body.items()}
    answer = server.post(path, sent)
    check(answer, 400)
    assert answer.json()["error"] == "The state has 200,001 characters; at most 200,000 are read."


def test_a_body_of_another_type_is_refused(server: Served) -> None:
    text = {"Content-Type": "text/plain"}
    check(server.client.post("/retrieve", content=b'{"state": "x", "k": 1}', headers=text), 415, 422)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"state": ADD_COMM},
        {"state": ADD_COMM, "k": "5"},
        {"state": ADD_COMM, "k": 5.5},
        {"state": ADD_COMM, "k": None},
        {"state": ADD_COMM, "k": True},
        {"state": 5, "k": 5},
        {"state": [ADD_COMM, 5], "k": 5},
        {"state": [ADD_COMM] * 65, "k": 5},
        {"state": ADD_COMM, "k": 5, "imported_modules": "Mathlib"},
        {"state": ADD_COMM, "k": 5, "imported_modules": [1.5]},
        {"state": ADD_COMM, "k": 5, "new_premises": [{"name": "x"}]},
    ],
    ids=str,
)
def test_fields_that_are_missing_or_of_another_type(server: Served, body: Any) -> None:
    check(server.post("/retrieve", body), 422)


@pytest.mark.parametrize("state", ["", "no goal in here", "⊢", "⊢ ", "no goals", "x y z ⊢"])
def test_states_that_cannot_be_read(server: Served, state: str) -> None:
    check(server.post("/retrieve", {"state": state, "k": 3}), 400)


def test_what_was_sent_is_not_repeated(server: Served) -> None:
    response = server.post("/retrieve", {"state": {"secret_goal": 1}, "k": 3})
    assert "secret_goal" not in response.text


@pytest.mark.parametrize("path", ["/no-such-page", "/static/../app.py", "/static/%2e%2e/app.py", "/api"])
def test_paths_that_are_none(server: Served, path: str) -> None:
    check(server.client.get(path), 404)


def test_methods_that_are_none(server: Served) -> None:
    check(server.client.get("/retrieve"), 405)
    check(server.client.delete("/api/search"), 405)


@pytest.mark.parametrize("k", ["-1", "0", "1000000000"])
def test_the_page_keeps_k_within_bounds(server: Served, k: str) -> None:
    found = server.get("/api/premises", query="add", k=k).json()["premises"]
    assert 1 <= len(found) <= 1024


def test_the_page_says_what_is_wrong(server: Served) -> None:
    check(server.get("/api/premises"), 422)
    check(server.get("/api/premises", query="  "), 400)
    check(server.get("/api/premises", query="add", k="many"), 422)
    check(server.get("/api/premises", query="add", rev="v4.1.0"), 400)
    check(server.get("/api/premises", query="⊢"), 400)
