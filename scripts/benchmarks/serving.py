"""Requests per second that `premise-suggest http` answers: the real process, used by several clients at once.

Each client sends new goals to `/retrieve`, one after the other, 32 premises each. Without
--project the bundled index answers. Memory is that of all processes after the last round (Linux only): what each has
in memory, and the sum with pages that they share counted once. The clients run on the same machine, in a process
of their own, and take a part of its processors.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from scripts.benchmarks.harness import median_and_tail
from scripts.benchmarks.memory import STATES

_NUMBERS = itertools.count()


def state() -> str:
    """A goal that was not sent before."""
    number = next(_NUMBERS)
    return f"h{number} : True\n{STATES[number % len(STATES)]}"


@contextmanager
def server(project: Path | None, *arguments: str) -> Iterator[tuple[int, int]]:
    """(process, port) of a server, which ends with the block."""
    command = [sys.executable, "-m", "lsp_server", *arguments, "--port", "0"]
    with tempfile.TemporaryDirectory() as empty:
        given = ["--project", str(project)] if project else []
        with subprocess.Popen(
            [*command, *given], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=empty
        ) as process:
            assert process.stdout is not None
            try:
                line = next(line for line in process.stdout if "http://" in line)
                found = re.search(r"http://[\d.]+:(\d+)", line)
                assert found is not None
                yield process.pid, int(found[1])
            finally:
                process.terminate()


def ask(port: int, until: float, taken: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while (begin := time.perf_counter()) < until:
        body = json.dumps({"state": state(), "k": 32})
        connection.request("POST", "/retrieve", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        found = json.loads(answer.read())
        assert answer.status == 200 and len(found) == 32, found
        taken.append(time.perf_counter() - begin)


def measure(port: int, clients: int, seconds: float) -> tuple[float, float, float]:
    """(requests a second, median and 95th percentile in ms)."""
    taken: list[float] = []
    until = time.perf_counter() + seconds
    threads = [threading.Thread(target=ask, args=(port, until, taken)) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    median, tail = median_and_tail(taken)
    return len(taken) / seconds, 1000 * median, 1000 * tail


def memory(pid: int) -> tuple[float, float]:
    """MB of a process and those that it has started: the sum, and the sum with shared pages counted once."""
    server = psutil.Process(pid)
    found = [one.memory_full_info() for one in (server, *server.children(recursive=True))]
    return sum(one.rss for one in found) / 1e6, sum(one.pss for one in found) / 1e6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", type=Path, metavar="FOLDER")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--seconds", type=float, default=15.0)


def run(options: argparse.Namespace) -> None:
    for workers in options.workers:
        with server(options.project, "http", "--rate", "1000000", "--workers", str(workers)) as (pid, port):
            measure(port, 4 * workers, 5.0)  # the models and the index are opened
            print(f"workers: {workers}")
            print(f"{'clients':>8} {'requests/s':>11} {'median ms':>10} {'p95 ms':>8}")
            for clients in options.clients:
                rate, median, tail = measure(port, clients, options.seconds)
                print(f"{clients:>8} {rate:>11.1f} {median:>10.0f} {tail:>8.0f}")
            every, once = memory(pid)
            print(f"memory: {every:.0f} MB, shared pages once: {once:.0f} MB", flush=True)
