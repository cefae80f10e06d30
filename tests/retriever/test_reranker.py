from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.models.reranker import Reranker, blend, write_weight
from tests.retriever.support import COMMUTES, Sheet, goal, make_store, theorem

SAME = theorem("same", "Lib", "n + m = m + n", "(n m : ℕ)")
LIKE = theorem("like", "Lib", "a + b = b + a", "{M : Type*}", "(a b : M)")
OTHER = theorem("other", "Lib", "x ∈ s ∪ t", "(s t : Set α)")
UNKNOWN = theorem("unknown", "Lib", "")
LONG = theorem("long", "Lib", "n + m = m + n", *(f"(h{i} : x ∈ s{i})" for i in range(60)))


@pytest.fixture
def folder(tmp_path: Path, reranker_folder: Path) -> Path:
    return Path(shutil.copytree(reranker_folder, tmp_path / "reranker"))


@pytest.fixture
def model(tmp_path: Path, model_folder: Path, folder: Path) -> Path:
    """An encoder's folder with a re-ranker in it."""
    out = Path(shutil.copytree(model_folder, tmp_path / "model"))
    shutil.move(folder, out / "reranker")
    return out


def test_what_states_the_goal_scores_highest(reranker_folder: Path) -> None:
    reranker = Reranker.load(reranker_folder)
    scores = reranker.scores(COMMUTES, [OTHER, SAME, UNKNOWN, LIKE])
    assert scores.dtype == np.float32
    assert scores[1] > scores[3] > scores[0]
    assert np.isnan(scores[2])
    assert reranker.scores(COMMUTES, []).shape == (0,)
    assert np.isnan(reranker.scores(COMMUTES, [UNKNOWN])).all()


def test_batches_change_nothing(reranker_folder: Path) -> None:
    reranker = Reranker.load(reranker_folder)
    premises = [SAME, LIKE, LONG, OTHER] * 30
    alone = [float(reranker.scores(COMMUTES, [premise])[0]) for premise in premises[:4]]
    assert np.allclose(reranker.scores(COMMUTES, premises), alone * 30, atol=1e-5)


def test_long_texts_keep_their_goals(reranker_folder: Path) -> None:
    reranker = Reranker.load(reranker_folder)
    far = goal("n + m = m + n", *((f"h{i}", f"x ∈ s{i}") for i in range(400)), ("n m", "ℕ"))
    assert np.isfinite(reranker.scores(far, [SAME, LONG])).all()
    other = goal("x ∈ s ∪ t", *((f"h{i}", f"x ∈ s{i}") for i in range(400)), ("n m", "ℕ"))
    assert np.diff(reranker.scores(far, [OTHER, SAME])) > np.diff(reranker.scores(other, [OTHER, SAME]))


@given(
    st.lists(
        st.tuples(st.floats(-9, 9), st.one_of(st.floats(-9, 9), st.just(float("nan")))),
        min_size=1,
        max_size=9,
    ),
    st.floats(-5, 5),
    st.floats(0, 3),
)
def test_a_blend_sees_differences_of_logits_alone(
    rows: list[tuple[float, float]], shift: float, weight: float
) -> None:
    fused, logits = np.array(rows, dtype=np.float32).T
    mixed = blend(fused, logits, weight)
    assert np.isfinite(mixed).all()
    assert np.allclose(blend(fused, logits + np.float32(shift), weight), mixed, atol=1e-3)
    known = np.isfinite(logits)
    assert np.allclose(mixed[~known], fused[~known])
    if known.any():
        assert np.allclose(mixed[known].mean(), fused[known].mean(), atol=1e-3)
    assert np.allclose(blend(fused, logits, 0.0), fused)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "premise-suggest-encoder"}, "format premise-suggest-encoder"),
        ({"version": 99}, "format premise-suggest-reranker 99"),
        ({"text_version": 99}, "text form 99"),
        ({"state_length": 3}, "state_length 3 is not a number from 8"),
        ({"weight": float("nan")}, "finite"),
        ({"weight": "inf"}, "finite"),
        ({"pad_id": 10**30}, "pad_id"),
        ({"premise_length": "many"}, "does not fit"),
    ],
)
def test_another_configuration_is_refused(folder: Path, change: dict[str, object], told: str) -> None:
    values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**values, **change}), encoding="utf-8")
    with pytest.raises(ModelError, match=told) as error:
        Reranker.load(folder)
    assert error.value.hint


