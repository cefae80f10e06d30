"""The tactics that a text writes, while one of them is being typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Edit, Position, Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.tactic_spans import Change, Copy, WrittenTactics

PROOF = """\
theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by
  have k : p → q ∨ p := by
    intro a
    exact Or.inr a
  cases h with
  | inl a => exact k a
  | inr b =>
    first | exact Or.inl b | skip
  all_goals try simp only [foo,
    bar]; rfl
"""


def at(marked: str) -> tuple[WrittenTactics, int]:
    offset = marked.index("│")
    return WrittenTactics(LeanDocument(marked.replace("│", "")), offset), offset


def texts(written: WrittenTactics) -> list[str]:
    return [written.document.text[one.start : one.end] for one in written.tactics]


def test_every_tactic_of_a_proof_with_its_extent() -> None:
    written, _ = at(f"│{PROOF}")
    assert texts(written) == [
        "have k : p → q ∨ p := by\n    intro a\n    exact Or.inr a",
        "intro a",
        "exact Or.inr a",
        PROOF[PROOF.index("cases") : PROOF.index("\n  all_goals")],
        "exact k a",
        "first | exact Or.inl b | skip",
        "exact Or.inl b",
        "skip",
        "all_goals try simp only [foo,\n    bar]",
        "try simp only [foo,\n    bar]",
        "simp only [foo,\n    bar]",
        "rfl",
    ]


@pytest.mark.parametrize(
    ("marked", "touched"),
    [
        ("theorem t : p := by\n  │exact h\n", "exact h"),
        ("theorem t : p := by\n  exact h│\n", "exact h"),
        ("theorem t : p := by\n  exact │\n\ntheorem u : q := h\n", "exact"),
        ("theorem t : p := by\n  exact h  │-- so\n", "exact h"),
        ("theorem t : p := by\n  exact h -- so│\n", None),
        ("theorem t : p := by\n  rw [Nat.add_co│\n  rfl\n", "rw [Nat.add_co"),
        ("theorem t : p := by\n  rw [Nat.add_co\n  rf│l\n", "rfl"),
        ("theorem t : p := by\n  exact f (a│\n  · rfl\n", "exact f (a"),
        ("theorem t : p := by\n  simp [\n    a,│\n  ]\n  rfl\n", "simp [\n    a,\n  ]"),
        ("theorem t : p := by\n  have : q := by│\n    rfl\n", "have : q := by\n    rfl"),
        ("theorem t : p := by\n  have : q := by│\n  rfl\n", None),
        ("theorem t : p := by\n  · │\n  · rfl\n", None),
        ("theorem t : p := by\n  skip\n│\n", None),
        ("theorem t : p := f h.1│\n", "f h.1"),
        ("theorem t : p :=│\n\n", None),
        ("theorem t : p :=│\n  f h\n", None),
        ("def f : Nat := g n│\ntermination_by n\n", "g n"),
        ("theorem t : p ∧ q := ⟨by simp│, h⟩\n", "simp"),
    ],
)
def test_the_tactic_at_a_position(marked: str, touched: str | None) -> None:
    written, offset = at(marked)
    found = written.touching(offset)
    assert (written.document.text[found[0].start : found[0].end] if found else None) == touched


@pytest.mark.parametrize(
    ("marked", "is_unfinished"),
    [
        ("theorem t : p := by\n  exact│\n", True),
        ("theorem t : p := by\n  rw [a, ← │\n", True),
        ("theorem t : p := by\n  exact f (a│\n", True),
        ("theorem t : p := by\n  exact f (a)│\n", False),
        ("theorem t : p := by\n  have h := by│\n    exact f (\n", False),
        ("theorem t : p := by\n  simp only│\n", False),
    ],
)
def test_what_cannot_be_a_whole_tactic(marked: str, is_unfinished: bool) -> None:
    written, offset = at(marked)
    assert written.is_unfinished(written.touching(offset)[0]) == is_unfinished


def test_edits_of_a_copy_are_edits_of_the_original() -> None:
    copy = Copy(LeanDocument("by\n  exact foo\n  rfl\n"), Change(5, 14, "sorry"))
    assert copy.document.text == "by\n  sorry\n  rfl\n"
    assert (copy.hole, copy.place_of(17)) == (Position(1, 2), Position(2, 2))
    inside = Edit(Span(Position(1, 2), Position(1, 7)), "exact h")
    assert copy.back(inside) == Edit(Span(Position(1, 2), Position(1, 11)), "exact h")
    below = Edit(Span(Position(2, 2), Position(2, 5)), "simp")
    assert copy.back(below) == below


@given(st.text("ab \n·([)]:=,;|", max_size=60), st.integers(0, 60))
def test_any_text_has_its_tactics_within_it(proof: str, offset: int) -> None:
    text = f"theorem t : p := by\n  {proof}"
    written = WrittenTactics(LeanDocument(text), 0)
    for one in written.tactics:
        assert 0 <= one.start < one.end <= len(text)
        assert not text[one.start : one.end][-1].isspace()
    place = min(offset, len(text))
    assert all(one.start <= place for one in written.touching(place))
    copy = written.filled(place)
    assert copy.document.text.count("sorry") == 1
