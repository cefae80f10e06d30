"""The debug preset from records to rankings: built, trained, stopped, resumed, exported, fused, evaluated."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lean_extract.common.errors import ModelError, UserError
from retriever.training.running.config import TrainConfig
from tests.commands import command
from tests.retriever.little_library import DebugData

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from retriever.lean.features import load_fusion  # noqa: E402
from retriever.models.encoder import Encoder  # noqa: E402
from retriever.training.export import export_run  # noqa: E402
from retriever.training.model import BiEncoder  # noqa: E402
from retriever.training.running.checkpoint import FILE, load_checkpoint  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.running.stopping import RunLimits  # noqa: E402
from retriever.training.running.train import run_training  # noqa: E402
from retriever.training.tokens import open_tokenizer, ragged  # noqa: E402
from retriever.training.weights import load_bert  # noqa: E402

TEXTS = ["<VAR> p q : S <GOAL> mix p q = mix q p", "<GOAL> glue x x = x", "<VAR> S : Type*"]


@pytest.fixture(scope="module")
def config(debug_data: DebugData, tmp_path_factory: pytest.TempPathFactory) -> TrainConfig:
    return debug_data.config(tmp_path_factory.mktemp("debug") / "run")


@pytest.fixture(scope="module")
def trained(config: TrainConfig) -> TrainConfig:
    assert run_training(config, limits=RunLimits(until=20)).steps == 20
    with pytest.raises(UserError, match="already"):
        run_training(config)
    assert run_training(config, resume=True).steps == config.schedule.steps
    return config


@pytest.fixture(scope="module")
def model(trained: TrainConfig) -> Path:

    out = trained.run / "model"
    assert command("retriever export")([trained.run, out]) == 0
    return out


def test_a_stopped_run_goes_on_and_the_loss_falls(trained: TrainConfig) -> None:
    points = read_curve(trained.run)
    losses = {point["step"]: point["loss"] for point in points if "loss" in point}
    assert list(losses) == [10, 20, 30, 40, 50, 60]
    assert losses[60] < losses[10] / 2
    assert points[-1]["recall_at_10"] > 0.8
    assert {path.name for path in trained.run.iterdir()} >= {"config.yaml", "curve.jsonl", "checkpoint.pt"}


def test_onnx_gives_what_torch_gives(trained: TrainConfig, model: Path) -> None:
    tokenizer = open_tokenizer(trained.tokenizer)
    rows = [tokenizer.encode(text).ids for text in TEXTS]
    with torch.no_grad():
        pooled = BiEncoder(load_bert(trained.run, tokenizer.get_vocab_size())).eval()(ragged(rows))
    expected = torch.nn.functional.normalize(pooled[:, : trained.dimension], dim=1).numpy()
    full = Encoder.load(export_run(trained.run, model.parent / "full", int8=False))
    assert np.allclose(full.encode(TEXTS), expected, atol=1e-5)
    small = Encoder.load(model)
    assert small.dimension == trained.dimension == 16
    assert (small.encode(TEXTS) * expected).sum(axis=1).min() > 0.98


def test_the_exported_model_ranks_what_was_learned(
    trained: TrainConfig, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_card = command("retriever card")
    evaluate = command("retriever evaluate")
    fit = command("retriever fit-fusion")

    assert fit([str(model), str(trained.dataset), "--cache", str(model.parent / "cache")]) == 0
    assert "tune half" in load_fusion(model).trained_on
    out = model.parent / "figures" / "tune.json"
    arguments = [model, trained.dataset, "--part", "tune", "--json", out.parent]
    assert evaluate([*arguments, "--cache", model.parent / "cache"]) == 0
    assert "| fused |" in capsys.readouterr().out
    report = json.loads(out.read_text(encoding="utf-8"))
    recall = {(row["setting"], row["method"]): row["figures"]["R@10"]["mean"] for row in report["rows"]}
    assert recall["importable", "fused"] > recall["importable", "random"]
    assert recall["state", "dense"] > recall["state", "random"]
    card = [str(model), str(trained.run), "--figures", str(out), "--hardware", "a test"]
    assert write_card(card) == 0
    text = " ".join((model / "README.md").read_text(encoding="utf-8").split())
    assert report["data"] in text and report["encoder"] in text and "60 steps" in text
    assert re.search(r"On valid states, recall at 10 by steps: \d\.\d{3} \(30\), \d\.\d{3} \(60\)\.", text)
    out.write_text(json.dumps({**report, "encoder": "another"}), encoding="utf-8")
    assert write_card(card) == 1
    assert "another model" in capsys.readouterr().err


def test_a_checkpoint_cut_off_is_told_and_one_of_other_data_refused(
    trained: TrainConfig, tmp_path: Path
) -> None:
    whole = (trained.run / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="damaged") as error:
        load_checkpoint(tmp_path)
    assert "begin the run anew" in error.value.hint
    other = tmp_path / "dataset"
    other.mkdir()
    for path in trained.dataset.glob("*.json*"):
        (other / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    manifest["digest"] = "0" * 64
    (other / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ModelError, match="other data"):
        run_training(replace(trained, dataset=other), resume=True)
