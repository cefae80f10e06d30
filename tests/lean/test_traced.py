"""Records from real elaboration: who uses what, and the state around each tactic."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lean_extract.common.errors import BadSource
from lean_extract.common.utf16 import code_point_column
from lean_extract.goals import format_state
from lean_extract.records import FileProblem, Module, Premise, Proof, Record, read_header, read_records
from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.traced.extract import split_signature
from lean_extract.traced.ilean import read_ilean

pytestmark = pytest.mark.lean

BASIC = """\
namespace Shop

variable {α : Type} (p q : Prop)

/-- Turn a pair round. -/
protected theorem swap (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact And.left h

private theorem hidden : True := trivial

def twice (n : ℕ) : ℕ := n + n

end Shop
"""
USER = """\
import Basic

theorem 𝔸𝔹 {p q : Prop} (h : p ∧ q) : q ∧ p := by
  have 𝕜 := h; exact Shop.swap p q 𝕜

theorem there_and_back {p q : Prop} (h : p ∧ q) : p ∧ q := Shop.swap q p (𝔸𝔹 h)
"""


@pytest.fixture(scope="module")
def records(packaged_lean: PackagedLean, tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """What the command writes for a library of two modules."""
    folder = tmp_path_factory.mktemp("shop")
    sources = folder / "sources"
    sources.mkdir()
    (sources / "Basic.lean").write_text(BASIC, encoding="utf-8")
    (sources / "User.lean").write_text(USER, encoding="utf-8")
    out = folder / "records.jsonl"
    done = run(sources, out)
    assert done.returncode == 0, done.stderr
    assert read_header(out).source == "lean"
    assert read_header(out).revision == packaged_lean.version
    return list(read_records(out))


def run(sources: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lean_extract", "trace", str(sources), str(out)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_every_module_is_read_and_nothing_is_amiss(records: list[Record]) -> None:
    assert [record.name for record in records if isinstance(record, Module)] == ["Basic", "User"]
    assert not [record for record in records if isinstance(record, FileProblem)]


def test_statements_are_lean_s_own(records: list[Record]) -> None:
    premises = {record.name: record for record in records if isinstance(record, Premise)}
    assert set(premises) == {"Shop.swap", "Shop.twice", "𝔸𝔹", "there_and_back"}
    swap = premises["Shop.swap"]
    assert (swap.kind, swap.context, swap.conclusion) == ("theorem", ("(p q : Prop)", "(h : p ∧ q)"), "q ∧ p")
    assert swap.is_protected
    assert premises["Shop.twice"].kind == "def"


def test_premises_of_a_proof_are_what_it_mentions(records: list[Record]) -> None:
    proofs = {record.theorem: record for record in records if isinstance(record, Proof)}
    assert proofs["there_and_back"].premises == ("Shop.swap", "𝔸𝔹")
    assert proofs["Shop.swap"].premises == ("And.right", "And.left")
    assert not proofs["there_and_back"].is_tactic


def test_states_stand_before_and_behind_each_tactic(records: list[Record]) -> None:
    proofs = {record.theorem: record for record in records if isinstance(record, Proof)}
    constructor, right, left = proofs["Shop.swap"].steps
    assert constructor.tactic == "constructor"
    assert format_state(constructor.before) == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    assert [goal.target for goal in constructor.after.goals] == ["q", "p"]
    assert (right.premises, left.premises) == (("And.right",), ("And.left",))
    assert right.after.goals == left.after.goals == ()


def test_columns_behind_wide_characters(records: list[Record]) -> None:
    proofs = {record.theorem: record for record in records if isinstance(record, Proof)}
    have, exact = proofs["𝔸𝔹"].steps
    assert (have.premises, exact.premises) == ((), ("Shop.swap",))
    assert exact.before.goals[0].hypotheses[-1].names == ("h", "𝕜")


def test_a_library_that_does_not_build_is_named(packaged_lean: PackagedLean, tmp_path: Path) -> None:
    (tmp_path / "Broken.lean").write_text("theorem wrong : True := False.elim\n", encoding="utf-8")
    done = run(tmp_path, tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert "Broken.lean:1:" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("content", ["", "[]", '{"version": 5}', '{"version": 1}', "\udcff"])
def test_a_damaged_ilean_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "X.ilean"
    path.write_bytes(content.encode("utf-8", errors="surrogateescape"))
    with pytest.raises(BadSource, match=r"X\.ilean"):
        read_ilean(path, "")


@pytest.mark.parametrize(
    ("line", "utf16", "expected"), [("abc", 2, 2), ("𝕜 x", 3, 2), ("𝕜𝕜", 2, 1), ("ab", 9, 2), ("𝕜", 9, 1)]
)
def test_utf16_columns(line: str, utf16: int, expected: int) -> None:
    assert code_point_column(line, utf16) == expected


def test_signatures_are_split_at_their_colon() -> None:
    printed = "Foo.bar.{u} {α : Type u} [inst : Mul α] (f : ℕ → α) (h : ∀ x : α, x = x) : f 0 * f 1 = f 1"
    assert split_signature(printed) == (
        ("{α : Type u}", "[inst : Mul α]", "(f : ℕ → α)", "(h : ∀ x : α, x = x)"),
        "f 0 * f 1 = f 1",
    )
