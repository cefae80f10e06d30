"""Names found by a part of them: the table against a plain reading of what a match is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retriever.name_search import NameQuery, NameTable

NAMES = [
    "add_comm",
    "Nat.add_comm",
    "Nat.add_right_comm",
    "nat.ADD_comm",
    "comm_add",
    "Multiset.add_comm'",
    "IsOpen.union",
    "isOpen_union",
    "TopologicalSpace.Opens",
    "Γ.smul_ℕ",
    "a",
    "Nat.a_le",
]


def found(query: str, names: list[str], k: int = 50, uses: list[int] | None = None) -> list[str]:
    asked = NameQuery.of(query)
    if asked is None:
        return []
    matches = NameTable.of_names(names).find(asked)
    counts = np.array(uses or [0] * len(names))[matches.ids]
    return [names[number] for number in matches.ids[matches.best(k, counts)]]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Nat.add_comm", ["Nat.add_comm"]),
        ("add_comm", ["add_comm", "Nat.add_comm", "nat.ADD_comm"]),
        ("ADD_COMM", ["add_comm", "Nat.add_comm"]),
        ("add comm", ["add_comm", "Nat.add_comm"]),
        ("comm add", ["comm_add", "add_comm"]),
        ("`Nat.add_comm`", ["Nat.add_comm"]),
        ("right", ["Nat.add_right_comm"]),
        ("open union", ["IsOpen.union", "isOpen_union"]),
        ("isOpen", ["isOpen_union", "IsOpen.union"]),
        ("IsOpen", ["IsOpen.union", "isOpen_union"]),
        ("Γ", ["Γ.smul_ℕ"]),
        ("a", ["a", "Nat.a_le"]),
        ("nothing like it", []),
        ("+", []),
    ],
)
def test_names_come_by_how_well_they_match(query: str, first: list[str]) -> None:
    assert set(found(query, NAMES)[: len(first)]) == set(first)
    if first:
        assert found(query, NAMES)[0] in first[:2]
    else:
        assert found(query, NAMES) == []


def test_of_equal_matches_the_shorter_comes_first_then_the_one_used_more() -> None:
    names = ["x.foo_barr", "x.foo_bar1", "x.foo_bar2", "y.foo"]
    assert found("foo", names, uses=[0, 1, 7, 0]) == ["y.foo", "x.foo_bar2", "x.foo_bar1", "x.foo_barr"]
    assert found("foo", names, k=1) == ["y.foo"]
    assert found("foo", names, k=0) == []


LETTERS = st.text(alphabet="abAB._'Γé«»1", min_size=1, max_size=12)


@given(st.lists(LETTERS, max_size=30), LETTERS)
@example(["a"], "a")
@example(["", "ab"], "ab")
@example(["ab"], "ab\nab")
def test_the_table_finds_what_a_plain_search_finds(names: list[str], query: str) -> None:
    asked = NameQuery.of(query)
    got = sorted(found(query, names))
    if asked is None:
        assert got == []
        return
    folded = [name.encode().lower() for name in names]
    plain = [
        name
        for name, low in zip(names, folded, strict=True)
        if all(word in low for word in asked.words if len(word) > 1)
    ]
    if all(len(word) > 1 for word in asked.words):
        assert got == sorted(plain)
    else:
        assert set(got) <= set(plain)
    if query in names and query.strip(" `") == query and got:
        assert found(query, names)[0] == query


@given(st.text(max_size=400))
def test_any_text_is_a_query_or_none(text: str) -> None:
    assert found(text, NAMES) is not None


def test_a_table_of_many_names_is_searched_like_one_of_few() -> None:
    names = [f"Space{i}.point_{i % 7}_near" for i in range(5000)]
    assert len(found("point 3", names, k=5000)) == len([name for name in names if "point_3" in name]) == 714
    assert found("Space17.point_3_near", names)[0] == "Space17.point_3_near"
    assert found("Space4999", names) == ["Space4999.point_1_near"]
