"""Suggestions where Lean runs elsewhere: behind leanprover-community/repl, and in LeanDojo; both are played."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import scripted_repl
from tests.lsp_server.conftest import Cli, Editor, start_editor, stop_editor, succeed

REPOSITORY = Path(__file__).parents[2]
PLAYED = """
from tests.fakes.lean_dojo_package import Plot, make_package

FIRST = "p q : Prop\\nh : p ∧ q\\n⊢ q ∧ p"
LEFT = "case left\\np q : Prop\\nh : p ∧ q\\n⊢ q\\n\\ncase right\\np q : Prop\\nh : p ∧ q\\n⊢ p"
RIGHT = "case right\\np q : Prop\\nh : p ∧ q\\n⊢ p"
TABLE = {
    FIRST: {"exact and_swap h": "done", "constructor": LEFT, "skip": FIRST},
    LEFT: {"exact h.2": RIGHT},
    RIGHT: {"exact h.1": "done"},
}
globals().update(make_package(Plot(TABLE, FIRST)).__dict__)
"""


def repl_command(tmp_path: Path, scenario: str = "honest") -> str:
    return shlex.join([sys.executable, scripted_repl.__file__, scenario, str(tmp_path / "diary")])


def test_a_repl_gives_the_goal_and_the_verdicts(cli: Cli, project: Path, tmp_path: Path) -> None:
    asked = ["suggest", "--file", project / "Work.lean", "--line", "9", "--tactics", "--json"]
    done = succeed(cli, *asked, "--repl", repl_command(tmp_path), cwd=project)
    answer = json.loads(done.stdout)
    assert answer["goal"] == scripted_repl.GOAL
    assert answer["premises"][0]["name"] == "Lib.plus_swap"
    [accepted] = answer["tactics"]
    assert (accepted["tactic"], accepted["status"]) == ("exact Lib.plus_swap _ _", "closes")
    diary = (tmp_path / "diary").read_text(encoding="utf-8")
    assert diary.count("start\n") == 1
    assert diary.count("\ntactic ") > 4


@pytest.mark.parametrize(
    ("command", "said"),
    [("no-such-repl", "no program no-such-repl"), ("'open", "cannot be split into words")],
)
def test_a_repl_that_cannot_be_started_is_told(cli: Cli, project: Path, command: str, said: str) -> None:
    done = cli("suggest", "--file", project / "Work.lean", "--line", "9", "--repl", command)
    assert done.returncode in (1, 2)
    assert said in done.stderr


async def test_an_editor_may_name_the_repl(
    project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    lean = {"source": "repl", "replCommand": repl_command(tmp_path)}
    editor: Editor = await start_editor(
        project, environment, options={"lean": lean, "index": {"onSave": False}}
    )
    editor.open("Work.lean")
    asked = {"textDocument": {"uri": editor.uri("Work.lean")}, "position": {"line": 8, "character": 4}}
    answer: Any = await editor.request("premiseSuggest/suggest", asked)
    assert answer["goal"] == scripted_repl.GOAL
    await stop_editor(editor)


@pytest.fixture
def dojo(project: Path, environment: dict[str, str], tmp_path: Path) -> Any:
    """Runs `suggest --dojo` with a LeanDojo that plays a table."""
    (tmp_path / "lean_dojo.py").write_text(PLAYED, encoding="utf-8")

    def run(theorem: str, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lsp_server", "suggest", "--dojo", f"{project}:{theorem}", *more],
            env={**environment, "PYTHONPATH": f"{tmp_path}:{REPOSITORY}"},
            cwd=project,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_a_theorem_in_lean_dojo_has_goal_premises_and_verdicts(dojo: Any) -> None:
    done = dojo("Lib/Basic.lean:Lib.or_swap", "--tactics", "--tactics-from", "templates", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["goal"].endswith("⊢ q ∧ p")
    assert answer["premises"][0]["name"] == "Lib.and_swap"
    assert answer["premises"][0]["in_scope"]
    assert {one["tactic"]: one["status"] for one in answer["tactics"]}["exact and_swap h"] == "closes"


def test_tactics_may_be_run_first(dojo: Any) -> None:
    done = dojo("Lib/Basic.lean:Lib.or_swap", "--after", "constructor", "--after", "exact h.2", "--json")
    assert json.loads(done.stdout)["goal"] == "case right\np q : Prop\nh : p ∧ q\n⊢ p"


@pytest.mark.parametrize(
    ("theorem", "more", "said"),
    [
        (
            "Lib/Basic.lean:Lib.or_swap",
            ["--after", "nonsense"],
            "Tactic 1 of --after, `nonsense`, fails: unknown tactic",
        ),
        ("Lib/Basic.lean:nowhere", [], "Lib/Basic.lean has no theorem nowhere"),
        ("Nowhere.lean:swap", [], "There is no file Nowhere.lean"),
        (
            "Lib/Basic.lean:Lib.or_swap",
            ["--line", "3"],
            "--line, --column and --repl are not used with --dojo",
        ),
    ],
)
def test_what_is_wrong_with_a_theorem_is_told(dojo: Any, theorem: str, more: list[str], said: str) -> None:
    done = dojo(theorem, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
