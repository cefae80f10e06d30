from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lean_extract.errors import ModelError
from retriever.fusion import FEATURES, Candidates, Fusion, Place, features
from retriever.lexical import Bm25Parameters

PLACE = Place(frozenset({"add", "eq", "nat"}), "Algebra.Group.Basic", "Group.Sub")
CANDIDATES = Candidates(
    names=["Group.Sub.add_comm", "Group.mul_comm", "Other.zero"],
    modules=["Algebra.Group.Basic", "Algebra.Group.Defs", "Data.List"],
    dense=np.array([0.2, 0.9, 0.5], dtype=np.float32),
    lexical=np.array([4.0, 2.0, 0.0], dtype=np.float32),
    use_count=np.array([0, 3, 0], dtype=np.int32),
    in_scope=np.array([1.0, 0.0, 0.5], dtype=np.float32),
)


def test_features_are_what_their_names_say() -> None:
    matrix = features(PLACE, CANDIDATES)
    columns = dict(zip(FEATURES, matrix.T.tolist(), strict=True))
    assert columns["dense"] == pytest.approx([0.2, 0.9, 0.5])
    assert columns["lexical"] == pytest.approx([1.0, 0.5, 0.0])
    assert columns["dense_rank"] == pytest.approx([1 / 3, 1.0, 1 / 2])
    assert columns["lexical_rank"] == pytest.approx([1.0, 1 / 2, 0.0])
    assert columns["name_overlap"] == pytest.approx([1 / 4, 0.0, 0.0])
    assert columns["use_count"] == pytest.approx([0.0, np.log(4), 0.0])
    assert columns["in_scope"] == [1.0, 0.0, 0.5]
    assert columns["same_namespace"] == [1.0, 0.5, 0.0]
    assert columns["same_module"] == [1.0, 0.0, 0.0]
    assert columns["same_directory"] == [1.0, 1.0, 0.0]


def test_the_score_is_the_weighted_sum() -> None:
    weights = tuple(float(index) for index in range(len(FEATURES)))
    matrix = features(PLACE, CANDIDATES)
    expected = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in matrix.tolist()]
    assert Fusion(weights).score(matrix) == pytest.approx(expected, rel=1e-5)


def test_weights_survive_the_disk(tmp_path: Path) -> None:
    fusion = Fusion(tuple(0.5 * i for i in range(len(FEATURES))), 100, 50, Bm25Parameters(0.9, 0.4), "valid")
    fusion.save(tmp_path)
    assert Fusion.load(tmp_path) == fusion


@pytest.mark.parametrize("change", ["missing", "unknown", "nan", "version", "gone", "cut"])
def test_damaged_weights_are_named(tmp_path: Path, change: str) -> None:
    Fusion((1.0,) * len(FEATURES)).save(tmp_path)
    path = tmp_path / "fusion.json"
    document = json.loads(path.read_text())
    if change == "missing":
        del document["weights"]["dense"]
    elif change == "unknown":
        document["weights"]["magic"] = 1.0
    elif change == "nan":
        document["weights"]["dense"] = float("nan")
    elif change == "version":
        document["version"] = 2
    text = json.dumps(document)
    path.write_text(text[: len(text) // 2] if change == "cut" else text)
    if change == "gone":
        path.unlink()
    with pytest.raises(ModelError) as caught:
        Fusion.load(tmp_path)
    assert str(path) in caught.value.message
