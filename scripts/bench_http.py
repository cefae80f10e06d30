"""Requests a second that `premise-suggest http` answers: the real process, asked by several clients at once.

    python scripts/bench_http.py [--project FOLDER] [--clients N ...] [--seconds S]

Each client sends goals that nobody has asked before to `/retrieve`, one after the other, 32 premises each. Without
--project the bundled index answers. Memory is the server's after the last round, as in bench_memory.py (Linux only).
The clients run on the same machine and take a part of its processors.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench_memory import STATES

_NUMBERS = itertools.count()


def state() -> str:
    """A goal that was not asked before."""
    number = next(_NUMBERS)
    return f"h{number} : True\n{STATES[number % len(STATES)]}"


@contextmanager
def server(project: Path | None) -> Iterator[tuple[int, int]]:
    """(process, port) of a server, which ends with the block."""
    command = [sys.executable, "-m", "lsp_server", "http", "--port", "0", "--rate", "1000000"]
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
    return len(taken) / seconds, 1000 * statistics.median(taken), 1000 * statistics.quantiles(taken, n=20)[-1]


def resident(pid: int) -> float:
    """MB."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", text)
    assert found is not None
    return int(found[1]) / 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--project", type=Path)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--seconds", type=float, default=15.0)
    options = parser.parse_args()
    with server(options.project) as (pid, port):
        measure(port, 1, 3.0)  # the models and the index are opened
        print(f"{'clients':>8} {'requests/s':>11} {'median ms':>10} {'p95 ms':>8}")
        for clients in options.clients:
            rate, median, tail = measure(port, clients, options.seconds)
            print(f"{clients:>8} {rate:>11.1f} {median:>10.0f} {tail:>8.0f}")
        print(f"memory: {resident(pid):.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
