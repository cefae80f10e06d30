from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lean_extract.common.errors import ModelError
from retriever.lean.dataset.dataset import Dataset, load_dataset
from retriever.lean.scope import ModuleNode, importable
from retriever.metrics.ranking import best_columns
from retriever.models.encoder import Encoder
from retriever.search.splits import root_name
from retriever.training.reranking.mined import Mined, load_mined, save_mined
from tests.commands import command
from tests.retriever.little_library import DebugData

main = command("retriever mine")

MINER = "retriever mine"
SCORES = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 4), st.integers(1, 400)),
    elements=st.sampled_from([-np.inf, *np.linspace(-1, 1, 17).tolist()]),
)


@pytest.fixture(scope="module")
def folder(debug_data: DebugData) -> Path:
    return debug_data.dataset


@pytest.fixture(scope="module")
def data(folder: Path) -> Dataset:
    return load_dataset(folder)


@given(SCORES, st.integers(1, 30))
def test_the_best_columns_are_those_of_a_full_sort(scores: np.ndarray, k: int) -> None:
    for row, found in zip(scores, best_columns(scores, k), strict=True):
        order = [int(i) for i in np.argsort(-row, kind="stable") if np.isfinite(row[i])][:k]
        assert found.tolist() == order + [-1] * (k - len(order))


def expected(
    data: Dataset, model_folder: Path, number: int, *, gold: bool, only_importable: bool = False
) -> list[int]:
    """The whole ranking of a query, one score after the other."""
    encoder, query = Encoder.load(model_folder), data.queries[number]
    scores = encoder.encode_premises(data.corpus) @ encoder.encode_state(query.goal)
    graph = {m.name: ModuleNode(m.imports, m.in_module_system) for m in data.modules}
    seen = importable(graph, (item.module for item in graph[query.module].imports))
    offered = []
    for place in np.argsort(-scores, kind="stable").tolist():
        premise = data.corpus[place]
        assert premise.span is not None and query.line is not None
        own = premise.module == query.module and premise.span.start.line < query.line
        if only_importable and not own and premise.module not in seen:
            continue
        if root_name(premise) != query.theorem and (gold or place not in query.gold):
            offered.append(place)
    return offered


def scores_of(data: Dataset, model_folder: Path, number: int, places: list[int]) -> np.ndarray:
    encoder = Encoder.load(model_folder)
    return encoder.encode_premises([data.corpus[place] for place in places]) @ encoder.encode_state(
        data.queries[number].goal
    )


@pytest.mark.parametrize(("split", "options"), [("train", []), ("valid", []), ("train", ["--importable"])])
def test_what_is_mined_is_what_the_model_ranks_first(
    folder: Path, data: Dataset, model_folder: Path, tmp_path: Path, split: str, options: list[str]
) -> None:
    out = tmp_path / "mined.npz"
    arguments = [str(model_folder), str(folder), str(out), "--top", "7", "--queries", split, *options]
    assert main(arguments) == 0
    gold = split == "valid"
    mined = load_mined(out, data.manifest.digest, MINER, with_gold=gold)
    assert mined.queries.tolist() == [i for i, query in enumerate(data.queries) if query.split == split]
    for number in mined.queries[:6].tolist():
        row = mined.of(np.array([number]))[0]
        found = row[row >= 0].tolist()
        whole = expected(data, model_folder, number, gold=gold, only_importable=bool(options))
        assert len(found) == min(7, len(whole)) == len(set(found)) and set(found) <= set(whole)
        # The library repeats itself, so that scores tie to the last bit or two.
        theirs, ours = (scores_of(data, model_folder, number, part) for part in (whole[:7], found))
        assert np.allclose(ours, theirs, atol=1e-5)


def test_vectors_are_kept_and_taken_up_again(
    folder: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from retriever.lean.training import vectors

    monkeypatch.setattr(vectors, "_CHUNK", 50)
    asked: list[int] = []
    encode = Encoder.encode_premises

    def interrupted(self: Encoder, premises: list) -> np.ndarray:  # type: ignore[type-arg]
        asked.append(len(premises))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return encode(self, premises)

    monkeypatch.setattr(Encoder, "encode_premises", interrupted)
    out, cache = tmp_path / "mined.npz", tmp_path / "cache"
    arguments = [str(model_folder), str(folder), str(out), "--cache", str(cache)]
    assert main(arguments) == 130
    assert not out.exists()
    assert main(arguments) == 0 and out.exists()
    assert asked == [50, 50, 50, 20]  # The first chunk was not embedded again.
    [kept] = cache.iterdir()
    assert main(arguments) == 0 and len(asked) == 4
    assert np.load(kept).shape[0] == 120


def test_unmined_queries_have_no_candidates() -> None:
    mined = Mined(np.array([2, 5]), np.array([[7, 8], [9, -1]], dtype=np.int32), "d", "f", False)
    assert mined.of(np.array([5, 0, 2, 6])).tolist() == [[9, -1], [-1, -1], [7, 8], [-1, -1]]
    none = Mined(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int32), "d", "f", False)
    assert none.of(np.array([1])).tolist() == [[-1, -1]]


def test_files_of_other_data_or_the_other_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mined.npz"
    with pytest.raises(ModelError, match="no mined candidates") as error:
        load_mined(path, "d", MINER)
    assert "python -m retriever mine" in error.value.hint
    mined = Mined(np.array([2]), np.array([[7]], dtype=np.int32), "d", "f", has_gold=True)
    save_mined(path, mined)
    found = load_mined(path, "d", MINER, with_gold=True)
    assert (found.queries.tolist(), found.candidates.tolist(), found.fingerprint) == ([2], [[7]], "f")
    with pytest.raises(ModelError, match="another dataset"):
        load_mined(path, "e", MINER, with_gold=True)
    with pytest.raises(ModelError, match="gold"):
        load_mined(path, "d", MINER)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"PK"):
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match="damaged"):
            load_mined(path, "d", MINER, with_gold=True)
