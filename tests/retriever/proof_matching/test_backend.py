from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import BadRecords, UserError
from retriever.proof_matching.metrics import ranking_figures
from retriever.search.backends import find_backend
from tests.retriever.proof_matching.matching import write_set


def test_statements_ask_for_their_own_proofs(tmp_path: Path) -> None:
    written = write_set(tmp_path / "pairs.jsonl", train=5, held=3)
    collection = find_backend("match").read(tmp_path / "pairs.jsonl")
    assert len(collection.documents) == len(collection.questions) == len(written.pairs) == 11
    for number, question in enumerate(collection.questions):
        assert question.gold == (number,)
        assert question.key == collection.documents[number].key
        assert number in collection.pools[question.split]
    assert [len(collection.pools[split]) for split in ("train", "valid", "test")] == [5, 3, 3]


def test_a_typed_statement_reads_like_one_of_the_set() -> None:
    backend = find_backend("match")
    text = backend.query_text("Let $R$ be a ring.")
    assert text == "let $i:R be a ring ."
    assert backend.terms(text) == ["let", "$R", "be", "a", "ring", "."]
    with pytest.raises(UserError):
        backend.query_text("  ")


def test_terms_of_what_is_no_line_of_tokens_are_refused() -> None:
    with pytest.raises(BadRecords, match="not a line of tokens"):
        find_backend("match").terms("Let $x$")


def test_figures_are_mrr_and_accuracy() -> None:
    places: list[tuple[int, ...]] = [(1,), (4,)]
    assert find_backend("match").figures(places) == ranking_figures([1, 4])


def test_a_proof_is_shown_with_its_formulas(tmp_path: Path) -> None:
    write_set(tmp_path / "pairs.jsonl", train=2, held=1)
    backend = find_backend("match")
    document = backend.read(tmp_path / "pairs.jsonl").documents[0]
    shown = backend.show(document)
    assert shown.kind == "proof of a lemma"
    assert shown.body.count("$") % 2 == 0
    assert shown.where == "book: lemma-0"
