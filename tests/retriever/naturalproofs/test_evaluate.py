from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords, BadSettings
from retriever.documents.schema import Corpus, Split, Splits
from retriever.documents.store import write_corpus
from retriever.evaluation.rows import CollectionRow, RankerTable, RankingTask, rows_of
from retriever.naturalproofs.backend import BACKEND
from retriever.naturalproofs.evaluation.baselines import baselines, paper_frequency
from retriever.naturalproofs.evaluation.evaluate import Part, evaluate, task_of_part
from retriever.naturalproofs.splits import whole_for_test
from retriever.naturalproofs.tokens import pieces, without_links, words, words_and_pairs
from tests.commands import command
from tests.retriever.naturalproofs.corpora import gardens, statement

main = command("retriever naturalproofs-evaluate")

EVERY = (1, 2, 3, 4, 5, 6, 7)
SPLITS = Splits(Split(((3, 0), (5, 0)), (1, 2, 3, 6, 7)), Split((), EVERY), Split(((4, 0),), EVERY))


def task_of(splits: Splits, part: Part = "test", corpus: Corpus | None = None) -> RankingTask:
    return task_of_part(corpus or gardens(), splits, part, "some digest")


def whole_task(corpus: Corpus) -> RankingTask:
    return task_of(whole_for_test(corpus), corpus=corpus)


def test_pieces_keep_commands_and_split_the_rest() -> None:
    assert pieces(r"Let $\Gamma_{12}$ be") == ["let", "$", "\\gamma", "_", "{", "1", "2", "}", "$", "be"]
    assert words(r"Let $\Gamma_{12}$ be a ring") == ["let", "gamma_", "12", "be", "ring"]
    found = words_and_pairs("finite free module")
    assert found == ["finite", "free", "module", "finite free", "free module"]


@given(st.text(max_size=60))
def test_pieces_lose_nothing_but_spaces(text: str) -> None:
    assert "".join(pieces(text)) == "".join(text.lower().split())


def test_links_that_are_left_in_contents_are_shown_as_their_words() -> None:
    assert without_links("A [[Definition:Ring|ring]] and a [[Field]].\nEnd.") == "A ring and a Field.\nEnd."


def test_frequency_counts_training_proofs_with_repeats_and_the_papers_the_evaluated_ones() -> None:
    task = task_of(SPLITS)
    own, theirs = list(baselines(task))[1], paper_frequency(task)
    assert own.name == "frequency"
    assert own.table(task.questions, task.documents).tolist() == [[1, 3, 0, 0, 1, 1, 1]]
    assert theirs.table(task.questions, task.documents).tolist() == [[1, 0, 1, 0, 0, 0, 0]]
    assert "frequency" not in [model.name for model in baselines(whole_task(gardens()))]


def test_random_orders_differ_by_theorem_and_seed_and_can_be_repeated() -> None:
    task, fifty = whole_task(gardens()), np.arange(50)
    first, again, other = (next(baselines(task, seed)).table(task.questions, fifty) for seed in (3, 3, 4))
    assert sorted(first[0]) == list(range(50))
    assert np.array_equal(first, again) and not np.array_equal(first[0], other[0])
    assert not np.array_equal(first[0], first[1]), "of two theorems"
    assert np.array_equal(first[1], first[2]), "of two proofs of one theorem"


def test_models_that_read_put_the_statement_with_the_same_words_first() -> None:
    asked = statement(99, "Roses bloom.", proofs=((7,),))
    corpus = Corpus((*gardens().theorems, asked), gardens().definitions, gardens().others)
    splits = Splits(SPLITS.train, SPLITS.valid, Split(((99, 0),), EVERY))
    task = task_of(splits, corpus=corpus)
    for model in list(baselines(task))[2:]:
        best = int(np.argmax(model.table(task.questions, task.documents)[0]))
        assert task.collection.documents[task.documents[best]].key == "7", model.name


def test_both_parts_together_are_one_task() -> None:
    splits = Splits(Split((), ()), Split(((3, 0),), (1, 2, 6)), Split(((4, 1),), (6, 7)))
    task = task_of(splits, "both")
    assert [task.collection.documents[number].key for number in task.documents] == ["1", "2", "6", "7"]
    assert [task.collection.questions[number].key for number in task.questions] == ["3/0", "4/1"]


def test_a_split_that_does_not_rank_a_reference_and_a_part_without_examples_are_told() -> None:
    with pytest.raises(BadRecords, match=r"\[3, 0\] refers to 6, which the split does not rank"):
        task_of(Splits(Split((), ()), Split((), ()), Split(((3, 0),), (1, 2))))
    with pytest.raises(BadRecords, match="names what is not in the corpus"):
        task_of(Splits(Split((), ()), Split((), ()), Split(((3, 0),), (1, 2, 99, 6))))
    with pytest.raises(BadSettings, match="valid"):
        task_of(SPLITS, "valid")


def fixed_rows(task: RankingTask, order: list[int]) -> dict[str, CollectionRow]:
    """The rows of a model that ranks these ids for every theorem, but the theorem itself first."""
    keys = [int(task.collection.documents[number].key) for number in task.documents]

    def table(questions: np.ndarray, documents: np.ndarray) -> np.ndarray:
        scores = np.array([[-order.index(key) for key in keys] for _ in questions], dtype=np.float32)
        for row, number in enumerate(questions):
            scores[row, keys.index(int(task.collection.questions[number].key.split("/")[0]))] = 1
        return scores

    return {row.protocol: row for row in rows_of(BACKEND, RankerTable("fixed", table), task)}


