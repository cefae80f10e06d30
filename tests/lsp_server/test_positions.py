"""Places: UTF-16 at the editor, code points inside, counting from 1 on the command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from lean_extract.common.errors import BadPosition
from lean_extract.records import Position
from lsp_server.documents.positions import from_person, split_lines
from lsp_server.documents.utf16 import from_lsp, to_lsp

LINES = split_lines("a 𝕜 b\n\n  ∀ x\r\nend")


def test_only_lsp_s_line_ends_end_lines() -> None:
    assert split_lines("a\u2028b\x0cc\nd\r\ne\rf") == ["a\u2028b\x0cc", "d", "e", "f"]


def test_utf16_units_are_converted_once() -> None:
    assert from_lsp(LINES, types.Position(0, 4)) == Position(0, 3)
    assert to_lsp(LINES, Position(0, 3)) == types.Position(0, 4)


def test_a_column_past_the_line_is_its_end_and_a_line_past_the_document_is_an_error() -> None:
    assert from_lsp(LINES, types.Position(1, 9)) == Position(1, 0)
    with pytest.raises(BadPosition, match="Line 5 is past the end of the document, which has 4 lines"):
        from_lsp(LINES, types.Position(4, 0))


TEXTS = st.text(alphabet="a𝕜∀\n é😀", max_size=40)


@given(TEXTS, st.data())
def test_conversions_are_inverse(text: str, data: st.DataObject) -> None:
    lines = split_lines(text)
    line = data.draw(st.integers(0, len(lines) - 1))
    place = Position(line, data.draw(st.integers(0, len(lines[line]))))
    assert from_lsp(lines, to_lsp(lines, place)) == place


def test_people_count_from_one() -> None:
    assert from_person(LINES, 1, 3) == Position(0, 2)
    assert from_person(LINES, 3, None) == Position(2, 2)
    assert from_person(LINES, 4, 4) == Position(3, 3)


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        (0, None, "There is no line 0: the file has 4 lines"),
        (5, None, "There is no line 5"),
        (1, 7, "no column 7 in line 1, which has 5 characters"),
        (1, 0, "no column 0"),
    ],
)
def test_places_outside_are_refused(line: int, column: int | None, said: str) -> None:
    with pytest.raises(BadPosition, match=said):
        from_person(LINES, line, column)
