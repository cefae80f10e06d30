"""An alias has the statement of its target, wherever that is declared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lean_extract.records import FileProblem, Premise, Proof, read_records
from lean_extract.source.extract import extract_project

BASE = """\
namespace Base
variable {α : Type}
theorem left_iff (a b : Nat) : a < b + 1 ↔ a ≤ b := x
@[to_additive] theorem mul_turn [Mul α] (a b : α) : a * b = b * a := x
private theorem hidden : p := x
class Turns (α : Type) where
  turn : ∀ a : α, a = a
export Turns (turn)
end Base
"""
NAMES = """\
import Base
open Base
alias lt_succ := left_iff
/-- Both directions. -/
alias ⟨Nat.le_of_lt_add, Nat.lt_add_of_le⟩ := Base.left_iff
alias add_turns := Base.add_turn
@[to_additive] alias mul_turns := Base.mul_turn
namespace Own
alias left_iff := Base.left_iff
alias turns := Base.turn
alias gone := Base.hidden
alias absent := Base.nothing
end Own
"""
LATER = "import Names\nalias third := lt_succ\ntheorem uses : q := third.mp h\n"
FILES = {"Base": BASE, "Names": NAMES, "Later": LATER}


def extracted(folder: Path, files: Mapping[str, str], workers: int = 1) -> list[object]:
    root = folder / "project"
    root.mkdir(exist_ok=True)
    (root / "lakefile.toml").write_text('name = "p"\n')
    for name, text in files.items():
        (root / f"{name}.lean").write_text(text)
    extract_project(root, folder / "records.jsonl", workers=workers)
    return list(read_records(folder / "records.jsonl"))


def test_an_alias_of_another_file_has_its_statement(tmp_path: Path) -> None:
    records = extracted(tmp_path, FILES)
    found = {record.name: record for record in records if isinstance(record, Premise)}
    assert found["lt_succ"].statement == "(a b : Nat) : a < b + 1 ↔ a ≤ b"
    assert found["Nat.le_of_lt_add"].statement == "(a b : Nat) : a < b + 1 → a ≤ b"
    assert found["Nat.lt_add_of_le"].conclusion == "a ≤ b → a < b + 1"
    assert found["Nat.le_of_lt_add"].doc == "Both directions."
    assert found["add_turns"].statement == "{α : Type} [Add α] (a b : α) : a + b = b + a"
    assert found["Own.left_iff"].conclusion == "a < b + 1 ↔ a ≤ b"
    assert found["Own.turns"].conclusion == "∀ a : α, a = a"
    assert (found["lt_succ"].kind, found["lt_succ"].module) == ("alias", "Names")


def test_what_attributes_make_of_such_an_alias_has_a_statement(tmp_path: Path) -> None:
    files = {**FILES, "Names": "import Base\n@[to_additive sum_turns] alias mul_turns := Base.mul_turn\n"}
    found = {record.name: record for record in extracted(tmp_path, files) if isinstance(record, Premise)}
    assert found["sum_turns"].conclusion == "a + b = b + a"


def test_an_alias_of_an_alias_is_followed_and_its_fields_resolve(tmp_path: Path) -> None:
    records = extracted(tmp_path, FILES)
    found = {record.name: record for record in records if isinstance(record, Premise)}
    assert found["third"].conclusion == "a < b + 1 ↔ a ≤ b"
    proof = next(record for record in records if isinstance(record, Proof) and record.theorem == "uses")
    assert proof.premises == ("third", "Iff.mp") or proof.premises == ("third",)


def test_an_alias_of_nothing_known_stays_without_a_statement(tmp_path: Path) -> None:
    found = {record.name: record for record in extracted(tmp_path, FILES) if isinstance(record, Premise)}
    assert (found["Own.gone"].conclusion, found["Own.absent"].conclusion) == ("", "")


def test_a_file_that_is_not_imported_gives_no_statement(tmp_path: Path) -> None:
    files = {"Base": BASE, "Names": "alias a := Base.left_iff\n"}
    found = {record.name: record for record in extracted(tmp_path, files) if isinstance(record, Premise)}
    assert found["a"].conclusion == ""


def test_a_circle_of_aliases_ends(tmp_path: Path) -> None:
    files = {"One": "import Two\nalias a := b\n", "Two": "import One\nalias b := a\n"}
    records = extracted(tmp_path, files)
    assert {record.name for record in records if isinstance(record, Premise)} == {"a", "b"}
    assert not any(isinstance(record, FileProblem) for record in records)


def test_the_number_of_workers_makes_no_difference(tmp_path: Path) -> None:
    assert extracted(tmp_path, FILES) == extracted(tmp_path, FILES, workers=2)