@pytest.mark.parametrize(
    ("example", "order", "among", "excluded"),
    [
        # It uses 3 and 1; in the paper's protocol alone the theorem itself takes a rank.
        ((4, 0), [3, 5, 1, 2, 4, 6, 7], (1 / 2 + 2 / 4) / 2, (1 / 1 + 2 / 3) / 2),
        # It uses 2, 7 and itself, which is not looked for in ours.
        ((5, 0), [1, 3, 4, 6, 2, 7, 5], (1 / 1 + 2 / 6 + 3 / 7) / 3, (1 / 5 + 2 / 6) / 2),
    ],
)
def test_the_theorem_itself_is_ranked_in_the_papers_protocol_alone(
    example: tuple[int, int], order: list[int], among: float, excluded: float
) -> None:
    rows = fixed_rows(task_of(Splits(Split((), ()), Split((), ()), Split((example,), EVERY))), order)
    assert rows["among"].figures["mAP"].mean == pytest.approx(100 * among)
    assert rows["excluded"].figures["mAP"].mean == pytest.approx(100 * excluded)


def test_an_example_that_uses_itself_alone_drops_out_of_ours() -> None:
    rows = fixed_rows(whole_task(Corpus((statement(1, proofs=((1,),)), statement(2)))), [1, 2])
    assert rows["among"].questions == 1 and "excluded" not in rows


def test_types_are_measured_at_their_ranks_among_all() -> None:
    task = task_of(Splits(Split((), ()), Split((), ()), Split(((3, 0),), EVERY)))
    by_kind = fixed_rows(task, [7, 1, 6, 5, 2, 3, 4])["excluded"].by_kind  # it uses 1, 2 and definition 6
    assert {kind: interval.mean for kind, interval in by_kind.items()} == {
        "theorem": pytest.approx(100 * (1 / 2 + 2 / 5) / 2),
        "definition": pytest.approx(100 / 3),
    }


def test_models_that_read_are_above_those_that_do_not() -> None:
    """Each theorem shares its words with the one lemma that its proof uses."""
    marks = [a + b for a in "bcdfghj" for b in "klmnpqrst"]
    lemmas = [statement(id, f"oak{mark} elm{mark} is small") for id, mark in enumerate(marks)]
    theorems = [
        statement(100 + id, f"if oak{mark} then elm{mark}", proofs=((id,),)) for id, mark in enumerate(marks)
    ]
    corpus = Corpus((*lemmas, *theorems))
    rows = evaluate(whole_task(corpus))
    ours = {row.model: row.figures["mAP"].mean for row in rows if row.protocol == "excluded"}
    theirs = {row.model: row.figures["mAP"].mean for row in rows if row.protocol == "among"}
    readers = [name for name in ours if name.startswith(("TF-IDF", "BM25"))]
    assert len(readers) == 3
    assert all(ours[name] == pytest.approx(100) for name in readers)
    assert all(theirs[name] == pytest.approx(50) for name in readers)
    assert ours["random"] < 20
    assert set(theirs) - set(ours) == {"frequency in the evaluated proofs"}


def split_gardens(path: Path, train: tuple[tuple[int, int], ...] = ((3, 0),)) -> None:
    splits = Splits(Split(train, (1, 2, 3, 6, 7)), Split(((5, 0),), EVERY), Split(((4, 0), (4, 1)), EVERY))
    write_corpus(path, gardens(), splits)


def test_the_command_prints_both_protocols_and_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "gardens.json", tmp_path / "out" / "figures.json"
    split_gardens(path)
    assert main([str(path), "--part", "test", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "test: 2 examples, 7 candidates; the file's own split" in printed
    assert printed.count("| mAP | R@10 | R@100 | Full@10 | Full@100 |") == 2
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["part"], written["examples"], written["candidates"]) == ("test", 2, 7)
    for row in written["rows"]:
        assert f"| {row['model']} | {row['figures']['mAP']['mean']:.1f} [" in printed


def test_plain_prints_no_intervals_and_valid_is_the_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split_gardens(tmp_path / "g.json")
    assert main([str(tmp_path / "g.json"), "--plain"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("valid: 1 examples")
    assert "[" not in printed


def test_a_seed_draws_a_new_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split_gardens(tmp_path / "g.json")
    assert main([str(tmp_path / "g.json"), "--part", "both", "--seed", "1", "--share", "0.7"]) == 0
    assert "split made here from the leaves, seed 1" in capsys.readouterr().out


def test_a_split_that_leaks_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theorems = (*gardens().theorems, statement(8, proofs=((4,),)))
    corpus = Corpus(theorems, gardens().definitions, gardens().others)
    splits = Splits(Split(((8, 0),), (*EVERY, 8)), Split((), EVERY), Split(((4, 0),), EVERY))
    write_corpus(tmp_path / "g.json", corpus, splits)
    assert main([str(tmp_path / "g.json"), "--part", "test"]) == 0
    assert "refer to evaluation theorems 1 times" in capsys.readouterr().err


def test_a_part_without_examples_and_a_missing_file_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(tmp_path / "g.json", gardens())
    assert main([str(tmp_path / "g.json"), "--whole", "--part", "valid"]) == 2
    assert "no example to evaluate (valid)" in capsys.readouterr().err
    assert main([str(tmp_path / "none.json")]) == 1
    assert "none.json" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(tmp_path / "g.json", gardens())
    (tmp_path / "file").write_text("", encoding="utf-8")
    arguments = [str(tmp_path / "g.json"), "--whole", "--part", "test"]
    assert main([*arguments, "--json", str(tmp_path / "file" / "x.json")]) == 1
    assert "cannot be read or written" in capsys.readouterr().err
