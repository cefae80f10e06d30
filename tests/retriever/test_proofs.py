"""What proofs use: votes by hand, columns that lose nothing, and graphs over several segments."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.source.reader import SourceModule, read_module
from retriever.lean.index.view import LeanView, proof_graph
from retriever.lean.snapshot import NearbyUses
from retriever.models.encoder import Encoder
from retriever.search.index.proof_columns import ProofColumns, ProofRows, hash_names
from retriever.search.index.table import Kept
from retriever.search.index.view import LiveNames
from retriever.search.votes import ProofGraph, by_rank
from tests.retriever.support import Sheet, make_store, theorem

NAMES = tuple("abcdefgh")
proofs = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from([*NAMES, "x", "y"]), unique=True, max_size=5)
)


def columns_of(names: tuple[str, ...], known: dict[str, list[str]]) -> ProofColumns:
    hashes = hash_names(names)
    return ProofColumns.of_hashes(hashes, *ProofRows.of_names(known).aligned(hashes))


def rows(columns: ProofColumns) -> dict[int, set[int]]:
    """What each hashed name uses, by hashes."""
    used = columns.used().tolist()
    starts = columns.starts.tolist()
    names = columns.hashes.tolist()
    return {name: set(used[starts[i] : starts[i + 1]]) for i, name in enumerate(names)}


def hashed(names: tuple[str, ...], known: dict[str, list[str]]) -> dict[int, set[int]]:
    number = dict(zip([*NAMES, "x", "y"], hash_names([*NAMES, "x", "y"]).tolist(), strict=True))
    return {number[name]: {number[used] for used in known.get(name, [])} for name in names}


@given(proofs)
def test_columns_lose_nothing(known: dict[str, list[str]]) -> None:
    assert rows(columns_of(NAMES, known)) == hashed(NAMES, known)


@given(proofs, st.integers(0, len(NAMES)), st.lists(st.booleans(), min_size=8, max_size=8))
def test_merging_keeps_what_the_chosen_premises_use(
    known: dict[str, list[str]], cut: int, kept: list[bool]
) -> None:
    first, second = columns_of(NAMES[:cut], known), columns_of(NAMES[cut:], known)
    found = ProofColumns.merged(
        [
            (first, Kept.of_file(cut, np.flatnonzero(np.array(kept[:cut], dtype=np.bool_)))),
            (second, Kept.of_file(len(NAMES) - cut, np.flatnonzero(np.array(kept[cut:], dtype=np.bool_)))),
        ]
    )
    assert found is not None
    names = tuple(name for name, chosen in zip(NAMES, kept, strict=True) if chosen)
    assert rows(found) == hashed(names, known)
    again = ProofRows.of_columns([found])
    assert rows(ProofColumns.of_hashes(found.hashes, *again.aligned(found.hashes))) == rows(found)


@given(
    st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), unique=True, max_size=4)),
    st.lists(st.integers(0, 7), unique=True),
)
def test_votes_are_weighed_by_rank_and_by_the_length_of_a_proof(
    known: dict[int, list[int]], neighbours: list[int]
) -> None:
    graph = ProofGraph.of_rows(8, known)
    votes, counts = [0.0] * 8, [0.0] * 8
    for rank, neighbour in enumerate(neighbours):
        for used in known.get(neighbour, []):
            votes[used] += 1 / math.sqrt(1 + rank) / math.sqrt(len(known[neighbour]))
            counts[used] += 1
    ids = np.array(neighbours, dtype=np.int64)
    assert graph.votes(ids, by_rank(len(ids))).tolist() == pytest.approx(votes)
    assert graph.counts(ids).tolist() == counts
    assert graph.known.tolist() == [bool(known.get(number)) for number in range(8)]


def sheet(module: str, *names: str, package: str = "") -> Sheet:
    return Sheet([theorem(name, module, "a = a") for name in names], package=package)


def graph_of(view: LeanView) -> dict[str, set[str]]:
    """What each theorem uses, by names; only what counts."""
    graph = proof_graph(view, LiveNames.of(view))
    name = view.name
    return {
        name(i): {name(int(used)) for used in graph.uses[graph.starts[i] : graph.starts[i + 1]]}
        for i in np.flatnonzero(graph.known).tolist()
    }


USES = {"A.one": ["B.two", "A.three", "gone"], "B.two": ["A.three"], "A.data": ["B.two"]}


def test_edges_join_segments_and_lead_to_premises_of_any_kind(tmp_path: Path, encoder: Encoder) -> None:
    a = sheet("A", "A.one", "A.three")
    b = Sheet([theorem("B.two", "B", "a = a"), theorem("gone", "B", "ℕ", kind="def")])
    stores = [
        make_store(tmp_path / "a", {"A": a}, encoder, proofs=USES),
        make_store(tmp_path / "b", {"B": b}, encoder, proofs=USES),
    ]
    view = LeanView.open(stores, encoder.fingerprint)
    assert graph_of(view) == {"A.one": {"B.two", "A.three", "gone"}, "B.two": {"A.three"}}


def test_bundled_edges_serve_the_projects_own_copy(tmp_path: Path, encoder: Encoder) -> None:
    bundled = {
        "A": sheet("A", "A.one", "A.three", package="mathlib"),
        "B": sheet("B", "B.two", package="mathlib"),
    }
    own = {"A": sheet("A", "A.three", "A.one", package="mathlib"), "C": sheet("C", "B.two")}
    stores = [
        make_store(tmp_path / "own", own, encoder),
        make_store(tmp_path / "bundled", bundled, encoder, proofs=USES, is_bundled=True),
    ]
    view = LeanView.open(stores, encoder.fingerprint)
    assert not view.alive[3:].any()
    assert graph_of(view) == {"A.one": {"B.two", "A.three"}, "B.two": {"A.three"}}


TEXT = """
namespace Own
open Lib

