"""Where names and imports go in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Edit, Position
from lsp_server.documents.declarations import declaration_span
from lsp_server.documents.insertion import import_insertion, name_insertion
from lsp_server.documents.positions import offset_of


def at(marked: str) -> tuple[list[str], Position]:
    """The lines of a text without its `│`, and where that stood."""
    before = marked[: marked.index("│")]
    line = before.count("\n")
    return marked.replace("│", "").split("\n"), Position(line, len(before) - (before.rfind("\n") + 1))


def applied(lines: list[str], insertion: Edit) -> str:
    text = "\n".join(lines)
    start, end = offset_of(lines, insertion.span.start), offset_of(lines, insertion.span.end)
    return text[:start] + insertion.text + text[end:]


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
        ("import A\n/- x\nimport B -/\nexample", "import A\nimport M\n/- x\nimport B -/\nexample"),
        (
            "/- x\n-/\nimport A\npublic import B\n\n/-! y -/",
            "/- x\n-/\nimport A\npublic import B\nimport M\n\n/-! y -/",
        ),
        ("/-\nx\n-/\n\nexample", "/-\nx\n-/\nimport M\n\nexample"),
        ("/-! x -/\nexample", "import M\n/-! x -/\nexample"),
        ("module\n\npublic import A\n", "module\n\npublic import A\nimport M\n"),
        ("module\n\nexample", "module\nimport M\n\nexample"),
        ("", "import M\n"),
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
    insertion = name_insertion(lines, place, "rfl")
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
