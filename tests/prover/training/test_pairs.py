import json
import subprocess
import sys
from pathlib import Path

import pytest

from lean_extract.common.errors import BadRecords
from lean_extract.source.extract import extract_project
from lean_extract.syntax.complete_tactics import complete, head
from lean_extract.traced.goal_comments import with_comments
from prover.training.pairs import TacticPair, build_pairs

pytest.importorskip("torch")
from prover.training.data import EncodedPairs
from retriever.lean.dataset.dataset import build_dataset
from retriever.search.splits import SPLITS

pytestmark = pytest.mark.train

LIBRARY = """\
namespace Nat
theorem add_comm (a b : Nat) : a + b = b + a := sorry
theorem zero_add (a : Nat) : 0 + a = a := by
  rw [add_comm, foo]
theorem both (a b : Nat) : a + b = b + a ∧ 0 + a = a := by
  constructor
  · exact add_comm a b
  · have h : 0 + a = a := zero_add a
    simp [h]
end Nat
"""


@pytest.fixture
def records(tmp_path: Path) -> Path:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "Sums.lean").write_text(LIBRARY, encoding="utf-8")
    extract_project(tmp_path / "library", tmp_path / "records.jsonl", states=True)
    return tmp_path / "records.jsonl"


def all_pairs(folder: Path) -> list[TacticPair]:
    return [pair for split in SPLITS for pair in EncodedPairs(folder, split).pairs]


def test_pairs_of_a_library(records: Path, tmp_path: Path) -> None:
    manifest = build_pairs([records], tmp_path / "pairs", [])
    found = {(pair.kind, pair.tactic): pair for pair in all_pairs(tmp_path / "pairs")}
    assert set(found) == {
        ("tactic", "rw [Nat.add_comm, foo]"),
        ("tactic", "constructor"),
        ("tactic", "exact Nat.add_comm a b"),
        ("tactic", "have h : 0 + a = a := Nat.zero_add a"),
        ("tactic", "simp [h]"),
        ("term", "exact Nat.zero_add a"),
    }
    assert found["tactic", "exact Nat.add_comm a b"].goal.target == "a + b = b + a"
    assert found["tactic", "exact Nat.add_comm a b"].gold == ("Nat.add_comm",)
    assert found["tactic", "simp [h]"].origin == "have"
    assert sum(count for kind, count in manifest.pairs.items() if kind.count("/") == 1) == 6
    assert manifest.premises == 3


def test_the_same_records_give_the_same_bytes(records: Path, tmp_path: Path) -> None:
    one, two = (build_pairs([records], tmp_path / name, []) for name in ("one", "two"))
    assert one == two
    assert (tmp_path / "one/pairs.jsonl").read_bytes() == (tmp_path / "two/pairs.jsonl").read_bytes()


def test_theorems_can_be_left_out(records: Path, tmp_path: Path) -> None:
    manifest = build_pairs([records], tmp_path / "pairs", [], frozenset({"Nat.both"}))
    assert all(pair.theorem != "Nat.both" or pair.split != "train" for pair in all_pairs(tmp_path / "pairs"))
    assert manifest.left_out["of a theorem that is left out"] == 1


def test_the_mini_cores_problems_make_no_pairs(tmp_path: Path) -> None:
    (tmp_path / "library" / "Problems").mkdir(parents=True)
    (tmp_path / "library" / "Problems" / "Sums.lean").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "library" / "Sums.lean").write_text("theorem t : p := by simp\n", encoding="utf-8")
    extract_project(tmp_path / "library", tmp_path / "records.jsonl", states=True)
    build_pairs([tmp_path / "records.jsonl"], tmp_path / "pairs", [])
    assert {pair.theorem for pair in all_pairs(tmp_path / "pairs")} == {"t"}


