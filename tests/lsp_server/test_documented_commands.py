"""Every `premise-suggest` command in the manual: the parser takes it, and it runs, or a reason says why not here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp_server.cli import parser
from tests.lsp_server.conftest import Cli, make_project

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "vscode-extension" / "README.md"]
_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*premise-suggest (.*)")
_VALUES = {"N": "3", "C": "3", "L": "6", "PORT": "8001", "DIR": ".", "DIR...": ".", "FILE": "state.txt"}
"""What stands for a placeholder; others stand for themselves."""
NOT_RUN = {
    "serve": "runs until its editor ends it (test_life.py)",
    "http": "runs until it is stopped (tests/http)",
    "mcp": "runs until it is stopped (tests/mcp)",
    "watch": "runs until it is stopped (test_watch.py)",
    "demo": "long (tests/test_example.py)",
    "prove": "writes files (test_prove_and_fill.py)",
    "fill": "writes files (test_prove_and_fill.py)",
    "repair": "writes files (test_repair.py)",
    "eval": "long (test_eval_command.py)",
    "setup --git": "needs the network (test_setup.py has a repository of its own)",
    "generator add": "needs a checkpoint (test_generators.py makes one)",
    "suggest A.lean:6 --generator": "needs a model (test_served_models.py has a server)",
    "suggest --dojo": "needs LeanDojo (test_lean_sources.py)",
    "suggest Mine.lean:20 --repl": "needs a REPL (test_lean_sources.py)",
    "index path/to/project --store": "needs a database (tests/postgres has its own)",
    "index tests/": "needs a clone (tests/http/test_words.py indexes the same library)",
    "index projects/*": "needs many projects (test_index_many.py)",
    "index --backend": "needs its corpus (tests/retriever/collections)",
    "suggest --backend": "needs its corpus (tests/retriever/collections)",
}
"""Beginnings of the commands that this test does not run, and why not."""


def documented() -> Iterator[tuple[str, str]]:
    """(page, arguments) of each command in the fenced blocks."""
    for page in PAGES:
        for block in _FENCE.findall(page.read_text(encoding="utf-8")):
            for line in block.replace("\\\n", " ").split("\n"):
                found = _COMMAND.match(line.strip().removeprefix("$ "))
                if found:
                    yield str(page.relative_to(ROOT)), found[1]


def words_of(line: str) -> list[str]:
    """A command's arguments: without a pipe and a comment, all optional parts given, the first of alternatives."""
    words: list[str] = []
    for word in shlex.split(re.split(r"\s(?:\||&&|…)\s", line)[0].replace("…", ""), comments=True):
        is_option = not re.search(r"\s", word)  # what was quoted is taken as it is
        plain = re.sub(r"[\[\]]", "", word).split("|")[0] if is_option else word
        words.append(_VALUES.get(plain, plain) if is_option else word)
    return words


COMMANDS = list(dict.fromkeys((page, tuple(words_of(line))) for page, line in documented()))


def test_commands_are_found_and_each_reason_is_needed() -> None:
    assert len(COMMANDS) > 30
    lines = [" ".join(words) for _, words in COMMANDS]
    assert [known for known in NOT_RUN if not any(line.startswith(known) for line in lines)] == []


@pytest.mark.parametrize(("page", "words"), COMMANDS, ids=lambda value: str(value)[:60])
def test_the_parser_takes_it(page: str, words: tuple[str, ...]) -> None:
    parser().parse_args(words)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """A project with the files that the manual's commands name."""
    root = make_project(tmp_path_factory.mktemp("documented"), cli)
    text = (root / "Work.lean").read_text(encoding="utf-8")
    lines = text.split("\n")
    named = "theorem add_swap (a b : Nat) : a + b = b + a := by\n  sorry\n"
    (root / "F.lean").write_text("\n".join([*lines[:3], *[""] * 11, *lines[3:], named]), encoding="utf-8")
    trig = "namespace Real\ndef sin (n : Nat) : Nat := n\ntheorem sin_add (n m : Nat) : sin (n + m) = n + m := rfl\n"
    (root / "Trig.lean").write_text(trig, encoding="utf-8")
    (root / "state.txt").write_text("case one\na b : Nat\n⊢ a + b = b + a\n\n" * 3, encoding="utf-8")
    (root / "path" / "to").mkdir(parents=True)
    (root / "path" / "to" / "project").symlink_to(root, target_is_directory=True)
    return root


RUN = [
    (page, words)
    for page, words in COMMANDS
    if not any(" ".join(words).startswith(known) for known in NOT_RUN)
]


@pytest.mark.lean
@pytest.mark.parametrize(("page", "words"), RUN, ids=lambda value: str(value)[:60])
def test_it_runs(page: str, words: tuple[str, ...], place: Path, cli: Cli) -> None:
    done = cli(*words, *(["--yes"] if words[0] == "setup" else []), cwd=place)
    refused = any("_ + (_ = _" in word for word in words)  # shown with its error
    assert done.returncode == (2 if refused else 0), done.stderr
    assert "Traceback" not in done.stderr
