"""Programs that are killed, told to stop, or left without space: nothing is lost, nobody is left."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from pathlib import Path

from tests.hostile.tries.ground import STATE, Ground, cpu_seconds, end, group_members
from tests.hostile.tries.report import LEFT, SLOW, WRONG, Effort, Report

PART = "killed"
_EARLIEST, _LATEST = 0.2, 1.0
"""After how much work, in seconds of CPU time, an indexing run is killed. Before that Python is still starting,
and what it says of Ctrl-C then is not ours."""
_LOOK_SECONDS = 0.01


def run(ground: Ground, effort: Effort, report: Report) -> None:
    """Kill indexing at random moments, stop it, and fill the disk."""
    expected = _names(ground, ground.library, 20)
    chance = effort.random(PART)
    project = ground.copy("killed")
    for number in range(effort.of(6, 60)):
        stop = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        _stopped(ground, project, chance.uniform(_EARLIEST, _LATEST), stop, report)
        if number % 5 == 4:
            _add_file(project, number)
    _indexes(ground, project, expected, "after kills", report)
    for blocks in [1, 8, 64, 256][: effort.of(2, 4)]:
        _without_space(ground, ground.copy(f"full-{blocks}"), blocks, expected, report)


def _stopped(ground: Ground, project: Path, seconds: float, stop: int, report: Report) -> None:
    report.tried(PART)
    process = ground.start(
        "index", project, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    _wait(process, seconds)
    if not end(process, stop):
        report.found(SLOW, PART, f"indexing did not end on signal {stop}, after {seconds:.2f} s of work")
    report.check_log(PART, process.stderr.read().decode(errors="replace"))
    process.stderr.close()
    if left := group_members(process.pid):
        report.found(LEFT, PART, f"{len(left)} processes of a stopped `index`")
        for pid in left:
            os.kill(pid, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a process has worked so long, or for its end."""
    handle = os.pidfd_open(process.pid)
    while cpu_seconds(process.pid) < seconds and not select.select([handle], [], [], _LOOK_SECONDS)[0]:
        pass
    os.close(handle)


def _add_file(project: Path, number: int) -> None:
    text = f"theorem added_{number} (n m : Nat) : n + m = m + n := Nat.add_comm n m\n"
    (project / f"Added{number}.lean").write_text(text, encoding="utf-8")


def _without_space(ground: Ground, project: Path, blocks: int, expected: list[str], report: Report) -> None:
    """Files may not grow over so many KiB: as on a full disk."""
    report.tried(PART)
    done = ground.run("index", project, limits=f"ulimit -f {blocks};")
    report.check_log(PART, done.stderr)
    if done.returncode not in (0, 1, 2) or (done.returncode and "untouched" not in done.stderr):
        report.found(
            WRONG, PART, f"with {blocks} KiB, `index` ended with {done.returncode}: {done.stderr[-300:]}"
        )
    _indexes(ground, project, expected, f"after a full disk of {blocks} KiB", report)


def _indexes(ground: Ground, project: Path, expected: list[str], when: str, report: Report) -> None:
    """An undisturbed run ends well, and its index answers as one that was never disturbed."""
    report.tried(PART)
    done = ground.run("index", project)
    report.check_log(PART, done.stderr)
    if done.returncode:
        report.found(WRONG, PART, f"{when}, `index` failed: {done.stderr[-300:]}")
        return
    missing = set(expected) - set(_names(ground, project, 100))
    if missing:
        report.found(WRONG, PART, f"{when}, {len(missing)} premises are not answered: {sorted(missing)[:3]}")


def _names(ground: Ground, project: Path, count: int) -> list[str]:
    """The premises that a project's index answers with for one goal."""
    done = ground.run("suggest", "--state", "-", "--k", str(count), "--json", stdin=STATE, folder=project)
    answer = json.loads(done.stdout or "{}")
    return [premise["name"] for premise in answer.get("premises", [])]
