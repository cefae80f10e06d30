from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import BadSettings
from retriever.metrics.bootstrap import Interval
from retriever.proof_matching.evaluation.report import (
    FinishedMatcher,
    MatchRow,
    count_table,
    cross_table,
    input_table,
    main_table,
    read_finished,
    write_finished,
)
from retriever.proof_matching.metrics import StatementCounts


def figures(mrr: float | None, accuracy: float) -> dict[str, Interval]:
    found = {"Acc": Interval(accuracy, accuracy - 1, accuracy + 1)}
    return found if mrr is None else {"MRR": Interval(mrr, mrr - 1, mrr + 1), **found}


ROWS = [
    MatchRow("TF-IDF", "none", "local", None, "conservation", "both", figures(40, 30)),
    MatchRow("npt", "local", "local", "conservation", "conservation", "both", figures(63, 56)),
    MatchRow("npt", "local", "global", "conservation", "conservation", "both", figures(None, 61)),
    MatchRow("npt", "hybrid", "global", "conservation", "conservation", "both", figures(None, 62)),
    MatchRow("npt", "local", "local", "conservation", "full", "both", figures(30, 25)),
    MatchRow("npt", "local", "local", "full", "full", "both", figures(41, 33)),
    MatchRow("npt", "local", "local", "conservation", "conservation", "math", figures(65, 58)),
]


def lines_of(text: str) -> dict[str, list[str]]:
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in text.splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_the_main_table_has_a_row_a_model_and_no_mrr_of_global_decoding() -> None:
    lines = lines_of(main_table(ROWS, intervals=False))
    assert lines["TF-IDF-Local"][:2] == ["40.0", "30.0"]
    assert lines["NPT-Local-Local"] == ["63.0", "56.0", "-", "-", "41.0", "33.0", "-", "-"]
    assert lines["NPT-Local-Global"][:2] == ["-", "61.0"]
    assert lines["NPT-Global-Global"][:2] == ["-", "62.0"]


def test_the_main_table_has_intervals() -> None:
    assert "63.0 [62.0, 64.0]" in main_table(ROWS)


def test_the_input_table_has_a_row_an_input() -> None:
    lines = lines_of(input_table(ROWS, intervals=False))
    assert lines["NPT, math"] == ["65.0", "58.0", "-", "-"]
    assert lines["NPT, both"] == ["63.0", "56.0", "41.0", "33.0"]
    assert "NPT, text" not in lines


def test_the_cross_table_has_a_row_a_level_trained_on() -> None:
    lines = lines_of(cross_table(ROWS, "npt", intervals=False))
    assert lines["conservation"] == ["63.0", "56.0", "-", "-", "30.0", "25.0", "-", "-"]
    assert lines["full"][4:6] == ["41.0", "33.0"]


def test_the_counts_are_shares_of_all_proofs() -> None:
    lines = lines_of(count_table(StatementCounts(50, {"20": 1, "2": 10}, 20, 20)))
    assert lines["20 or more"] == ["1", "2.0"]
    assert lines["2 or more"] == ["10", "20.0"]
    assert lines["0"] == ["20", "40.0"]


def test_rows_come_back_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / "npt.json"
    finished = FinishedMatcher("npt", tuple(ROWS), {"full": StatementCounts(50, {"2": 10}, 20, 20)}, 1.5)
    write_finished(path, finished, "digest")
    assert read_finished(path, "digest") == finished
    with pytest.raises(BadSettings, match="other pairs"):
        read_finished(path, "another")
    path.write_text(path.read_text().replace('"local"', '"loud"'))
    with pytest.raises(BadSettings, match="not a file of rows"):
        read_finished(path, "digest")
