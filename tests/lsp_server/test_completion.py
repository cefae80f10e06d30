"""`premise-suggest completion SHELL`: what real shells complete with it."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.commands.completion import SHELLS
from tests.lsp_server.conftest import Cli, succeed
from tests.lsp_server.terminals import terminal_pair

pytestmark = pytest.mark.lean
_BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_premise_suggest 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Lean files and others."""
    root = tmp_path_factory.mktemp("complete")
    (root / "Lib").mkdir()
    for name in ("Work.lean", "Wide.lean", "Words.txt", "Lib/Basic.lean"):
        (root / name).write_text("", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def scripts(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What the command prints, as a file for each shell."""
    root = tmp_path_factory.mktemp("scripts")
    found = {}
    for shell in SHELLS:
        found[shell] = root / f"script.{shell}"
        found[shell].write_text(succeed(cli, "completion", shell).stdout, encoding="utf-8")
    return found


def test_the_scripts_know_all_commands_and_options(scripts: dict[str, Path]) -> None:
    """They are written by `python scripts/completions.py`."""
    completions = pytest.importorskip("scripts.completions", exc_type=ImportError)
    written = completions.scripts()
    for shell in SHELLS:
        assert scripts[shell].read_text(encoding="utf-8") == written[f"premise-suggest.{shell}"], shell


def test_printing_a_script_imports_nothing_heavy() -> None:
    code = (
        "import sys; from lsp_server.cli import main; main(['completion', 'bash'])\n"
        "print('loaded', sorted({'numpy', 'onnxruntime', 'pygls', 'leanclient', 'shtab'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"


COMPLETED = [
    (("sugg",), {"suggest"}),
    (("s",), {"setup", "suggest", "search", "serve"}),
    (("suggest", "W"), {"Work.lean", "Wide.lean"}),
    (("suggest", "L"), {"Lib"}),
    (("suggest", "Lib/"), {"Lib/Basic.lean"}),
    (("suggest", "Work.lean", "--fail"), {"--failures"}),
    (("suggest", "--no-t"), {"--no-tactics"}),
    (("suggest", "--tactics-from", ""), {"both", "templates", "generator"}),
    (("suggest", "--file", "W"), {"Work.lean", "Wide.lean"}),
    (("suggest", "--state", "Wor"), {"Work.lean", "Words.txt"}),
    (("setup", ""), {"Lib"}),
    (("eval", "m"), {"minif2f", "minicore"}),
    (("eval", "minicore", "--gen"), {"--generator", "--generated"}),
    (("completion", "f"), {"fish"}),
]
_IDS = [" ".join(words) for words, _ in COMPLETED]


@pytest.mark.parametrize(("words", "expected"), COMPLETED, ids=_IDS)
def test_bash_completes(
    scripts: dict[str, Path], folder: Path, words: tuple[str, ...], expected: set[str]
) -> None:
    command = ["bash", "-c", _BASH, "bash", str(scripts["bash"]), "premise-suggest", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish on this machine")
@pytest.mark.parametrize(("words", "expected"), COMPLETED, ids=_IDS)
def test_fish_completes(
    scripts: dict[str, Path], folder: Path, tmp_path: Path, words: tuple[str, ...], expected: set[str]
) -> None:
    line = " ".join(["premise-suggest", *words])
    code = f"source {scripts['fish']}; complete --do-complete '{line}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", code],
        cwd=folder,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {one.split("\t")[0].rstrip("/") for one in done.stdout.splitlines()}
    assert expected <= found
    if words[-1]:
        assert {one for one in found if one.startswith(words[-1])} <= expected | {"Lib"}


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh on this machine")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("sugg", "suggest "),
        ("suggest Wo", "suggest Work.lean "),
        ("suggest L", "suggest Lib/"),
        ("suggest --fail", "suggest --failures "),
        ("suggest --tactics-from temp", "suggest --tactics-from templates "),
        ("completion f", "completion fish "),
    ],
)
def test_zsh_completes(
    scripts: dict[str, Path], folder: Path, tmp_path: Path, typed: str, completed: str
) -> None:
    """Typed on a real terminal, with the script where the example of `completion --help` puts it."""
    shutil.copy(scripts["zsh"], tmp_path / "_premise-suggest")
    ours, theirs = terminal_pair()
    environment = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm"}
    with subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    ) as shell:
        os.close(theirs)
        try:
            os.write(ours, b"PS1='go''> '; fpath+=~; autoload -Uz compinit; compinit -u -D\n")
            read_until(ours, "go> ")
            os.write(ours, f"premise-suggest {typed}\t".encode())
            read_until(ours, f"premise-suggest {completed}")
        finally:
            shell.kill()
    os.close(ours)


def read_until(terminal: int, text: str) -> None:
    """Read what a terminal shows until it has this text; what moves the cursor or deletes is left out."""
    shown = ""
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], 30)
        assert ready, f"{text!r} does not come after {shown!r}"
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x08", "", shown + os.read(terminal, 4096).decode())
