"""What the search page is answered, held to the published schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.answers import conforming
from tests.http.conftest import ADD_COMM, BUNDLED, TOKEN, Served, serving


@pytest.mark.parametrize(("query", "kind"), [(ADD_COMM, "goal"), ("add_comm", "name")])
def test_premises_are_answered_as_documented(server: Served, query: str, kind: str) -> None:
    answer = conforming(server.get("/api/premises", query=query).json(), "SearchAnswer")
    assert answer["kind"] == kind
    assert answer["premises"]


def test_a_goals_premises_are_explained_where_that_is_asked_for(server: Served) -> None:
    for explain in (True, False):
        found = server.get("/api/premises", query=ADD_COMM, k=3, explain=explain).json()
        answer = conforming(found, "SearchAnswer")
        assert [bool(one["explanation"]) for one in answer["premises"]] == [explain] * 3


def test_a_declaration_is_answered_with_its_text_and_file(server: Served, library: Path) -> None:
    found = server.get("/api/declaration", name="Nat.add_comm", module="Example.Nat.Basic").json()
    answer = conforming(found, "DeclarationAnswer")
    assert "theorem add_comm" in answer["source"] and answer["doc"] == "Addition is commutative."
    text = Path(answer["path"]).read_text(encoding="utf-8")
    assert Path(answer["path"]).is_relative_to(library) and answer["source"] in text
    assert text.splitlines()[answer["line"] - 1] == answer["source"].splitlines()[0]


def test_a_declaration_that_is_known_by_name_only_has_no_text(server: Served) -> None:
    answer = conforming(
        server.get("/api/declaration", name="add_comm", rev=BUNDLED).json(), "DeclarationAnswer"
    )
    assert (answer["path"], answer["source"]) == (None, "")


@pytest.mark.parametrize("name", ["", " ", "no.such.name", "⊢", "x" * 999])
def test_a_declaration_that_is_not_indexed_is_an_error(server: Served, name: str) -> None:
    response = server.get("/api/declaration", name=name)
    assert response.status_code == 400 and "no declaration" in response.json()["error"]


def test_a_name_that_is_too_long_is_refused(server: Served) -> None:
    assert server.get("/api/declaration", name="x" * 1001).status_code == 422
    assert server.get("/api/declaration", module="x").status_code == 422


def test_who_uses_a_declaration_is_answered_with_files_for_this_machine_only(
    server: Served, library: Path
) -> None:
    asked = {"name": "Nat.add_comm", "k": 1}
    answer = conforming(server.get("/api/uses", **asked).json(), "UsesAnswer")
    assert len(answer["used_by"]) == 1 < answer["used_by_count"]
    assert Path(answer["used_by"][0]["path"]).is_relative_to(library)
    response = server.client.get("/api/uses", params=asked, headers={"Via": "10.1.2.3"})
    assert response.json()["used_by"] == [{**answer["used_by"][0], "path": None}]
    assert str(library) not in response.text
    assert "no declaration" in server.get("/api/uses", name="no.such.name").json()["error"]


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "Via"])
def test_clients_of_a_proxy_learn_no_path(server: Served, library: Path, header: str) -> None:
    response = server.client.get(
        "/api/declaration", params={"name": "Nat.add_comm"}, headers={header: "10.1.2.3"}
    )
    assert "theorem add_comm" in response.json()["source"]
    assert response.json()["path"] is None and str(library) not in response.text


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_clients_of_a_server_with_a_token_learn_no_path(
    environment: dict[str, str], library: Path, host: str
) -> None:
    """A token is for others, who may come through a proxy on this machine."""
    with serving(environment, "--host", host, "--token", TOKEN, "--project", library) as served:
        response = served.client.get("/api/declaration", params={"name": "Nat.add_comm"}, auth=("x", TOKEN))
    assert "theorem add_comm" in response.json()["source"]
    assert response.json()["path"] is None and str(library) not in response.text
