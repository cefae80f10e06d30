"""What the learned ranker knows of a question's place, and of what a premise is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.lean.ranker.kinds import KIND_COLUMNS, group_of, groups_of, kind_columns
from retriever.lean.ranker.place import (
    PLACE,
    USES,
    Place,
    UsesByPlace,
    declaration_gaps,
    last_uses,
    no_place,
    place_signals,
    starting_with,
)
from retriever.search.bm25 import Bm25, Bm25Parameters
from retriever.search.index.postings import build_postings
from retriever.search.votes import ProofGraph

MODULES = ("M.Algebra.Ring.Basic", "M.Algebra.Ring.Ideal", "M.Algebra.Group", "M.Data.List")
MODULE_OF = np.array([0, 0, 1, 2, 3])
NAMES = ("Ring.zero_mul", "add_comm", "Ring.ideal_top", "Group.inv_mul", "List.zero_mul_length")
ROWS = {0: [1], 2: [1, 3], 3: [1], 4: [0, 1]}


def in_namespace(namespace: str) -> np.ndarray:
    return np.array([name.startswith(f"{namespace}.") for name in NAMES])


@pytest.fixture
def uses() -> UsesByPlace:
    return UsesByPlace(ProofGraph.of_rows(5, ROWS), MODULES, MODULE_OF, in_namespace)


def test_uses_are_counted_by_place_outside_of_the_own_module(uses: UsesByPlace) -> None:
    nothing = np.zeros(5, dtype=np.float32)
    place = Place(nothing, "M.Algebra.Ring.Basic", ("M.Data.List",), "Ring.mul_zero")
    table = dict(zip(USES, [one.tolist() for one in uses.of(place)], strict=True))
    assert table["directory_uses"] == [0, 1, 0, 1, 0]  # by Ring.ideal_top
    assert table["folder_uses"] == [0, 2, 0, 1, 0]  # and by Group.inv_mul
    assert table["namespace_uses"] == [0, 1, 0, 1, 0]  # Ring.zero_mul is of the own module
    assert table["import_uses"] == [1, 1, 0, 0, 0]
    assert not np.any(uses.of(Place(nothing, "Alone"))), "a file in no folder has no neighbours"


def test_theorems_of_like_names_vote_if_they_may(uses: UsesByPlace) -> None:
    bm25 = Bm25(
        [build_postings(name.lower().replace("_", ".").split(".") for name in NAMES)], Bm25Parameters()
    )
    graph = ProofGraph.of_rows(5, ROWS)
    last = np.array([0, 0.5, 0, 0, 0], dtype=np.float32)
    place = Place(last, "M.Other", (), "length_zero", np.array([3, 8]))
    voters = np.array([True, True, True, True, True])
    found = place_signals(uses, bm25, graph, place, voters)
    everything = np.arange(5)
    named = found.of(everything)[:, PLACE.index("named_votes")]
    assert named[0] == pytest.approx(1 / np.sqrt(2)), "List.zero_mul_length is the likest"
    assert named[1] > named[0] and named[3] == 0.0
    assert found.of(everything)[:, PLACE.index("last_use")].tolist() == last.tolist()
    voters[4] = False
    fewer = place_signals(uses, bm25, graph, place, voters).of(np.array([0, -1]))
    assert fewer[0, PLACE.index("named_votes")] == 0.0 and not fewer[1].any()
    assert not no_place(5).of(everything).any()


@given(st.lists(st.integers(0, 4), unique=True))
def test_the_last_use_is_that_of_a_plain_loop(above: list[int]) -> None:
    found = last_uses(ProofGraph.of_rows(5, ROWS), np.array(above, dtype=np.int64))
    proofs = [number for number in above if number in ROWS]
    for premise in range(5):
        since = [distance for distance, proof in enumerate(reversed(proofs)) if premise in ROWS[proof]]
        assert found[premise] == pytest.approx(1 / (1 + since[0]) if since else 0.0)


def test_a_gap_counts_the_declarations_between() -> None:
    lines = np.array([2, 5, 9])
    near = np.array([True, True, True, True, False])
    gaps = declaration_gaps(lines, np.array([9, 2, 12, -1, 5]), near)
    assert gaps.tolist() == pytest.approx([1.0, 1 / 3, 0.0, 0.0, 0.0])
    assert not declaration_gaps(lines[:0], np.array([1]), near[:1]).any()


@given(
    st.lists(st.sampled_from(["Nat.add", "Nat", "Nat.", "αβ.x", "αβ", "N"])),
    st.sampled_from(["Nat.", "α", "αβ."]),
)
def test_names_are_found_by_their_beginning(names: list[str], prefix: str) -> None:
    rows = [name.encode() + b"\n" for name in names]
    starts = np.cumsum([0, *map(len, rows)])[:-1]
    found = starting_with(b"".join(rows), starts, prefix)
    assert found.tolist() == [name.startswith(prefix) for name in names]


def test_a_theorem_is_of_no_kind_column() -> None:
    kinds = ("theorem", "def", "instance", "class", "field")
    is_theorem = np.array([True, False, False, False, False, True])
    groups = groups_of(kinds, np.array([0, 1, 2, 3, 4, 4]), is_theorem)
    columns = kind_columns(groups)
    assert columns.tolist() == [[0] * 4, [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0] * 4]
    assert len(KIND_COLUMNS) == columns.shape[1]
    assert [group_of(kind, is_theorem=False) for kind in ("abbrev", "constructor")] == [1, 4]
    assert groups_of((), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)).tolist() == []
