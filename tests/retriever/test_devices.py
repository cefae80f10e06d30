"""Encoder, re-ranker and ranking on the device that is asked for: the same on all, and on the CPU where CUDA fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from lean_extract.common import cuda
from lean_extract.common.cuda import PROVIDER, Cuda, fallback_warning, find_cuda, tried
from lean_extract.common.devices import DEVICES, Device
from retriever.lean.eligibility import RankRequest
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.models.reranker import Reranker
from tests.retriever.support import COMMUTES, goal, theorem

GOALS = [COMMUTES, goal("a ∣ b * c", ("a b c", "ℕ"), ("h", "a ∣ b")), goal("Continuous fun x => x + 1")]
PREMISES = [theorem("same", "Lib", "n + m = m + n", "(n m : ℕ)"), theorem("other", "Lib", "x ∈ s ∪ t")]


@pytest.mark.parametrize("device", DEVICES)
def test_encoder_and_reranker_answer_alike(device: Device, model_folder: Path, reranker_folder: Path) -> None:
    encoder = Encoder.load(model_folder, device=device)
    assert encoder.place == ("cuda" if device != "cpu" and find_cuda().is_usable else "cpu")
    expected = Encoder.load(model_folder).encode_states(GOALS)
    assert encoder.encode_states(GOALS) == pytest.approx(expected, abs=1e-5)
    scores = Reranker.load(reranker_folder, device=device).scores(COMMUTES, PREMISES)
    assert scores == pytest.approx(Reranker.load(reranker_folder).scores(COMMUTES, PREMISES), abs=1e-4)


def test_ten_premises_are_the_same_on_a_gpu(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if not find_cuda().is_usable:
        pytest.skip(f"CUDA cannot be used here: {find_cuda().reason}")
    shipped: PremiseService = request.getfixturevalue("shipped")
    on_gpu = PremiseService.open([bundled.unpack(tmp_path)], bundled.DATA.parent / "encoder", device="cuda")
    assert on_gpu.place == "cuda"
    for one in GOALS:
        first, second = (service.rank(RankRequest(one, k=10)) for service in (shipped, on_gpu))
        assert [found.premise.name for found in first] == [found.premise.name for found in second]
        assert [found.score for found in first] == pytest.approx([found.score for found in second], abs=1e-3)


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An onnxruntime that claims CUDA and a driver that shows a GPU, while neither is there."""
    if PROVIDER in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime does have CUDA")
    names = [PROVIDER, *onnxruntime.get_available_providers()]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: names)
    monkeypatch.setattr(cuda, "driver_problem", lambda: "")
    find_cuda.cache_clear()
    yield
    find_cuda.cache_clear()


@pytest.mark.usefixtures("claimed")
@pytest.mark.filterwarnings("ignore:Specified provider")
def test_cuda_that_does_not_start_is_left_quietly(
    model_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    encoder = Encoder.load(model_folder, device="auto")
    assert encoder.place == "cpu"
    assert np.isfinite(encoder.encode_states(GOALS)).all()
    assert capfd.readouterr() == ("", "")
    assert find_cuda().reason.startswith("CUDA does not load: ")
    assert "install 'onnxruntime-gpu[cuda,cudnn]'" in find_cuda().fix


def test_who_asks_for_cuda_by_its_name_is_told_that_the_cpu_is_used() -> None:
    assert fallback_warning("auto") == fallback_warning("cpu") == ""
    said, found = fallback_warning("cuda"), find_cuda()
    assert (said == "") == found.is_usable
    assert found.reason in said


def test_a_provider_that_runs_passes_the_trial() -> None:
    assert tried("CPUExecutionProvider") == Cuda(True)
