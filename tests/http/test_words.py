"""Searches in words as a user's own library meets them: its doc strings, all faces, the floor, and bad input."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from retriever.lean.evaluation.words import FIRST, WordQuery, read
from tests.forked import forked_run
from tests.hostile.raw_client import RawClient
from tests.http.conftest import Served, run, serving
from tests.mcp.conftest import Workplace
from tests.mcp.test_stdio import call, connected

OWN = Path(__file__).parents[1] / "retriever" / "own_library"
QUERIES = (
    "jobs clash iff each starts before the other one ends",
    r"a code that corrects $t$ errors, $\mathbb{R}$",
    "Is there a lemma that says that the sum of balances is preserved?",
    "kind:theorem parity bit",
    "like:Own.balance",
    "cheap flights to paris",
    "stetige Funktion",
)
NOTHING_FITS = "Nothing fits these words well."
ENGLISH_ONLY = "Words are searched in English only."


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """A small library with an index, that needs Mathlib and so has the bundled index beside it."""
    root = tmp_path_factory.mktemp("own") / "own"
    shutil.copytree(OWN, root)
    assert run(environment, "index", root).returncode == 0
    return root


@pytest.fixture(scope="module")
def served(environment: dict[str, str], own: Path) -> Iterator[Served]:
    with serving(environment, "--project", own) as found:
        yield found


def answer(served: Served, query: str) -> Any:
    response = served.get("/api/premises", query=query, k=FIRST)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.fixture
def printed(own: Path, environment: dict[str, str]) -> Callable[[str], Any]:
    """What the command line prints for a query on its standard input."""

    def found(query: str) -> Any:
        command = ("search", "-", "--k", str(FIRST), "--json")
        done = forked_run(*command, environment=environment, folder=own, stdin=query.encode())
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return found


def names(found: Any) -> list[str]:
    return [one["name"] for one in found["premises"]]


def missed(served: Served, *styles: str) -> list[WordQuery]:
    queries = read(OWN / "queries.json", styles)
    assert len(queries) == 20 * len(styles)
    return [one for one in queries if one.gold not in names(answer(served, one.text))]


def test_a_doc_string_finds_its_declaration_beside_all_of_mathlib(served: Served) -> None:
    assert missed(served, "verbatim") == []


def test_other_words_for_a_doc_string_mostly_find_it(served: Served) -> None:
    assert len(missed(served, "reworded")) <= 6


def test_every_face_has_the_same_answer_in_the_same_order(
    served: Served, own: Path, environment: dict[str, str], printed: Callable[[str], Any]
) -> None:
    editor = RawClient(environment, seconds=60)
    editor.shake_hands(own)
    with connected(Workplace(own, environment)) as agent:
        agent.greet()
        for query in QUERIES:
            wanted = {"query": query, "k": FIRST}
            expected = answer(served, query)
            requested = editor.ask("premiseSuggest/search", wanted)["result"]
            text = agent.ask(call(json.dumps(wanted)))["result"]["content"][0]["text"]
            for other in (printed(query), requested):
                assert names(other) == names(expected), query
                assert (other["kind"], other["notes"]) == (expected["kind"], expected["notes"])
            places = [text.find(f"{name} ") for name in names(expected)]
            assert -1 not in places and places == sorted(places), text
            assert all(note in text for note in expected["notes"])
    editor.close()


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("cheap flights to paris", NOTHING_FITS),
        ("meaning of life", NOTHING_FITS),
        ("recipe for chicken soup with noodles", NOTHING_FITS),
        ("the of and", NOTHING_FITS),
        ("???", NOTHING_FITS),
        ("Rezept für Apfelkuchen mit Streuseln", NOTHING_FITS),
        ("今天天气怎么样", ENGLISH_ONLY),
    ],
)
def test_where_nothing_fits_there_are_no_rows_but_a_note(served: Served, query: str, note: str) -> None:
    found = answer(served, query)
    assert names(found) == []
    assert any(one.startswith(note) for one in found["notes"])


def test_what_is_read_in_words_is_not_cut(served: Served) -> None:
    """Real questions, some of them in part of another language, of symbols alone, or of words the index lacks."""
    questions = (
        "a finite integral domain is a field",
        "dominated convergence theorem (DCT)",
        "How do I show that a subset of a countable set is countable?",
        "如何证明 compact set",
        "+ - * =",
    )
    assert [one for one in questions if not names(answer(served, one))] == []


def test_of_a_long_query_the_beginning_is_read(printed: Callable[[str], Any]) -> None:
    first = printed("compact set " * 9000)
    assert "IsCompact" in names(first)
    assert names(printed("compact set " * 500)) == names(first)
    assert names(printed("xqzw " * 20_000)) == []
