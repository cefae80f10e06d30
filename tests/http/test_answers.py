"""What the search page is answered, held to the published schema."""

from __future__ import annotations

import pytest

from tests.answers import conforming
from tests.http.conftest import ADD_COMM, Served


@pytest.mark.parametrize(("query", "kind"), [(ADD_COMM, "goal"), ("add_comm", "text")])
def test_premises_are_answered_as_documented(server: Served, query: str, kind: str) -> None:
    answer = conforming(server.get("/api/premises", query=query).json(), "SearchAnswer")
    assert answer["kind"] == kind
    assert answer["premises"]


def test_a_goals_premises_are_explained_where_that_is_asked_for(server: Served) -> None:
    for explain in (True, False):
        found = server.get("/api/premises", query=ADD_COMM, k=3, explain=explain).json()
        answer = conforming(found, "SearchAnswer")
        assert [bool(one["explanation"]) for one in answer["premises"]] == [explain] * 3
