"""Malformed lines: the file, the line, what is wrong; and the rest goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_extract.common.errors import BadRecords
from retriever.lean.dataset.dataset import Dataset, build_dataset, load_dataset
from tests.commands import command

Change = Callable[[dict[str, Any]], Any]


def without(name: str) -> Change:
    return lambda values: {key: value for key, value in values.items() if key != name}


def having(**others: Any) -> Change:
    return lambda values: {**values, **others}


def damage(path: Path, line: int, change: Change | bytes) -> None:
    """Change a line, counted from 1, of a JSONL file."""
    lines = path.read_bytes().splitlines()
    changed = (
        change if isinstance(change, bytes) else json.dumps(change(json.loads(lines[line - 1]))).encode()
    )
    path.write_bytes(b"\n".join([*lines[: line - 1], changed, *lines[line:]]) + b"\n")


@pytest.fixture
def folder(little_records: Path, tmp_path: Path) -> Path:
    build_dataset(little_records, tmp_path / "dataset")
    return tmp_path / "dataset"


def named_pairs(dataset: Dataset) -> set[tuple[str, str, str, str]]:
    """Every pair of query and gold premise, by names rather than numbers."""
    return {
        (query.theorem, query.origin, query.goal.target, dataset.corpus[number].name)
        for query in dataset.queries
        for number in query.gold
    }


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (b'{"name": "Little.mix', "Unterminated string"),
        (b"\xff\xfe{}", "can't decode byte 0xff"),
        (b"[1]", "is not a premise"),
        (without("module"), "a premise without 'module'"),
        (having(name=5), "name: 5 is not a string"),
        (having(context="(x : S)"), "context: '(x : S)' is not a list"),
        (having(is_private=1), "is_private: 1 is not true or false"),
        (having(colour="red"), "unknown field 'colour'"),
        (having(span={"start": {"line": "x", "column": 0}}), "span: start: line: 'x' is not a whole number"),
    ],
)
def test_a_malformed_premise_goes_alone(folder: Path, change: Change | bytes, problem: str) -> None:
    whole = load_dataset(folder)
    damage(folder / "corpus.jsonl", 41, change)
    gone = whole.corpus[40].name
    complaints: list[str] = []
    loaded = load_dataset(folder, complaints)
    assert complaints[0].startswith(f"{folder / 'corpus.jsonl'}:41: not a premise: ")
    assert problem in complaints[0]
    assert [premise.name for premise in loaded.corpus] == [p.name for p in whole.corpus if p.name != gone]
    assert named_pairs(loaded) == {pair for pair in named_pairs(whole) if pair[3] != gone}
    with pytest.raises(BadRecords, match=re.escape("corpus.jsonl:41")):
        load_dataset(folder)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (having(gold=[3, 120]), "gold: the corpus has no premise 120"),
        (having(gold=[-1]), "gold: the corpus has no premise -1"),
        (having(gold=["Little.mix_comm"]), "gold: 'Little.mix_comm' is not a whole number"),
        (having(gold=7), "gold: 7 is not a list"),
        (having(split="dev"), "split: 'dev' is not one of train, valid, test"),
        (without("goal"), "a dataset query without 'goal'"),
        (having(goal="x = x"), "goal: 'x = x' is not a goal"),
        (having(line=1.5), "line: 1.5 is not a whole number"),
    ],
)
def test_a_malformed_query_goes_alone(folder: Path, change: Change, problem: str) -> None:
    whole = load_dataset(folder)
    damage(folder / "queries.jsonl", 3, change)
    complaints: list[str] = []
    loaded = load_dataset(folder, complaints)
    assert complaints[0].startswith(f"{folder / 'queries.jsonl'}:3: ") and problem in complaints[0]
    assert loaded.corpus == whole.corpus
    assert loaded.queries == whole.queries[:2] + whole.queries[3:]
    with pytest.raises(BadRecords, match=re.escape("queries.jsonl:3")):
        load_dataset(folder)


def test_a_file_that_ends_too_early_is_noticed(folder: Path) -> None:
    path = folder / "queries.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    with pytest.raises(BadRecords, match=r"holds \d+ sound lines, its manifest says \d+"):
        load_dataset(folder)
    (folder / "modules.jsonl").unlink()
    with pytest.raises(BadRecords, match=r"modules.jsonl cannot be read"):
        load_dataset(folder, [])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (having(version=2), "of version 2, not 1"),
        (having(corpus="many"), "corpus: 'many' is not a whole number"),
        (having(queries={"train/statement": "x"}), "queries: 'x' is not a whole number"),
        (without("digest"), None),
        (without("source"), "a dataset manifest without 'source'"),
        (lambda values: [values], "is not a dataset manifest"),
    ],
)
def test_a_manifest_is_checked(folder: Path, change: Change, problem: str | None) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    if problem is None:
        assert load_dataset(folder).manifest.digest == ""
        return
    with pytest.raises(BadRecords, match=re.escape(problem)):
        load_dataset(folder)


def test_malformed_records_are_told_and_passed_over(
    little_records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(little_records.read_bytes())
    whole = build_dataset(little_records, tmp_path / "whole")
    lines = path.read_text(encoding="utf-8").splitlines()
    place = next(number for number, line in enumerate(lines, 1) if '"proof"' in line)
    for change in (having(premises=[["x"]]), b'{"type": "proof", "theo'):
        damage(path, place, change)
        assert command("retriever dataset")([path, tmp_path / "out"]) == 0
        assert f"r.jsonl:{place}: not a record" in capsys.readouterr().err
        assert load_dataset(tmp_path / "out").manifest.queries != whole.queries
    assert command("retriever dataset")([tmp_path / "none.jsonl", tmp_path / "out"]) == 1
    assert "none.jsonl cannot be read" in capsys.readouterr().err


def test_resplit_and_statistics_go_on_past_malformed_lines(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(folder / "corpus.jsonl", 2, b"{")
    damage(folder / "queries.jsonl", 5, having(gold=[10_000]))
    assert command("retriever resplit")([folder, tmp_path / "out", "--strategy", "rd"]) == 0
    told = capsys.readouterr().err
    assert "corpus.jsonl:2: not a premise" in told and "queries.jsonl:5: gold" in told
    assert len(load_dataset(tmp_path / "out").corpus) == 119  # sound again: this raises otherwise
    assert command("retriever statistics")([folder]) == 0
    assert "corpus.jsonl:2: not a premise" in capsys.readouterr().err


def test_a_flood_of_complaints_is_cut(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "corpus.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:60]) + b"{\n" * 60)
    assert command("retriever statistics")([folder]) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 21 and re.fullmatch(r"\.\.\. and \d+ more; \d+ in all\.", told[-1])