theorem first (h : 1 = 1) : 1 = 1 := by
  rw [add_comm, Lib.zero, unknown_lemma]
  exact h.symm

theorem second : 2 = 2 := by
  have := first rfl
  simp [zero]

theorem third : 3 = 3 := by
  exact second
"""


def counted(nearby: NearbyUses, source: SourceModule, theorems: set[str]) -> Counter[str]:
    return Counter(name for names in nearby.uses(source, theorems) for name in names)


def test_the_open_files_proofs_are_read_as_they_stand(tmp_path: Path, encoder: Encoder) -> None:
    library = {"L": sheet("L", "add_comm", "Lib.zero", "Eq.symm", "zero_of_another")}
    view = LeanView.open([make_store(tmp_path, library, encoder)], encoder.fingerprint)
    nearby = NearbyUses(LiveNames.of(view))
    source = read_module(TEXT, "Own", "Own.lean")
    counts = counted(nearby, source, {"Own.first", "Own.second"})
    assert counts == {"add_comm": 1, "Lib.zero": 2, "Eq.symm": 1, "Own.first": 1}
    in_order = [set(names) for names in nearby.uses(source, {"Own.second", "Own.third"})]
    assert in_order == [{"Lib.zero", "Own.first"}, {"Own.second"}]
    assert counted(nearby, source, {"Own.third"}) == {"Own.second": 1}
    edited = read_module(TEXT.replace("add_comm, ", ""), "Own", "Own.lean")
    assert counted(nearby, edited, {"Own.first"}) == {"Lib.zero": 1, "Eq.symm": 1}


def test_what_is_declared_above_a_proof_decides_what_it_means(tmp_path: Path, encoder: Encoder) -> None:
    view = LeanView.open([make_store(tmp_path, {"L": sheet("L", "zero")}, encoder)], encoder.fingerprint)
    nearby = NearbyUses(LiveNames.of(view))
    proof = "theorem last : 1 = 1 := by\n  exact zero\n"
    assert counted(nearby, read_module(proof, "A", "A.lean"), {"last"}) == {"zero": 1}
    text = f"namespace Own\ntheorem zero : 0 = 0 := rfl\n{proof}"
    assert counted(nearby, read_module(text, "A", "A.lean"), {"Own.last"}) == {"Own.zero": 1}
    for declared in ("unrelated", "zero"):
        text = f"namespace Own\ntheorem {declared} : 0 = 0 := rfl\n{proof}"
        used = "zero" if declared == "unrelated" else "Own.zero"
        assert counted(nearby, read_module(text, "B", "B.lean"), {"Own.last"}) == {used: 1}


def test_a_full_cache_of_uses_loses_none(
    tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = LeanView.open([make_store(tmp_path, {"L": sheet("L", "zero")}, encoder)], encoder.fingerprint)
    nearby = NearbyUses(LiveNames.of(view))
    monkeypatch.setattr("retriever.lean.snapshot.CACHED_PROOFS", 1)
    names = [f"t{number}" for number in range(3)]
    source = read_module(
        "".join(f"theorem {name} : 1 = 1 := by\n  exact zero\n" for name in names), "A", "A.lean"
    )
    for count in (1, 2, 3):
        assert counted(nearby, source, set(names[:count])) == {"zero": count}