def test_records_without_states_are_refused(tmp_path: Path) -> None:
    (tmp_path / "Sums.lean").write_text(LIBRARY, encoding="utf-8")
    extract_project(tmp_path, tmp_path / "records.jsonl")
    command = [sys.executable, "-m", "prover", "pairs", tmp_path / "records.jsonl", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and "--states" in done.stderr
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize("file", ["pairs.jsonl", "premises.jsonl"])
def test_a_damaged_folder_is_refused(records: Path, tmp_path: Path, file: str) -> None:
    build_pairs([records], tmp_path / "pairs", [])
    path = tmp_path / "pairs" / file
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(BadRecords, match="that its manifest lists"):
        for split in SPLITS:
            EncodedPairs(tmp_path / "pairs", split)
    path.write_text("".join(lines)[:-9], encoding="utf-8")
    with pytest.raises(BadRecords, match=f"{file}:{len(lines)} is damaged"):
        EncodedPairs(tmp_path / "pairs", "train")
    path.unlink()
    with pytest.raises(BadRecords, match="cannot be read"):
        EncodedPairs(tmp_path / "pairs", "train")


def test_an_unfinished_folder_is_refused(records: Path, tmp_path: Path) -> None:
    build_pairs([records], tmp_path / "pairs", [])
    manifest = tmp_path / "pairs" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": 99}))
    with pytest.raises(BadRecords, match="version 99"):
        EncodedPairs(tmp_path / "pairs", "train")
    manifest.unlink()
    with pytest.raises(BadRecords, match="not a finished folder"):
        EncodedPairs(tmp_path / "pairs", "train")


@pytest.mark.parametrize(
    ("step", "tactic"),
    [
        ("simp  [foo]\n  at h", "simp [foo] at h"),
        ("have h : p := by", "have h : p"),
        ("have h : p := by simp", "have h : p := by simp"),
        ("induction n with", "induction n"),
        ("cases h with", "cases h"),
        ("refine foo fun x => by", None),
        ("exact sorry", None),
        ("calc a = b := by simp", None),
        ("case inl h =>", None),
        ("try simp", None),
        ("exact (foo", None),
        ("", None),
    ],
)
def test_complete_tactics(step: str, tactic: str | None) -> None:
    assert complete(step) == tactic


def test_heads() -> None:
    assert (head("rw [foo]"), head("simp_all"), head("")) == ("rw", "simp_all", "")


def test_a_goal_of_which_only_the_beginning_is_known_makes_no_pair(records: Path, tmp_path: Path) -> None:
    steps = tmp_path / "steps.jsonl"
    shown = [
        {"theorem": f"Nat.{name}", "file": "Sums.lean", "line": line, "goal": goal, "tactic": tactic}
        for name, line, goal, tactic in (
            ("both", 7, "⊢ a + b …", "exact add_comm a b"),
            ("both", 9, "⊢ 0 + a = a * 1", "simp [h]"),
            ("zero_add", 4, "⊢ 0 …", "rw [add_comm, foo]"),
        )
    ]
    steps.write_text("".join(json.dumps(step) + "\n" for step in shown), encoding="utf-8")
    text = (tmp_path / "library" / "Sums.lean").read_text(encoding="utf-8")
    # a tactic that says nothing about its goal, so that the shortened one is all there is
    text = text.replace("  constructor\n", "  foo\n")
    (tmp_path / "library" / "Sums.lean").write_text(text, encoding="utf-8")
    extract_project(tmp_path / "library", records, states=True)
    out = tmp_path / "comments.jsonl"
    with_comments(steps, records, out, [])
    manifest = build_pairs([out], tmp_path / "pairs", [])
    found = {pair.tactic: pair for pair in all_pairs(tmp_path / "pairs") if pair.kind == "tactic"}
    assert "exact Nat.add_comm a b" not in found
    assert manifest.left_out["tactic: only the beginning of the goal is known"] == 1
    assert found["simp [h]"].origin == "comment" and found["simp [h]"].goal.target == "0 + a = a * 1"
    assert found["rw [Nat.add_comm, foo]"].goal.target == "0 + a = a"  # the text has all of it

    dataset = build_dataset(out, tmp_path / "dataset")
    counts = {
        origin: sum(n for key, n in dataset.queries.items() if key.endswith(f"/{origin}"))
        for origin in ("statement", "comment", "comment-truncated")
    }
    assert counts == {"statement": 2, "comment": 0, "comment-truncated": 1}
