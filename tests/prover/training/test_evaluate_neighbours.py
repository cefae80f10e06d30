"""The figures of tactics adapted from known proofs, through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_extract.source.extract import extract_project
from prover.__main__ import main
from prover.neighbours.features import FEATURES
from tests.retriever.support import named_in

ENCODER = Path(__file__).parents[2] / "retriever" / "fixtures" / "encoder"
LEMMA = "theorem le_swap (a b : Nat) (h : a ≤ b) : a ≤ b + 0 := h\n"
PROOF = "theorem {name} (a b : Nat) (hab : a ≤ b) : a ≤ b + 0 := by\n  exact le_swap a b hab\n"
STATE = "m n : Nat\nk : m ≤ n\n⊢ m ≤ n + 0"
OWN = "exact le_swap m n k"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """The records of a library with a proof above the wanted theorem, and one below."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "lakefile.toml").write_text('name = "num"\n[[lean_lib]]\nname = "Num"\n')
    wanted = "theorem wanted (m n : Nat) (k : m ≤ n) : m ≤ n + 0 := sorry\n"
    above = LEMMA + PROOF.format(name=named_in("train", "above"))
    below = PROOF.format(name=named_in("train", "below")).replace("exact le_swap a b hab", "simpa using hab")
    (root / "Num.lean").write_text(above + wanted + below)
    extract_project(root, tmp_path / "records.jsonl", states=True)
    return tmp_path / "records.jsonl"


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    path = tmp_path / "steps.jsonl"
    row = {"theorem": "wanted", "file": "Num.lean", "state_before": STATE, "tactic": OWN}
    path.write_text(json.dumps(row) + "\n")
    return path


def evaluated(tmp_path: Path, steps: Path, records: Path, *options: str) -> dict[str, Any]:
    out = tmp_path / "figures.json"
    command = ["evaluate-neighbours", str(ENCODER), str(steps), str(records), "--json", str(out), *options]
    assert main(command) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def figures(found: dict[str, Any], row: int) -> list[float]:
    return [one["mean"] for one in found["rows"][row]["figures"].values()]


def test_an_adapted_tactic_is_the_proofs_own(tmp_path: Path, steps: Path, records: Path) -> None:
    found = evaluated(tmp_path, steps, records, "--cache", str(tmp_path / "cache"))
    assert [row["name"] for row in found["rows"]] == ["copied", "adapted"]
    assert figures(found, 0) == [0, 0, 1], "the names differ, the first word does not"
    assert figures(found, 1) == [1, 1, 1]
    assert evaluated(tmp_path, steps, records, "--cache", str(tmp_path / "cache"))["known"] == found["known"]


def test_later_theorems_are_known_only_on_request(tmp_path: Path, steps: Path, records: Path) -> None:
    row = json.loads(steps.read_text())
    steps.write_text(json.dumps({**row, "tactic": "simpa using k"}) + "\n")
    assert figures(evaluated(tmp_path, steps, records), 1) == [0, 0, 0]
    assert figures(evaluated(tmp_path, steps, records, "--whole"), 1)[1:] == [1, 1]


def test_names_that_are_left_out_give_no_tactics(tmp_path: Path, steps: Path, records: Path) -> None:
    without = tmp_path / "without.txt"
    without.write_text(named_in("train", "above") + "\n")
    found = evaluated(tmp_path, steps, records, "--whole", "--without", str(without))
    assert figures(found, 1) == [0, 0, 0]


def test_weights_are_fitted(tmp_path: Path, steps: Path, records: Path) -> None:
    pytest.importorskip("torch")
    evaluated(tmp_path, steps, records, "--whole", "--fit", str(tmp_path / "weights.json"))
    weights = json.loads((tmp_path / "weights.json").read_text())
    assert list(weights) == list(FEATURES)
    assert any(weights.values())


@pytest.mark.parametrize("text", ["", "{}\n", '{"theorem": "a"', "nothing\n"])
def test_a_file_without_steps_is_refused(
    tmp_path: Path, records: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    assert main(["evaluate-neighbours", str(ENCODER), str(path), str(records)]) != 0
    assert "LeanDojo" in capsys.readouterr().err
