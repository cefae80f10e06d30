"""`premise-suggest watch`, as it is started in a terminal: changes of real files, and Ctrl-C."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forked import SCRIPT
from tests.lsp_server.conftest import Cli, succeed

pytestmark = pytest.mark.lean
SECONDS = 120
_ROUNDS = 200


class Watching:
    """A `watch` at work. `errors` is where it writes what is not its output."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        assert process.stdout is not None
        self.process, self.errors, self._output = process, errors, process.stdout.fileno()
        self._text = b""

    def line(self, seconds: float = SECONDS) -> str:
        """The next line of its output; empty if there is none in time."""
        while b"\n" not in self._text:
            if not select.select([self._output], [], [], seconds)[0] or not (
                more := os.read(self._output, 4096)
            ):
                return ""
            self._text += more
        line, _, self._text = self._text.partition(b"\n")
        return line.decode()

    def line_after(self, path: Path, text: str) -> str:
        """The next line after a file has a text. What is written before folders are watched is written again."""
        for number in range(_ROUNDS):
            path.write_text(f"{text}-- {number}\n", encoding="utf-8")
            if found := self.line(2):
                return found
        return ""


@contextmanager
def watching(project: Path, environment: dict[str, str], tmp_path: Path) -> Iterator[Watching]:
    errors = tmp_path / "errors"
    with (
        errors.open("wb") as log,
        subprocess.Popen(
            [str(SCRIPT), "watch", "--quiet", str(project)],
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
        ) as process,
    ):
        try:
            yield Watching(process, errors)
        finally:
            process.kill()


def test_changed_new_and_removed_files_are_indexed_until_ctrl_c(
    project: Path, environment: dict[str, str], tmp_path: Path, cli: Cli
) -> None:
    root = tmp_path / "watched"
    shutil.copytree(project, root)
    numbers = root / "Lib" / "Numbers.lean"
    before = numbers.read_text(encoding="utf-8")
    with watching(root, environment, tmp_path) as watch:
        assert f"{root}: " in watch.line()
        assert watch.line() == f"watching {root} (Ctrl-C ends it)"
        changed = watch.line_after(numbers, before.replace("theorem zero_plus", "theorem nought_plus"))
        assert "(1 read, 0 removed" in changed
        assert "Lib.nought_plus" in succeed(cli, "search", "nought_plus", cwd=root).stdout
        (root / "Deep").mkdir()
        added = watch.line_after(root / "Deep" / "New.lean", "theorem quite_new : True := trivial\n")
        assert "read, 0 removed" in added
        assert "quite_new" in succeed(cli, "search", "quite_new", cwd=root).stdout
        (root / "Deep" / "New.lean").unlink()
        while ", 1 removed" not in (removed := watch.line()):
            assert removed, "the removal is not seen"
        watch.process.send_signal(signal.SIGINT)
        assert watch.process.wait(SECONDS) == 130
        assert watch.line(1) == ""
    assert watch.errors.read_text().strip() == "Stopping ..."


def test_what_is_no_project_is_told(environment: dict[str, str], cli: Cli, tmp_path: Path) -> None:
    done = cli("watch", tmp_path / "nowhere")
    assert done.returncode == 2 and "nowhere" in done.stderr
