"""The workflows for GitHub, as far as they can be tried without it: they can be read, and what they call exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.packaging.test_wheel import ROOT

yaml = pytest.importorskip("yaml")

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_what_exists(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = {target for command in commands for target in re.findall(r"\bmake (\S+)", command)}
    scripts = {name for command in commands for name in re.findall(r"\bscripts/\S+", command)}
    assert targets or scripts
    assert all((ROOT / name).is_file() for name in scripts)
    for target in targets:
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    for job in jobs.values():
        assert set([job["needs"]] if "needs" in job else []) <= set(jobs)


def test_a_release_needs_the_tag_of_the_version() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    command = next(line for line in text.splitlines() if "grep -qx" in line).partition("run: ")[2]
    from lsp_server import __version__

    for tag, code in ((f"v{__version__}", 0), ("v99.0", 1)):
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, env={"GITHUB_REF_NAME": tag}, check=False)
        assert done.returncode == code
