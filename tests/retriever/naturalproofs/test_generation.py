from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.documents.schema import Split, Splits
from retriever.documents.store import write_corpus
from retriever.naturalproofs.evaluation.generation import (
    oracle_sequences,
    read_predictions,
    write_predictions,
)
from retriever.naturalproofs.evaluation.sequences import figures
from tests.commands import command
from tests.retriever.naturalproofs.corpora import gardens

main = command("retriever naturalproofs-generation")

EVERY = (1, 2, 3, 4, 5, 6, 7)
SPLITS = Splits(Split(((3, 0),), (1, 2, 3, 6, 7)), Split(((5, 0),), EVERY), Split(((4, 0), (4, 1)), EVERY))
TRUTHS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=9).map(tuple), min_size=1, max_size=8)
Lines = dict[tuple[int, int], tuple[int, ...]]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "gardens.json"
    write_corpus(path, gardens(), SPLITS)
    return path


def predictions(folder: Path, lines: Lines, name: str = "model.jsonl") -> Path:
    write_predictions(folder / name, lines)
    return folder / name


def cells(printed: str) -> dict[str, dict[str, str]]:
    """The table's cells by row and column."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.splitlines() if "|" in line]
    return {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[2:]}


def test_predictions_stand_beside_the_oracles(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The proofs use 3, 1 and 6; the model says 3, 2 and 6, and also speaks of an example of another part."""
    made = predictions(tmp_path, {(5, 0): (2,), (4, 1): (6,), (4, 0): (3, 2)})
    out = tmp_path / "new" / "figures.json"
    arguments = [str(corpus), "--part", "test", "--predictions", str(made), "--plain", "--json", str(out)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("test: 2 examples; the file's own split; corpus sha256 ")
    table = cells(printed)
    assert list(table) == ["*-set", "*-multiset", "*-halfseq", "model.jsonl"]
    assert table["*-multiset"]["multiset EM"] == "100.00"
    assert table["*-halfseq"]["Len"] == "0.25"
    assert table["model.jsonl"] == {
        "EM": "50.00",
        "Edit": "25.00",
        "BLEU": "0.00",
        "BLEU-2": "0.00",
        "Len": "1.00",
        "multiset EM": "50.00",
        "multiset F1": "66.67",
        "set EM": "50.00",
        "set F1": "66.67",
        "1-gram": "66.67",
    }
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["part"], written["rows"][3]["model"]) == ("test", "model.jsonl")
    assert written["rows"][3]["figures"]["EM"]["mean"] == 50


def test_valid_with_intervals_is_the_default(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(corpus)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("valid: 1 examples")
    assert cells(printed)["*-set"]["set EM"] == "100.00 [100.00, 100.00]"


def test_files_of_one_name_keep_their_rows(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(predictions(tmp_path / folder, {(5, 0): (2, 7, 5)})) for folder in ("a", "b")]
    assert main([str(corpus), "--predictions", *files]) == 0
    assert list(cells(capsys.readouterr().out))[3:] == files


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"example": [5, 0], "references": [2, "7"]}', "references"),
        ('{"example": [5, 0], "references": [true]}', "references"),
        ('{"example": [5], "references": [2]}', "not a pair"),
        ('{"example": [5, 0]}', "references"),
        ('{"example": [5, 0], "references": [], "score": 1}', "score"),
        ('{"example": [5, 0], "references": [2', "delimiter"),
        ("[5, 0]", "is no"),
        ("", "Expecting value"),
        ('{"example": [5, 0], "references": [8]}', "does not rank statement 8"),
    ],
)
def test_a_line_that_is_wrong_is_told_with_its_place(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"example": [4, 0], "references": []}}\n{text}\n', encoding="utf-8")
    assert main([str(corpus), "--predictions", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {path}:2: ")
    assert told in error


def test_an_example_twice_or_never_and_a_missing_file_are_told(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = '{"example": [4, 0], "references": [1]}\n'
    path = tmp_path / "some.jsonl"
    path.write_text(line, encoding="utf-8")
    assert main([str(corpus), "--part", "test", "--predictions", str(path)]) == 1
    assert "no line for 1 of 2 examples, the first of them [4, 1]" in capsys.readouterr().err
    path.write_text(line * 2, encoding="utf-8")
    assert main([str(corpus), "--part", "test", "--predictions", str(path)]) == 1
    assert f"{path}:2: the example [4, 0] is there a second time" in capsys.readouterr().err
    assert main([str(corpus), "--predictions", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl cannot be read" in capsys.readouterr().err


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lines: Lines = {(4, 1): (), (4, 0): (3, 3, 1)}
    path = predictions(tmp_path, lines)
    assert read_predictions(path, [(4, 0), (4, 1)], {1, 3}) == ((3, 3, 1), ())


@given(TRUTHS, st.integers(0, 5))
def test_an_oracle_says_what_its_name_tells(true: list[tuple[int, ...]], seed: int) -> None:
    found = oracle_sequences(true, seed)
    assert [Counter(one) for one in found["*-set"]] == [Counter(set(one)) for one in true]
    assert [Counter(one) for one in found["*-multiset"]] == [Counter(one) for one in true]
    assert found["*-halfseq"] == [one[: len(one) // 2] for one in true]
    rows = {name: figures(predicted, true) for name, predicted in found.items()}
    assert rows["*-set"]["set EM"] == rows["*-multiset"]["multiset EM"] == 100
    assert rows["*-halfseq"]["EM"] == 0


def test_orders_are_random_and_the_seed_fixes_them() -> None:
    true = [tuple(range(6))] * 40
    found = oracle_sequences(true, 1)
    assert found == oracle_sequences(true, 1)
    for name in ("*-set", "*-multiset"):
        assert found[name] != oracle_sequences(true, 2)[name]
        assert len(set(found[name])) > 30
        assert {sequence[0] for sequence in found[name]} == set(range(6))
