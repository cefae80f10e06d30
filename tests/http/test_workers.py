"""Several processes behind one address."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from tests.forked import SCRIPT, run_of
from tests.http.conftest import ADD_COMM, BUNDLED, Served, run, serving

WORKERS = 2


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers") / "stderr"


@pytest.fixture(scope="module")
def team(environment: dict[str, str], library: Path, errors: Path) -> Iterator[Served]:
    options = ("--workers", str(WORKERS), "--project", library, "--verbose")
    with serving(environment, *options, errors=errors) as served:
        yield served


def workers_of(served: Served) -> list[psutil.Process]:
    children = psutil.Process(run_of(served.process.pid)).children()
    return [one for one in children if "spawn_main" in " ".join(one.cmdline())]


def fresh(served: Served, path: str, **parameters: str) -> httpx.Response:
    """An answer over a connection of its own: any worker may take it."""
    with httpx.Client(base_url=served.url, timeout=120, trust_env=False) as client:
        return client.get(path, params=parameters)


def test_all_workers_answer_alike_and_are_counted_together(team: Served, server: Served) -> None:
    assert len(workers_of(team)) == WORKERS
    expected = server.retrieve(state=ADD_COMM, k=8)
    with ThreadPoolExecutor(8) as pool:
        body = {"state": ADD_COMM, "k": 8}
        answers = list(
            pool.map(lambda _: httpx.post(f"{team.url}/retrieve", json=body, timeout=120), range(32))
        )
    assert [answer.json() for answer in answers] == [expected] * 32
    counted = re.search(r'requests_total\{[^}]*route="/retrieve"[^}]*\} (\d+)', fresh(team, "/metrics").text)
    assert counted is not None
    assert int(counted[1]) == 32
    assert 'premise_suggest_models_info{device="cpu"} 1.0' in fresh(team, "/metrics").text


def test_numbers_mean_the_same_premises_in_all_workers(team: Served) -> None:
    lists = {fresh(team, "/indexed-premises", revision=BUNDLED).text for _ in range(8)}
    assert len(lists) == 1


def test_a_worker_that_is_killed_is_replaced_and_nothing_else_stops(
    environment: dict[str, str], library: Path, tmp_path: Path
) -> None:
    with serving(environment, "--workers", "2", "--project", library, errors=tmp_path / "log") as served:
        victim, other = workers_of(served)
        victim.kill()
        psutil.wait_procs([victim], timeout=60)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: fresh(served, "/healthz").status_code, range(16)))
        assert answers == [200] * 16
        for _ in iter(lambda: len([one for one in workers_of(served) if one.is_running()]) < 2, False):
            fresh(served, "/healthz")
        assert other in workers_of(served)
        assert victim not in workers_of(served)
        assert "ended with code -9; another one is started" in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_server(
    environment: dict[str, str], library: Path, number: signal.Signals
) -> None:
    with serving(environment, "--workers", "2", "--project", library) as served:
        workers = workers_of(served)
        served.process.send_signal(number)
        code = served.process.wait(60)
        gone, alive = psutil.wait_procs(workers, timeout=60)
    assert (len(gone), alive) == (2, [])
    assert code == {signal.SIGTERM: 0, signal.SIGINT: 130, signal.SIGKILL: -9}[number]


def test_what_a_worker_lacks_is_told_once(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "empty"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("theorem a : True := trivial\n", encoding="utf-8")
    broken = {**environment, "PREMISE_SUGGEST_INDEX": str(tmp_path / "file")}
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    done = run(broken, "http", "--port", "0", "--workers", "2", "--project", tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("error: ") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", ["0", "65", "two", "-1"])
def test_a_number_of_workers_that_is_none_is_refused(number: str) -> None:
    command = [str(SCRIPT), "http", "--workers", number]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "is not a whole number from 1 to 64" in done.stderr
