"""`premise-suggest doctor`: what is set up, what is missing, and what mends it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lsp_server.commands.client_variables import client_variables
from lsp_server.commands.diagnosis import examine
from retriever.lean.index.bundled import DATA, part_path
from tests.lake.projects import LakeProject
from tests.lsp_server.conftest import Cli

pytestmark = pytest.mark.lean


def test_what_is_stale_is_told(cli: Cli, own_project: Path) -> None:
    path = own_project / "Lib" / "Basic.lean"
    path.write_text(path.read_text() + "\n-- more\n", encoding="utf-8")
    assert "1 file has changed since" in cli("doctor", own_project).stdout


def test_packages_that_lake_would_fetch(cli: Cli, lake_project: Callable[..., LakeProject]) -> None:
    made = lake_project(files={"Lib.lean": ""}, is_built=False)
    (made.root / "lake-manifest.json").unlink()
    variables = {"PATH": made.environment["PATH"]}
    found = {one["name"]: one for one in json.loads(cli("doctor", made.root, "--json", **variables).stdout)}
    assert found["lean"]["status"] == "note" and "has no lake-manifest.json" in found["lean"]["message"]
    assert "`lake build`" in found["lean"]["fix"]
    made.build()
    found = {one["name"]: one for one in json.loads(cli("doctor", made.root, "--json", **variables).stdout)}
    assert found["lean"]["status"] == "ok"


def test_what_is_not_indexed_yet_is_told(cli: Cli, own_project: Path) -> None:
    (own_project / "New.lean").write_text("theorem new : True := True.intro\n", encoding="utf-8")
    (own_project / "latin.lean").write_bytes(b"theorem caf\xe9 : True")  # never can be
    assert "1 file is not in the index yet" in cli("doctor", own_project).stdout
    assert cli("index", own_project).returncode == 0
    assert "up to date" in cli("doctor", own_project).stdout


@pytest.mark.parametrize("command", ["index", "doctor"])
def test_what_is_no_folder(cli: Cli, tmp_path: Path, command: str) -> None:
    done = cli(command, tmp_path / "nowhere")
    assert done.returncode == 2
    assert "is not a folder" in done.stderr


def test_doctor_sees_a_cut_off_part(environment: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(DATA, data)
    part_path(data, "uses").write_bytes(part_path(DATA, "uses").read_bytes()[:-1])
    found = {
        one.name: one for one in examine(tmp_path, model=environment["PREMISE_SUGGEST_MODEL"], data=data)
    }
    bundled = found["bundled Mathlib"]
    assert bundled.status == "missing"
    assert bundled.fix.startswith("install premise-suggest again")
    assert "cut off" in bundled.message


def test_doctor_does_not_blame_the_index_for_a_damaged_model(cli: Cli, project: Path, tmp_path: Path) -> None:
    done = cli("doctor", project, "--json", PREMISE_SUGGEST_MODEL=str(tmp_path))
    assert done.returncode == 1
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert found["model"]["status"] == "missing"
    assert found["index"]["status"] == "note"
    assert found["index"]["message"].startswith("not checked: the model is damaged")
    assert found["bundled Mathlib"]["status"] == "ok"


def test_doctor_says_what_is_there(cli: Cli, project: Path) -> None:
    done = cli("doctor", project, "--json")
    assert done.returncode == 0, done.stdout
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert "packaged" in found["lean"]["message"]
    assert found["model"]["status"] == "ok"
    assert found["index"]["status"] == "ok"
    assert "up to date" in found["index"]["message"]
    assert cli("doctor", project).stdout.startswith("ok ")


def test_doctor_looks_at_the_generator(cli: Cli, project: Path, tmp_path: Path) -> None:
    fixture = Path(__file__).parents[1] / "prover" / "generator" / "fixture"
    for folder, status, said in ((fixture, "ok", f"from {fixture}"), (tmp_path, "note", "no generator in")):
        done = cli("doctor", project, "--json", PREMISE_SUGGEST_GENERATOR=str(folder))
        assert done.returncode == 0  # templates go on without one
        found = {finding["name"]: finding for finding in json.loads(done.stdout)}
        assert found["generator"]["status"] == status
        assert said in found["generator"]["message"]


def test_doctor_names_the_command_that_mends(cli: Cli, tmp_path: Path) -> None:
    done = cli("doctor", tmp_path, "--lean", "no-such-program")
    assert done.returncode == 1
    assert "MISSING  lean: " in done.stdout
    assert f"to fix it: premise-suggest index {tmp_path}" in done.stdout


def test_doctor_ends_with_three_things_to_do(cli: Cli, project: Path, tmp_path: Path) -> None:
    def steps(folder: Path) -> list[str]:
        return cli("doctor", folder).stdout.partition("Next:\n")[2].splitlines()

    assert len(steps(project)) == 3 and "premise-suggest setup" in steps(project)[0]
    unindexed = tmp_path / "unindexed"
    unindexed.mkdir()
    (unindexed / "A.lean").write_text("theorem a : True := True.intro\n", encoding="utf-8")
    assert len(steps(unindexed)) == 3
    assert steps(unindexed)[0].endswith(f"premise-suggest index {unindexed}")


def test_doctor_tells_who_uses_lean_search_client_the_variable(cli: Cli, own_project: Path) -> None:
    assert "LeanSearchClient" not in cli("doctor", own_project).stdout
    (own_project / ".lake" / "packages" / "LeanSearchClient").mkdir(parents=True)
    said = cli("doctor", own_project).stdout
    assert client_variables() in said
