"""Copies of a document are well formed, whatever the document and the tactic are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadPosition
from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import bare
from lean_extract.session.tactic_sites import guesses, snap
from lean_extract.syntax.tactic_text import defect

PIECES = st.sampled_from(
    [
        "theorem t : p :=", "by ", "sorry", "\n", "\n  ", "· ", "exact h", "(", ")", "⟨", "⟩", "{", "}",
        "-- x\n", "/- ", " -/", '"', "𝕜", "_", "?a", "; ", "<;> ", "inl a => ", "end N", "\r\n", "\u2028",
        "«a b»", "'('",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@given(TEXTS, TEXTS, st.integers(0, 8), st.integers(0, 30), st.booleans())
def test_the_tactic_stands_between_braces_that_are_where_they_are_said_to_be(
    text: str, tactic: str, line: int, column: int, is_term: bool
) -> None:
    document = LeanDocument(text)
    position = Position(line, column)
    try:
        document.offset(position)
    except BadPosition:
        return
    for place in guesses(document, snap(document, position), is_term=is_term):
        patched = place.patched(bare(tactic))
        copy = LeanDocument(patched.text)
        opened, closed = copy.offset(patched.start), copy.offset(patched.brace)
        assert copy.text[opened:].startswith(("({ ", "(by { "))
        assert copy.text[closed] == "}"
        assert document.text.startswith(copy.text[:opened].rstrip())
        assert copy.text[opened : copy.offset(patched.inside)].endswith("-/ ")
        between = copy.text[copy.offset(patched.inside) : closed]
        assert between.split() == bare(tactic).split()
        assert patched.line <= patched.start.line <= patched.brace.line


@given(TEXTS)
def test_positions_and_offsets_are_inverse(text: str) -> None:
    document = LeanDocument(text)
    for offset in range(len(document.text) + 1):
        assert document.offset(document.position(offset)) == offset


@given(TEXTS)
def test_a_declaration_surrounds_its_place(text: str) -> None:
    document = LeanDocument(text)
    for offset in range(len(document.text) + 1):
        start, end = document.declaration(offset)
        assert start <= offset <= end <= len(document.text)


@given(TEXTS, st.sampled_from([")", "]", "⟩", "}", "/-", '"', " sorry ", "(by admit)", "\0"]))
def test_what_could_leave_the_braces_is_a_defect(tactic: str, escape: str) -> None:
    if defect(tactic) is None and "--" not in tactic:
        assert defect(f"{tactic} {escape}") is not None


@pytest.mark.parametrize(
    "tactic",
    [
        "simp [foo]", "exact ⟨a, b⟩ -- )", 'exact f "("', "exact f '('", "exact f' a", "rw [← h] at h' ⊢",
        "omega /- ( -/",
    ],
)  # fmt: skip
def test_tactics_without_a_defect(tactic: str) -> None:
    assert defect(tactic) is None


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("theorem t : True := trivial\n", ""),
        ("import A\nimport B.C\n\ntheorem t", "import A\nimport B.C\n"),
        ("/- import X -/\nmodule\n\npublic import A -- why\nmeta import all B\n/-- doc -/\ntheorem t", None),
        ("prelude\nimporter\n", "prelude\n"),
    ],
)
def test_headers(text: str, header: str | None) -> None:
    expected = header if header is not None else text.partition("\n/-- doc")[0] + "\n"
    assert LeanDocument(text).header == expected
