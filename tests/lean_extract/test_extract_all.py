"""Many projects extracted on Dask: processes of this machine, and workers of a scheduler that die."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lean_extract.source.extract import extract_project
from tests.dask_processes import QUIET, scheduler, while_running, worker

distributed = pytest.importorskip("distributed")
COMMAND = [sys.executable, "-m", "lean_extract", "extract-all"]


def library(folder: Path, files: int, theorems: int = 40) -> Path:
    """A project of many small theorems."""
    folder.mkdir(parents=True)
    (folder / "lakefile.toml").write_text(f'name = "{folder.name}"\n', encoding="utf-8")
    for number in range(files):
        said = "(a b c : Nat) (h : a ≤ b) : a + c ≤ b + c := by\n  exact Nat.add_le_add_right h c"
        lines = [f"theorem t{number}_{one} {said}" for one in range(theorems)]
        (folder / f"File{number}.lean").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return folder


def extract(out: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, str(out), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=QUIET, timeout=300, check=False)


def records_of(project: Path, folder: Path) -> str:
    """The hash of a project's records, as one process extracts them."""
    return extract_project(project, folder / "alone.jsonl").data_hash


def test_two_processes_extract_what_one_does_and_nothing_twice(tmp_path: Path) -> None:
    projects = [library(tmp_path / name, files) for name, files in (("one", 3), ("two", 2), ("three", 1))]
    out = tmp_path / "out"
    done = extract(out, *projects, "--processes", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "3 of 3 projects, 3 of them read now: 6 files, 240 proofs, 0 problems\n"
    for project in projects:
        card = json.loads((out / f"{project.name}.json").read_text(encoding="utf-8"))
        assert card["sha256"] == records_of(project, tmp_path)
    assert "3 of 3 projects, 0 of them read now: 6 files" in extract(out, *projects).stdout
    (projects[0] / "File0.lean").write_text("theorem new : True := trivial\n", encoding="utf-8")
    (out / "two.jsonl").write_bytes((out / "two.jsonl").read_bytes()[:-10])  # cut off
    again = extract(out, *projects)
    assert "3 of 3 projects, 2 of them read now: 6 files, 201 proofs" in again.stdout


def test_a_project_that_cannot_be_read_is_told_and_the_others_are_done(tmp_path: Path) -> None:
    good = library(tmp_path / "good", 1)
    (tmp_path / "empty").mkdir()
    done = extract(tmp_path / "out", good, tmp_path / "empty", "--processes", "2")
    assert done.returncode == 1
    assert f"error: {tmp_path / 'empty'}: There is no .lean file under" in done.stderr
    assert "1 of 2 projects" in done.stdout
    missing = extract(tmp_path / "out", good, tmp_path / "missing")
    assert (missing.returncode, missing.stdout) == (2, "")
    for memory in ("much", "10MB", "-4GB"):
        refused = extract(tmp_path / "out", good, f"--memory={memory}")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "memory" in refused.stderr and "Traceback" not in refused.stderr
    twice = extract(tmp_path / "out", good, library(tmp_path / "other" / "good", 1))
    assert "Two projects are called good." in twice.stderr


def test_a_worker_that_is_killed_costs_its_task_alone(tmp_path: Path) -> None:
    slow = library(tmp_path / "slow", 60, theorems=120)
    quick = library(tmp_path / "quick", 1)
    out = tmp_path / "out"
    with scheduler() as (address, _), worker(address) as first:
        command = [*COMMAND, str(out), str(slow), str(quick), "--scheduler", address]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=QUIET
        ) as running:
            while_running(
                running, lambda: out.exists() and any(one.suffix != ".json" for one in out.iterdir())
            )
            first.send_signal(signal.SIGKILL)
            with worker(address):
                said, errors = running.communicate(timeout=240)
    assert (running.returncode, errors) == (0, "")
    assert "2 of 2 projects" in said
    for project in (slow, quick):
        card = json.loads((out / f"{project.name}.json").read_text(encoding="utf-8"))
        assert card["sha256"] == records_of(project, tmp_path)
    assert sorted(one.name for one in out.iterdir() if not one.name.startswith(".")) == [
        "quick.json",
        "quick.jsonl",
        "slow.json",
        "slow.jsonl",
    ]


def test_a_scheduler_that_goes_away_is_told_and_what_was_done_is_kept(tmp_path: Path) -> None:
    larger, other = (
        library(tmp_path / "larger", 41, theorems=120),
        library(tmp_path / "other", 40, theorems=120),
    )
    out = tmp_path / "out"
    with scheduler() as (address, process), worker(address):
        command = [*COMMAND, str(out), str(other), str(larger), "--scheduler", address]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=QUIET
        ) as running:
            while_running(running, lambda: (out / "larger.json").exists())  # it is begun first
            process.send_signal(signal.SIGKILL)
            _, errors = running.communicate(timeout=240)
    assert running.returncode == 1
    assert "The Dask scheduler has ended." in errors
    assert "Traceback" not in errors
    assert (out / "larger.jsonl").exists()


def test_a_scheduler_that_is_not_there_or_has_no_workers_is_told(tmp_path: Path) -> None:
    project = library(tmp_path / "one", 1)
    gone = extract(tmp_path / "out", project, "--scheduler", "tcp://127.0.0.1:9")
    assert (gone.returncode, gone.stdout) == (2, "")
    assert "No Dask scheduler answers at tcp://127.0.0.1:9." in gone.stderr
    with scheduler() as (address, _):
        idle = extract(tmp_path / "out", project, "--scheduler", address)
    assert idle.returncode == 1
    assert "The scheduler has no workers." in idle.stderr


def test_workers_of_another_version_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "site" / "premise_suggest-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: premise-suggest\nVersion: 0.0.1\n", encoding="utf-8"
    )
    with scheduler() as (address, _):
        command = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            address,
            "--no-nanny",
            "--no-dashboard",
        ]
        environment = {**QUIET, "PYTHONPATH": str(tmp_path / "site")}
        with subprocess.Popen(
            command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment, cwd=tmp_path
        ) as process:
            with distributed.Client(address) as client:
                client.wait_for_workers(1, timeout=60)
            done = extract(tmp_path / "out", library(tmp_path / "one", 1), "--scheduler", address)
            process.kill()
    assert done.returncode == 1
    assert re.search(r"The worker tcp://\S+ has premise-suggest 0\.0\.1; here it is ", done.stderr)
