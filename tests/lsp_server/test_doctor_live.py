"""`doctor --live`: the project's own Lean is run once, and what it takes is reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.lake.projects import LakeProject
from tests.lsp_server.conftest import Cli

pytestmark = pytest.mark.lean

Make = Callable[..., LakeProject]
LAKEFILE = 'name = "lib"\n\n[[lean_lib]]\nname = "Lib"\nleanOptions.pp.unicode.fun = true\n'
FILES = {"Lib.lean": "theorem lib_fact (p : Prop) (h : p) : p := by\n  exact h\n"}
NAMES = ["live: start", "live: goal", "live: options", "live: premises", "live: tactics", "live: memory"]


def test_one_goal_its_premises_and_tactics(cli: Cli, lake_project: Make) -> None:
    project = lake_project(files={**FILES, "lakefile.toml": LAKEFILE})
    path = {"PATH": project.environment["PATH"]}
    assert cli("index", project.root, **path).returncode == 0
    done = cli("doctor", "--live", "--json", project.root, **path)
    found = {one["name"]: one for one in json.loads(done.stdout)}
    assert [name for name in found if name.startswith("live")] == NAMES
    assert {found[name]["status"] for name in NAMES} == {"ok"}
    assert re.fullmatch(r"Lib\.lean:1 in \d+\.\d s: p", found["live: goal"]["message"])
    assert found["live: options"]["message"].startswith("pp.unicode.fun=true; from Lake in ")
    assert re.match(r"[1-9]\d* accepted in \d+\.\d s: \S", found["live: tactics"]["message"])
    assert re.match(r"[1-9]\d* MB for [1-9]\d* processes of Lean, [1-9]", found["live: memory"]["message"])


def test_what_keeps_lean_from_answering_is_a_finding(cli: Cli, lake_project: Make) -> None:
    project = lake_project(files=FILES)
    path = {"PATH": project.environment["PATH"]}
    assert cli("index", project.root, **path).returncode == 0
    (project.root / "lakefile.toml").write_text("name = ", encoding="utf-8")
    done = cli("doctor", "--live", project.root, **path)
    assert done.returncode == 1
    assert re.search(r"MISSING +live", done.stdout)