def test_what_is_missing_or_damaged_is_told(tmp_path: Path, folder: Path, model_folder: Path) -> None:
    with pytest.raises(ModelError, match="There is no re-ranker"):
        Reranker.load(tmp_path / "none")
    assert Reranker.of_model(tmp_path / "none") is None
    whole = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="damaged"):
        Reranker.load(folder)
    shutil.copy(model_folder / "model.onnx", folder / "model.onnx")  # an encoder's graph
    with pytest.raises(ModelError, match="does not run"):
        Reranker.load(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        Reranker.load(folder)


def test_a_tokenizer_without_marks_is_refused(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_text(path.read_text(encoding="utf-8").replace("[CLS]", "[BEGIN]"), encoding="utf-8")
    with pytest.raises(ModelError, match=r"no \[CLS\]"):
        Reranker.load(folder)


def test_the_weight_is_written_and_read(folder: Path) -> None:
    before = Reranker.load(folder).fingerprint
    write_weight(folder, 0.25, "a test")
    after = Reranker.load(folder)
    assert after.weight == 0.25 and after.fingerprint == before
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["weight_fitted_on"] == "a test"
    (folder / "config.json").unlink()
    with pytest.raises(ModelError):
        write_weight(folder, 0.25, "a test")


LIBRARY = {
    "Lib": Sheet(
        [
            OTHER,
            LIKE,
            theorem("plus", "Lib", "n + 0 = n", "(n : ℕ)"),
            theorem("total", "Lib", "n ≤ m ∨ m ≤ n", "(n m : ℕ)"),
            SAME,
        ]
    )
}


def test_the_service_reads_the_first_again(tmp_path: Path, encoder: Encoder, model: Path) -> None:
    store = make_store(tmp_path / "index", LIBRARY, encoder)
    plain = PremiseService.open([store], model, rerank=0).rank(RankRequest(COMMUTES))
    logits = Reranker.load(model / "reranker").scores(COMMUTES, [one.premise for one in plain])
    for depth in (1, 2, 3, 5, 20):
        ranked = PremiseService.open([store], model, rerank=depth).rank(RankRequest(COMMUTES))
        scores = [one.score for one in ranked]
        assert scores == sorted(scores, reverse=True)
        assert ranked[depth:] == plain[depth:]
        mixed = blend(np.array([one.score for one in plain[:depth]], np.float32), logits[:depth], 2.0)
        expected = [plain[place].premise.name for place in np.argsort(-mixed, kind="stable")]
        assert [one.premise.name for one in ranked[:depth]] == expected
    assert [one.premise.name for one in plain] != [one.premise.name for one in ranked]
    assert PremiseService.open([store], model).rank(RankRequest(COMMUTES, k=1)) == [
        replace(ranked[0], score=pytest.approx(ranked[0].score))
    ]


def test_a_weight_of_zero_or_no_reranker_leaves_the_order(
    tmp_path: Path, encoder: Encoder, model: Path, model_folder: Path
) -> None:
    store = make_store(tmp_path / "index", LIBRARY, encoder)
    plain = PremiseService.open([store], model_folder).rank(RankRequest(COMMUTES))
    write_weight(model / "reranker", 0.0, "nothing")
    assert PremiseService.open([store], model).rank(RankRequest(COMMUTES)) == plain
    definitions = {"Lib": Sheet([replace(one, kind="def") for one in LIBRARY["Lib"].premises])}
    kept = make_store(tmp_path / "definitions", definitions, encoder)
    write_weight(model / "reranker", 5.0, "much")
    one, other = (PremiseService.open([kept], folder) for folder in (model, model_folder))
    asked = RankRequest(COMMUTES, kinds="definitions")
    assert one.rank(asked) == other.rank(asked) != []


def test_bundled_premises_without_statements_stay_among_the_others(
    tmp_path: Path, encoder: Encoder, model: Path
) -> None:
    bundled = make_store(tmp_path / "bundled", LIBRARY, encoder, is_bundled=True)
    plain = PremiseService.open([bundled], model, rerank=0).rank(RankRequest(COMMUTES))
    assert PremiseService.open([bundled], model).rank(RankRequest(COMMUTES)) == plain
    local = (theorem("mine", "New", "n + m = m + n", "(n m : ℕ)", lines=(1, 2)),)
    where = GoalContext("New", ("Lib",), line=5, local=local)
    ranked = PremiseService.open([bundled], model).rank(RankRequest(COMMUTES, where))
    assert {one.premise.name for one in ranked} == {"mine", "other", "like", "plus", "total", "same"}
