"""`scripts/hostile.py --quick`, part by part: two minutes of tries at everything, and nothing gives way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.tries import damaged, killed, models, projects, readers, web, wire

REPOSITORY = Path(__file__).parents[2]
SCRIPT = REPOSITORY / "scripts" / "hostile.py"
_SECONDS = 900
LEAST = {
    readers.PART: 50,
    killed.PART: 5,
    damaged.PART: 5,
    projects.PART: 5,
    wire.PART: 200,
    web.PART: 600,
    models.PART: 100,
}
"""So many tries each part makes at least."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc"),
]


@pytest.mark.parametrize("part", LEAST)
def test_quick_tries_find_nothing(tmp_path: Path, part: str) -> None:
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
    assert found["tries"][part] >= LEAST[part]
