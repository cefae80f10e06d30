"""What the commands say where a stream is closed, a name is empty, a path is missing, or Ctrl-C comes early."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_server import cli
from lsp_server.commands import demo
from tests.commands import command


def shell(line: str, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """Run the program from a shell; `$RUN` is its command."""
    run = f"{sys.executable} -m lsp_server"
    environment = {**os.environ, "PREMISE_SUGGEST_INDEX": str(tmp_path), "RUN": run}
    return subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=False)


def test_closed_input_is_an_error_of_the_caller(tmp_path: Path) -> None:
    done = shell("$RUN suggest --state - <&-", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Standard input is closed.\nhint: ")


@pytest.mark.parametrize("line", ["serve", "mcp", "setup --git https://example.org/o/n"])
def test_closed_input_is_told_by_those_that_read_it_later(tmp_path: Path, line: str) -> None:
    done = shell(f"$RUN {line} <&-", tmp_path)
    assert done.returncode == 2
    assert "error: " in done.stderr and "\nhint: " in done.stderr and "Traceback" not in done.stderr


def test_closed_output_is_no_failure(tmp_path: Path) -> None:
    done = shell("$RUN doctor --json >&-", tmp_path)
    assert "Traceback" not in done.stderr
    assert shell("$RUN collections >&- 2>&-", tmp_path).returncode == 0


def test_input_that_is_not_utf8_is_said_in_our_own_words(tmp_path: Path) -> None:
    done = shell("printf 'ab\\377' | $RUN suggest --state -", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Standard input is not UTF-8 text (byte 2).\n")


def test_an_empty_name_of_a_collection_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["collections", "--remove", ""]) == 2
    assert "cannot be the name of a collection" in capsys.readouterr().err


def test_a_missing_folder_is_not_a_full_disk(tmp_path: Path) -> None:
    done = shell(f"$RUN serve --log {tmp_path}/nowhere/log", tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith("hint: Check the path.\n")


def test_ctrl_c_while_the_demonstration_indexes_ends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(demo, "_compile", lambda _: None)
    monkeypatch.setattr(demo, "update_project", interrupted)
    assert cli.main(["demo"]) == 130
    assert capsys.readouterr().err.endswith("Stopped.\n")


def test_exporting_what_is_not_a_run_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    assert command("retriever export")([tmp_path / "none", tmp_path / "out"]) != 0
    assert capsys.readouterr().err.startswith(f"error: There is no run {tmp_path / 'none'}.\n")
