from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from lean_extract.common.errors import ModelError
from retriever.models.encoder import Encoder, fingerprint_of, mean_pool
from retriever.models.text import GOAL, VAR, goal_text
from tests.retriever.support import COMMUTES, goal, theorem


def test_embeddings_have_norm_one_and_do_not_depend_on_the_batch(encoder: Encoder) -> None:
    texts = [f"{GOAL} a + b = b + a", f"{VAR} n : ℕ", f"{GOAL} {'x ∈ S ∧ ' * 30} True", f"{GOAL} p"]
    together = encoder.encode(texts)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for text, vector in zip(texts, together, strict=True):
        assert encoder.encode([text])[0] == pytest.approx(vector, abs=1e-5)


def test_the_mean_is_over_the_mask_only() -> None:
    hidden = np.array([[[3.0, 4.0], [100.0, 7.0]], [[0.0, 1.0], [2.0, 1.0]]], dtype=np.float32)
    mask = np.array([[1, 0], [1, 1]])
    pooled = mean_pool(hidden, mask)
    assert pooled == pytest.approx(np.array([[0.6, 0.8], [1 / 2**0.5, 1 / 2**0.5]]), abs=1e-6)


def test_a_premise_is_the_mean_of_its_context_and_goal(encoder: Encoder) -> None:
    premise = theorem("add_comm", "M", "n + m = m + n", "(n m : ℕ)")
    context, conclusion = encoder.encode([f"{VAR} n m : ℕ", f"{GOAL} n + m = m + n"])
    assert encoder.encode_premises([premise])[0] == pytest.approx((context + conclusion) / 2, abs=1e-6)


def test_a_premise_without_binders_is_its_goal(encoder: Encoder) -> None:
    found = encoder.encode_premises([theorem("t", "M", "p ∧ q")])
    assert found[0] == pytest.approx(encoder.encode([f"{GOAL} p ∧ q"])[0], abs=1e-6)
    assert encoder.encode_premises([]).shape == (0, encoder.dimension)


def test_a_short_state_is_read_whole(encoder: Encoder) -> None:
    fitted = encoder.fit(COMMUTES)
    assert fitted.text == f"{VAR} n m : ℕ {GOAL} n + m = m + n"
    assert fitted.dropped == () and not fitted.goal_cut


def test_a_long_state_keeps_its_goal_and_what_that_mentions(encoder: Encoder) -> None:
    noise = [(f"unrelated{i}", "Set ℕ ∧ Set ℕ") for i in range(60)]
    state = goal("special ≤ 0", ("special", "ℕ"), *noise)
    fitted = encoder.fit(state)
    assert fitted.text.endswith(f"{GOAL} special ≤ 0")
    assert f"{VAR} special : ℕ" in fitted.text
    assert fitted.dropped and all("unrelated" in text for text in fitted.dropped)
    assert not fitted.goal_cut


def test_a_goal_of_200_kilobytes_is_cut_and_says_so(encoder: Encoder) -> None:
    state = goal("x + " * 50_000 + "x = 0", ("x", "ℕ"))
    assert encoder.fit(state).goal_cut
    assert np.linalg.norm(encoder.encode_state(state)) == pytest.approx(1.0, abs=1e-5)


def test_the_fingerprint_follows_what_decides_an_embedding(model_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(model_folder, copy)
    assert fingerprint_of(copy) == fingerprint_of(model_folder)
    (copy / "fusion.json").unlink()
    assert fingerprint_of(copy) == fingerprint_of(model_folder)
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "max_length": 48}))
    assert fingerprint_of(copy) != fingerprint_of(model_folder)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("model.onnx", lambda data: data[: len(data) // 2]),
        ("model.onnx", None),
        ("tokenizer.json", lambda data: data[:-200]),
        ("config.json", lambda data: data.replace(b'"dimension": 32', b'"dimension": 31')),
        ("config.json", lambda data: data.replace(b'"version": 1', b'"version": 99')),
        ("config.json", lambda data: data.replace(b'"text_version": 2', b'"text_version": 99')),
        ("config.json", None),
    ],
)
def test_a_damaged_model_is_named(model_folder: Path, tmp_path: Path, name: str, spoil: object) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(model_folder, copy)
    path = copy / name
    if callable(spoil):
        data = path.read_bytes()
        path.write_bytes(spoil(data))
        assert path.read_bytes() != data
    else:
        path.unlink()
    with pytest.raises(ModelError) as caught:
        Encoder.load(copy)
    assert str(copy) in caught.value.message and caught.value.hint


def test_an_unrelated_context_makes_the_target_count_more(encoder: Encoder) -> None:
    target = "n + m = m + n"
    related = goal(target, ("n m", "ℕ"))
    unrelated = goal(target, ("n m", "ℕ"), ("X Y", "Type"), ("f", "X → Y"), ("hf", "Function.Injective f"))
    alone = encoder.encode([goal_text(unrelated)])[0]
    whole, plain = encoder.encode([encoder.fit(state).text for state in (unrelated, related)])
    vectors = encoder.encode_states([unrelated, related])
    assert vectors[0] @ alone > whole @ alone
    np.testing.assert_allclose(vectors[1], plain, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
