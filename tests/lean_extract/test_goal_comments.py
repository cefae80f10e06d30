"""Goals that Lean printed between tactics, put into the proofs that they belong to."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords
from lean_extract.goals import format_goal
from lean_extract.records import Header, Position, Proof, TacticStep, read_records, write_records
from lean_extract.source.extract import extract_project
from lean_extract.source.proofs.printed_goals import PrintedGoal
from lean_extract.source.reader import read_module
from lean_extract.traced.goal_comments import (
    CommentCounts,
    CommentedStep,
    positions_of,
    read_steps,
    with_comments,
)
from tests.commands import command

LIBRARY = """\
variable {α : Type} (r : α)

theorem first (a b : Nat) (h : a = b) : b + 0 = a := by
  rw [foo]
  exact h.symm

theorem second (s : Set Nat) : s = s := by
  ext x
  constructor
  · intro hx; exact hx
  · intro k
    simp at k
    cases' foo k with y hy
    exact bar r hy

theorem third (n : Nat) : p n := by
  induction n with
  | zero => simp
  | succ m ih =>
    rw [one]
    exact two ih

def no_theorem : Nat := by
  exact 5
"""


def step(line: int, goal: str, tactic: str, theorem: str | None = None, **more: object) -> dict[str, object]:
    shown = {"theorem": theorem, "file": "Lib.lean", "line": line, "goal": goal, "tactic": tactic}
    return {**shown, "truncated": goal.endswith("…"), "goal_after": None, "premises": [], **more}


STEPS = [
    step(5, "⊢ b = a", "exact h.symm", "first"),
    step(9, "⊢ x ∈ s ↔ x ∈ s", "constructor"),
    step(10, "⊢ x ∈ s", "exact hx"),
    step(12, "⊢ x ∈ s", "simp at k"),
    step(13, "⊢ x ∈ s", "cases' foo k with y hy"),
    step(14, "⊢ x ∈ s ∪ …", "exact bar r hy"),
    step(21, "⊢ p (m + 1)", "exact two ih"),
    step(24, "⊢ Nat", "exact 5", "no_theorem"),
]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "Lib.lean").write_text(LIBRARY, encoding="utf-8")
    extract_project(tmp_path / "root", tmp_path / "records.jsonl", states=True)
    return tmp_path / "records.jsonl"


def written(path: Path, steps: Iterable[object]) -> Path:
    text = "".join(json.dumps(values, ensure_ascii=False) + "\n" for values in steps).encode()
    path.write_bytes(lzma.compress(text) if path.suffix == ".xz" else text)
    return path


def merged(
    records: Path, steps: Iterable[object], complaints: list[str]
) -> tuple[CommentCounts, dict[str, TacticStep]]:
    """The counts, and the steps with a state by tactic."""
    path, out = written(records.parent / "steps.jsonl.xz", steps), records.parent / "out.jsonl"
    counts = with_comments(path, records, out, complaints)
    proofs = [record for record in read_records(out) if isinstance(record, Proof)]
    return counts, {step.tactic: step for proof in proofs for step in proof.steps if step.before}


def shown(step: TacticStep) -> str:
    assert step.before is not None
    return "; ".join(format_goal(step.before.goals[0]).splitlines())


def test_a_printed_target_stands_in_the_context_of_the_theorem(records: Path) -> None:
    counts, found = merged(records, STEPS, [])
    assert shown(found["exact h.symm"]) == "a b : Nat; h : a = b; ⊢ b = a"
    assert found["exact h.symm"].origin == "comment"
    assert found["rw [foo]"].origin == "start"
    assert (counts.steps, counts.origins["comment"]) == (8, 6)


def test_what_the_proof_introduces_is_in_the_context(records: Path) -> None:
    _, found = merged(records, STEPS, [])
    around = "α : Type; r : α; s : Set Nat; x : _"
    assert shown(found["constructor"]) == f"{around}; ⊢ x ∈ s ↔ x ∈ s"
    assert shown(found["exact hx"]) == f"{around}; hx : x ∈ s; ⊢ x ∈ s"
    assert shown(found["simp at k"]) == f"{around}; k : x ∈ s; ⊢ x ∈ s"
    assert shown(found["cases' foo k with y hy"]) == f"{around}; k : _; ⊢ x ∈ s"  # simp has changed it
    assert shown(found["exact two ih"]).endswith("m : _; ih : _; ⊢ p (m + 1)")


def test_the_text_goes_on_from_a_printed_target(records: Path) -> None:
    _, found = merged(records, STEPS[1:2], [])
    assert shown(found["intro hx"]).endswith("⊢ x ∈ s → x ∈ s")
    assert found["intro hx"].origin == "constructor"
    assert shown(found["exact hx"]).endswith("hx : x ∈ s; ⊢ x ∈ s")


def test_a_shortened_target_is_marked_and_nothing_follows_from_it(records: Path) -> None:
    _, found = merged(records, [step(9, "⊢ x ∈ s ↔ …", "constructor")], [])
    assert found["constructor"].origin == "comment-truncated"
    assert shown(found["constructor"]).endswith("⊢ x ∈ s ↔")
    assert "intro hx" not in found


def test_every_other_record_stays_as_it_is(records: Path) -> None:
    merged(records, STEPS, [])
    before, after = list(read_records(records)), list(read_records(records.parent / "out.jsonl"))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        if not isinstance(old, Proof):
            assert new == old
        else:
            assert isinstance(new, Proof)
            assert [(step.tactic, step.span, step.premises) for step in new.steps] == [
                (step.tactic, step.span, step.premises) for step in old.steps
            ]
            known = [step.before is not None for step in old.steps]
            assert all(new.steps[i].before for i, is_known in enumerate(known) if is_known)


def test_steps_without_a_home_are_counted(records: Path) -> None:
    others = [
        step(5, "⊢ p", "exact gone", "first"),
        step(500, "⊢ p", "simp", "first"),
        step(5, "⊢ p", "simp", "first", file="Other/File.lean"),
    ]
    counts, _ = merged(records, [*STEPS, *others], [])
    assert counts.left_out["whose tactic is not in that line"] == 2
    assert counts.left_out["of a file that the records do not have"] == 1
    assert counts.left_out["of a declaration whose proof the records do not have"] == 1
    assert counts.steps == sum(
        (counts.origins["comment"], counts.origins["comment-truncated"], *counts.left_out.values())
    )


def test_a_source_that_is_gone_is_told(records: Path) -> None:
    (records.parent / "root" / "Lib.lean").unlink()
    complaints: list[str] = []
    with pytest.raises(BadRecords, match="No step belongs to a proof"):
        merged(records, STEPS, complaints)
    assert "Lib.lean cannot be read" in complaints[0]
    assert not (records.parent / "out.jsonl").exists()


def test_lines_that_are_no_steps_are_told_and_passed_over(records: Path) -> None:
    bad = [[1], {"theorem": "x"}, step(0, "⊢ p", "simp"), step(5, "⊢ ", "simp"), step(5, "⊢ p", 7)]  # type: ignore[arg-type]
    complaints: list[str] = []
    counts, _ = merged(records, [*bad, STEPS[0]], complaints)
    assert counts.steps == counts.origins["comment"] == 1
    assert [complaint.split(":")[1] for complaint in complaints] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("name", ["steps.jsonl", "steps.jsonl.xz"])
def test_of_a_file_that_is_cut_off_the_whole_lines_are_used(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, [step(n, f"⊢ {n} = {n * 7919 % 1009}", "simp") for n in range(1, 5000)])
    whole = list(read_steps(path, []))
    path.write_bytes(path.read_bytes()[:-90])
    complaints: list[str] = []
    kept = list(read_steps(path, complaints))
    assert 0 < len(kept) < len(whole) == 4999 and kept == whole[: len(kept)]
    assert len(complaints) == 1 and "cut off" in complaints[0]


def test_a_damaged_or_missing_file(tmp_path: Path, records: Path) -> None:
    path = tmp_path / "steps.jsonl.xz"
    path.write_bytes(b"no xz at all")
    complaints: list[str] = []
    assert list(read_steps(path, complaints)) == [] and "damaged" in complaints[0]
    with pytest.raises(BadRecords, match="cannot be read"):
        list(read_steps(tmp_path / "none.jsonl", []))


def test_the_command(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps, out = written(records.parent / "steps.jsonl", STEPS), records.parent / "out.jsonl"
    run = command("lean_extract goal-comments")
    assert run([steps, records, out]) == 0
    assert "known from `comment`" in capsys.readouterr().out
    extract_project(records.parent / "root", records)
    assert run([steps, records, out]) == 0
    assert "Extract it with --states" in capsys.readouterr().err
    write_records(records, Header("lean", "4"), [])
    assert run([steps, records, out]) == 1
    assert "real elaboration" in capsys.readouterr().err


def test_where_a_tactic_stands() -> None:
    text = "theorem t : simp := by\n  constructor; simp; simp\n  · simp [simp]\n"
    steps = [CommentedStep(None, "A.lean", line, "⊢ p", "simp") for line in (2, 2, 2, 9)]
    dotted = CommentedStep(None, "A.lean", 3, "⊢ p", "simp [simp]")
    found = positions_of([*steps, dotted], text)
    assert set(found) == {Position(1, 15), Position(1, 21), Position(2, 4)}


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 30), st.integers(0, 20)),
        st.text("⊢ab=∀x, →(:)…\n", max_size=20),
        max_size=20,
    )
)
def test_any_printed_goals_at_any_place_leave_the_steps_as_they_are(
    goals: dict[tuple[int, int], str],
) -> None:
    printed = {Position(*place): PrintedGoal(text, "…" not in text) for place, text in goals.items() if text}
    plain = read_module(LIBRARY, "Lib", "Lib.lean", states=True)
    read = read_module(LIBRARY, "Lib", "Lib.lean", states=True, printed=printed)
    assert [[step.span for step in proof.steps] for proof in read.proofs] == [
        [step.span for step in proof.steps] for proof in plain.proofs
    ]
    targets = {goal.target for goal in printed.values()}
    for proof in read.proofs:
        for known in proof.steps:
            if known.origin in ("comment", "comment-truncated"):
                assert known.before is not None and known.before.target in targets
                assert known.span.start in printed
