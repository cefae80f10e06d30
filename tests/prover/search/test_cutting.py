"""Theorems found in a text, and their proofs cut out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.toolchains.packaged import CORE_SOURCES
from prover.search.problems import CutText, cut_text, problem_of, unproved, without

EXAMPLE = CORE_SOURCES.parent / "example"
FILES = sorted((EXAMPLE / "Example").rglob("*.lean"))
TEXT = """import Lib

namespace A

/-- Level 2: about absolute values. -/
@[simp] theorem abs_pos (x : Nat) : |x| = x -- a comment
    := by
  simp

open Nat in
/-- level 3 -/
private lemma second : ∀ n : Nat, n = n
  | 0 => rfl
  | _ + 1 => rfl

def three : Nat := 3

theorem last : let y := 2; y = 2 := rfl

end A
"""


def cuts(text: str) -> CutText:
    return cut_text(text, "M", "M.lean")


def test_theorems_are_found_with_statements_and_levels() -> None:
    found = cuts(TEXT)
    assert [(cut.name, cut.level) for cut in found.cuts] == [
        ("A.abs_pos", "2"),
        ("A.second", "3"),
        ("A.last", ""),
    ]
    stated = [TEXT[cut.begin : cut.stated] for cut in found.cuts]
    assert stated[0].startswith("/-- Level 2")
    assert stated[0].endswith("|x| = x")
    assert stated[1].startswith("open Nat in")
    assert stated[1].endswith("n = n")
    assert stated[2] == "theorem last : let y := 2; y = 2"


def test_a_problem_ends_at_its_statement() -> None:
    found = cuts(TEXT)
    problem = problem_of(found, found.cuts[1], Path("M.lean"), {"A.abs_pos", "A.second"}, hide=False)
    lines = problem.theorem.text.split("\n")
    assert lines[problem.theorem.position.line][problem.theorem.position.column :] == "sorry"
    assert problem.theorem.text.rstrip().endswith("∀ n : Nat, n = n := by\n  sorry")
    assert problem.theorem.name == "second"
    assert "  simp" in problem.theorem.text
    assert "  simp" not in problem.text_seen  # the proof of another problem is not for the retriever
    assert "theorem abs_pos (x : Nat) : |x| = x := sorry" in problem.text_seen
    seen = problem.text_seen.split("\n")
    assert seen[problem.theorem.position.line] == "  sorry"


def test_others_above_can_be_hidden_altogether() -> None:
    found = cuts(TEXT)
    names = {cut.name for cut in found.cuts}
    problem = problem_of(found, found.cuts[2], Path("M.lean"), names, hide=True)
    assert "abs_pos" not in problem.theorem.text
    assert "second" not in problem.theorem.text
    assert "open Nat in" not in problem.theorem.text
    assert "def three" in problem.theorem.text
    assert problem.text_seen == problem.theorem.text
    assert problem.theorem.text.count("\n") == TEXT[: found.cuts[2].stated].count("\n") + 2


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cutting_keeps_places_in_real_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = cuts(text)
    assert len(found.cuts) == sum(proof.theorem != "" for proof in found.read.proofs)
    sorried, blank = unproved(text, found.cuts), without(text, found.cuts)
    assert sorried.count("\n") == text.count("\n") == blank.count("\n")
    assert len(blank) == len(text)
    again = cuts(sorried)
    assert [(cut.name, cut.begin) for cut in again.cuts][:1] == [(cut.name, cut.begin) for cut in found.cuts][
        :1
    ]
    assert [cut.name for cut in again.cuts] == [cut.name for cut in found.cuts]
    lines = [text.count("\n", 0, cut.begin) for cut in found.cuts]
    assert [sorried.count("\n", 0, cut.begin) for cut in again.cuts] == lines
    assert cuts(blank).cuts == ()


@given(st.text(alphabet="theorm lba:=|\n()[]/-\"'∀", max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    found = cuts(f"theorem t : {text}\ntheorem u : p := q\n")
    for cut in found.cuts:
        assert 0 <= cut.begin <= cut.stated <= cut.end <= len(found.text)
        problem_of(found, cut, Path("M.lean"), {"t", "u"}, hide=True)
    assert unproved(found.text, found.cuts).count("\n") == found.text.count("\n")


def test_what_does_not_stand_alone_is_left_out() -> None:
    found = cuts(
        """namespace A
mutual
theorem even (n : Nat) : P n := odd n
private theorem odd (n : Nat) : P n := even n
end

set_option pp.all true in
mutual
  theorem up (n : Nat) : P n := down n

  theorem down (n : Nat) : P n := up n
end

theorem first : T := helper 1
where helper (n : Nat) : T := found

theorem second : T := by
  exact helper 2
where
  /-- Level 3 -/
  helper (n : Nat) : T := found
  other : U
    | 0 => found

theorem last : P := found
end A
"""
    )
    assert [cut.name for cut in found.cuts] == ["A.first", "A.second", "A.last"]
    stated = [found.text[cut.begin : cut.stated] for cut in found.cuts]
    assert stated == ["theorem first : T", "theorem second : T", "theorem last : P"]
