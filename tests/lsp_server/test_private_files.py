"""What we keep is the user's alone, whatever the umask; what a user asks for follows the umask."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.forked import program
from tests.lsp_server.conftest import PROJECT

pytestmark = pytest.mark.lean


def modes(folder: Path) -> Iterator[tuple[str, int]]:
    """The permissions of a folder and of all in it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            yield str(path), stat.S_IMODE(path.stat().st_mode)


def assert_private(folder: Path) -> None:
    found = dict(modes(folder))
    assert len(found) > 3
    assert {path: oct(mode) for path, mode in found.items() if mode & 0o077} == {}


class Desk:
    """Where commands run under a umask, with an index folder of their own."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.index, self.cache = folder / "index", Path(environment["XDG_CACHE_HOME"]) / "premise-suggest"
        self.project = folder / f"project-{folder.name}"
        shutil.copytree(PROJECT, self.project)
        (self.project / "lakefile.toml").write_text('name = "Lib"\n', encoding="utf-8")
        self._environment = {**environment, "PREMISE_SUGGEST_INDEX": str(self.index)}

    def run(
        self,
        *arguments: str | Path,
        umask: int = 0,
        command: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        subprocess.run(
            [*(command or [program()]), *map(str, arguments)],
            env=self._environment,
            cwd=folder or self.project,
            umask=umask,
            check=True,
            capture_output=True,
            timeout=300,
        )


@pytest.fixture
def desk(tmp_path: Path, environment: dict[str, str]) -> Desk:
    return Desk(tmp_path, environment)


def test_an_index_and_what_is_compiled_for_it_are_private(desk: Desk) -> None:
    before = {*(desk.cache / "lean").iterdir()}
    desk.run("index")
    desk.run("suggest", "--file", "Work.lean", "--line", "6", "--tactics")
    desk.run("search", "add_comm", folder=desk.index)  # no project's: unpacks the bundled index
    [compiled] = {*(desk.cache / "lean").iterdir()} - before
    assert [*compiled.rglob("*.olean")]
    assert [*desk.index.glob("bundled/*/segments/*/names.txt")]
    assert_private(compiled)
    assert_private(desk.index)


def test_an_index_that_others_could_read_is_closed_to_them_when_it_is_written(desk: Desk) -> None:
    desk.run("index")
    [root] = desk.index.glob("project-*")
    for path, _ in modes(root):
        Path(path).chmod(0o755 if Path(path).is_dir() else 0o644)
    (desk.project / "New.lean").write_text("theorem new : True := trivial\n", encoding="utf-8")
    desk.run("index")
    assert all(mode & 0o077 == 0 for path, mode in modes(root) if Path(path) in (root, root / "segments"))


def test_a_library_and_the_problems_of_an_evaluation_are_private(desk: Desk, tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "far")
    (tmp_path / "far" / "lakefile.toml").write_text('name = "far"\n', encoding="utf-8")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run(["git", "-C", tmp_path / "far", *identity, *words], check=True, capture_output=True)
    desk.run("setup", "--yes", "--quiet", "--git", tmp_path / "far")
    assert [*(desk.index / "libraries").rglob("*.lean")]
    shutil.rmtree(desk.cache / "evaluation", ignore_errors=True)
    desk.run("eval", "minicore", "--tactics-from", "templates", "--limit", "1", "--nodes", "1", "--quiet")
    assert_private(desk.cache / "evaluation")
    assert_private(desk.index)


@pytest.mark.parametrize("umask", [0, 0o022, 0o027])
def test_what_a_user_asks_for_follows_the_umask(desk: Desk, tmp_path: Path, umask: int) -> None:
    out, log = tmp_path / "new" / "records.jsonl", tmp_path / "log"
    desk.run("extract", ".", out, umask=umask, command=(sys.executable, "-m", "lean_extract"))
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE(out.parent.stat().st_mode) == 0o777 & ~umask
    subprocess.run([program(), "serve", "--log", log], umask=umask, stdin=subprocess.DEVNULL, timeout=120)
    assert stat.S_IMODE(log.stat().st_mode) == 0o666 & ~umask
