"""`premise-suggest eval` on Dask: processes of this machine, and workers of a scheduler that die."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.dask_processes import QUIET, scheduler, while_running, worker
from tests.forked import SCRIPT
from tests.lsp_server.conftest import Cli, succeed
from tests.lsp_server.test_eval_command import BOTH, NEVER, SAME, SWAP, TEMPLATES, data, line, rows

pytestmark = pytest.mark.lean
pytest.importorskip("distributed")

UNSOUND = line("unsound", "theorem unsound (n : Nat) : prime n")


MEASURED = ("seconds", "finished", "memory_mb", "processes")


def without_times(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        name: {key: value for key, value in row.items() if key not in MEASURED} for name, row in found.items()
    }


def test_processes_prove_what_one_process_does(cli: Cli, project: Path, tmp_path: Path) -> None:
    path = data(tmp_path, SWAP, SAME, "{", UNSOUND, BOTH, NEVER)
    asked = ["eval", "minif2f", "--data", path, "--project", project, *TEMPLATES, "--nodes", "6"]
    alone = cli(*asked, "--out", tmp_path / "alone")
    assert alone.returncode == 0, alone.stderr
    done = cli(*asked, "--out", tmp_path / "several", "--processes", "2", "--memory", "3GB")
    assert (done.returncode, done.stderr) == (0, "")
    assert without_times(rows(tmp_path / "several")) == without_times(rows(tmp_path / "alone"))
    proofs = [
        sorted(one.name for one in (tmp_path / run / "proofs").iterdir()) for run in ("alone", "several")
    ]
    assert proofs == [["both.lean", "same.lean", "swap.lean"]] * 2
    again = cli(*asked, "--out", tmp_path / "several", "--processes", "2", "--resume")
    assert again.returncode == 0, again.stderr


def slow_run(project: Path, folder: Path) -> list[str]:
    """A run that takes some seconds a problem, and its folder."""
    never = [NEVER.replace("never", f"never_{number}") for number in range(2)]
    path = data(folder, SAME, *never, SWAP)
    asked = ["eval", "minif2f", "--data", path, "--project", project, *TEMPLATES, "--nodes", "6"]
    return [*map(str, asked), "--out", str(folder / "run")]


def has_rows(folder: Path) -> bool:
    path = folder / "run" / "results.jsonl"
    return path.exists() and path.read_bytes().count(b"\n") > 0


def test_a_worker_that_is_killed_costs_its_problem_alone(
    cli: Cli, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    asked = slow_run(project, tmp_path)
    with scheduler() as (address, _), worker(address, {**QUIET, **environment}) as first:
        command = [str(SCRIPT), *asked, "--scheduler", address]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as running:
            while_running(running, lambda: has_rows(tmp_path))
            first.send_signal(signal.SIGKILL)
            with worker(address, {**QUIET, **environment}):
                _, errors = running.communicate(timeout=240)
    assert (running.returncode, errors) == (0, "")
    found = rows(tmp_path / "run")  # each once
    assert {name for name, row in found.items() if row["status"] == "proved"} == {"same", "swap"}
    assert len(found) == 4
    assert not any(row["error"] for row in found.values() if row["status"] == "failed")


def test_a_scheduler_that_goes_away_is_told_and_the_run_goes_on_elsewhere(
    cli: Cli, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    asked = slow_run(project, tmp_path)
    with scheduler() as (address, process), worker(address, {**QUIET, **environment}):
        command = [str(SCRIPT), *asked, "--scheduler", address]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as running:
            while_running(running, lambda: has_rows(tmp_path))
            process.send_signal(signal.SIGKILL)
            _, errors = running.communicate(timeout=240)
    assert running.returncode == 1
    assert "The Dask scheduler has ended." in errors
    assert "Traceback" not in errors
    kept = (tmp_path / "run" / "results.jsonl").read_bytes()
    succeed(cli, *asked, "--resume")
    assert (tmp_path / "run" / "results.jsonl").read_bytes().startswith(kept)
    assert len(rows(tmp_path / "run")) == 4


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_stopped_ends_its_processes(
    environment: dict[str, str], project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    import psutil

    command = [str(SCRIPT), *slow_run(project, tmp_path), "--processes", "2"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as running:
        while_running(running, lambda: has_rows(tmp_path))
        started = psutil.Process(running.pid).children(recursive=True)
        assert len(started) > 2
        if number == signal.SIGINT:
            os.killpg(running.pid, number)  # as a terminal sends it
        else:
            running.send_signal(number)
        _, errors = running.communicate(timeout=120)
    assert running.returncode == 130, errors
    assert errors.strip().startswith("Stopping ...\nStopped; what is done is kept in")
    _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--processes", "2", "--workers", "2"], "--workers is for Leans of one process."),
        (["--processes", "2", "--scheduler", "tcp://127.0.0.1:9"], "--processes is for this machine."),
        (["--processes", "0"], "processes"),
        (["--memory", "4GB"], "--memory is for --processes."),
        (["--processes", "2", "--memory", "much"], "'much' is not an amount of memory."),
    ],
)
def test_what_cannot_be_done_is_told(
    cli: Cli, project: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    path = data(tmp_path, SAME)
    asked = ["eval", "minif2f", "--data", path, "--project", project, *TEMPLATES, "--retriever", "none"]
    done = cli(*asked, "--out", tmp_path / "run", *arguments)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
