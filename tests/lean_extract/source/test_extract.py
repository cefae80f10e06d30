import subprocess
import sys
from pathlib import Path

import pytest

from lean_extract.common.errors import BadSource
from lean_extract.records import FileProblem, Module, Premise, Proof, read_header, read_records
from lean_extract.source.extract import extract_project
from lean_extract.source.reader import read_file
from tests.commands import command


def make(root: Path) -> Path:
    (root / "A").mkdir(parents=True)
    (root / "lean-toolchain").write_text("v4")
    (root / "A" / "One.lean").write_text(
        "@[to_additive]\ntheorem mul_x : p := by\n  have h : q := y\n  exact h\n"
    )
    (root / "A" / "Two.lean").write_text("import A.One\ntheorem y : p := by\n  simp [mul_x]\n")
    (root / "Bad.lean").write_bytes(b"theorem \xff\xfe")
    return root


def test_a_project_becomes_one_records_file(tmp_path: Path) -> None:
    out = tmp_path / "out" / "records.jsonl"
    told: list[tuple[str, int, int]] = []
    counts = extract_project(make(tmp_path / "p"), out, lambda *step: told.append(step))
    records = list(read_records(out))
    assert read_header(out).source == "text"
    assert [record.name for record in records if isinstance(record, Module)] == ["A.One", "A.Two"]
    assert [record.name for record in records if isinstance(record, Premise)] == ["mul_x", "add_x", "y"]
    assert {r.theorem: r.premises for r in records if isinstance(r, Proof)} == {"mul_x": (), "y": ("mul_x",)}
    problem = next(record for record in records if isinstance(record, FileProblem))
    assert problem.path.endswith("Bad.lean") and "UTF-8" in problem.message
    assert (counts.files, counts.theorems, counts.pool, counts.only_additive) == (3, 2, 3, 1)
    assert (counts.proofs, counts.tactic_proofs, counts.with_premises) == (2, 2, 1)
    assert (counts.inner_goals, counts.steps, counts.problems) == (1, 3, 1)
    assert told == [("read", 1, 3), ("read", 2, 3), ("read", 3, 3)]


def test_the_same_text_gives_the_same_records_with_any_number_of_workers(tmp_path: Path) -> None:
    root = make(tmp_path / "p")
    hashes = {extract_project(root, tmp_path / f"{n}.jsonl", workers=n).data_hash for n in (1, 1, 2)}
    assert len(hashes) == 1


def test_the_command_prints_a_table(tmp_path: Path) -> None:
    root = make(tmp_path / "p")
    line = [sys.executable, "-m", "lean_extract", "extract", str(root), str(tmp_path / "o.jsonl")]
    result = subprocess.run(line, capture_output=True, text=True, check=True)
    assert "theorem + lemma" in result.stdout
    assert (tmp_path / "o.jsonl").exists()


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "o.jsonl"
    assert command("lean_extract extract")([tmp_path / "none", out]) == BadSource.exit_code
    assert f"There is no folder {tmp_path / 'none'}." in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [("A.lean", r"not UTF-8 text \(byte 8\)"), ("none.lean", "cannot be read"), ("", "cannot be read")],
)
def test_files_that_cannot_be_read_are_reported(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "A.lean").write_bytes(b"theorem \xff")
    with pytest.raises(BadSource, match=message):
        read_file(tmp_path / name, "A")


def test_an_unwritable_place_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        extract_project(make(tmp_path / "p"), tmp_path / "file" / "out.jsonl")


def test_a_folder_without_lean_files_has_no_records(tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    with pytest.raises(BadSource, match=r"There is no \.lean file under"):
        extract_project(tmp_path, out)
    assert not out.exists()
