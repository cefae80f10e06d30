"""What a run tells of itself, its limits, and what `auto` stands for."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml

from lean_extract.common.errors import ModelError, UserError
from retriever.training.running.config import TrainConfig
from retriever.training.running.config_io import to_plain
from retriever.training.running.run_folder import held, read_progress
from retriever.training.running.stopping import RunLimits, read_deadline
from tests.commands import command
from tests.retriever.little_library import DebugData

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

from retriever.training.padding import padded_share  # noqa: E402
from retriever.training.running.hardware import fast_precision, usable_processors  # noqa: E402
from retriever.training.running.stopping import Stopping  # noqa: E402
from retriever.training.running.train import run_training  # noqa: E402
from retriever.training.tokens import ragged  # noqa: E402

NOW = datetime(2026, 11, 23, 21, 30, tzinfo=timezone(timedelta(hours=2)))
status = command("retriever train-status")


@pytest.fixture
def config(debug_data: DebugData, tmp_path: Path) -> TrainConfig:
    return debug_data.config(tmp_path / "work" / "run")


def test_a_run_tells_where_it_stands_in_a_table_and_a_picture(
    config: TrainConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("matplotlib")
    run_training(config, limits=RunLimits(until=30))
    stopped = read_progress(config.run)
    assert (stopped.state, stopped.step, stopped.until, stopped.steps) == ("stopped", 30, 30, 60)
    assert stopped.loss is not None and stopped.figures["recall_at_10"] > 0
    assert stopped.process == os.getpid()
    run_training(config, resume=True)
    done = read_progress(config.run)
    assert (done.state, done.reason, done.step, done.threads) == ("done", "", 60, 1)
    assert done.seconds > stopped.seconds and done.steps_per_second is not None
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert status(["--svg", "curve.svg"]) == 0
    head, row, about = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["run", "state", "step"]
    assert row.split()[:3] == ["work/run", "done", "60/60"]
    assert about == "biencoder, fp32, threads: 1"
    svg = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "recall_at_10" in svg and "loss" in svg and svg.count("<title>work/run</title>") == 2


def test_a_run_that_nobody_trains_any_more_was_killed(
    config: TrainConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    run_training(config, limits=RunLimits(until=1))
    file = config.run / "progress.json"
    values = json.loads(file.read_text(encoding="utf-8"))
    values["state"] = "running"
    file.write_text(json.dumps(values), encoding="utf-8")
    with held(config.run):
        assert read_progress(config.run).state == "running"
    assert read_progress(config.run).state == "killed"  # though there is a process of that number, this one
    file.write_text(json.dumps({**values, "host": "elsewhere"}), encoding="utf-8")
    assert read_progress(config.run).state == "running"  # for all that is known here
    assert command("retriever train-stop")([config.run]) == 2
    assert "runs on elsewhere.\nhint: Stop it there." in capsys.readouterr().err
    file.write_text(json.dumps({**values, "step": "one"}), encoding="utf-8")
    assert status([config.run]) == 1
    assert f"{file} cannot be read: step: 'one' is not" in capsys.readouterr().err
    assert status([config.run.parent / "none"]) == 1
    assert "There is no run in" in capsys.readouterr().err


def test_a_deadline_is_the_next_such_time_or_a_date_with_one() -> None:
    assert read_deadline("22:05", NOW) == NOW.replace(hour=22, minute=5)
    assert read_deadline("2026-11-24T09:00+02:00", NOW) == NOW + timedelta(hours=11, minutes=30)
    assert read_deadline("07:30", NOW) == NOW.replace(hour=7, minute=30) + timedelta(days=1)
    with pytest.raises(
        UserError, match="The deadline 2026-11-23 21:00 has already passed: it is 2026-11-23 21:30"
    ):
        read_deadline("2026-11-23T21:00+02:00", NOW)
    for text in ("25:00", "soon", "2026-13-01T00:00"):
        with pytest.raises(UserError, match="is not a time"):
            read_deadline(text, NOW)


def test_a_run_stops_at_its_deadline(config: TrainConfig) -> None:
    now = [NOW]
    stopping = Stopping(RunLimits(deadline=NOW + timedelta(seconds=1)), now=lambda: now[0])
    assert stopping.reason() == ""
    now[0] += timedelta(seconds=1)
    assert stopping.reason() == "the deadline 21:30 has passed"
    over = datetime.now().astimezone() - timedelta(minutes=1)
    progress = run_training(config, limits=RunLimits(deadline=over))
    assert progress.steps == 1 and "has passed" in progress.stopped
    assert read_progress(config.run).deadline == over.isoformat(timespec="minutes")


def test_a_run_keeps_the_precision_that_it_began_with(config: TrainConfig) -> None:
    automatic = replace(config, schedule=replace(config.schedule, precision="auto"))
    run_training(automatic, limits=RunLimits(until=1))
    fast = fast_precision(torch.device("cpu"))
    kept = yaml.safe_load((config.run / "config.yaml").read_text(encoding="utf-8"))
    assert kept["schedule"]["precision"] == read_progress(config.run).precision == fast
    other = replace(config, run=config.run.parent / "other")
    slow = replace(other, schedule=replace(other.schedule, precision="fp32" if fast == "bf16" else "bf16"))
    run_training(slow, limits=RunLimits(until=1))
    run_training(replace(automatic, run=other.run), resume=True, limits=RunLimits(until=2))
    assert read_progress(other.run).precision == slow.schedule.precision
    (other.run / "config.yaml").write_text("schedule: {}\n", encoding="utf-8")
    with pytest.raises(ModelError, match="does not say the precision"):
        run_training(replace(automatic, run=other.run), resume=True)


def test_threads_are_the_processors_that_may_be_used(
    config: TrainConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    run_training(replace(config, threads="auto"), limits=RunLimits(until=1))
    assert read_progress(config.run).threads == 1
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert usable_processors() == len(os.sched_getaffinity(0))


def test_padding_is_told_for_each_device(
    config: TrainConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lengths = ragged([[1] * length for length in (1, 2, 3, 10)]).lengths
    assert padded_share(lengths, 12) == pytest.approx(1 - 16 / 17)  # 2 x 2, 1 x 3 and 1 x 10
    assert padded_share(lengths, 1000) == pytest.approx(1 - 16 / 40)
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(to_plain(config)), encoding="utf-8")
    assert command("retriever padding")([file, "--batches", "2"]) == 0
    head, cpu, cuda = capsys.readouterr().out.splitlines()
    assert head.startswith("2 batches of ") and "; data " in head
    assert re.fullmatch(r"cpu: \d+\.\d% padding in chunks of 4,096 tokens", cpu) and cuda.startswith("cuda: ")
