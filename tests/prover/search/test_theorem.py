"""A theorem's text, and proofs written into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import BadPosition, BadSource
from lean_extract.records import Position
from prover.search.theorem import Theorem

PATH = Path("A.lean")
PROOF = ("intro h", "cases h with\n| inl a => exact a\n| inr b =>\n  exact b", "rfl")


@pytest.mark.parametrize(
    "statement",
    [
        "theorem t (p : Prop) : p → p",
        "theorem t (p : Prop) : p → p :=",
        "theorem t (p : Prop) : p → p := by",
        "theorem t (p : Prop) : p → p := by\n",
        "theorem t (p : Prop) : p → p := sorry",
        "theorem t (p : Prop) : p → p := by sorry",
        "  theorem t (p : Prop) : p → p := by\n    sorry\n\n",
    ],
)
def test_statements_as_they_are_given(statement: str) -> None:
    theorem = Theorem.stated(PATH, "import Lib\n\nopen Lib", statement)
    assert theorem.text == "import Lib\n\nopen Lib\n\ntheorem t (p : Prop) : p → p := by\n  sorry\n"
    assert theorem.position == Position(5, 2)
    assert theorem.name == "t"
    assert theorem.lines == (4, 5)


def test_an_empty_header() -> None:
    theorem = Theorem.stated(PATH, "", "theorem t : True")
    assert theorem.with_proof(["trivial"]) == "theorem t : True := by\n  trivial\n"


def test_a_statement_with_let_and_by_inside_keeps_them() -> None:
    statement = "theorem t : (let n := 2; n) = (by exact 2) := by sorry"
    theorem = Theorem.stated(PATH, "", statement)
    assert theorem.text.startswith("theorem t : (let n := 2; n) = (by exact 2) := by\n")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("theorem t : A := by\n  sorry\n", "theorem t : A := by\n  x\n  y\n"),
        ("theorem t : A := by sorry\n", "theorem t : A := by\n  x\n  y\n"),
        ("theorem t : A := sorry", "theorem t : A := by\n  x\n  y\n"),
        ("theorem t :\n    A :=\n  sorry\n", "theorem t :\n    A :=\n  by\n    x\n    y\n"),
        (
            "theorem t : A := by\n  have b : B := by sorry\n",
            "theorem t : A := by\n  have b : B := by\n    x\n    y\n",
        ),
        ("theorem t : A := by\n  · sorry\n  · z\n", "theorem t : A := by\n  · x\n    y\n  · z\n"),
        ("theorem t : A ∧ B := ⟨a,\n  sorry⟩\n", "theorem t : A ∧ B := ⟨a,\n  by\n    x\n    y⟩\n"),
        (
            "theorem t : A := by\n    sorry\n\ntheorem u : B := by\n  z\n",
            "theorem t : A := by\n    x\n    y\n",
        ),
    ],
)
def test_tactics_take_the_place_of_sorry(text: str, written: str) -> None:
    assert Theorem.first(PATH, text).with_proof(["x", "y"]) == written


def test_tactics_of_several_lines_keep_their_indentation() -> None:
    theorem = Theorem.first(PATH, "theorem t : A := by\n  sorry\n")
    assert theorem.with_proof(PROOF) == (
        "theorem t : A := by\n  intro h\n  cases h with\n  | inl a => exact a\n  | inr b =>\n"
        "    exact b\n  rfl\n"
    )


TWO = "-- sorry\ntheorem t : A := by\n  sorry\n\nprivate theorem N.u' : B := by\n  · x\n  · sorry -- here\n"


@pytest.mark.parametrize(
    ("line", "column", "name", "place"),
    [
        (1, 0, "t", Position(2, 2)),
        (2, 4, "t", Position(2, 2)),
        (4, 10, "N.u'", Position(6, 4)),
        (6, 0, "N.u'", Position(6, 4)),
    ],
)
def test_a_theorem_is_found_from_a_place_in_it(line: int, column: int, name: str, place: Position) -> None:
    theorem = Theorem.at(PATH, TWO, Position(line, column))
    assert (theorem.name, theorem.position) == (name, place)


def test_the_first_theorem_without_a_proof_is_found() -> None:
    assert Theorem.first(PATH, TWO).name == "t"


def test_what_cannot_be_a_theorem_is_reported() -> None:
    with pytest.raises(BadSource, match="has no name"):
        Theorem.stated(PATH, "", "example : True")
    with pytest.raises(BadSource, match="has no name"):
        Theorem.first(PATH, "theorem t : True := trivial\n\nexample : True := by\n  sorry\n")
    with pytest.raises(BadSource, match="no `sorry` in A"):
        Theorem.first(PATH, "-- sorry\ntheorem t : True := trivial\n")
    with pytest.raises(BadSource, match="no `sorry` at line 1"):
        Theorem.at(PATH, "theorem t : True := trivial\n", Position(0, 0))
    with pytest.raises(BadPosition):
        Theorem.at(PATH, "theorem t : True := trivial\n", Position(7, 0))


def test_windows_line_ends() -> None:
    theorem = Theorem.first(PATH, "theorem t : A := by\r\n  sorry\r\n\r\ntheorem u : B := c\r\n")
    assert theorem.with_proof(["x", "y"]) == "theorem t : A := by\n  x\n  y\n"
