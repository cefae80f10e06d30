from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lean_extract.common.errors import ModelError
from retriever.lean.features import FEATURES, CandidateColumns, RankingContext, features, load_fusion
from retriever.lean.structure.index import Fit
from retriever.search.bm25 import Bm25Parameters
from retriever.search.fusion import Fusion, Lists

PLACE = RankingContext(frozenset({"add", "eq", "nat"}), "Algebra.Group.Basic", "Group.Sub.comm_zero", 50)
CANDIDATES = CandidateColumns(
    names=["Group.Sub.add_comm", "Group.mul_comm", "Other.zero"],
    modules=["Algebra.Group.Basic", "Algebra.Group.Defs", "Data.List"],
    lines=np.array([30, 40, 45]),
    dense=np.array([0.2, 0.9, 0.5], dtype=np.float32),
    lexical=np.array([4.0, 2.0, 0.0], dtype=np.float32),
    neighbours=np.array([0.0, 1.5, 0.0], dtype=np.float32),
    symbol_overlap=np.array([0.25, 0.5, 0.0], dtype=np.float32),
    fit=Fit(
        instance=np.array([0.5, 0.8, 0.0], dtype=np.float32),
        exact=np.array([0.25, 0.0, 0.0], dtype=np.float32),
        overlap=np.array([1.0, 1.0, 0.25], dtype=np.float32),
        hypotheses=np.array([1.0, 0.5, 1.0], dtype=np.float32),
        assumed=np.array([0.25, 0.5, 0.75], dtype=np.float32),
        types=np.array([1.0, 1.0, 0.25], dtype=np.float32),
    ),
    use_count=np.array([0, 3, 0], dtype=np.int32),
    used_nearby=np.array([2.0, 0.0, 0.0], dtype=np.float32),
    in_scope=np.array([1.0, 0.0, 0.5], dtype=np.float32),
)


def columns(place: RankingContext) -> dict[str, list[float]]:
    return dict(zip(FEATURES, features(place, CANDIDATES).T.tolist(), strict=True))


def test_features_are_what_their_names_say() -> None:
    found = columns(PLACE)
    assert found["dense"] == pytest.approx([0.2, 0.9, 0.5])
    assert found["lexical"] == pytest.approx([1.0, 0.5, 0.0])
    assert found["dense_rank"] == pytest.approx([1 / 3, 1.0, 1 / 2])
    assert found["lexical_rank"] == pytest.approx([1.0, 1 / 2, 0.0])
    assert found["neighbours"] == pytest.approx([0.0, np.log(2.5), 0.0])
    assert found["symbol_overlap"] == [0.25, 0.5, 0.0]
    assert found["instance"] == pytest.approx([0.5, 0.8, 0.0])
    assert found["exact_match"] == [0.25, 0.0, 0.0]
    assert found["assumed"] == pytest.approx([0.25, 0.25, 0.0])
    assert found["structure_overlap"] == [1.0, 1.0, 0.25]
    assert found["foreign_types"] == [0.0, 0.0, 0.75]
    assert found["name_overlap"] == pytest.approx([1 / 4, 0.0, 0.0])
    assert found["theorem_name"] == pytest.approx([3 / 4, 2 / 3, 1 / 2])
    assert found["use_count"] == pytest.approx([0.0, np.log(4), 0.0])
    assert found["used_nearby"] == pytest.approx([np.log(3), 0.0, 0.0])
    assert found["in_scope"] == [1.0, 0.0, 0.5]
    assert found["same_namespace"] == [1.0, 0.5, 0.0]
    assert found["same_module"] == [1.0, 0.0, 0.0]
    assert found["same_directory"] == [1.0, 1.0, 0.0]
    assert found["line_distance"] == pytest.approx([1 / 2, 0.0, 0.0])


def test_what_is_not_known_of_the_place_is_zero() -> None:
    found = columns(RankingContext(PLACE.tokens))
    for name in ("theorem_name", "same_namespace", "same_module", "same_directory", "line_distance"):
        assert found[name] == [0.0, 0.0, 0.0]
    above = columns(RankingContext(PLACE.tokens, PLACE.module, PLACE.theorem, 30))
    assert above["line_distance"] == [0.0, 0.0, 0.0], "what stands on the goal's line is not above it"


def test_weights_survive_the_disk(tmp_path: Path) -> None:
    fusion = Fusion(
        FEATURES,
        tuple(0.5 * i for i in range(len(FEATURES))),
        Lists(100, 50, 20, 10, 5),
        Bm25Parameters(0.9, 0.4),
        "valid",
    )
    fusion.save(tmp_path)
    assert load_fusion(tmp_path) == fusion


@pytest.mark.parametrize("change", ["missing", "unknown", "nan", "list", "version", "gone", "cut"])
def test_damaged_weights_are_named(tmp_path: Path, change: str) -> None:
    Fusion(FEATURES, (1.0,) * len(FEATURES)).save(tmp_path)
    path = tmp_path / "fusion.json"
    document = json.loads(path.read_text())
    if change == "missing":
        del document["weights"]["dense"]
    elif change == "unknown":
        document["weights"]["magic"] = 1.0
    elif change == "nan":
        document["weights"]["dense"] = float("nan")
    elif change == "list":
        document["candidates"]["neighbours"] = 0
    elif change == "version":
        document["version"] = 99
    text = json.dumps(document)
    path.write_text(text[: len(text) // 2] if change == "cut" else text)
    if change == "gone":
        path.unlink()
    with pytest.raises(ModelError) as caught:
        load_fusion(tmp_path)
    assert str(path) in caught.value.message
    assert ("fit-fusion" in caught.value.hint) == (change == "gone")


@pytest.mark.parametrize("version", [1, 2])
def test_older_weights_say_how_to_fit_new_ones(tmp_path: Path, version: int) -> None:
    Fusion(FEATURES, (1.0,) * len(FEATURES)).save(tmp_path)
    path = tmp_path / "fusion.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": version}))
    with pytest.raises(ModelError, match=f"version {version}") as caught:
        load_fusion(tmp_path)
    assert f"fit-fusion {tmp_path}" in caught.value.hint
