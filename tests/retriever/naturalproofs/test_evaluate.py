from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from retriever.documents.schema import Corpus, Split, Splits, Statement
from retriever.documents.store import write_corpus
from retriever.naturalproofs.evaluation.evaluate import evaluate
from retriever.naturalproofs.evaluation.measure import ReferenceRow, rows_of
from retriever.naturalproofs.splits import whole_for_test
from retriever.naturalproofs.task import build_task
from tests.commands import command
from tests.retriever.naturalproofs.corpora import gardens, statement

main = command("retriever naturalproofs-evaluate")

EVERY = (1, 2, 3, 4, 5, 6, 7)


class Fixed:
    """Ranks the candidates in one order for every theorem, but the theorem itself first."""

    name = "fixed"

    def __init__(self, order: list[int], ids: tuple[int, ...]) -> None:
        self._order, self._ids = order, ids

    def scores(self, theorem: Statement) -> np.ndarray:
        scores = [float(-self._order.index(id)) for id in self._ids]
        scores[self._ids.index(theorem.id)] = 1.0
        return np.array(scores, dtype=np.float32)


def fixed_rows(example: tuple[int, int], order: list[int]) -> dict[str, ReferenceRow]:
    splits = Splits(Split((), ()), Split((), ()), Split((example,), EVERY))
    rows = rows_of(Fixed(order, EVERY), build_task(gardens(), splits, "test"))
    return {row.protocol: row for row in rows}


def test_the_theorem_itself_takes_a_place_in_the_papers_protocol_alone() -> None:
    rows = fixed_rows((4, 0), [3, 5, 1, 2, 4, 6, 7])  # it uses 3 and 1
    assert rows["among"].figures["mAP"].mean == pytest.approx(100 * (1 / 2 + 2 / 4) / 2)
    assert rows["excluded"].figures["mAP"].mean == pytest.approx(100 * (1 / 1 + 2 / 3) / 2)


def test_a_proof_that_uses_its_own_theorem_is_not_asked_for_it_in_ours() -> None:
    rows = fixed_rows((5, 0), [1, 3, 4, 6, 2, 7, 5])  # it uses 2, 7 and itself
    assert rows["among"].figures["mAP"].mean == pytest.approx(100 * (1 / 1 + 2 / 6 + 3 / 7) / 3)
    assert rows["excluded"].figures["mAP"].mean == pytest.approx(100 * (1 / 5 + 2 / 6) / 2)


def test_an_example_that_uses_itself_alone_drops_out_of_ours() -> None:
    corpus = Corpus((statement(1, proofs=((1,),)), statement(2)))
    rows = rows_of(Fixed([1, 2], (1, 2)), build_task(corpus, whole_for_test(corpus), "test"))
    assert [(row.protocol, row.examples) for row in rows] == [("among", 1)]


def test_types_are_measured_at_their_places_among_all() -> None:
    rows = fixed_rows((3, 0), [7, 1, 6, 5, 2, 3, 4])  # it uses 1, 2 and definition 6
    by_type = {kind: interval.mean for kind, interval in rows["excluded"].by_type.items()}
    assert by_type == {
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
    rows = evaluate(build_task(corpus, whole_for_test(corpus), "test"))
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
