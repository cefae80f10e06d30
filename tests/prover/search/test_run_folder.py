"""The folder of a run: rows are kept, others' settings are refused, one writes at a time."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords, UserError
from prover.search.run_folder import (
    DESCRIPTION,
    RESULTS,
    FolderInUse,
    ProblemRow,
    ResultsNotWritten,
    RowStatus,
    RunDescription,
    from_line,
    held,
    opened,
    read_description,
    read_rows,
    to_line,
)

WANTED = RunDescription({"problems": "some", "retriever": "bm25", "seconds": 1.5}, problems=3, passes=1)
ROW = ProblemRow("a.b", 1, "proved", "2", ("intro h", "exact h"), ("propext",), 0.25, 2, 17)


@given(
    st.builds(
        ProblemRow,
        name=st.text(),
        pass_number=st.integers(1, 9),
        status=st.sampled_from(get_args(RowStatus)),
        proof=st.lists(st.text()).map(tuple),
        axioms=st.lists(st.text()).map(tuple),
        seconds=st.floats(0, 1e6),
        nodes=st.integers(0),
        error=st.text(),
    )
)
def test_rows_come_back_as_they_were(row: ProblemRow) -> None:
    line = to_line(row)
    assert line.count("\n") == 1
    assert from_line(line.encode()) == row


def test_rows_are_there_when_they_were_written(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    with opened(folder, WANTED, resume=False) as results:
        results.append(ROW)
        assert read_rows(folder / RESULTS) == ([ROW], [])
    with opened(folder, WANTED, resume=True) as results:
        assert results.rows == [ROW]
        results.append(replace(ROW, name="c"))
    assert [row.name for row in read_rows(folder / RESULTS)[0]] == ["a.b", "c"]
    assert read_description(folder) == WANTED


def test_what_was_cut_off_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    with opened(tmp_path, WANTED, resume=False) as results:
        results.append(ROW)
    path = tmp_path / RESULTS
    whole = path.read_bytes()
    second = to_line(replace(ROW, name="c")).encode()
    for end in [*range(0, len(second), 7), len(second) - 1]:
        path.write_bytes(whole + second[:end])
        with opened(tmp_path, WANTED, resume=True) as results:
            kept = [row.name for row in results.rows]
        complete = end == len(second) - 1  # all but the line's end
        assert kept == (["a.b", "c"] if complete else ["a.b"])
        assert path.read_bytes() == (whole + second if complete else whole)


def test_a_line_that_is_no_row_is_reported(tmp_path: Path) -> None:
    with opened(tmp_path, WANTED, resume=False) as results:
        results.append(ROW)
    path = tmp_path / RESULTS
    path.write_bytes(b'{"name": 3}\n\xff\n' + path.read_bytes())
    with opened(tmp_path, WANTED, resume=True) as results:
        assert results.rows == [ROW]
        assert [complaint.split(": ")[0] for complaint in results.complaints] == [f"{path}:1", f"{path}:2"]


def test_results_are_not_mixed(tmp_path: Path) -> None:
    with opened(tmp_path, WANTED, resume=False) as results:
        results.append(ROW)
    with pytest.raises(UserError, match="already") as caught, opened(tmp_path, WANTED, resume=False):
        pass
    assert "--resume" in caught.value.hint
    other = replace(WANTED, settings={**WANTED.settings, "retriever": "ours"})
    with (
        pytest.raises(UserError, match="retriever was bm25 and is now ours"),
        opened(tmp_path, other, resume=True),
    ):
        pass
    more = replace(WANTED, passes=2)
    with opened(tmp_path, more, resume=True) as results:
        assert results.rows == [ROW]
    assert read_description(tmp_path).passes == 2
    with opened(tmp_path, WANTED, resume=True) as results:  # fewer passes: those asked for before stay
        assert results.description.passes == 2
    assert read_description(tmp_path).passes == 2


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all of it", encoding="utf-8")
    with (
        pytest.raises(UserError, match=r"holds other files \(thesis.tex\)"),
        opened(tmp_path, WANTED, resume=True),
    ):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.tex"]
    with pytest.raises(BadRecords, match="not the folder of an evaluation"):
        read_description(tmp_path)
    (tmp_path / DESCRIPTION).write_text('{"format": "other", "version": 1}', encoding="utf-8")
    with pytest.raises(BadRecords, match="other 1"):
        read_description(tmp_path)


def test_one_writes_at_a_time(tmp_path: Path) -> None:
    with held(tmp_path):
        with (
            pytest.raises(FolderInUse, match=f"process {os.getpid()} on "),
            opened(tmp_path, WANTED, resume=True),
        ):
            pass
        assert not (tmp_path / DESCRIPTION).exists()
    with opened(tmp_path, WANTED, resume=False):
        pass


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(ResultsNotWritten, match="cannot be written"),
        opened(tmp_path / "file", WANTED, resume=False),
    ):
        pass


@pytest.mark.parametrize("text", ["my lock", "[1]", '{"pid": 3}', "7" * 5000])
def test_a_lock_of_something_else_is_left_alone(tmp_path: Path, text: str) -> None:
    alone, used = tmp_path / "alone", tmp_path / "used"
    with opened(used, WANTED, resume=False):
        pass
    for folder in (alone, used):
        folder.mkdir(exist_ok=True)
        (folder / "lock").write_text(text, encoding="utf-8")
        kept = sorted(path.name for path in folder.iterdir())
        with pytest.raises(UserError, match="lock"), opened(folder, WANTED, resume=True):
            pass
        assert (folder / "lock").read_text(encoding="utf-8") == text
        assert sorted(path.name for path in folder.iterdir()) == kept
    (alone / "lock").unlink()
    (alone / "lock").mkdir()
    with pytest.raises(UserError, match="lock"), opened(alone, WANTED, resume=True):
        pass


def test_a_lock_that_was_just_made_or_left_over_is_taken(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / f".{DESCRIPTION}.0123456789ab.tmp").write_text("{", encoding="utf-8")
    with opened(tmp_path, WANTED, resume=False) as results:
        results.append(ROW)
    (tmp_path / DESCRIPTION).unlink()
    (tmp_path / RESULTS).unlink()
    with opened(tmp_path, WANTED, resume=False) as results:
        assert results.rows == []


def test_half_a_character_in_a_row_is_kept(tmp_path: Path) -> None:
    row = replace(ROW, name="caf\udce9", error="caf\udce9.lean cannot be read")
    with opened(tmp_path, WANTED, resume=False) as results:
        results.append(row)
    assert read_rows(tmp_path / RESULTS) == ([row], [])
