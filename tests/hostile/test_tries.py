"""`scripts/hostile.py --quick`, part by part: two minutes of tries at everything, and nothing gives way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from scripts.hostile import PARTS
from tests.hostile.tries import damaged, killed, models, projects, readers, web, wire
from tests.hostile.tries.ground import Ground, prepared
from tests.hostile.tries.report import Effort, Report

REPOSITORY = Path(__file__).parents[2]
SCRIPT = REPOSITORY / "scripts" / "hostile.py"
_SECONDS = 900
LEAST = {
    killed.PART: 5,
    damaged.PART: 5,
    projects.PART: 5,
    wire.PART: 200,
    web.PART: 600,
    models.PART: 100,
}
"""So many tries each part makes at least."""
_OF_THE_SCRIPT = readers.PART, 50
"""The part that the command runs, and as many tries as it makes at least."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc"),
]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with prepared(tmp_path_factory.mktemp("hostile")) as made:
        yield made


@pytest.mark.parametrize("part", LEAST)
def test_quick_tries_find_nothing(ground: Ground, part: str) -> None:
    report = Report()
    report.timed(part, partial(PARTS[part], ground, Effort(quick=True), report))
    assert report.findings == []
    assert report.tries[part] >= LEAST[part]


def test_the_command_tries_what_it_is_told_to_and_reports_it(tmp_path: Path) -> None:
    part, least = _OF_THE_SCRIPT
    report = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, SCRIPT, "--quick", "--only", part, "--out", report],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["findings"] == []
    assert list(found["tries"]) == [part] and found["tries"][part] >= least
