"""Where a tactic or a name goes in a line of any length is found in time that grows with it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lean_extract.records import Edit, Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import guessed_edit
from lsp_server.documents.insertion import name_insertion
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import Shape, repeated

LINES = {
    "a word and a bracket": repeated("a", after="("),
    "words and a bracket": repeated("a.b ", after="("),
    "a word behind a space": repeated("a.", after=" "),
    "spaces": repeated(" ", before="x", after="("),
    "brackets": repeated(")", after="("),
}


def _tactic(lines: Sequence[str], position: Position, tactic: str) -> Edit:
    return guessed_edit(LeanDocument("\n".join(lines)), position, tactic)


@pytest.mark.parametrize("shape", LINES.values(), ids=LINES)
@pytest.mark.parametrize("insert", [_tactic, name_insertion])
def test_the_end_of_a_long_line_is_read_in_linear_time(insert: object, shape: Shape) -> None:
    assert callable(insert)

    def work(line: str) -> None:
        insert([line], Position(0, len(line)), "rfl")

    assert_linear(work, shape, 1 << 18)
