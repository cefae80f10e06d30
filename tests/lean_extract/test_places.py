"""Where tactics go in a text, as the text alone suggests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_state
from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.goals_left import written_forms
from lean_extract.session.places import edit_of, guessed_edit, places, tactic_texts, with_by


def at(marked: str) -> tuple[LeanDocument, Position]:
    """A text without its `│`, and where that stood."""
    before = marked[: marked.index("│")]
    line = before.count("\n")
    return LeanDocument(marked.replace("│", "")), Position(line, len(before) - (before.rfind("\n") + 1))


def inserted(document: LeanDocument, place: Position, tactic: str) -> str:
    edit = guessed_edit(document, place, tactic)
    start, end = document.offset(edit.span.start), document.offset(edit.span.end)
    return document.text[:start] + edit.text + document.text[end:]


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        ("by\n  so│rry\n", "by\n  rfl\n"),
        ("by\n  · exact h\n  · sorry│\n", "by\n  · exact h\n  · rfl\n"),
        ("│example : p := by sorry", "example : p := by rfl"),
        ("example : p := sor│ry", "example : p := by rfl"),
        ("example : p := │", "example : p := by rfl"),
        ("example : p := by│", "example : p := by rfl"),
        ("example : p := by │", "example : p := by rfl"),
        ("example : p := by\n│", "example : p := by\n  rfl"),
        ("example : p := by\n  skip\n  │", "example : p := by\n  skip\n  rfl"),
        ("example : p := by\n  skip\n│\n", "example : p := by\n  skip\n  rfl\n"),
        ("example : p := by\n  skip│\n", "example : p := by\n  skip\n  rfl\n"),
        ("example : p := by\n  sk│ip\n", "example : p := by\n  skip\n  rfl\n"),
        ("example : p := by\n │ skip\n", "example : p := by\n  rfl\n  skip\n"),
        ("example : p := by\n  · skip│", "example : p := by\n  · skip\n    rfl"),
        ("example : p := by intro h│ -- so", "example : p := by intro h -- so\n                  rfl"),
        ("  cases h with\n  | inl h => │", "  cases h with\n  | inl h => rfl"),
    ],
)
def test_a_tactic_becomes_a_step_of_its_own(marked: str, after: str) -> None:
    document, place = at(marked)
    assert inserted(document, place, "rfl") == after


@pytest.mark.parametrize("shown", ["rfl", "by rfl"])
@pytest.mark.parametrize(
    ("marked", "after", "in_term"),
    [
        ("example : p := so│rry", "example : p := by rfl", True),
        ("example : p := by\n  exact ⟨sorry│, h⟩", "example : p := by\n  exact ⟨by rfl, h⟩", True),
        ("  exact f sorry│", "  exact f (by rfl)", True),
        ("  exact f sorry│ h", "  exact f (by rfl) h", True),
        ("  exact sorry│ h", "  exact (by rfl) h", True),
        ("  exact (f x) sorry│ -- so", "  exact (f x) (by rfl) -- so", True),
        ("  exact sorry│; simp", "  exact (by rfl); simp", True),
        ("  exact sorry│ <;> simp", "  exact (by rfl) <;> simp", True),
        ("  exact (sorry│ : p).symm", "  exact ((by rfl) : p).symm", True),
        ("  exact h ▸ sorry│", "  exact h ▸ by rfl", True),
        ("example : p :=\n  │\n", "example : p :=\n  by rfl\n", True),
        ("example : p :=\n  sorry│\n", "example : p :=\n  by rfl\n", True),
        ("by\n  skip\n  sorry│", "by\n  skip\n  rfl", False),
        ("by\n  skip│", "by\n  skip\n  rfl", False),
        ("by\n  │skip", "by\n  rfl\n  skip", False),
    ],
)
def test_where_a_term_stands_a_tactic_comes_with_by(
    marked: str, after: str, in_term: bool, shown: str
) -> None:
    document, place = at(marked)
    assert inserted(document, place, shown) == after
    assert places(document, place)[0].in_term is in_term


def test_further_lines_stand_under_the_first_behind_by() -> None:
    document, place = at("example : p := sorry│")
    tactic = "cases h with\n| inl h => skip"
    after = "example : p := by cases h with\n                  | inl h => skip"
    for shown in (tactic, with_by(tactic)):
        assert inserted(document, place, shown) == after


def test_several_tactics_behind_a_combinator_are_put_in_brackets() -> None:
    document, place = at("by\n  constructor <;> sorry│")
    for tactic, text in (("rfl", "rfl"), ("intro h; rfl", "(intro h; rfl)")):
        after = inserted(document, place, tactic)
        assert after == f"by\n  constructor <;> {text}"


@pytest.mark.parametrize(
    ("behind", "is_next"),
    [
        ("\n  | succ n ih => sorry", True),
        ("  -- so\n\n  /- and\nso -/ | succ n ih => sorry", True),
        ("\n    skip\n  | succ n ih => sorry", False),
        ("\n\ntheorem t : p := by", False),
        ("", False),
    ],
)
@pytest.mark.parametrize(
    ("tactic", "takes"),
    [
        ("rcases n with - | n", True),
        ("rcases h with ⟨x, rfl⟩", True),
        ("first | simp | rfl", True),
        ("cases n with\n| zero => rfl", True),
        ("exact fun | 0 => rfl", True),
        ("simp [with_top]", False),
        ("exact h.first", False),
        ("omega", False),
    ],
)
def test_the_next_alternative_is_not_taken_for_a_pattern(
    behind: str, is_next: bool, tactic: str, takes: bool
) -> None:
    document, place = at(f"by\n  induction n with\n  | zero => sor│ry{behind}")
    after = inserted(document, place, tactic)
    text = tactic.replace("\n", "\n" + " " * 12)
    if is_next and takes:
        text = f"({tactic})".replace("\n", "\n" + " " * 13)
    assert after == f"by\n  induction n with\n  | zero => {text}{behind}"


def test_further_lines_of_a_tactic_are_indented() -> None:
    document, place = at("by\n    sorry│")
    tactic = "cases h with\n| inl h => skip"
    assert inserted(document, place, tactic) == "by\n    cases h with\n    | inl h => skip"


@given(st.text(alphabet="ab .·\n sorryby:=>-«𝕜", min_size=1, max_size=40), st.data())
def test_every_place_takes_a_tactic(text: str, data: st.DataObject) -> None:
    document = LeanDocument(text)
    position = document.position(data.draw(st.integers(0, len(document.text))))
    for place in places(document, position):
        for written in tactic_texts(document, place, "rfl"):
            edit = edit_of(document, place, written)
            assert edit.span.start <= edit.span.end
            start, end = document.offset(edit.span.start), document.offset(edit.span.end)
            after = document.text[:start] + edit.text + document.text[end:]
            assert after.count("rfl") == document.text.count("rfl") + 1


@pytest.mark.parametrize(
    ("printed", "forms"),
    [
        (
            "case false\n⊢ p false\n\ncase true\n⊢ p true",
            [
                "cases b with\n| false => sorry\n| true => sorry",
                "cases b\n· sorry\n· sorry",
                "cases b",
            ],
        ),
        ("⊢ p c", ["cases b\nsorry", "cases b"]),
    ],
)
def test_a_tactic_is_written_with_a_sorry_for_each_goal_and_last_alone(
    printed: str, forms: list[str]
) -> None:
    document, position = at("example : p b := by\n  │sorry\n")
    whole = (0, len(document.text))
    place = places(document, position)[0]
    found = written_forms(document, place, whole, "cases b", parse_state(printed).goals, None)
    assert list(dict.fromkeys(one.text for one in found if not one.text.startswith("("))) == forms
