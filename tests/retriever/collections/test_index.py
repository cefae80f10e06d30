"""A collection searched and measured through its public doors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import IndexWriteFailed, UserError
from retriever.naturalproofs.backend import BACKEND, collection_of, model_text
from retriever.naturalproofs.splits import make_splits
from retriever.search.backend import Collection, Document, Question
from retriever.search.collections.columns import read_columns
from retriever.search.collections.index import CollectionIndex, fused_of
from retriever.search.collections.indexing import index_collection
from retriever.search.collections.manifest import CollectionManifest
from retriever.search.collections.measure import ranks_of
from retriever.search.collections.rankers import RerankedRanker, levelled, votes
from retriever.search.splits import Split
from retriever.search.votes import ProofGraph
from tests.retriever.naturalproofs.corpora import gardens

FLOATS = st.floats(-10, 10, width=32)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CollectionIndex:
    return CollectionIndex(indexed(tmp_path_factory.mktemp("index") / "gardens"), BACKEND)


def indexed(folder: Path) -> Path:
    collection = collection_of(gardens(), make_splits(gardens(), 0), "digest")
    index_collection(BACKEND, Path("gardens.json"), folder, collection=collection)
    return folder


def test_what_is_indexed_is_asked_as_what_was_read(tmp_path: Path) -> None:
    collection = collection_of(gardens(), make_splits(gardens(), 0), "digest")
    folder = indexed(tmp_path / "gardens")
    indexed(folder)
    opened = CollectionIndex(folder, BACKEND)
    assert opened.manifest == CollectionManifest(
        "gardens", "naturalproofs", str(Path("gardens.json").resolve()), "digest", len(collection.documents)
    )
    asked = BACKEND.query_text("A pond with roses")
    fused = fused_of(BACKEND, read_columns(BACKEND, collection))
    scores = fused.scores(asked)
    for hit in opened.search("A pond with roses", 50):
        assert hit.score == pytest.approx(float(scores[collection.documents.index(hit.document)]), abs=1e-6)
    assert [path.name for path in tmp_path.iterdir()] == ["gardens"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(IndexWriteFailed):
        indexed(tmp_path / "file" / "gardens")


def test_a_query_of_nothing_is_refused(index: CollectionIndex) -> None:
    with pytest.raises(UserError, match="nothing to search for"):
        index.search(" \n ", 5)


def test_a_first_line_is_a_title_where_more_follows() -> None:
    assert BACKEND.query_text("Gates\nEvery gate opens.") == model_text("Gates", "Every gate opens.")
    assert BACKEND.query_text("Every gate opens.") == model_text("", "Every gate opens.")


def test_only_what_a_split_ranks_takes_a_place_and_the_question_none() -> None:
    documents = tuple(Document(str(n), "d", str(n), str(n), "") for n in range(5))
    question = Question("q", "q", (3, 4, 3, 1), "valid", own=1)
    pools: dict[Split, tuple[int, ...]] = {"train": (0,), "valid": (1, 2, 3, 4), "test": ()}
    collection = Collection(documents, (question,), pools, "")

    class Falling:
        name = "falling"

        def scores(self, text: str, own: int | None = None) -> np.ndarray:
            return np.arange(5, 0, -1, dtype=np.float32)

    assert ranks_of(collection, Falling(), "valid") == [(2, 3)]


@given(st.lists(FLOATS, min_size=1, max_size=20))
def test_levelled_scores_keep_their_order_around_nothing(scores: list[float]) -> None:
    values = np.array(scores, dtype=np.float32)
    level = levelled(values)
    assert np.isfinite(level).all()
    assert level.mean() == pytest.approx(0, abs=1e-3 * max(1.0, float(np.abs(level).max())))
    assert (np.diff(level[np.argsort(values, kind="stable")]) >= 0).all()


@given(FLOATS, st.integers(1, 20))
def test_where_all_are_equal_none_is_above_the_others(score: float, count: int) -> None:
    assert not levelled(np.full(count, score, dtype=np.float32)).any()


def test_of_what_fits_as_many_are_found_as_are_asked_for(index: CollectionIndex) -> None:
    """A long list by vectors, of which most share nothing with the query, does not push others out."""
    everything = [hit.document.key for hit in index.search("roses in a pond", 50)]
    assert len(everything) > 2
    for k in range(1, len(everything)):
        assert [hit.document.key for hit in index.search("roses in a pond", k)] == everything[:k]


def test_what_is_outside_is_not_read_again() -> None:
    documents = tuple(Document(str(n), "d", str(n), f"text {n}", "") for n in range(8))
    read: list[str] = []

    class Reader:
        weight = 3.0

        def pair_scores(self, query: str, texts: Sequence[tuple[str, str]]) -> np.ndarray:
            read.extend(text for _, text in texts)
            return np.arange(len(texts), dtype=np.float32)

    class Falling:
        name = "falling"

        def scores(self, text: str, own: int | None = None) -> np.ndarray:
            return np.arange(8, 0, -1, dtype=np.float32)

    outside = np.array([True] * 4 + [False] * 4)
    again = RerankedRanker(Falling(), Reader(), documents, 2, outside)  # type: ignore[arg-type]
    scores = again.scores("q", own=4)
    assert read == ["text 5", "text 6"]
    assert [n for n in np.argsort(-scores).tolist() if n > 4] == [6, 5, 7]


@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=30), st.sampled_from((0.5, 2, 4)), st.integers(-9, 9)
)
def test_levels_do_not_depend_on_scale_and_place(values: list[int], scale: float, shift: int) -> None:
    scores = np.array([values], dtype=np.float32)
    found = levelled(scores)
    assert np.isfinite(found).all()
    tenth = sorted(values, reverse=True)[min(10, len(values)) - 1]
    if tenth - np.mean(values) > 0.01:
        assert found[0, values.index(tenth)] == pytest.approx(1, abs=1e-5)
        assert np.allclose(levelled(scores * np.float32(scale) + shift), found, atol=1e-3)


def test_near_theorems_vote_for_what_they_use_and_never_the_query_itself() -> None:
    proofs = ProofGraph(np.array([0, 2, 3]), np.array([2, 3, 3], dtype=np.int32), 4, np.array([0, 1]))
    near = np.array([2.0, 1.0, 0.0, 0.0], dtype=np.float32)
    voted = votes(near, proofs)
    assert voted[3] > voted[2] > 0 and voted[0] == voted[1] == 0
    without_first = votes(near, proofs, own=0)
    assert without_first[2] == 0 and without_first[3] > 0
    assert not votes(np.zeros(4, dtype=np.float32), proofs).any()
