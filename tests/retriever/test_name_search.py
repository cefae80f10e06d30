"""Names found as typed, by a part of them, and by words."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retriever.lean.words.name_search import NameQuery, NameSearch, score
from retriever.lean.words.splitting import split

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
    "Real.deriv_sin",
    "deriv_sInf",
    "sq_nonneg",
    "mul_self_nonneg",
    "Nat.dvd_factorial",
    "Finset.single_le",
    "or_swap",
    "and_swap",
    "add_add_add_comm",
]


def found(query: str, names: list[str], k: int = 50, uses: list[int] | None = None) -> list[str]:
    scores = score([NameSearch.of_names(names)], NameQuery.of(query), np.array(uses or [0] * len(names)))
    assert scores.shape == (len(names),) and np.isfinite(scores).all() and (scores >= 0).all()
    order = np.argsort(-scores, kind="stable")
    return [names[number] for number in order if scores[number] > 0][:k]


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
        ("mul_self_n", ["mul_self_nonneg"]),
        ("add_com", ["add_comm", "Nat.add_comm"]),
        ("isop", ["IsOpen.union", "isOpen_union"]),
        ("Γ", ["Γ.smul_ℕ"]),
        ("a", ["a", "Nat.a_le"]),
        ("Nat.add_r", ["Nat.add_right_comm"]),
        ("deriv_si", ["Real.deriv_sin"]),
        ("deriv of sin", ["Real.deriv_sin", "deriv_sInf"]),
        ("derivative of sine", ["Real.deriv_sin", "deriv_sInf"]),
        ("square is nonnegative", ["sq_nonneg", "mul_self_nonneg"]),
        ("swap or", ["or_swap"]),
        ("divides the factorial", ["Nat.dvd_factorial"]),
        ("commutativity of addition", ["add_comm"]),
        ("qqq like zzz", []),
        ("+", ["add_comm", "comm_add"]),
        ("&", []),
        ("", []),
        ("of the", []),
    ],
)
def test_names_come_by_how_well_they_match(query: str, first: list[str]) -> None:
    assert set(found(query, NAMES)[: len(first)]) == set(first)
    if first:
        assert found(query, NAMES)[0] in first[:2]
    else:
        assert found(query, NAMES) == []


def test_a_word_within_a_word_does_not_count_where_names_have_the_word() -> None:
    assert found("sin", NAMES) == ["Real.deriv_sin", "Finset.single_le"]  # it may become `single`
    assert found("deriv sin ", NAMES) == ["Real.deriv_sin", "deriv_sInf"]
    assert found("sin ", NAMES) == ["Real.deriv_sin"]
    assert found("erset", ["Finset.sup", "Superset.le"]) == ["Superset.le"]


def test_what_more_of_is_asked_for_comes_first() -> None:
    names = ["Far.away_foo_bar_of_baz", "foo_bar_baz", "foo_bar", "bar"]
    assert found("the bar of a foo ", names) == ["foo_bar", "foo_bar_baz", "Far.away_foo_bar_of_baz", "bar"]


def test_of_equal_matches_the_one_used_more_comes_first() -> None:
    names = ["x.foo_barr", "x.foo_bar1", "x.foo_bar2", "y.foo"]
    assert found("foo", names, uses=[0, 1, 7, 0]) == ["y.foo", "x.foo_bar2", "x.foo_bar1", "x.foo_barr"]


def test_several_tables_are_one() -> None:
    parts = [NameSearch.of_names(NAMES[:5]), NameSearch.of_names([]), NameSearch.of_names(NAMES[5:])]
    for text in ("add_comm", "deriv of sin", "isop", "square nonneg"):
        query, uses = NameQuery.of(text), np.arange(len(NAMES))
        assert score(parts, query, uses).tolist() == score([NameSearch.of_names(NAMES)], query, uses).tolist()
    assert score([], NameQuery.of("a"), np.zeros(0, dtype=np.int32)).shape == (0,)


LETTERS = st.text(alphabet="abAB._'Γé«»1", min_size=1, max_size=12)


def looked_for(query: str, names: list[str]) -> bool:
    """Whether a name is found as it was typed: two kinds of short names are known to be missed.

    Those of fewer than four bytes whose words are not the query's (é is e there), and those of several words
    that together are one word of another name (bA, where there is x.ba).
    """
    words, asked = split(query), {word for one in NameQuery.of(query).concepts for word in one.word.split()}
    small = query.encode().lower().decode()
    is_one_elsewhere = len(words) > 1 and any(small in split(name) for name in names)
    return bool(asked) and (len(query.encode()) >= 4 or set(words) == asked) and not is_one_elsewhere


@given(st.lists(LETTERS, min_size=1, max_size=30), st.data())
def test_a_name_as_typed_comes_first(names: list[str], data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(names))
    if query.strip(" `") == query and looked_for(query, names):
        assert found(query, names)[0] == query


@given(st.lists(LETTERS, max_size=30), LETTERS)
@example(["", "ab"], "ab")
@example(["ab"], "ab\nab")
def test_what_is_found_are_some_of_the_names(names: list[str], query: str) -> None:
    assert not Counter(found(query, names)) - Counter(name.replace("\n", " ") for name in names)


@pytest.mark.parametrize("names", [["a"], ["ab"], ["B_", "B"], ["x.bA", "bA"]])
def test_a_short_name_as_typed_comes_first(names: list[str]) -> None:
    for name in names:
        assert found(name, names)[0] == name


@given(st.text(max_size=400))
@example("\ud800\0 .*[")
def test_any_text_is_a_query(text: str) -> None:
    assert set(found(text, NAMES)) <= set(NAMES)
