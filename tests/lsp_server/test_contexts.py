"""What stands around a place in a document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position, Span
from lsp_server.contexts import (
    completion_place,
    first_place,
    import_line_number,
    is_term_place,
    offset_of,
    place_of,
    sorry_near,
    tactic_word,
    with_sorry,
)


def at_bar(marked: str) -> tuple[str, Position]:
    """A text whose `│` marks the cursor."""
    text = marked.replace("│", "")
    return text, place_of(text, marked.index("│"))


def part(text: str, span: Span) -> str:
    lines = text.split("\n")
    return text[offset_of(lines, span.start) : offset_of(lines, span.end)]


@pytest.mark.parametrize(
    ("marked", "use", "prefix", "name", "tactic"),
    [
        ("  exact │", "term", "", "", "exact "),
        ("  exact Nat.add│", "term", "Nat.add", "Nat.add", "exact Nat.add"),
        ("  exact Nat.a│dd_comm", "term", "Nat.a", "Nat.add_comm", "exact Nat.add_comm"),
        ("theorem a : p := by apply │", "term", "", "", "apply "),
        ("  refine foo│ ?_", "term", "foo", "foo", "refine foo ?_"),
        ("  · exact │; simp", "term", "", "", "exact "),
        ("  (exact │)", "term", "", "", "exact"),
        ("  have h : p := by exact │", "term", "", "", "exact "),
        ("  rw [│", "rewrite", "", "", "rw ["),
        ("  rw [│]", "rewrite", "", "", "rw []"),
        ("  rw [← │] at h", "rewrite_back", "", "", "rw [← ] at h"),
        ("  rw [←add│]", "rewrite_back", "add", "add", "rw [←add]"),
        ("  rewrite [foo, │", "rewrite", "", "", "rewrite [foo, "),
        ("  rw [foo,\n    ba│r,\n    baz] at h\n  simp", "rewrite", "ba", "bar", None),
        ("  simp [│", "simp", "", "", "simp ["),
        ("  simp only [a, ← b, c│] at h", "simp", "c", "c", "simp only [a, ← b, c] at h"),
        ("  simp (config := {}) [│]", "simp", "", "", "simp (config := {}) []"),
        ("  simp_all [│]", "simp", "", "", "simp_all []"),
        ("  rw [Foo.bar (f x), │]", "rewrite", "", "", "rw [Foo.bar (f x), ]"),
        ("  exact 𝕜.foo│", "term", "𝕜.foo", "𝕜.foo", "exact 𝕜.foo"),
    ],
)
def test_where_premises_are_completed(marked: str, use: str, prefix: str, name: str, tactic: str) -> None:
    text, place = at_bar(marked)
    found = completion_place(text, place)
    assert found is not None
    assert (found.use, found.prefix, part(text, found.name)) == (use, prefix, name)
    expected = tactic if tactic is not None else "rw [foo,\n    bar,\n    baz] at h"
    assert part(text, found.tactic).rstrip() == expected.rstrip()


@pytest.mark.parametrize(
    "marked",
    [
        "  -- exact │",
        "  exactly │",
        "  exact│",
        "  my_exact │",
        "  exact foo │",
        "  rw [foo │",
        "  rw [foo (│",
        "  simp │",
        "  let xs := [│",
        "theorem foo [Group │",
        "  rw [foo] │",
        "  norm exact│",
        "│",
    ],
)
def test_where_they_are_not(marked: str) -> None:
    text, place = at_bar(marked)
    assert completion_place(text, place) is None


@pytest.mark.parametrize(
    ("marked", "patched"),
    [
        ("theorem a : p := by\n  exact │\n", "theorem a : p := by\n  ‸sorry\n"),
        ("  exact foo.b│\n  simp", "  ‸sorry\n  simp"),
        ("  · rw [│] at h\n", "  · ‸sorry\n"),
        ("  rw [a, ← b c, │]\n", "  (rewrite [a, ← b c]; ‸sorry)\n"),
        ("  simp [a, │]\n", "  ‸sorry\n"),
        ("  constructor <;> exact │\n", "  constructor <;> ‸sorry\n"),
    ],
)
def test_the_unfinished_tactic_gives_way_to_sorry(marked: str, patched: str) -> None:
    text, place = at_bar(marked)
    found = completion_place(text, place)
    assert found is not None
    new, position = with_sorry(text, found)
    offset = offset_of(new.split("\n"), position)
    assert new[:offset] + "‸" + new[offset:] == patched


def test_typing_on_does_not_change_what_lean_is_asked() -> None:
    asked = set()
    for typed in ("exact ", "exact N", "exact Nat.add_c"):
        text, place = at_bar(f"theorem a : p := by\n  {typed}│\n\ntheorem b : q := r\n")
        found = completion_place(text, place)
        assert found is not None
        asked.add(with_sorry(text, found))
    assert len(asked) == 1


@given(st.text(alphabet="rw exact simp[](),←\n. -𝕜a", max_size=60), st.data())
def test_any_place_is_one_or_none(text: str, data: st.DataObject) -> None:
    place = place_of(text, data.draw(st.integers(0, len(text))))
    found = completion_place(text, place)
    if found is not None:
        assert found.tactic.start <= found.name.start <= place <= found.name.end <= found.tactic.end
        new, position = with_sorry(text, found)
        offset = offset_of(new.split("\n"), position)
        assert new[offset:].startswith("sorry")


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("  sim│p [foo]", "simp"),
        ("  simp [fo│o]", None),
        ("theorem a : p := by s│orry", "sorry"),
        ("  exact s│orry", "sorry"),
        ("  · rw│ [foo]", "rw"),
        ("  | zero => rf│l", "rfl"),
        ("theo│rem a : p := by simp", None),
        ("  exact Nat.add│_comm", None),
        ("  -- simp│", None),
        ("  constructor <;> ass│umption", "assumption"),
        ("  │", None),
    ],
)
def test_the_tactic_under_the_cursor(marked: str, word: str | None) -> None:
    line, place = at_bar(marked)
    found = tactic_word(line, place.column)
    assert (found[0] if found else None) == word
    if found:
        assert line[found[1] :].startswith(found[0])


def test_the_sorry_that_a_cursor_means() -> None:
    lines = ["theorem a : p ∧ q := by", "  exact ⟨sorry, sorry⟩ -- sorry", "  sorry", "  sorry_free"]
    assert sorry_near(lines, Position(1, 9), Position(1, 9)) == Span(Position(1, 9), Position(1, 14))
    assert sorry_near(lines, Position(1, 16), Position(1, 18)) == Span(Position(1, 16), Position(1, 21))
    assert sorry_near(lines, Position(1, 0), Position(1, 0)) is None
    assert sorry_near(lines, Position(2, 0), Position(2, 0)) == Span(Position(2, 2), Position(2, 7))
    assert sorry_near(lines, Position(3, 4), Position(3, 4)) is None
    assert sorry_near(lines, Position(0, 0), Position(2, 7)) == Span(Position(1, 9), Position(1, 14))


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("  simp", 2),
        ("theorem a : p := by sorry", 20),
        ("theorem a : p := by -- sorry", 17),
        ("theorem by_a : p := stand.by", 0),
        ("", 0),
    ],
)
def test_a_line_without_a_column(line: str, column: int) -> None:
    assert first_place([line], 0) == Position(0, column)


@pytest.mark.parametrize(
    ("marked", "is_term"),
    [
        ("theorem a : p := │", True),
        ("theorem a : p :=\n  │", True),
        ("theorem a : p := by │", False),
        ("theorem a : p := by\n  │", False),
        ("  simp\n  │", False),
        ("  · │", False),
        ("  exact │", True),
        ("  exact ⟨h, │⟩", True),
        ("  simp; │", False),
        ("  simp <;> │", False),
        ("  refine fun x => │", True),
        ("  induction n with\n  | zero => │", False),
        ("theorem a : ∀ n, p n\n  | 0 => │", True),
        ("  (│", False),
        ("  foo (│", True),
    ],
)
def test_terms_are_told_from_tactics(marked: str, is_term: bool) -> None:
    text, place = at_bar(marked)
    assert is_term_place(text, offset_of(text.split("\n"), place)) is is_term


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("import A\nimport B\n\ntheorem", 2),
        ("/- Copyright\n-/\nimport A\npublic import B\n\n/-! doc -/", 4),
        ("/-\nCopyright\n-/\n\ntheorem", 3),
        ("theorem a", 0),
        ("/-! doc -/\ntheorem a", 0),
        ("module\n\npublic import A\n", 3),
        ("module\n\ntheorem a", 1),
        ("import A\n/- a comment\nimport B -/\ntheorem", 1),
        ("prelude\nimport A", None),
        ("", 0),
    ],
)
def test_where_an_import_goes(text: str, number: int | None) -> None:
    assert import_line_number(text.split("\n")) == number
