"""What `setup` says that it will read, what a pipe sees while it reads, and what is said before it begins."""

from __future__ import annotations

import pytest

from lsp_server.engine.indexing import update_project
from lsp_server.rendering.progress_bar import ProgressBar
from tests.lsp_server.conftest import Home


def plan(home: Home) -> str:
    """What `setup` says before it asks, on one line."""
    done = home.cli("setup", home.project, cwd=home.project, **home.variables)
    assert done.returncode == 2 and "--yes" in done.stderr
    return " ".join(done.stdout.split())


def test_the_core_of_lean_is_counted(home: Home) -> None:
    prefix = home.install("4.24.0")
    said = plan(home)
    assert "to do read 5 files, " in said and "less than a minute" in said
    assert "the project (1 file), the core of Lean 4.24.0 (4 files)" in said
    (prefix / "src" / "lean" / "Init" / "Large.lean").write_text("-- a comment\n" * 2_000_000)
    said = plan(home)
    assert "to do read 6 files, 24.8 MiB: about 3 min on one core, about 124 MiB" in said


def test_packages_are_counted_until_they_are_indexed(home: Home) -> None:
    home.install("4.24.0")
    entry = '{"name": "far", "type": "git", "rev": "abc"}'
    manifest = f'{{"name": "mine", "packagesDir": ".lake/packages", "packages": [{entry}]}}'
    (home.project / "lake-manifest.json").write_text(manifest, encoding="utf-8")
    package = home.project / ".lake" / "packages" / "far"
    package.mkdir(parents=True)
    (package / "Far.lean").write_text("theorem far : True := trivial\n", encoding="utf-8")
    assert "the project (1 file), far (1 file), the core of Lean 4.24.0 (4 files)" in plan(home)
    home.run("index", home.project)
    said = plan(home)
    assert "to do bring the index up to date: only what changed is read" in said
    assert "indexed already, and not read again: far, the core of Lean 4.24.0" in said


def test_a_lean_that_came_later_is_counted(home: Home) -> None:
    home.install("4.24.0")
    home.run("index", home.project)
    home.install("4.25.0")
    said = plan(home)
    assert "to do read 4 files, " in said and "the core of Lean 4.25.0 (4 files)" in said
    assert "and bring the index up to date: only what changed is read" in said


def test_what_is_missing_is_said_before_anything_is_read(home: Home, environment: dict[str, str]) -> None:
    home.install("4.24.0")
    home.machine.wants("leanprover/lean4:v4.10.0")
    heard: list[str] = []
    report = update_project(
        home.project,
        environment["PREMISE_SUGGEST_MODEL"],
        lambda stage, done, total: heard.append(stage),
        lambda: False,
        on_note=heard.append,
    )
    assert "which elan has not installed" in heard[0] and "embed" in heard[1:]
    assert report.documents == 1 and report.notes == ()


class Clock:
    """Time that a test moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_pipe_sees_a_line_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(quiet=False, clock=clock) as bar:
        for done in range(200):
            bar.report("embed", done, 200)
            clock.now += 0.5
        clock.now += 10
        bar.report("wait", 0, 1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Reading and embedding: 20 of 200 (10%)"
    assert len(lines) == 10 and lines[-1] == "Waiting for another index run"


def test_what_is_quick_or_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(quiet=False, clock=clock) as bar:
        bar.report("embed", 0, 2)
        clock.now = 9.0
        bar.report("embed", 2, 2)
    with ProgressBar(quiet=True, clock=clock) as bar:
        clock.now = 100.0
        bar.report("embed", 1, 2)
    assert capsys.readouterr().err == ""
