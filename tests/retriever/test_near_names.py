"""Names that differ from a typed one by a few letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.lean.words.near_names import edit_distance, most_edits, nearest, pieces

NAMES = [
    "sup_eq_right",
    "sup_eq_left",
    "Lattice.sup_eq_right",
    "Nat.add_comm",
    "Nat.add_assoc",
    "le_trans",
    "or",
]


def near(typed: str) -> list[str]:
    return [NAMES[one.number] for one in nearest(typed, enumerate(NAMES), 3)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("sup_eq_rightt", ["sup_eq_right", "Lattice.sup_eq_right"]),
        ("SUP_eq_rihgt", ["sup_eq_right", "Lattice.sup_eq_right"]),
        ("Latice.sup_eq_right", ["Lattice.sup_eq_right"]),
        ("Nat.add_com", ["Nat.add_comm"]),
        ("add_com", ["Nat.add_comm"]),
        ("le_tran", ["le_trans"]),
        ("ro", []),
        ("nothing_like_it", []),
        ("x" * 10_000, []),
    ],
)
def test_near_names(typed: str, expected: list[str]) -> None:
    assert near(typed) == expected


def test_the_name_itself_comes_first_whatever_its_namespace() -> None:
    found = nearest("sup_eq_right", [(7, "sup_eq_righ"), (8, "Lattice.sup_eq_right")], 2)
    assert [(one.number, one.is_same) for one in found] == [(8, True), (7, False)]


@given(st.text("abA_.", max_size=12), st.text("abA_.", max_size=12))
def test_a_distance_is_that_of_edits(one: str, other: str) -> None:
    most = len(one) + len(other)
    distance = edit_distance(one, other, most)
    assert distance == edit_distance(other, one, most)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))
    assert (distance == 0) == (one == other)
    assert edit_distance(one, other, 1) == distance or (distance > 1 and edit_distance(one, other, 1) > 1)


@given(st.text("abcdefgh_", min_size=4, max_size=30), st.data())
def test_a_near_name_has_one_of_the_pieces(typed: str, data: st.DataObject) -> None:
    changed = typed
    for _ in range(most_edits(typed)):
        place = data.draw(st.integers(0, len(changed)))
        changed = changed[:place] + data.draw(st.sampled_from(["", "x"])) + changed[place + 1 :]
    assert any(piece in changed for piece in pieces(typed))
