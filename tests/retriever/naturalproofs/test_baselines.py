from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords, BadSettings
from retriever.documents.schema import Corpus, Split, Splits, Statement
from retriever.naturalproofs.evaluation.baselines import RandomOrder, baselines, paper_frequency
from retriever.naturalproofs.evaluation.tfidf import TfIdf, postings_of
from retriever.naturalproofs.splits import whole_for_test
from retriever.naturalproofs.task import ReferenceTask, build_task
from retriever.naturalproofs.tokens import pieces, text_of, words, words_and_pairs
from tests.retriever.naturalproofs.corpora import gardens, statement

IDS = (1, 2, 3, 4, 5, 6, 7)
SPLITS = Splits(Split(((3, 0), (5, 0)), (1, 2, 3, 6, 7)), Split((), IDS), Split(((4, 0),), IDS))


def untitled(*contents: str) -> list[Statement]:
    return [Statement(id, "theorem", f"s{id}", "", (text,)) for id, text in enumerate(contents)]


def model_of(candidates: list[Statement], *, sublinear: bool = False) -> TfIdf:
    return TfIdf("t", postings_of(candidates, str.split), str.split, sublinear=sublinear)


def gardens_task() -> ReferenceTask:
    return build_task(gardens(), SPLITS, "test")


def test_pieces_keep_commands_and_split_the_rest() -> None:
    assert pieces(r"Let $\Gamma_{12}$ be") == [
        *("let", "$", "\\gamma", "_", "{", "1", "2", "}", "$", "be"),
    ]
    assert words(r"Let $\Gamma_{12}$ be a ring") == ["let", "gamma_", "12", "be", "ring"]
    assert words_and_pairs("finite free module") == [
        *("finite", "free", "module", "finite free", "free module"),
    ]


@given(st.text(max_size=60))
def test_pieces_lose_nothing_but_spaces(text: str) -> None:
    assert "".join(pieces(text)) == "".join(text.lower().split())


def test_links_that_are_left_in_contents_are_shown_as_their_words() -> None:
    one = Statement(1, "theorem", "x", "Title", ("A [[Definition:Ring|ring]] and a [[Field]].", "End."))
    assert text_of(one) == "Title\nA ring and a Field.\nEnd."


def test_tf_idf_by_hand() -> None:
    model = model_of(untitled("oak oak elm", "elm", "ash"))
    idf = {"oak": math.log(4 / 2) + 1, "elm": math.log(4 / 3) + 1}
    first = np.array([2 * idf["oak"], idf["elm"]])
    found = model.scores(untitled("oak elm yew")[0])
    query = np.array([idf["oak"], idf["elm"]])
    assert found[0] == pytest.approx(first @ query / np.linalg.norm(first) / np.linalg.norm(query))
    assert found[1] == pytest.approx(idf["elm"] / np.linalg.norm(query))
    assert found[2] == 0
    assert model.scores(untitled("yew")[0]).tolist() == [0, 0, 0]


def test_sublinear_frequencies_count_repetition_less() -> None:
    texts = untitled("oak oak oak oak elm", "oak elm", "ash")
    query = untitled("elm")[0]
    plain, sublinear = (model_of(texts, sublinear=s).scores(query) for s in (False, True))
    assert plain[0] < sublinear[0] < sublinear[1]
    assert plain[1] == pytest.approx(sublinear[1])
    ratio = (1 + math.log(4)) * (math.log(4 / 3) + 1) / (math.log(4 / 3) + 1)
    assert sublinear[0] == pytest.approx(1 / math.hypot(ratio, 1))


@given(st.lists(st.text("ab c", min_size=1), min_size=1, max_size=6), st.booleans())
def test_a_statement_is_nearest_to_itself_and_cosines_stay_in_range(texts: list[str], rare: bool) -> None:
    candidates = untitled(*texts)
    model = model_of(candidates, sublinear=rare)
    for number, candidate in enumerate(candidates):
        scores = model.scores(candidate)
        assert ((scores >= 0) & (scores <= 1 + 1e-5)).all()
        assert scores[number] == pytest.approx(1.0 if texts[number].split() else 0.0, abs=1e-5)


def test_frequency_counts_training_proofs_with_repeats_and_the_papers_the_evaluated_ones() -> None:
    task = gardens_task()
    own, theirs = list(baselines(task))[1], paper_frequency(task)
    assert own.name == "frequency"
    assert own.scores(task.queries[0].theorem).tolist() == [1, 3, 0, 0, 1, 1, 1]
    assert theirs.scores(task.queries[0].theorem).tolist() == [1, 0, 1, 0, 0, 0, 0]


def test_without_training_there_is_no_frequency() -> None:
    task = build_task(gardens(), whole_for_test(gardens()), "test")
    assert "frequency" not in [model.name for model in baselines(task)]


def test_random_orders_differ_by_theorem_and_seed_and_can_be_repeated() -> None:
    one, other = statement(1), statement(2)
    first = RandomOrder(50, seed=3)
    assert sorted(first.scores(one)) == list(range(50))
    assert first.scores(one).tolist() == RandomOrder(50, seed=3).scores(one).tolist()
    assert first.scores(one).tolist() != first.scores(other).tolist()
    assert first.scores(one).tolist() != RandomOrder(50, seed=4).scores(one).tolist()


def test_models_that_read_put_the_statement_with_the_same_words_first() -> None:
    task = gardens_task()
    asked = statement(99, "Roses bloom.")
    for model in list(baselines(task))[2:]:
        assert task.candidates[int(np.argmax(model.scores(asked)))].id == 7, model.name


def test_a_task_has_distinct_references_by_number_and_knows_the_theorem_itself() -> None:
    task = build_task(gardens(), whole_for_test(gardens()), "test")
    assert [(query.theorem.id, query.own, query.gold) for query in task.queries] == [
        (3, 2, (0, 1, 5)),
        (4, 3, (0, 2)),
        (4, 3, (5,)),
        (5, 4, (1, 4, 6)),
    ]
    assert task.queries[0].references == (1, 2, 6, 2)


def test_both_parts_together_are_one_task() -> None:
    splits = Splits(Split((), ()), Split(((3, 0),), (1, 2, 6)), Split(((4, 1),), (6, 7)))
    task = build_task(gardens(), splits, "both")
    assert [candidate.id for candidate in task.candidates] == [1, 2, 6, 7]
    assert [query.theorem.id for query in task.queries] == [3, 4]


@pytest.mark.parametrize(
    ("split", "told"),
    [
        (Split(((3, 0),), (1, 2, 99, 6)), "99, which is not in the corpus"),
        (Split(((3, 0),), (1, 2)), r"\[3, 0\] refers to 6, which the split does not rank"),
        (Split(((3, 1),), IDS), r"\[3, 1\] is not a proof with references"),
        (Split(((2, 0),), IDS), r"\[2, 0\] is not a proof with references"),
        (Split(((42, 0),), IDS), r"\[42, 0\] is not a proof with references"),
    ],
)
def test_a_split_of_another_corpus_is_told(split: Split, told: str) -> None:
    with pytest.raises(BadRecords, match=told):
        build_task(gardens(), Splits(Split((), ()), Split((), ()), split), "test")


def test_a_part_without_examples_is_told() -> None:
    with pytest.raises(BadSettings, match="valid"):
        build_task(Corpus(gardens().theorems), SPLITS, "valid")
