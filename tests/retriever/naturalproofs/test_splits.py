from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lean_extract.common.errors import BadSettings, UserError
from retriever.documents.schema import Corpus, Split
from retriever.documents.store import read_corpus, write_corpus
from retriever.naturalproofs.graph import build_graph
from retriever.naturalproofs.splits import examples_of, leaks, make_splits, table_4, whole_for_test
from tests.commands import command
from tests.retriever.naturalproofs.corpora import corpora, gardens, statement

main = command("retriever naturalproofs-split")

SEEDS = st.integers(0, 5)
SHARES = st.floats(0.01, 0.99)


def stars(leaves: int) -> Corpus:
    """Theorem 0, and others that all use it."""
    return Corpus((statement(0), *(statement(id, proofs=((0,),)) for id in range(1, leaves + 1))))


@given(corpora(), SEEDS, SHARES)
def test_no_training_statement_refers_to_an_evaluation_theorem(
    corpus: Corpus, seed: int, share: float
) -> None:
    assume(examples_of(corpus))
    splits = make_splits(corpus, seed, share)
    evaluated = {id for split in (splits.valid, splits.test) for id, _ in split.examples}
    graph = build_graph(corpus)
    assert all(not graph.referred_by[id] for id in evaluated)
    assert leaks(corpus, splits) == ()
    assert set(splits.train.ref_ids) == {one.id for one in corpus.statements} - evaluated
    for example in splits.train.examples:
        theorem = next(one for one in corpus.theorems if one.id == example[0])
        assert set(theorem.proofs[example[1]].ref_ids) <= set(splits.train.ref_ids)


@given(corpora(), SEEDS, SHARES)
def test_every_example_is_in_one_part_and_evaluation_in_halves(
    corpus: Corpus, seed: int, share: float
) -> None:
    examples = examples_of(corpus)
    assume(examples)
    splits = make_splits(corpus, seed, share)
    parts = (splits.train, splits.valid, splits.test)
    assert sorted(example for part in parts for example in part.examples) == sorted(examples)
    theorems = [{id for id, _ in part.examples} for part in parts]
    assert not (theorems[0] & theorems[1] or theorems[0] & theorems[2] or theorems[1] & theorems[2])
    assert len(theorems[2]) - len(theorems[1]) in (0, 1)
    assert len(theorems[1] | theorems[2]) <= share * len({id for id, _ in examples})
    assert splits.valid.ref_ids == splits.test.ref_ids == tuple(one.id for one in corpus.statements)


def test_the_share_bounds_what_is_drawn_and_the_seed_chooses() -> None:
    corpus = stars(100)
    first, again, other = make_splits(corpus, 1), make_splits(corpus, 1), make_splits(corpus, 2)
    assert len(first.valid.examples) == len(first.test.examples) == 8
    assert first == again
    assert set(first.test.examples) != set(other.test.examples)


def test_all_leaves_are_taken_where_they_are_few() -> None:
    chain = [statement(id, proofs=((id - 1,),)) for id in range(1, 21)]
    corpus = Corpus((statement(0), *chain, statement(21, proofs=((3,),))))
    splits = make_splits(corpus)
    assert splits.valid.examples + splits.test.examples in (((20, 0), (21, 0)), ((21, 0), (20, 0)))
    assert len(splits.train.examples) == 19


def test_bad_settings_and_a_corpus_without_references_are_told() -> None:
    for share in (0.0, 1.0, -0.2):
        with pytest.raises(BadSettings, match="between 0 and 1"):
            make_splits(stars(5), share=share)
    for make in (make_splits, whole_for_test):
        with pytest.raises(UserError, match="No proof"):
            make(Corpus((statement(1, proofs=((),)),)))


def test_a_textbook_is_for_test_alone() -> None:
    splits = whole_for_test(gardens())
    assert splits.test.examples == ((3, 0), (4, 0), (4, 1), (5, 0))
    assert splits.train == Split((), ())
    assert splits.test.ref_ids == (1, 2, 3, 4, 5, 6, 7)


def test_a_split_that_leaks_is_found_out() -> None:
    splits = make_splits(gardens(), share=0.7)
    wrong = replace(splits, test=Split(((3, 0),), splits.test.ref_ids), train=Split(((4, 0),), (1, 3)))
    assert leaks(gardens(), wrong) == ((4, 3),)


def test_table_4_by_hand() -> None:
    lines = table_4(gardens(), whole_for_test(gardens())).splitlines()
    assert lines[2] == "| train | 0 | 0 | - | - |"
    assert lines[4] == "| test | 4 | 7 | 2.25 | 2.50 |"


def test_a_written_split_is_used_again_unless_a_seed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "stars.json", tmp_path / "split.json"
    write_corpus(source, stars(60))
    assert main([str(source), "--seed", "3", "--out", str(out)]) == 0
    assert read_corpus(out)[1] == make_splits(stars(60), 3)
    assert "seed 3" in capsys.readouterr().out
    assert main([str(out)]) == 0
    printed = capsys.readouterr().out
    assert "the file's own split" in printed
    assert "| test | 5 | 61 | 1.00 | 1.00 |" in printed


def test_the_command_exits_with_2_on_a_bad_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stars.json"
    write_corpus(path, stars(3))
    assert main([str(path), "--share", "7"]) == 2
    assert "between 0 and 1" in capsys.readouterr().err
