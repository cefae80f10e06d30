from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Header, Module, Premise, Proof, Record, TacticStep, write_records
from retriever.lean.dataset.dataset import build_dataset
from retriever.metrics.charts import Histogram, as_text
from tests.commands import command
from tests.retriever.support import named_in


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Two premises; a tactic proof of three steps in train, a term proof in train, a tactic proof in test."""
    used = [Premise(name, "theorem", "A", (), "1 = 1") for name in ("A.p", "A.q")]
    context = ("(a b : S)", "[Inst S]")
    long, term, held = named_in("train", "A.long"), named_in("train", "A.term"), named_in("test", "A.held")
    stated = [Premise(name, "theorem", "A", context, "a = b") for name in (long, term, held)]
    steps = (
        TacticStep("rw [p, q]", None, ("A.p", "A.q")),
        TacticStep("simp"),
        TacticStep("exact p", None, ("A.p",)),
    )
    proofs: list[Record] = [
        Proof(long, "A", ("A.p", "A.q"), steps, is_tactic=True),
        Proof(term, "A", ("A.q",)),
        Proof(held, "A", ("A.p",), steps[2:], is_tactic=True),
    ]
    path = tmp_path / "records.jsonl"
    write_records(path, Header("text", "here"), [Module("A", "A.lean"), *used, *stated, *proofs])
    build_dataset(path, tmp_path / "dataset")
    return path


def test_the_table_has_the_figures_of_each_part(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "figure.svg"
    arguments = [str(tmp_path / "dataset"), "--records", str(records), "--svg", str(figure)]
    assert command("retriever statistics")(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| hash")]
    # gold (2 + 1) / 2; length (3 + 1) / 2; frequency (3/3 + 1/1) / 2; of the tactic proof 3 and 3/3
    assert rows[0] == ["hash", "train", "2", "2", "0", "0", "1.50", "2.00", "1.00", "3.00", "1.00", "5"]
    assert rows[1] == ["hash", "valid", "0", "0", "0", "0", "-", "-", "-", "-", "-", "5"]
    assert rows[2] == ["hash", "test", "1", "1", "0", "0", "1.00", "1.00", "1.00", "1.00", "1.00", "5"]
    assert any(line.startswith("Context length (variables of a state): 3, mean 3.00") for line in lines)
    assert any(line.startswith("Premise number (of a tactic that names any): 3, mean 1.33") for line in lines)
    parts = ElementTree.parse(figure).getroot().iter("{http://www.w3.org/2000/svg}g")
    assert sum(part.get("id", "").startswith("part-") for part in parts) == 12 + 10


def test_without_records_no_proof_is_known(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("retriever statistics")([tmp_path / "dataset"]) == 0
    shown = capsys.readouterr().out
    assert "| hash | train | 2 | 2 | 0 | 0 | 1.50 | - | - | - | - | 5 |" in shown
    assert "Premise number" not in shown


def test_records_of_another_library_are_refused(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "other.jsonl", Header("text", "elsewhere"), [])
    arguments = [tmp_path / "dataset", "--records", tmp_path / "other.jsonl"]
    assert command("retriever statistics")(arguments) == 1
    assert "of revision elsewhere" in capsys.readouterr().err


@given(st.lists(st.integers(0, 100), max_size=50), st.integers(1, 5), st.integers(1, 8))
def test_a_histogram_counts_every_value_once(values: list[int], width: int, bars: int) -> None:
    histogram = Histogram.of("h", values, width=width, bars=bars)
    for place, count in enumerate(histogram.counts[:-1]):
        assert count == sum(place * width <= value < (place + 1) * width for value in values)
    assert sum(histogram.counts) == len(values)
    assert histogram.mean == pytest.approx(sum(values) / len(values) if values else 0)
    assert len(as_text(histogram).splitlines()) == 1 + bars == 1 + len(histogram.labels)
