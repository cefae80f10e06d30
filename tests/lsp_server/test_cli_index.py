"""`premise-suggest index`: what it reads, what is missing, and what stands in until it was run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from lsp_server.commands.diagnosis import examine
from lsp_server.engine.indexing import update_project
from lsp_server.engine.project_index import ProjectIndex
from tests.environments import own_indexes
from tests.forked import SCRIPT
from tests.lsp_server.conftest import STATE, Cli, answered
from tests.lsp_server.terminals import terminal_pair

pytestmark = pytest.mark.lean


def test_without_an_index_the_command_that_builds_it_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("example (p : Prop) (h : p) : p := by\n  sorry\n", encoding="utf-8")
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    done = cli("suggest", "--file", tmp_path / "A.lean", "--line", "2")
    assert done.returncode == 1
    assert "There is no premise index" in done.stderr
    assert "premise-suggest index" in done.stderr


def test_a_damaged_or_older_index_is_told_and_mended_by_the_command_it_names(
    cli: Cli, own_project: Path, environment: dict[str, str]
) -> None:
    found = Path(environment["PREMISE_SUGGEST_INDEX"]).glob(f"{own_project.name}-*/manifest.json")
    (manifest,) = found
    for damage in ("{", '{"format": "premise-suggest-index", "version": 0}', ""):
        manifest.write_text(damage, encoding="utf-8")
        done = cli("suggest", "--state", "-", stdin=STATE, cwd=own_project)
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert "premise-suggest index" in done.stderr.splitlines()[1]
    assert cli("index", own_project).returncode == 0
    assert "Lib.plus_swap" in cli("suggest", "--state", "-", stdin=STATE, cwd=own_project).stdout


def test_index_reads_only_what_changed(cli: Cli, own_project: Path) -> None:
    assert "(0 read, 0 removed" in cli("index", own_project).stdout
    path = own_project / "Lib" / "Basic.lean"
    path.write_text(path.read_text() + "\ntheorem Lib.extra : True := True.intro\n", encoding="utf-8")
    (own_project / "Narrow.lean").unlink()
    assert "(1 read, 1 removed" in cli("index", cwd=own_project).stdout


def test_packages_of_an_interrupted_run_are_not_called_complete(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the package: its store is there, in part; the project's own is complete."""
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", str(own_indexes(tmp_path / "index")))
    model = environment["PREMISE_SUGGEST_MODEL"]
    root = tmp_path / "mine"
    package = root / ".lake" / "packages" / "dep"
    package.mkdir(parents=True)
    entry = {"name": "dep", "type": "git", "rev": "abc"}
    manifest = {"name": "mine", "packagesDir": ".lake/packages", "packages": [entry]}
    (root / "lake-manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for number in range(600):
        theorem = f"theorem d{number} : True := True.intro\n"
        (package / f"D{number}.lean").write_text(theorem, encoding="utf-8")
    stop = threading.Event()

    def hear(stage: str, done: int, total: int) -> None:
        if stage == "embed":
            stop.set()

    assert update_project(root, model, hear, stop.is_set).stopped
    (found,) = (one for one in examine(root, model=model) if one.name == "index")
    assert found.status == "note"
    assert re.search(r"; [1-9]\d* files are not in the index yet", found.message)
    assert found.fix.startswith("premise-suggest index ")
    assert ProjectIndex(root, model).freshness().stale_files > 0
    for left in (tmp_path / "index").glob("mine-*/manifest.json"):  # an old date, to be seen to change
        old = json.loads(left.read_text(encoding="utf-8"))
        left.write_text(json.dumps({**old, "built_at": "2020-01-01T00:00:00+00:00"}), encoding="utf-8")
    assert not update_project(root, model, lambda *_: None, lambda: False).stopped
    (found,) = (one for one in examine(root, model=model) if one.name == "index")
    assert found.status == "ok", found
    assert found.message.startswith("600 premises of ")
    assert "written 2020" not in found.message


def test_a_folder_without_lean_files_is_not_indexed(cli: Cli, tmp_path: Path) -> None:
    empty, index = tmp_path / "empty", tmp_path / "index"
    empty.mkdir()
    done = cli("index", empty, PREMISE_SUGGEST_INDEX=str(index))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: There is no .lean file under {empty}.\nhint: ")
    assert not index.exists()


def test_the_bundled_mathlib_and_the_core_answer_where_the_index_holds_nothing(
    cli: Cli, environment: dict[str, str], tmp_path: Path, core_size: tuple[int, int]
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n', encoding="utf-8")
    text = "-- nothing to offer\nexample (a : Nat) : a = a := by\n  sorry\n"
    (tmp_path / "A.lean").write_text(text, encoding="utf-8")
    premises, files = core_size
    assert f": {premises:,} premises in {files + 1} files " in cli("index", tmp_path).stdout
    asked = ["suggest", "--json", "--k", "5"]
    answer = json.loads(cli(*asked, "--state", "-", stdin=STATE, cwd=tmp_path).stdout)
    assert answer["premises"]
    answer = json.loads(cli(*asked, "--file", tmp_path / "A.lean", "--line", "3").stdout)
    assert answer["premises"]
    assert "holds no premises of its own, so only Mathlib's names and Lean's core" in answer["warnings"][0]
    assert {one["package"] for one in answer["index"]["sources"]} >= {"mathlib", "mini-core"}
    assert "0 premises of " in cli("doctor", tmp_path).stdout


def test_a_project_on_mathlib_is_answered_before_it_is_indexed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[require]]\nname = "mathlib"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("example (a : Nat) : a = a := by\n  sorry\n", encoding="utf-8")
    answer = answered(cli, "suggest", "--file", tmp_path / "A.lean", "--line", "2")
    assert answer["premises"]
    assert f"premise-suggest index {tmp_path}" in answer["warnings"][0]


def test_the_first_use_of_the_bundled_index_is_told(cli: Cli, tmp_path: Path) -> None:
    variables = {"PREMISE_SUGGEST_INDEX": str(tmp_path / "index")}
    said = [cli("suggest", "--state", "-", stdin=STATE, cwd=tmp_path, **variables).stderr for _ in range(2)]
    assert said == ["Unpacking the bundled Mathlib index (once) ...\n", ""]


def test_an_interrupted_index_goes_on_where_it_was(
    cli: Cli, environment: dict[str, str], tmp_path: Path, core_size: tuple[int, int]
) -> None:
    """SIGINT while reading; the next run ends the work, and everything is there."""
    folder = tmp_path / "many"
    folder.mkdir()
    theorems = "".join(f"theorem t{i} (n : Nat) : n + {i} = n + {i} := rfl\n" for i in range(100))
    for number in range(30):
        (folder / f"M{number}.lean").write_text(f"namespace M{number}\n{theorems}end M{number}\n")
    ours, theirs = terminal_pair()
    with subprocess.Popen(
        [str(SCRIPT), "index", str(folder)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**environment, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        shown = ""
        while "embedding:" not in shown:
            shown += os.read(ours, 4096).decode(errors="replace")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    rest = os.read(ours, 65536).decode(errors="replace")
    os.close(ours)
    assert "Run the same command again to continue." in rest
    done = cli("index", folder)
    assert done.returncode == 0
    assert f"{3000 + core_size[0]:,} premises in {30 + core_size[1]} files" in done.stdout
