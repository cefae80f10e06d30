"""The real programs on a hostile project: the files that they open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hostile.opened_files import opened, outside, watched, watched_command
from tests.hostile.project_files import at_path, git, link, make_odd_names, manifest, write
from tests.lsp_server.conftest import FIXTURE_MODEL, start_editor, stop_editor


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ELAN", "LEAN"))}
    return {
        **kept,
        "PATH": "/usr/bin:/bin",
        "ELAN_HOME": str(tmp_path / "no-elan"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PREMISE_SUGGEST_INDEX": str(tmp_path / "cache" / "index"),
        "PREMISE_SUGGEST_MODEL": str(FIXTURE_MODEL),
    }


@pytest.fixture
def hostile(root: Path) -> Path:
    """A project that tries all of it at once, and one package outside that it may read."""
    secret = root.parent / "secret"
    lib = root.parent / "lib"
    write(lib / "lakefile.toml", 'name = "lib"\n')
    write(lib / "L.lean", "theorem of_lib : True := trivial\n")
    link(lib / "Out.lean", secret / "S.lean")
    write(root / "A.lean", "import S\n\ntheorem mine : True := trivial\n")
    link(root / "S.lean", secret / "S.lean")
    link(root / "Folder", secret)
    link(root / "run.json", secret / "S.lean")
    link(root / "lakefile.lean", secret / "S.lean")
    link(root / "lean-toolchain", secret / "S.lean")
    link(root / ".lake/packages/listed", secret)
    link(root / ".lake/packages/unlisted", "/")
    manifest(root, at_path("lib", "../lib"), at_path("all", "/"), git("listed"), git("up", subDir="../../.."))
    (root / ".lake/packages/up").mkdir()
    write(root / "lakefile.toml", "a = " + "[" * 5000 + "\n")
    make_odd_names(root)
    return root


def test_index_reads_nothing_outside(hostile: Path, environment: dict[str, str], tmp_path: Path) -> None:
    run = watched(["index", hostile], tmp_path / "record", environment)
    assert run.done.returncode == 0, run.done.stderr
    assert run.done.stdout.startswith(f"{hostile}: ")
    assert f"includes the package lib in {tmp_path / 'lib'}, outside the project" in run.done.stderr
    for words in ("S.lean is left out", "caf\\xe9.lean is left out", "lakefile.toml cannot be read"):
        assert words in run.done.stderr
    assert "Traceback" not in run.done.stderr
    assert "\x1b" not in run.done.stderr
    assert str(hostile / "A.lean") in run.opened
    assert str(tmp_path / "lib" / "L.lean") in run.opened
    assert run.outside([hostile, tmp_path / "lib", tmp_path / "cache"]) == []


def test_what_is_opened_outside_is_seen(root: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The measure itself: the secret, given as a project, is seen."""
    run = watched(["index", tmp_path / "secret"], tmp_path / "record", environment)
    assert run.done.returncode == 0, run.done.stderr
    assert str(tmp_path / "secret" / "S.lean") in run.outside([root, tmp_path / "cache"])


async def test_the_server_reads_nothing_outside(
    hostile: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    record = tmp_path / "record"
    editor = await start_editor(hostile, environment, command=watched_command(record))
    editor.open("A.lean")
    await editor.indexed()
    answer = await editor.suggest("A.lean", 2, 0, goal="⊢ True", tactics=False, k=1000)
    names = {premise["name"] for premise in answer["premises"]}
    assert "of_lib" in names
    assert "secret" not in names
    location = await editor.request("premiseSuggest/declaration", {"name": "secret", "module": "S"})
    assert location["location"] is None
    said = [message.message for message in editor.client.log_messages]
    assert [one for one in said if "includes the package lib" in one], said
    await stop_editor(editor)
    assert outside(opened(record), [hostile, tmp_path / "lib", tmp_path / "cache"]) == []
