"""Where tactics, names and imports go in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position
from lsp_server.documents.declarations import declaration_span
from lsp_server.documents.insertion import (
    Insertion,
    import_insertion,
    name_insertion,
    stands_in_term,
    tactic_insertion,
    with_by,
)
from lsp_server.documents.positions import offset_of


def at(marked: str) -> tuple[list[str], Position]:
    """The lines of a text without its `│`, and where that stood."""
    before = marked[: marked.index("│")]
    line = before.count("\n")
    return marked.replace("│", "").split("\n"), Position(line, len(before) - (before.rfind("\n") + 1))


def applied(lines: list[str], insertion: Insertion) -> str:
    text = "\n".join(lines)
    start, end = offset_of(lines, insertion.span.start), offset_of(lines, insertion.span.end)
    return text[:start] + insertion.text + text[end:]


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
    lines, place = at(marked)
    assert applied(lines, tactic_insertion(lines, place, "rfl")) == after


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
    lines, place = at(marked)
    assert applied(lines, tactic_insertion(lines, place, shown)) == after
    assert stands_in_term(lines, place) is in_term


def test_further_lines_stand_under_the_first_behind_by() -> None:
    lines, place = at("example : p := sorry│")
    tactic = "cases h with\n| inl h => skip"
    after = "example : p := by cases h with\n                  | inl h => skip"
    for shown in (tactic, with_by(tactic)):
        assert applied(lines, tactic_insertion(lines, place, shown)) == after


def test_several_tactics_behind_a_combinator_are_put_in_brackets() -> None:
    lines, place = at("by\n  constructor <;> sorry│")
    for tactic, text in (("rfl", "rfl"), ("intro h; rfl", "(intro h; rfl)")):
        after = applied(lines, tactic_insertion(lines, place, tactic))
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
    lines, place = at(f"by\n  induction n with\n  | zero => sor│ry{behind}")
    after = applied(lines, tactic_insertion(lines, place, tactic))
    text = tactic.replace("\n", "\n" + " " * 12)
    if is_next and takes:
        text = f"({tactic})".replace("\n", "\n" + " " * 13)
    assert after == f"by\n  induction n with\n  | zero => {text}{behind}"


def test_further_lines_of_a_tactic_are_indented() -> None:
    lines, place = at("by\n    sorry│")
    tactic = "cases h with\n| inl h => skip"
    assert (
        applied(lines, tactic_insertion(lines, place, tactic)) == "by\n    cases h with\n    | inl h => skip"
    )


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        ("exact │", "exact Nat.add_comm"),
        ("exact│", "exact Nat.add_comm"),
        ("exact Nat.ad│", "exact Nat.add_comm"),
        ("exact add_c│", "exact Nat.add_comm"),
        ("exact Nat.a│dd", "exact Nat.add_comm"),
        ("exact Nat.a│zz", "exact Nat.add_commzz"),
        ("rw [│]", "rw [Nat.add_comm]"),
        ("rw [│h]", "rw [Nat.add_comm h]"),
        ("rw [fo│o]", "rw [foo Nat.add_comm]"),
        ("  so│rry", "  exact Nat.add_comm"),
        ("example : p := so│rry", "example : p := Nat.add_comm"),
    ],
)
def test_a_name_takes_the_place_of_what_is_typed_of_it(marked: str, after: str) -> None:
    lines, place = at(marked)
    assert applied(lines, name_insertion(lines, place, "Nat.add_comm")) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("import A\n\nexample", "import A\nimport M\n\nexample"),
        ("example", "import M\nexample"),
        ("import A", "import A\nimport M"),
        ("import M\nexample", None),
        ("module\npublic import M\nexample", None),
        ("prelude\nexample", None),
        ("import A\n-- import M\nexample", "import A\nimport M\n-- import M\nexample"),
    ],
)
def test_an_import_goes_behind_the_last(text: str, after: str | None) -> None:
    found = import_insertion(text.split("\n"), "import M")
    assert (applied(text.split("\n"), found) if found else None) == after


@given(st.text(alphabet="ab .·\n sorryby:=>-«𝕜", min_size=1, max_size=40), st.data())
def test_every_place_takes_an_insertion(text: str, data: st.DataObject) -> None:
    lines = text.split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    place = Position(number, data.draw(st.integers(0, len(lines[number]))))
    for insertion in (tactic_insertion(lines, place, "rfl"), name_insertion(lines, place, "rfl")):
        assert insertion.span.start <= insertion.span.end
        assert applied(lines, insertion).count("rfl") == text.count("rfl") + 1


SOURCE = """\
namespace Nat
-- add_comm is below
theorem add_comm' : p := add_comm
@[simp] theorem add_comm : p := sorry
structure Pair where
  fst : Nat
end Nat
theorem Other.add_comm : p := sorry"""


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("Nat.add_comm", 3, (3, 16)),
        ("Nat.add_comm", -1, (3, 16)),
        ("Nat.add_comm", 0, (3, 16)),
        ("Other.add_comm", 0, (7, 8)),
        ("Nat.add_comm'", 2, (2, 8)),
        ("Nat.Pair.fst", 5, (5, 2)),
        ("Nat.gone", 4, (4, 0)),
        ("Nat.gone", 400, (7, 0)),
    ],
)
def test_a_declaration_is_found_though_the_file_has_changed(
    name: str, line: int, found: tuple[int, int]
) -> None:
    span = declaration_span(SOURCE.split("\n"), name, line)
    assert (span.start.line, span.start.column) == found
