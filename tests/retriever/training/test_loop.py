"""The training loop: stopped in every way and resumed, in pre-training and in the retriever after it."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import yaml

from lean_extract.common.errors import ModelError, UserError
from retriever.lean.dataset.dataset import read_manifest
from retriever.training.reranking.mined import Mined, save_mined
from retriever.training.running.config import TrainConfig
from retriever.training.running.config_io import to_plain
from tests.retriever.little_library import DebugData

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

from retriever.lean.evaluation.card import stages_of  # noqa: E402
from retriever.training.mlm import MlmConfig  # noqa: E402
from retriever.training.running.checkpoint import FILE, load_checkpoint  # noqa: E402
from retriever.training.running.curve import CURVE, read_curve  # noqa: E402
from retriever.training.running.run_folder import read_progress  # noqa: E402
from retriever.training.running.stopping import RunLimits, Stopping  # noqa: E402
from retriever.training.running.tracking import BOARD  # noqa: E402
from retriever.training.running.train import load_run, run_training  # noqa: E402
from retriever.training.weights import load_bert  # noqa: E402
from tests.commands import command  # noqa: E402


def weights(folder: Path) -> dict[str, torch.Tensor]:
    saved = load_checkpoint(folder)
    assert saved is not None
    return saved.model


def assert_same(first: Path, second: Path) -> None:
    one, other = weights(first), weights(second)
    assert one.keys() == other.keys()
    assert all(torch.equal(values, other[name]) for name, values in one.items())


@pytest.fixture(scope="module")
def mlm(debug_data: DebugData, tmp_path_factory: pytest.TempPathFactory) -> MlmConfig:
    """The debug preset of pre-training, with batches that are added up."""
    preset = load_run(Path("debug-mlm"))
    assert isinstance(preset, MlmConfig)
    folder = tmp_path_factory.mktemp("mlm") / "run"
    schedule = replace(preset.schedule, accumulate=2)
    data = {"dataset": debug_data.dataset, "tokenizer": debug_data.tokenizer}
    return replace(preset, **data, run=folder, schedule=schedule)


@pytest.fixture(scope="module")
def pretrained(mlm: MlmConfig) -> MlmConfig:
    """Run in two pieces."""
    assert run_training(mlm, limits=RunLimits(until=15)).steps == 15
    assert run_training(mlm, resume=True).steps == mlm.schedule.steps
    return mlm


@pytest.fixture
def retriever(debug_data: DebugData, tmp_path: Path) -> TrainConfig:
    return debug_data.config(tmp_path / "run")


def test_pretraining_learns_and_a_broken_run_with_dropout_ends_where_a_whole_one_does(
    pretrained: MlmConfig,
) -> None:
    whole = replace(pretrained, run=pretrained.run.parent / "whole")
    run_training(whole)
    assert_same(whole.run, pretrained.run)
    points = read_curve(pretrained.run)
    losses = [point["loss"] for point in points if "loss" in point]
    assert len(losses) == 4 and losses[-1] < 0.7 * losses[0]
    assert points[-1]["masked_accuracy"] > 0.3
    assert [point["step"] for point in points] == sorted(point["step"] for point in points)


def test_tensorboard_shows_what_the_curve_holds(pretrained: MlmConfig) -> None:
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    board = events.EventAccumulator(str(pretrained.run / BOARD)).Reload()
    curve = [(int(point["step"]), point["loss"]) for point in read_curve(pretrained.run) if "loss" in point]
    assert [(event.step, pytest.approx(event.value)) for event in board.Scalars("loss")] == curve


def test_a_retriever_starts_from_pretraining(pretrained: MlmConfig, retriever: TrainConfig) -> None:
    from retriever.lean.training.biencoder import make_objective

    config = replace(retriever, start_from=pretrained.run)
    before = load_bert(pretrained.run, len(weights(pretrained.run)["head.predictions.bias"]))
    found = make_objective(config, torch.device("cpu")).model.bert.state_dict()
    assert all(torch.equal(values, found[name]) for name, values in before.state_dict().items())
    run_training(config)
    assert read_curve(config.run)[-1]["recall_at_10"] > 0.8
    assert [(stage.name, stage.steps) for stage in stages_of(config.run)] == [("run", 40), ("run", 60)]
    with pytest.raises(ModelError, match="another shape"):
        shape = replace(config.model, layers=2)
        run_training(replace(config, run=config.run / "other", model=shape))


def test_minutes_stop_after_a_step_and_leave_a_checkpoint(retriever: TrainConfig) -> None:
    progress = run_training(retriever, limits=RunLimits(minutes=1e-9))
    assert (progress.steps, progress.stopped) == (1, "1e-09 minutes have passed")
    assert run_training(retriever, resume=True, limits=RunLimits(until=2)).steps == 2
    assert run_training(retriever, resume=True, limits=RunLimits(until=2)).steps == 2  # nothing is left to do
    for limits in ({"minutes": 0.0}, {"until": -1}):
        with pytest.raises(UserError, match="must be positive"):
            RunLimits(**limits)  # type: ignore[arg-type]


def test_time_is_counted_from_the_beginning_of_the_call() -> None:
    now = [datetime(2026, 11, 23, 21, 30, tzinfo=UTC)]
    stopping = Stopping(RunLimits(minutes=8), now=lambda: now[0])
    now[0] += timedelta(seconds=479.9)
    assert stopping.reason() == ""
    now[0] += timedelta(seconds=0.1)
    assert stopping.reason() == "8 minutes have passed"
    assert Stopping().reason() == ""


def test_a_signal_is_heard_once_and_the_handlers_come_back() -> None:
    before, interrupted = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with Stopping() as stopping:
        signal.raise_signal(signal.SIGTERM)
        assert stopping.reason() == "SIGTERM was received"
        assert signal.getsignal(signal.SIGTERM) == before  # so a second one ends the process
    assert signal.getsignal(signal.SIGINT) == interrupted


def test_what_a_killed_run_wrote_behind_its_checkpoint_is_dropped(retriever: TrainConfig) -> None:
    run_training(retriever, limits=RunLimits(until=20))
    with (retriever.run / CURVE).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"step": 30, "seconds": 1.0, "loss": 7.0}) + '\n{"step": 40, "sec')
    run_training(retriever, resume=True, limits=RunLimits(until=30))
    assert [point["step"] for point in read_curve(retriever.run)] == [10, 20, 30, 30]
    assert all(point.get("loss") != 7.0 for point in read_curve(retriever.run))


def test_a_loss_that_is_no_number_ends_the_run_with_its_last_checkpoint(retriever: TrainConfig) -> None:
    schedule = replace(retriever.schedule, learning_rate=1e30, clip=1e30, log_every=1, checkpoint_every=1)
    with pytest.raises(ModelError, match="not finite any more at step") as error:
        run_training(replace(retriever, schedule=schedule))
    assert "learning_rate" in error.value.hint
    saved, progress = load_checkpoint(retriever.run), read_progress(retriever.run)
    assert saved is None or saved.step < schedule.steps
    assert progress.state == "failed" and "not finite any more at step" in progress.reason


def test_a_run_of_another_kind_or_tokenizer_is_not_resumed(
    pretrained: MlmConfig, retriever: TrainConfig, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="of kind mlm, not biencoder"):
        run_training(replace(retriever, run=pretrained.run), resume=True)
    run_training(retriever, limits=RunLimits(until=1))
    other = json.loads(retriever.tokenizer.read_text(encoding="utf-8"))
    other["normalizer"] = None
    (tmp_path / "tokenizer.json").write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(ModelError, match="another tokenizer"):
        run_training(replace(retriever, tokenizer=tmp_path / "tokenizer.json"), resume=True)
    with pytest.raises(ModelError, match="another model"):
        run_training(replace(retriever, model=replace(retriever.model, hidden=48, heads=2)), resume=True)


def test_a_checkpoint_from_before_kinds_is_read(retriever: TrainConfig, tmp_path: Path) -> None:
    run_training(retriever, limits=RunLimits(until=1))
    values = torch.load(retriever.run / FILE, weights_only=True)
    del values["config"]["kind"]
    torch.save({**values, "random_state": torch.get_rng_state()}, retriever.run / FILE)
    saved = load_checkpoint(retriever.run)
    assert saved is not None and saved.kind == "biencoder"
    assert run_training(retriever, resume=True, limits=RunLimits(until=2)).steps == 2


def test_bf16_trains_and_does_not_stay_on_for_the_next_run(retriever: TrainConfig) -> None:
    plain, again = (replace(retriever, run=retriever.run / name) for name in ("plain", "again"))
    run_training(plain, limits=RunLimits(until=3))
    run_training(
        replace(retriever, schedule=replace(retriever.schedule, precision="bf16")), limits=RunLimits(until=3)
    )
    run_training(again, limits=RunLimits(until=3))
    assert_same(plain.run, again.run)
    rough, exact = weights(retriever.run), weights(plain.run)
    assert all(torch.allclose(values, exact[name], atol=0.02) for name, values in rough.items())
    assert any(not torch.equal(values, exact[name]) for name, values in rough.items())


def test_mined_candidates_change_what_is_learned_and_must_be_of_the_same_data(
    retriever: TrainConfig, tmp_path: Path
) -> None:
    data = read_manifest(retriever.dataset)
    numbers = np.arange(sum(data.queries.values()))
    candidates = np.tile(np.arange(40, dtype=np.int32), (len(numbers), 1))
    hard = tmp_path / "mined.npz"
    save_mined(hard, Mined(numbers, candidates, data.digest, "model", has_gold=False))
    batch = replace(retriever.batch, hard=hard, hard_negatives=6)
    without = replace(retriever, run=tmp_path / "without")
    run_training(without, limits=RunLimits(until=10))
    run_training(replace(retriever, batch=batch), limits=RunLimits(until=10))
    # more candidates to tell the positive from
    assert read_curve(retriever.run)[-1]["loss"] > read_curve(without.run)[-1]["loss"]
    save_mined(hard, Mined(numbers, candidates, "0" * 64, "model", has_gold=False))
    with pytest.raises(ModelError, match="another dataset"):
        run_training(replace(retriever, batch=batch), resume=True)


def test_a_share_that_leaves_nothing_is_told(retriever: TrainConfig) -> None:
    with pytest.raises(ModelError, match="No query is left") as error:
        run_training(replace(retriever, batch=replace(retriever.batch, share=1e-9)))
    assert "batch.share" in error.value.hint


def test_a_bar_shows_loss_and_rate(retriever: TrainConfig, capsys: pytest.CaptureFixture[str]) -> None:
    file = retriever.run.parent / "config.yaml"
    file.write_text(yaml.safe_dump(to_plain(retriever)), encoding="utf-8")
    assert command("retriever train")([file, "--until", "10", "--progress"]) == 0
    out, bar = capsys.readouterr()
    assert re.search(r"10/10 .*step.*loss=\d.*rate=", bar)
    assert out == f"10 steps, {load_seconds(retriever):.0f} s\n"


def load_seconds(config: TrainConfig) -> float:
    saved = load_checkpoint(config.run)
    assert saved is not None
    return saved.seconds
