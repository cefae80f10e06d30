"""Misspelled commands, options, values and paths get one line of error and one of hint; help is grouped."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from lsp_server.cli import COMMANDS, GROUPS, parser
from tests.commands import command
from tests.lsp_server.conftest import Cli, succeed

pytestmark = pytest.mark.lean
MISTAKES = [
    ([], "COMMAND is missing.", "See: premise-suggest --help"),
    (["sugest"], "There is no command sugest.", "Did you mean suggest? See: premise-suggest --help"),
    (["SUGGEST"], "There is no command SUGGEST.", "Did you mean suggest? See: premise-suggest --help"),
    (["x"], "There is no command x.", "See: premise-suggest --help"),
    (["--versoin"], "There is no option --versoin.", "Did you mean --version? See: premise-suggest --help"),
    (["-v"], "COMMAND is missing.", "See: premise-suggest --help"),
    (["suggest", "--sate", "-"], "There is no option --sate.", "Did you mean --state"),
    (["suggest", "--falures", "A.lean"], "There is no option --falures.", "Did you mean --failures?"),
    (["suggest", "--jsn=x", "A.lean"], "There is no option --jsn.", "Did you mean --json?"),
    (["suggest", "A.lean", "-z"], "There is no option -z.", "See: premise-suggest suggest --help"),
    (
        ["suggest", "--k", "0"],
        "--k: '0' is not a whole number above 0.",
        "See: premise-suggest suggest --help",
    ),
    (["suggest", "--k"], "--k: expected one argument.", "See: premise-suggest suggest --help"),
    (["suggest", "A.lean:6", "more"], "more is one argument too many.", "premise-suggest suggest --help"),
    (
        ["suggest", "--tactics-from", "template"],
        "--tactics-from cannot be template.",
        "Did you mean templates? It is one of both, templates, generator.",
    ),
    (["search"], "QUERY is missing.", "See: premise-suggest search --help"),
    (["search", "--modul"], "--module: expected one argument.", "See: premise-suggest search --help"),
    (["search", "x", "--tcp"], "There is no option --tcp.", "See: premise-suggest search --help"),
    (["eval", "projct"], "There is no command projct.", "Did you mean project?"),
    (["eval", "minicore", "--limt", "3"], "There is no option --limt.", "Did you mean --limit?"),
    (["completion", "fihs"], "SHELL cannot be fihs.", "Did you mean fish?"),
    (["serve", "--tcp", "x"], "--tcp: 'x' is not a port from 0 to 65535.", "premise-suggest serve --help"),
    (["doctor", "Lbi"], "Lbi is not a folder.", "Did you mean Lib?"),
    (["index", "Lib/Basci"], "Lib/Basci is not a folder.", "Give the folder of a Lean project."),
    ([f"{'x' * 100_000}"], "There is no command xxx", "See: premise-suggest --help"),
    (["suggest", f"--{'x' * 100_000}"], "There is no option …", "See: premise-suggest suggest --help"),
]


@pytest.mark.parametrize(
    ("words", "said", "hint"), MISTAKES, ids=[" ".join(words)[:40] for words, _, _ in MISTAKES]
)
def test_a_mistake_is_two_lines(cli: Cli, near: Path, words: Sequence[str], said: str, hint: str) -> None:
    done = cli(*words, cwd=near)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(f"error: {said}")
    assert second.startswith("hint: ")
    assert hint in second
    assert len(first + second) < 500


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder `Lib`, in which is a file."""
    root = tmp_path_factory.mktemp("near")
    (root / "Lib").mkdir()
    (root / "Lib" / "Basic").write_text("", encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("line", "words", "said", "hint"),
    [
        (
            "retriever trian",
            [],
            "There is no command trian.",
            "Did you mean train? See: python -m retriever --help",
        ),
        ("prover fit-turns", ["--weigth", "1"], "There is no option --weigth.", "Did you mean --weight or"),
        ("lean_extract extrat", [], "There is no command extrat.", "Did you mean extract"),
        ("retriever known-lemmas", ["Lbi"], "Lbi cannot be read", "Did you mean Lib?"),
    ],
)
def test_developers_commands_say_it_in_the_same_way(
    near: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
    words: list[str],
    said: str,
    hint: str,
) -> None:
    monkeypatch.chdir(near)
    assert command(line)(words) in (1, 2)
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"error: {said}")
    assert second.startswith("hint: ")
    assert hint in second


def test_help_lists_the_commands_in_groups_with_three_examples(cli: Cli) -> None:
    shown = succeed(cli, "--help", COLUMNS="80").stdout
    titles = [line[:-1] for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["positional arguments", "options", *GROUPS, "examples"]
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []
    examples = shown.partition("examples:\n")[2].splitlines()
    assert len(examples) == 3


def test_the_help_of_suggest_has_groups_and_three_examples(cli: Cli) -> None:
    shown = succeed(cli, "suggest", "--help", COLUMNS="80").stdout
    lines = shown.splitlines()
    assert lines[0] == "usage: premise-suggest suggest [PLACE] [OPTION ...]"
    titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [
        "options",
        "where the goal is",
        "what is shown",
        "which Lean",
        "models, tactics and collections",
        "examples",
    ]
    assert len(shown.partition("examples:\n")[2].splitlines()) == 3


@pytest.mark.parametrize("columns", ["80", "200"])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_the_terminal(cli: Cli, name: str, columns: str) -> None:
    shown = succeed(cli, *([name] if name else []), "--help", COLUMNS=columns).stdout
    before = shown.partition("example")[0]
    assert max(map(len, before.splitlines())) <= int(columns)
    assert max(map(len, shown.splitlines())) <= max(int(columns), 100)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_are_understood(name: str) -> None:
    import importlib

    examples = importlib.import_module(COMMANDS[name].module, "lsp_server").EXAMPLES
    assert examples
    for example in examples:
        words = shlex.split(example.partition(" > ")[0], comments=True)
        assert words[:2] == ["premise-suggest", name]
        parser([name]).parse_args(words[1:])
