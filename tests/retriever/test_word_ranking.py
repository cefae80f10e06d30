"""Searches in words: what doc strings say, filters, likeness, the floor, and the command that measures them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_extract.common.errors import BadQuery, BadRecords
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed
from retriever.lean.eligibility import Allowed
from retriever.lean.evaluation.words import FIRST, STYLES, figures_of, missing_names, read
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search, search_like, search_words
from retriever.lean.words.filters import read_filters
from retriever.lean.words.settings import COLUMNS, WordSettings
from tests.commands import command
from tests.once import Once


def names(service: PremiseService, text: str, allowed: Allowed | None = None) -> list[str]:
    return [one.premise.name for one in search(service, text, None, 10, allowed=allowed)]


def test_filters_are_read_beside_words() -> None:
    rest, found = read_filters("kind:theorem compact image mentions:Continuous in:scope module:Mathlib.Order")
    assert rest == "compact image"
    assert (found.kinds, found.mentions, found.modules) == (("theorem",), ("Continuous",), ("Mathlib.Order",))
    assert found.in_scope
    assert read_filters("fun x : Nat => x = kind")[1].kinds == ()


@pytest.mark.parametrize(
    "text", ["kind:lemon x", "in:range x", "kind:theorem", "like:a like:b", "like:a words"]
)
def test_a_filter_that_cannot_be_met_is_refused(text: str) -> None:
    with pytest.raises(BadQuery):
        read_filters(text)


def test_filters_restrict_what_is_found(shipped: PremiseService) -> None:
    found = search(shipped, "compact set", None, 10, allowed=Allowed(kinds=("def",)))
    assert found and {one.premise.kind for one in found} <= {"def", "abbrev", "irreducible_def", "opaque"}
    mentioned = names(shipped, "image of a compact set", Allowed(mentions=("Continuous",)))
    assert mentioned and all("continuous" in name.lower() for name in mentioned)
    assert not names(shipped, "compact set", Allowed(packages=("no such package",)))


def test_what_is_like_a_premise_shares_its_subject_and_is_not_itself(shipped: PremiseService) -> None:
    found = [one.premise.name for one in search_like(shipped, "Finset.sum_comm", None, 10)]
    assert "Finset.sum_comm" not in found
    assert any("sum_comm" in name or "prod_comm" in name for name in found)


def test_words_that_nothing_fits_have_no_answer(shipped: PremiseService) -> None:
    assert not names(shipped, "the weather in Paris tomorrow")
    assert names(shipped, "continuous image of a compact set")


@pytest.mark.parametrize(
    "preamble",
    [
        "is there a lemma that says that ",
        "How do I prove that ",
        "In Lean 4, what is the name of the theorem stating: ",
        "Does Mathlib have any results about ",
    ],
)
def test_what_introduces_a_question_is_not_searched(shipped: PremiseService, preamble: str) -> None:
    asked = "the continuous image of a compact set is compact"
    assert names(shipped, preamble + asked) == names(shipped, asked)


def test_an_explanation_names_each_group_once(shipped: PremiseService) -> None:
    best = search_words(shipped, "continuous image of a compact set", 3, explain=True)[0]
    groups = [one.group for one in best.explanation]
    assert len(groups) == len(set(groups))
    assert {*groups} == {"words", "name", "kind", "use", "scope"}


def test_queries_are_read_by_style_and_measured(shipped: PremiseService, tmp_path: Path) -> None:
    row = {
        "full_name": "No.such",
        "q1a_lean": "a",
        "q1b_latex": "",
        "q1c_natural": "b",
        "q2_slogan": "",
        "shared": True,
    }
    row |= {"q3_nickname": "", "q4_special_case": ""}
    path = tmp_path / "queries.json"
    path.write_text(json.dumps([row, row | {"shared": False}]))
    queries = read(path)
    assert [(query.text, query.style) for query in queries] == [("a", "lean"), ("b", "natural")]
    assert len(read(path, ["lean"], shared_only=False)) == 2
    assert missing_names(shipped, queries) == ["No.such"]
    path.write_text('[{"full_name": 1}]')
    with pytest.raises(BadRecords, match="not a list of queries"):
        read(path)


def test_weights_are_fitted_and_figures_are_of_folds(
    shipped: PremiseService, once: Once, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {
        "Set.union_comm": "the union of two sets is commutative",
        "IsCompact.image": "the continuous image of a compact set is compact",
        "Nat.exists_infinite_primes": "there are infinitely many primes",
        "Continuous.comp": "compositions of continuous maps are continuous",
    }
    styles = dict.fromkeys(list(STYLES.values()), "")
    rows = [
        {"full_name": name, **styles, "q1c_natural": text, "shared": True} for name, text in named.items()
    ]
    queries, keywords = tmp_path / "queries.json", tmp_path / "keywords.jsonl"
    queries.write_text(json.dumps(rows))
    keywords.write_text(json.dumps({"query": "union comm", "accept": ["Set.union_comm"]}))
    index = bundled.unpack(once.folder("bundled", bundled.unpack)).root
    options = ["--keywords", keywords, "--index", index, "--bundled", "--out", tmp_path / "ranking.json"]
    assert command("retriever fit-words")([queries, *options]) == 0
    printed = capsys.readouterr().out
    for part in ("1, shared: 4", "1, keywords: 1", "2, shared: 4"):
        assert f"index {part} queries, nDCG@10 " in printed
    fitted = read_typed(WordSettings, read_json(tmp_path / "ranking.json"))
    assert [*fitted.weights] == [*COLUMNS] and fitted.weights["name_fit"] > 0 and fitted.floor != 0


def test_figures_of_a_place() -> None:
    assert figures_of(0) == [1.0, 1.0, 1.0, 1.0]
    assert figures_of(2) == [0.5, 0.0, 1.0, 1.0]
    assert figures_of(FIRST) == [0.0, 0.0, 0.0, 1.0]
    assert figures_of(None) == [0.0] * 4
