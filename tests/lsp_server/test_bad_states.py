"""States that cannot be read, or not in full, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp_server.conftest import Cli, answered, premise_names

pytestmark = pytest.mark.lean

UNREADABLE = [
    ("", "The proof state is empty."),
    (" \n\n", "The proof state is empty."),
    ("case inl\n", "The goal that begins in line 1 has no `⊢` line."),
    ("n : ℕ\n⊢ n = n\n\nm : ℕ\n", "The goal that begins in line 4 has no `⊢` line."),
    ("n m : ℕ\n⊢\n", "There is nothing to prove after the `⊢` in line 2."),
    ("n + m = m + n", "Line 1 of the state is not a hypothesis `name : type`: n + m = m + n"),
    ("⊢ " + "a" * 199_999, "The state has 200,001 characters; at most 200,000 are read."),
    ("no goals", "The proof is complete here: no goals are left."),
]


@pytest.mark.parametrize(("state", "said"), UNREADABLE, ids=[said for _, said in UNREADABLE])
def test_what_cannot_be_read_is_explained(cli: Cli, project: Path, state: str, said: str) -> None:
    done = cli("suggest", "--state", "-", stdin=state, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    error, hint = done.stderr.splitlines()
    assert error == f"error: {said}"
    assert hint.startswith("hint: ")


def test_what_is_longer_than_the_model_reads_says_what_was_left_out(cli: Cli, project: Path) -> None:
    others = "".join(f"h{i} : x{i} ∈ s{i} ∧ (p{i} → q{i})\n" for i in range(400))
    state = f"n m : ℕ\n{others}⊢ n + m = m + n\n"
    shown = cli("suggest", "--state", "-", stdin=state, cwd=project).stdout
    answer = answered(cli, "suggest", "--state", "-", stdin=state, cwd=project)
    (note,) = answer["notes"]
    assert note.startswith("The state is longer than the model reads: 3")
    assert " of its 401 hypotheses were left out; the goal was kept" in note
    assert f"note: {note}\n" in shown
    assert "Lib.plus_swap" in premise_names(answer)
    assert len(answer["goal"].splitlines()) == 402  # the answer still shows all of it


def test_a_goal_that_is_itself_too_long_is_told(cli: Cli, project: Path) -> None:
    state = "⊢ n + m = m + n" + "".join(f" ∧ x{i} ∈ s" for i in range(2000))
    answer = answered(cli, "suggest", "--state", "-", stdin=state, cwd=project)
    assert answer["notes"] == ["The goal itself is longer than the model reads: its end was left out."]


def test_what_the_model_does_not_know_is_told(cli: Cli, project: Path) -> None:
    answer = answered(cli, "suggest", "--state", "-", stdin="⊢ 🦀🦀 🦋🦋 🦀🦋 = 🐌", cwd=project)
    (note,) = answer["notes"]
    assert note.startswith("The model does not know ")
    assert answer["premises"]


def test_an_ordinary_state_has_no_notes(cli: Cli, project: Path) -> None:
    state = "n m : ℕ\n⊢ n + m = m + n\n"
    assert answered(cli, "suggest", "--state", "-", stdin=state, cwd=project)["notes"] == []
    assert "note:" not in cli("suggest", "--state", "-", stdin=state, cwd=project).stdout


def test_hypotheses_on_one_line_are_told_apart(cli: Cli, project: Path) -> None:
    state = "f : ℝ → ℝ h : ∀ (x y z : ℝ), (x + y + z) * f (x * y * z) = 0 ⊢ f 0 = 0\n"
    answer = answered(cli, "suggest", "--state", "-", stdin=state, cwd=project)
    assert answer["goal"].splitlines()[0] == "f : ℝ → ℝ"
    assert len(answer["goal"].splitlines()) == 3
    assert not any("not certain" in note for note in answer["notes"])


def test_a_doubt_about_what_is_on_one_line_is_told(cli: Cli, project: Path) -> None:
    state = "x : Foo bar baz : p ⊢ x = x"
    answer = answered(cli, "suggest", "--state", "-", stdin=state, cwd=project)
    assert any(note.startswith("It is not certain where `baz` begins") for note in answer["notes"])
    found = answered(cli, "search", state, cwd=project)
    assert any(note.startswith("It is not certain where `baz` begins") for note in found["notes"])
