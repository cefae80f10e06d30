"""The VS Code extension in a real VS Code in a real browser.

The scenarios are JavaScript: those of vscode-extension/test/host run inside its extension host, those of
vscode-extension/test/page drive its page. Each layer is run once; here every scenario is a test of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from lean_extract.toolchains.packaged import PackagedLean

pytestmark = [pytest.mark.vscode, pytest.mark.lean]

HARNESS = Path(__file__).parents[2] / "vscode-extension" / "test"
CANNOT = 3
"""The exit code of a harness that finds no VS Code and cannot make one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a scenario."""

    ok: bool
    error: str
    seen: str


def scenarios(layer: str) -> list[str]:
    """The names of a layer's scenarios, as its files have them."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((HARNESS / layer).glob("*.mjs"))]
    return [name for text in texts for name in re.findall(r"^  scenario\(\"([^\"]+)\"", text, re.MULTILINE)]


def play(report: Path) -> Mapping[str, Outcome]:
    """Run both layers' scenarios, each of which is told as it ends."""
    node = shutil.which("node") or unable("a real VS Code cannot be set up here: Node 20 is not installed")
    ours = str(Path(sys.executable).parent)
    process = subprocess.Popen(
        [node, str(HARNESS / "run.mjs"), "--report", str(report)],
        env={**os.environ, "PATH": os.pathsep.join([ours, os.environ["PATH"]])},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, said = process.communicate(timeout=1200)
    except subprocess.TimeoutExpired:
        process.terminate()  # it takes VS Code and the browser down before it ends
        _, said = process.communicate()
    if process.returncode == CANNOT:
        unable(said.strip().splitlines()[-1])
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    if not lines:
        pytest.fail(f"no scenario was run:\n{said[-3000:]}")
    told = [json.loads(line) for line in lines]
    return {one["name"]: Outcome(one["ok"], one.get("error") or "", one.get("seen") or "") for one in told}


def unable(reason: str) -> NoReturn:
    """Skip with the reason; on CI it is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def outcomes(packaged_lean: PackagedLean, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Outcome]:
    """What became of the scenarios, by name."""
    return play(tmp_path_factory.mktemp("vscode") / "report.jsonl")


@pytest.mark.parametrize("name", scenarios("host"))
def test_in_the_extension_host(outcomes: Mapping[str, Outcome], name: str) -> None:
    judge(outcomes, name)


@pytest.mark.parametrize("name", scenarios("page"))
def test_on_the_page(outcomes: Mapping[str, Outcome], name: str) -> None:
    judge(outcomes, name)


def judge(outcomes: Mapping[str, Outcome], name: str) -> None:
    outcome = outcomes.get(name)
    assert outcome is not None, f"it was not run; these were: {sorted(outcomes)}"
    assert outcome.ok, f"{outcome.error}\npicture: {outcome.seen}"


def test_every_scenario_that_was_run_is_a_test(outcomes: Mapping[str, Outcome]) -> None:
    assert sorted(outcomes) == sorted(scenarios("host") + scenarios("page"))
