"""Runs in the background: begun, watched, killed, resumed, stopped; and runs that may not begin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import yaml
from watchfiles import watch

from retriever.training.running.config import TrainConfig
from retriever.training.running.config_io import to_plain
from retriever.training.running.run_folder import RunProgress, is_trained, read_progress
from tests.commands import command
from tests.poison import poison
from tests.retriever.little_library import DebugData

pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

import torch  # noqa: E402

from retriever.training.running.checkpoint import load_checkpoint  # noqa: E402
from retriever.training.running.curve import CURVE, read_curve  # noqa: E402
from retriever.training.running.stopping import RunLimits  # noqa: E402
from retriever.training.running.train import run_training  # noqa: E402

train, status, stop = (command(f"retriever {verb}") for verb in ("train", "train-status", "train-stop"))
PATIENCE_SECONDS = 60


@pytest.fixture
def config(debug_data: DebugData, tmp_path: Path) -> Iterator[TrainConfig]:
    """The debug preset as a run of hours that writes after every step; its process is killed at the end."""
    run = tmp_path / "run"
    config = debug_data.config(run)
    schedule = replace(
        config.schedule, steps=100_000, log_every=1, checkpoint_every=5, evaluate_every=100_000
    )
    yield replace(config, schedule=schedule)
    if (run / "progress.json").exists():
        process = read_progress(run).process
        if process != os.getpid() and is_trained(run):
            os.kill(process, signal.SIGKILL)


def written(config: TrainConfig) -> Path:
    """The configuration as a file beside the run's folder."""
    file = config.run.parent / "config.yaml"
    file.write_text(yaml.safe_dump(to_plain(config)), encoding="utf-8")
    return file


def wait_for_step(run: Path, step: int) -> None:
    """Return when a run, which goes on and writes its progress again, has reached a step."""
    for changes in watch(run, rust_timeout=1000 * PATIENCE_SECONDS, yield_on_timeout=True):
        if read_progress(run).step >= step:
            return
        assert changes, read_progress(run)


def ended(run: Path) -> RunProgress:
    """The progress of a run when its process has ended."""
    with suppress(psutil.NoSuchProcess):
        psutil.Process(read_progress(run).process).wait(PATIENCE_SECONDS)
    return read_progress(run)


def weights(run: Path) -> dict[str, torch.Tensor]:
    saved = load_checkpoint(run)
    assert saved is not None
    return saved.model


def test_a_run_that_was_killed_in_the_background_ends_there_as_an_unbroken_one(
    config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It imports no file of the current folder."""
    file, noted = written(config), tmp_path / "imported"
    poison(tmp_path / "folder", noted)
    monkeypatch.chdir(tmp_path / "folder")
    assert train([file, "--background"]) == 0
    assert not noted.exists(), noted.read_text(encoding="utf-8")
    begun = read_progress(config.run)
    told = capsys.readouterr().out
    assert f"Process {begun.process} starts" in told and f"train-stop {config.run}" in told
    assert begun.state == "running" and begun.process != os.getpid()
    assert os.getsid(begun.process) == begun.process  # the terminal's end does not reach it
    wait_for_step(config.run, 7)
    os.kill(begun.process, signal.SIGKILL)
    killed = ended(config.run)
    assert killed.state == "killed" and killed.step >= 7 and "ended without reporting why" in killed.reason
    assert status([config.run]) == 0
    assert "killed" in capsys.readouterr().out

    saved = load_checkpoint(config.run)
    assert saved is not None
    until = saved.step + 2
    assert train([file, "--resume", "--background", "--until", until]) == 0
    further = ended(config.run)
    assert (further.state, further.reason, further.step) == ("stopped", f"step {until} was requested", until)
    assert f"{until} steps" in (config.run / "run.log").read_text(encoding="utf-8")
    whole = replace(config, run=config.run.parent / "whole")
    run_training(whole, limits=RunLimits(until=until))
    one, other = weights(whole.run), weights(config.run)
    assert all(torch.equal(values, other[name]) for name, values in one.items())


def test_one_process_trains_in_a_folder_until_it_is_told_to_stop(
    config: TrainConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(config)
    assert train([file, "--background"]) == 0
    number = read_progress(config.run).process
    for more in ([], ["--background"]):
        assert train([file, "--resume", *more]) == 2
        assert f"is being trained by process {number}.\nhint: See it with" in capsys.readouterr().err
    assert stop([config.run]) == 0
    stopped = read_progress(config.run)
    assert (stopped.state, stopped.reason) == ("stopped", "SIGTERM was received")
    assert f"is stopped at step {stopped.step} of 100,000: SIGTERM was received." in capsys.readouterr().out
    saved = load_checkpoint(config.run)
    assert saved is not None and saved.step == stopped.step
    assert stop([config.run]) == 2
    assert "is not running: it is stopped." in capsys.readouterr().err


def once_begun(run: Path, act: Callable[[], object]) -> None:
    """Act from another thread when the run has logged its first step."""

    def wait() -> None:
        curve = run / CURVE
        for _ in watch(run.parent):
            if curve.exists() and curve.stat().st_size:
                break
        act()

    threading.Thread(target=wait, daemon=True).start()


def test_a_signal_leaves_a_checkpoint_and_a_message(
    config: TrainConfig, capfd: pytest.CaptureFixture[str]
) -> None:
    once_begun(config.run, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert train([written(config)]) == 128 + signal.SIGINT
    told = capfd.readouterr().err
    assert "Stopped: SIGINT was received. The checkpoint is written; go on with --resume." in told
    assert "Stopping after this step" in told
    saved = load_checkpoint(config.run)
    assert saved is not None and saved.step == read_curve(config.run)[-1]["step"] >= 1


def test_a_run_without_its_folder_ends_and_does_not_make_it_anew(config: TrainConfig) -> None:
    launch = [sys.executable, "-m", "retriever", "train", str(written(config))]
    with subprocess.Popen(launch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("step 1 ")
        moved = config.run.rename(config.run.parent / "moved")
        _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    assert f"The run folder {config.run} was deleted or replaced while its run was going." in told
    assert "Traceback" not in told and not config.run.exists()
    assert read_progress(moved).state == "killed"  # nothing was written there any more


def test_what_cannot_begin_fails_before_the_command_ends(
    config: TrainConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    run_training(config, limits=RunLimits(until=1))
    before = read_progress(config.run)
    file = written(config)
    assert train([file, "--background"]) == 2
    assert "There is a run in" in capsys.readouterr().err
    assert train([file, "--resume", "--background", "--deadline", "2001-01-01T00:00"]) == 2
    assert "The deadline 2001-01-01 00:00 has already passed" in capsys.readouterr().err
    assert read_progress(config.run) == before


@pytest.mark.parametrize("more", [[], ["--background"]])
def test_a_missing_tokenizer_is_told_in_the_foreground(
    config: TrainConfig, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    assert train([written(replace(config, tokenizer=Path("none"))), *more]) == 1
    assert "There is no tokenizer none.\nhint: Train one with" in capsys.readouterr().err
    with suppress(FileNotFoundError):
        assert {path.name for path in config.run.iterdir()} == {"run.log"}
