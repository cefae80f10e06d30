"""Paths that no file system has: a sentence and a code, wherever they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import command
from tests.hostile.raw_client import RawClient
from tests.lsp_server.conftest import Cli

pytestmark = pytest.mark.lean

LONG = "x" * 300
NAMES = {"a name of 300 letters": LONG, "a path of 6,000": "/".join(["y" * 200] * 30)}
LINES = [
    "suggest --file {}.lean --line 1",
    "suggest --file {}/A.lean --line 1",
    "suggest --state {}",
    "suggest --file Work.lean --line 6 --lean {}",
    "suggest --file Work.lean --line 6 --repl {}",
    "suggest --file Work.lean --line 6 --tactics --generator {}",
    "suggest --file Work.lean --line 6 --model {}",
    "suggest --dojo {}:A.lean:t",
    "suggest --backend match --text a --collection {}",
    "search a --model {}",
    "index {}",
    "index . {}",
    "index {} --processes 1",
    "index --backend match {}",
    "index --backend {} .",
    "setup {} --yes",
    "setup --yes --git {}",
    "setup --yes --git /{}",
    "doctor {}",
    "http --port 0 --project {}",
    "http --port 0 --model {}",
    "mcp --project {}",
    "serve --log {}",
    "collections --remove {}",
    "eval minif2f --project . --data {}",
    "eval minif2f --data Work.lean --project {}",
    "eval project --project {}",
    "eval project --project . --theorems {}",
    "eval project --project . --dataset {}",
    "eval project --project . --folder {}",
    "eval minicore --tactics-from templates --limit 1 --out {}",
    "eval retrieval --backend match --data {}",
    "eval report {}",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("line", LINES)
def test_a_command_says_what_is_wrong(cli: Cli, project: Path, line: str, name: str) -> None:
    done = cli(*line.format(NAMES[name]).split(" "), cwd=project)
    assert done.returncode in (1, 2), done.stdout
    assert "error: " in done.stderr and "\nhint: " in done.stderr, done.stderr
    assert "disk space" not in done.stderr and "Errno" not in done.stderr, done.stderr


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("variable", ["PREMISE_SUGGEST_INDEX", "PREMISE_SUGGEST_MODEL"])
def test_a_variable_that_names_one_is_told(
    cli: Cli, project: Path, tmp_path: Path, variable: str, name: str
) -> None:
    done = cli("index", cwd=project, **{variable: f"{tmp_path}/{NAMES[name]}"})
    assert done.returncode == 1
    assert "error: " in done.stderr and "\nhint: " in done.stderr, done.stderr


def test_a_path_that_is_not_utf8_is_told(cli: Cli, project: Path, tmp_path: Path) -> None:
    done = cli("index", cwd=project, PREMISE_SUGGEST_INDEX=f"{tmp_path}/caf\udce9")
    assert done.returncode == 1
    assert r"caf\xe9" in done.stderr and "is not UTF-8.\nhint: " in done.stderr


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_developers_command_says_what_is_wrong(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A.lean").write_text("theorem a : True := trivial\n", encoding="utf-8")
    for arguments in ([name, "out"], [".", name]):
        assert command("lean_extract extract")(arguments) in (1, 2)
        assert "\nhint: " in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_document_of_such_a_name_is_answered(raw_client: RawClient, name: str, tmp_path: Path) -> None:
    uri = f"{tmp_path.as_uri()}/{name}.lean"
    text = "theorem a (p : Prop) (h : p) : p := by\n  sorry\n"
    item = {"uri": uri, "languageId": "lean4", "version": 1, "text": text}
    raw_client.notify("textDocument/didOpen", {"textDocument": item})
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 2}}
    for method in ("premiseSuggest/suggest", "textDocument/hover", "textDocument/definition"):
        answer = raw_client.ask(method, place)
        assert "Errno" not in str(answer) and "OSError" not in str(answer), answer
    raw_client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
