"""Examples in, a ranker out: the trees learn the feature that decides, and the ONNX file scores as LightGBM does."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("onnx")

from lean_extract.common.errors import BadRecords
from retriever.lean.evaluation.fit_ranker import ADDED, fit_trees, started_from, weights_of
from retriever.lean.evaluation.ranking_examples import RankingExamples
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.model import FILE, TreeRanker
from retriever.models import encoder
from tests.commands import command

HEAD = RANKER_FEATURES.index("head")


def made(fingerprint: str, rankings: int = 60, seed: int = 0) -> RankingExamples:
    """Rankings of 30 candidates whose gold is the one with the largest `head`."""
    generator = np.random.default_rng(seed)
    features = generator.random((rankings, 30, len(RANKER_FEATURES)), dtype=np.float32)
    gold = np.zeros((rankings, 30), dtype=np.bool_)
    gold[np.arange(rankings), features[:, :, HEAD].argmax(axis=1)] = True
    about = {
        "features": list(RANKER_FEATURES),
        "data": "d" * 64,
        "encoder": fingerprint,
        "questions": rankings,
    }
    lengths = np.full(rankings, 30, dtype=np.int64)
    return RankingExamples(
        features.reshape(-1, len(RANKER_FEATURES)),
        gold.ravel(),
        lengths,
        np.zeros_like(lengths),
        np.array(["importable, theorems"] * rankings),
        np.array([f"t{i}" for i in range(rankings)]),
        np.array(["statement", "traced"] * (rankings // 2) + ["step"] * (rankings % 2)),
        about,
    )


@pytest.fixture
def model(tmp_path: Path, model_folder: Path) -> Path:
    shutil.copytree(model_folder, tmp_path / "model")
    return tmp_path / "model"


def test_the_command_writes_a_ranker_that_has_learned(model: Path, tmp_path: Path) -> None:
    fingerprint = encoder.fingerprint_of(model)
    made(fingerprint, 30).save(tmp_path / "a.npz")
    made(fingerprint, 30, seed=2).save(tmp_path / "b.npz")
    gains = tmp_path / "gains.md"
    fit = command("retriever fit-ranker")
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    assert fit([model, *files, "--rounds", "60", "--gains", gains]) == 0
    assert gains.read_text(encoding="utf-8").splitlines()[2].startswith("| head |")
    ranker = TreeRanker.of_model(model)
    assert ranker is not None and fingerprint in ranker.fitted_on
    asked = made(fingerprint, seed=1)
    start = started_from(model)
    added = asked.features @ (ranker.added - weights_of(start))  # what is said beside the fusion's weights
    scores = ranker.score(asked.features) - added
    hits = scores.reshape(-1, 30).argmax(axis=1) == asked.gold.reshape(-1, 30).argmax(axis=1)
    assert hits.mean() > 0.5  # chance is one in thirty
    both = RankingExamples.joined([made(fingerprint, 30), made(fingerprint, 30, seed=2)])
    booster = fit_trees(both, {"statement": 2.0}, 60, start=start)
    expected = booster.predict(asked.features) + asked.features @ weights_of(start)
    assert scores == pytest.approx(expected, abs=1e-3)
    assert [ranker.added[RANKER_FEATURES.index(name)] for name in ADDED] == pytest.approx(
        list(ADDED.values())
    )


@pytest.mark.parametrize("feature", ["exact_match", "votes_lexical", "match_inside"])
def test_what_states_the_goal_or_is_voted_for_never_falls_by_it(feature: str) -> None:
    examples, column = made("f" * 16), RANKER_FEATURES.index(feature)
    values = examples.features[:, column].reshape(-1, 30)
    gold = values == values.min(axis=1, keepdims=True)  # as in Mathlib, whose proofs use something else
    booster = fit_trees(replace(examples, gold=gold.ravel()), {}, 60)
    raised = examples.features.copy()
    raised[:, column] += 0.5
    assert (booster.predict(raised) >= booster.predict(examples.features)).all()


def test_examples_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = made("f" * 16, rankings=3)
    written.save(tmp_path / "e.npz")
    found = RankingExamples.load(tmp_path / "e.npz")
    assert np.array_equal(found.features, written.features) and np.array_equal(found.gold, written.gold)
    assert found.about == written.about


@pytest.mark.parametrize("keep", [0, 10, 2000])
def test_a_damaged_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "e.npz"
    made("f" * 16, rankings=3).save(path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(BadRecords, match="does not hold ranking examples"):
        RankingExamples.load(path)


def test_what_cannot_be_fitted_is_told(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = command("retriever fit-ranker")
    made("another").save(tmp_path / "other.npz")
    assert fit([model, tmp_path / "other.npz"]) != 0
    assert "made with the encoder another" in capsys.readouterr().err
    nothing = made(encoder.fingerprint_of(model))
    nothing.gold[:] = False
    nothing.save(tmp_path / "nothing.npz")
    assert fit([model, tmp_path / "nothing.npz"]) != 0
    assert "No ranking has a gold premise" in capsys.readouterr().err
    for wrong in ("traced", "traced=0", "traced=x", "nowhere=1"):
        assert fit([model, tmp_path / "nothing.npz", "--weights", wrong]) == 2
        assert "--weights" in capsys.readouterr().err
    assert fit([model, tmp_path / "none.npz"]) != 0
    assert "cannot be read" in capsys.readouterr().err
    assert not (model / FILE).exists()
