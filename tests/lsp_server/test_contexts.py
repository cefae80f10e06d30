"""What stands around a position in a document."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position, Span
from lean_extract.session.places import default_position, is_term_position, sorry_near, tactic_word
from lean_extract.syntax.tactic_text import brackets
from lsp_server.documents.completion_context import completion_at, questions
from lsp_server.documents.positions import offset_of, position_at


def at_bar(marked: str) -> tuple[str, Position]:
    """A text whose `│` marks the cursor."""
    text = marked.replace("│", "")
    return text, position_at(text, marked.index("│"))


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
        ("  convert │ using 1", "term", "", "", "convert  using 1"),
        ("  unfold │", "unfold", "", "", "unfold "),
        ("  unfold foo ba│r at h", "unfold", "ba", "bar", "unfold foo bar at h"),
        ("  constructor <;> delta Fo│", "unfold", "Fo", "Fo", "delta Fo"),
        ("  norm_num [a, │] at h", "simp", "", "", "norm_num [a, ] at h"),
        ("  simp only\n    [a,\n    │]", "simp", "", "", "simp only\n    [a,\n    ]"),
        ("  rw [show a = b by simp [│]]", "simp", "", "", "simp []"),
        ("  have h : p := by rw [a (b [c]), ← │]", "rewrite_back", "", "", "rw [a (b [c]), ← ]"),
    ],
)
def test_where_premises_are_completed(marked: str, use: str, prefix: str, name: str, tactic: str) -> None:
    text, place = at_bar(marked)
    found = completion_at(text, place)
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
        "  unfolding │",
        "  unfold foo at │",
        "  simp\n  let xs := [│",
        "  my_unfold │",
        "theorem foo [Group │",
        "  rw [foo] │",
        "  norm exact│",
        "│",
        "theorem a (│",
        "theorem a : p (│",
        "theorem a : p := by\n  simp\n\n#check (│",
        "theorem a : p := fun x : ∀ y, │",
        "theorem a : p := foo [│",
        "theorem a : p := by\n  · (│",
        "theorem a : p := by\n  cases h with\n  | inl k => │",
        'theorem a : p := f "exact │"',
        'theorem a : p := f "(│"',
        "theorem a : p := by /- exact │ -/ simp",
        "theorem a : p := by\n  simp -- (│",
        "theorem a : p := by\n  /- and\n  exact (│\n  -/",
        "theorem a : p := f ) (│",
    ],
)
def test_where_they_are_not(marked: str) -> None:
    text, place = at_bar(marked)
    assert completion_at(text, place) is None


TACTICS = {
    "exact ": "apply",
    "apply ": "apply",
    "unfold ": "unfold",
    "delta a ": "unfold",
    "rw [": "rewrite",
    "rw [a, ← ": "rewrite",
    "simp_rw [a b, ": "rewrite",
    "simp [": "simplify",
    "simpa only [a, - ": "simplify",
    "dsimp\n      [": "simplify",
}
AROUND = [
    "  ",
    "  · ",
    "  have h : p := by ",
    "  (",
    "  a <;> ",
    "  a; ",
    "  rw [show p by ",
    "  exact ⟨h, by ",
]


@given(
    st.sampled_from(sorted(TACTICS)),
    st.lists(st.sampled_from(AROUND), min_size=1, max_size=3),
    st.text("aN."),
)
def test_the_innermost_tactic_is_the_caller(typed: str, around: list[str], prefix: str) -> None:
    text = "theorem t : p := by\n" + "".join(around) + typed + prefix
    found = completion_at(text, position_at(text, len(text)))
    assert found is not None
    assert (found.caller, found.prefix) == (TACTICS[typed], prefix)


@given(st.text("rw simp[](),⟨⟩\n←;·byunfold", max_size=200), st.integers(0, 200))
def test_any_text_is_read_and_the_spans_lie_around_the_cursor(text: str, cursor: int) -> None:
    place = position_at(text, min(cursor, len(text)))
    found = completion_at(text, place)
    if found is not None:
        assert found.tactic.start <= found.name.start <= place <= found.name.end <= found.tactic.end


@pytest.mark.parametrize(
    "unit", ["unfold a ", "simp [a, ", "rw [a (", "[", "simp ", "unfold ", "\n  ", "simp\n "]
)
def test_of_a_long_text_only_what_is_near_counts(unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "\n  unfold Foo.b"
    found = completion_at(text, position_at(text, len(text)))
    assert found is not None
    assert (found.caller, found.prefix) == ("unfold", "Foo.b")


@pytest.mark.parametrize(
    ("marked", "patched"),
    [
        ("theorem a : p := by\n  exact │\n", "theorem a : p := by\n  ‸sorry\n"),
        ("  exact foo.b│\n  simp", "  ‸sorry\n  simp"),
        ("  · rw [│] at h\n", "  · ‸sorry\n"),
        ("  rw [a, ← b c, │]\n", "  (rewrite [a, ← b c]; ‸sorry)\n"),
        ("  rw [a, │, b] at h k\n", "  (rewrite [a] at h; ‸sorry)\n"),
        ("  rw [a, │] at h ⊢\n", "  (rewrite [a]; ‸sorry)\n"),
        ("  simp [a, │]\n", "  ‸sorry\n"),
        ("  constructor <;> exact │\n", "  constructor <;> ‸sorry\n"),
        ("  unfold a │\n  simp", "  ‸sorry\n  simp"),
    ],
)
def test_the_unfinished_tactic_gives_way_to_sorry(marked: str, patched: str) -> None:
    assert asked(marked)[0] == patched


def asked(marked: str) -> list[str]:
    """The documents that Lean is shown, with a `‸` where it is asked."""
    text, place = at_bar(marked)
    found = completion_at(text, place)
    assert found is not None
    shown = []
    for one in questions(text, found):
        offset = offset_of(one.text.split("\n"), one.position)
        shown.append(one.text[:offset] + "‸" + one.text[offset:])
    return shown


def test_where_the_written_rules_do_not_rewrite_the_goal_before_them_is_asked_for() -> None:
    assert asked("  rw [a, │]\n") == ["  (rewrite [a]; ‸sorry)\n", "  ‸sorry\n"]


HEAD = "theorem a : p := "


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("│\n\ntheorem b : q := r\n", ["‸sorry\n\ntheorem b : q := r\n"]),
        ("by\n  exact fun h => (│\n  simp\n", ["by\n  exact fun h => (‸sorry)\n  simp\n"]),
        ("by\n  exact f (fo│o)\n", ["by\n  exact f (‸sorry)\n", "by\n  exact f (‸sorry) ..\n"]),
        ("by\n  exact f (│ -- here (\n", ["by\n  exact f (‸sorry)\n", "by\n  exact f (‸sorry) ..\n"]),
        ("fun x => │", ["fun x => ‸sorry"]),
        ("show p from │", ["show p from ‸sorry"]),
        ("by\n  have h : p := │\n  simp", ["by\n  have h : p := ‸sorry\n  simp", "by\n  ‸sorry\n  simp"]),
        ("by\n  exact ⟨h,\n    │,\n    k⟩\n", None),
        ("⟨a, │", ["⟨a, ‸sorry⟩", "⟨a, ‸sorry, sorry⟩", "⟨a, ‸sorry, sorry, sorry⟩", None]),
        ("by\n  refine ⟨│\n\nexample : q := r\n", None),
    ],
)
def test_a_hole_is_put_where_a_term_is_typed(typed: str, shown: list[str | None] | None) -> None:
    found = asked(HEAD + typed)
    assert all(brackets(one) == (None, []) for one in found)
    if shown is not None:
        assert len(found) == len(shown)
        assert all(want is None or one == HEAD + want for one, want in zip(found, shown, strict=True))
    else:
        assert found[0].count("‸sorry") == 1


def test_typing_on_does_not_change_what_lean_is_asked() -> None:
    seen = set()
    for typed in ("exact ", "exact N", "exact Nat.add_c"):
        text, place = at_bar(f"theorem a : p := by\n  {typed}│\n\ntheorem b : q := r\n")
        found = completion_at(text, place)
        assert found is not None
        seen.add(tuple(questions(text, found)))
    assert len(seen) == 1


@given(st.text(alphabet='rw exact simp[](),←\n. -𝕜a⟨⟩:="/', max_size=60), st.data())
def test_any_place_is_one_or_none(text: str, data: st.DataObject) -> None:
    place = position_at(text, data.draw(st.integers(0, len(text))))
    found = completion_at(text, place)
    if found is not None:
        assert found.tactic.start <= found.name.start <= place <= found.name.end <= found.tactic.end
        for one in questions(text, found):
            offset = offset_of(one.text.split("\n"), one.position)
            assert one.text[offset:].startswith("sorry")


@pytest.mark.parametrize(
    "line",
    [
        "(" * 25_000 + "⟨a, " * 6_000,
        " " * 50_000 + "(",
        "x, " * 17_000,
        ":= " * 17_000,
        '"(' * 25_000,
        "/- (" * 12_000,
    ],
)
def test_a_line_of_50_kb_takes_no_long_time(line: str) -> None:
    text = f"theorem a : p := by\n  exact f {line}"
    began = time.process_time()
    found = completion_at(text, position_at(text, len(text)))
    if found is not None:
        assert len(list(questions(text, found))) < 8
    assert time.process_time() - began < 2


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
    assert default_position([line], 0) == Position(0, column)


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
    assert is_term_position(text, offset_of(text.split("\n"), place)) is is_term
