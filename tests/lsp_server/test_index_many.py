"""`premise-suggest index` of many projects: one after another, and on Dask, where packages are indexed once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.dask_processes import QUIET, scheduler, worker
from tests.environments import own_indexes
from tests.lsp_server.conftest import Cli, answered, premise_names

pytest.importorskip("distributed")


def sharing(folder: Path, name: str) -> Path:
    """A project of one theorem, with a package at a fixed revision that others have, too."""
    root = folder / name
    package = root / ".lake" / "packages" / "dep"
    package.mkdir(parents=True)
    entry = {"name": "dep", "type": "git", "rev": "abc"}
    manifest = {"name": name, "packagesDir": ".lake/packages", "packages": [entry]}
    (root / "lake-manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (root / "lakefile.toml").write_text(f'name = "{name}"\n', encoding="utf-8")
    (package / "Dep.lean").write_text("theorem of_the_package : True := trivial\n", encoding="utf-8")
    (root / "Mine.lean").write_text(f"theorem of_{name} : True := trivial\n", encoding="utf-8")
    return root


@pytest.fixture
def projects(tmp_path: Path) -> list[Path]:
    return [sharing(tmp_path, name) for name in ("one", "two", "three")]


def names_found(cli: Cli, root: Path, index: Path) -> set[str]:
    variables = {"PREMISE_SUGGEST_INDEX": str(index)}
    return {*premise_names(answered(cli, "search", "of_", "--k", "20", cwd=root, **variables))}


@pytest.mark.parametrize("how", [(), ("--processes", "2")])
def test_each_project_gets_its_index_and_their_package_one(
    cli: Cli, projects: list[Path], tmp_path: Path, how: tuple[str, ...]
) -> None:
    index = own_indexes(tmp_path / "index")
    done = cli("index", *projects, *how, "--quiet", PREMISE_SUGGEST_INDEX=str(index))
    assert (done.returncode, done.stderr) == (0, "")
    assert {line.partition(":")[0] for line in done.stdout.splitlines()} == set(map(str, projects))
    assert len([*(index / "packages").glob("dep-abc-*")]) == 1
    for root in projects:
        assert names_found(cli, root, index) >= {f"of_{root.name}", "of_the_package"}
    again = cli("index", *projects, *how, "--quiet", PREMISE_SUGGEST_INDEX=str(index))
    assert again.stdout.count("(0 read, 0 removed") == 3


@pytest.mark.parametrize("how", [(), ("--processes", "2")])
def test_a_project_that_cannot_be_indexed_is_told_and_the_others_are_done(
    cli: Cli, projects: list[Path], tmp_path: Path, how: tuple[str, ...]
) -> None:
    index, empty = own_indexes(tmp_path / "index"), tmp_path / "empty"
    empty.mkdir()
    done = cli("index", projects[0], empty, projects[1], *how, "--quiet", PREMISE_SUGGEST_INDEX=str(index))
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {empty}: There is no .lean file under {empty}.")
    assert "Traceback" not in done.stderr
    for root in projects[:2]:
        assert f"of_{root.name}" in names_found(cli, root, index)


def test_workers_that_keep_their_indexes_elsewhere_are_refused(
    cli: Cli, environment: dict[str, str], projects: list[Path], tmp_path: Path
) -> None:
    elsewhere = {**QUIET, **environment, "PREMISE_SUGGEST_INDEX": str(tmp_path / "elsewhere")}
    with scheduler() as (address, _), worker(address, elsewhere):
        done = cli(
            "index", projects[0], "--scheduler", address, PREMISE_SUGGEST_INDEX=str(tmp_path / "index")
        )
    assert done.returncode == 1
    assert f"A worker keeps its indexes in {tmp_path / 'elsewhere'}, and here they are in" in done.stderr
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--name", "both", "--store", "postgresql:///x"], "--name is the name of one library."),
        (["--memory", "4GB"], "--memory is for --processes."),
        (["--processes", "2", "--memory", "much"], "'much' is not an amount of memory."),
        (["--processes", "2", "--scheduler", "tcp://127.0.0.1:9"], "--processes is for this machine."),
        (["--backend", "naturalproofs"], "The backend naturalproofs needs one source."),
    ],
)
def test_what_cannot_be_done_is_told(
    cli: Cli, projects: list[Path], tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = cli("index", *projects, *arguments, PREMISE_SUGGEST_INDEX=str(tmp_path / "index"))
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
