"""Tasks on Dask: what a worker opens for them, what goes wrong there, and who may send any."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lean_extract.common.cluster import (
    ClusterOptions,
    cluster_client,
    opened_on_workers,
    result_of,
    run_tasks,
)
from lean_extract.common.errors import BadSource, ClusterLost, TaskFailed, WorkersDied
from tests.dask_processes import QUIET, dask, scheduler

distributed = pytest.importorskip("distributed")


@dataclass
class Diary:
    """What a worker opens: a file of its own, in which it writes what happens."""

    folder: Path

    def __post_init__(self) -> None:
        self.note("opened")

    def note(self, what: str) -> None:
        with (self.folder / f"{os.getpid()}").open("a", encoding="utf-8") as stream:
            stream.write(f"{what}\n")

    def close(self) -> None:
        self.note("closed")


def worked(diary: Diary, task: int) -> int:
    diary.note("begun")
    total = sum(range(1_000_000))  # long enough for another thread to come in between
    diary.note("done")
    return task + total


def broken(folder: Path) -> Diary:
    raise OSError("the disk is full")


def refused(folder: Path) -> Diary:
    raise BadSource("It is no project.", "Name one.")


def failing(task: int) -> int:
    if task == 1:
        raise ZeroDivisionError("by nought")
    if task == 2:
        os._exit(1)
    return task


def paced(folder: Path, task: int) -> int:
    """Task 2 ends its first worker when the pipe `end` is written to; then task 1 writes `again`, and reads `go`."""
    begun = folder / f"begun-{task}"
    first = not begun.exists()
    begun.touch()
    if task == 2 and first:
        (folder / "end").read_text(encoding="utf-8")
        os._exit(1)
    if task == 1 and not first:
        (folder / "again").write_text("", encoding="utf-8")
        (folder / "go").read_text(encoding="utf-8")
    return task


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster_client(ClusterOptions(processes=2)) as found:
        yield found


def diaries(folder: Path) -> list[list[str]]:
    return [one.read_text(encoding="utf-8").split() for one in folder.iterdir()]


def test_each_worker_opens_once_and_closes(client: Any, tmp_path: Path) -> None:
    with opened_on_workers(client, partial(Diary, tmp_path)) as work_of:
        found = dict(run_tasks(client, work_of(worked), range(6)))
        assert len(found) == 6
    kept = diaries(tmp_path)
    assert 1 <= len(kept) <= 2
    assert sum(one.count("done") for one in kept) == 6
    for one in kept:
        assert (one[0], one[-1]) == ("opened", "closed")
        assert (one.count("opened"), one.count("closed")) == (1, 1)


def test_a_worker_of_several_threads_does_one_task_at_a_time(tmp_path: Path) -> None:
    with (
        scheduler() as (address, _),
        dask("dask_worker", address, "--nthreads", "4", "--no-dashboard", "--no-nanny", environment=QUIET),
        cluster_client(ClusterOptions(address)) as client,
        opened_on_workers(client, partial(Diary, tmp_path)) as work_of,
    ):
        assert len(list(run_tasks(client, work_of(worked), range(8)))) == 8
    [kept] = diaries(tmp_path)
    assert kept == ["opened", *["begun", "done"] * 8, "closed"]


def test_what_cannot_be_opened_is_told_by_the_tasks(client: Any, tmp_path: Path) -> None:
    for opening, kind, said in (
        (broken, ClusterLost, "A worker could not begin: OSError: the disk is full."),
        (refused, BadSource, "It is no project."),
    ):
        with opened_on_workers(client, partial(opening, tmp_path)) as work_of:
            for _, found in run_tasks(client, work_of(worked), range(2)):
                assert type(found) is kind
                assert found.message == said


def test_a_task_that_fails_or_kills_its_workers_is_told_and_the_others_are_done(client: Any) -> None:
    found = dict(run_tasks(client, failing, [0, 1, 2, 3]))
    assert (found[0], found[3]) == (0, 3)
    assert type(found[1]) is TaskFailed
    assert found[1].message == "It failed: ZeroDivisionError: by nought."
    assert type(found[2]) is WorkersDied

    async def awaited(task: int) -> Any:
        return await result_of(client, failing, task)

    assert asyncio.run(awaited(5)) == 5
    assert type(asyncio.run(awaited(2))) is WorkersDied


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_results_that_are_lost_with_their_worker_are_computed_again(tmp_path: Path) -> None:
    for name in ("end", "again", "go"):
        os.mkfifo(tmp_path / name)
    with cluster_client(ClusterOptions(processes=1)) as client:
        results = run_tasks(client, partial(paced, tmp_path), [0, 1, 2])
        found = dict([next(results)])
        (tmp_path / "end").write_text("", encoding="utf-8")
        (tmp_path / "again").read_text(encoding="utf-8")
        (tmp_path / "go").write_text("", encoding="utf-8")
        assert found | dict(results) == {0: 0, 1: 1, 2: 2}


def test_processes_take_tasks_from_nobody_else(client: Any) -> None:
    address = client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    for asked in (address, address.replace("tls:", "tcp:")):
        code = f"import distributed; distributed.Client({asked!r}, timeout=2); print('let in')"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert "let in" not in done.stdout
        assert "Error" in done.stderr
