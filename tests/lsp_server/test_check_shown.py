"""The check of what is shown: a fresh Lean finds out a tactic that does not do what is said of it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from lean_extract.records import Position
from lean_extract.session import LeanSession
from lean_extract.session.document import LeanDocument
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import EditItem, IndexItem, TacticItem
from lsp_server.engine.settings import Settings

pytestmark = [pytest.mark.lean, pytest.mark.usefixtures("example_oleans")]

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_shown_tactics.py"
PROOF = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  {}\n"
LEFT = ["case left\np q : Prop\nh : p ∧ q\n⊢ q", "case right\np q : Prop\nh : p ∧ q\n⊢ p"]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_shown_tactics", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("tactic", "status", "left", "said"),
    [
        ("exact ⟨h.2, h.1⟩", "closes", [], ""),
        ("exact h", "closes", [], "Type mismatch"),
        ("exact sorry", "closes", [], "it rests on sorryAx"),
        ("constructor", "closes", [], "unsolved goals"),
        ("constructor", "progress", LEFT, ""),
        ("constructor", "progress", LEFT[:1], ""),
        ("constructor", "progress", LEFT[::-1], "other goals are left"),
        ("exact ⟨h.2, h.1⟩", "progress", LEFT, "no goal is left"),
        ("constructor; exact h", "progress", LEFT, "Type mismatch"),
    ],
)
def test_what_is_said_of_a_tactic_is_looked_into(
    script: ModuleType, tactic: str, status: str, left: list[str], said: str
) -> None:
    lean = script.FreshLean()
    text = PROOF.format(tactic)
    item = TacticItem(tactic, status, left)
    if status == "closes":
        found = sys.modules["fresh_lean"].closes_amiss(
            lean.messages(f"{text}\n#print axioms swap\n"), is_whole=True
        )
    else:
        found = script.leaves_amiss(lean.messages(text), item.remaining_goals)
    assert found.startswith(said) and bool(found) == bool(said), found


def test_a_run_and_the_same_run_again(environment: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "shown.jsonl"

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPT), "--out", str(out), *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)

    first = run("--goals", "2", "--tactics-from", "templates")
    assert first.returncode == 0, first.stdout + first.stderr
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    out.write_text("\n".join([*lines[:2], lines[2][:40]]), encoding="utf-8")  # as a killed run leaves it
    again = run("--goals", "2", "--tactics-from", "templates")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "exceptions: shown, but refused by a fresh Lean  0" in again.stdout
    written = out.read_text(encoding="utf-8").splitlines()
    assert written[:2] == lines[:2]
    assert json.loads(written[2])["key"] == json.loads(lines[2])["key"]
    other = run("--goals", "2", "--seed", "9")
    assert other.returncode == 2
    assert "of another run" in other.stderr


BROKEN = {
    "key": "k",
    "kind": "a kind",
    "path": Path("Example/New.lean"),
    "theorem": "of_f",
    "text": "def f (n : Nat) : Nat := foo n\n\ntheorem of_f : f 2 = f 3 := by\n  sorry\n",
    "mended": "def f (n : Nat) : Nat := n\n\ntheorem of_f : f 2 = f 3 := by\n  sorry\n",
}


class Answers:
    """An engine that shows `rfl`, with this status, and reads goals as a real one does."""

    def __init__(self, engine: Engine, status: str) -> None:
        self._engine = engine
        self._status = status

    async def session(self) -> LeanSession:
        return await self._engine.session()

    async def suggest(self, request: SuggestRequest) -> Suggestion:
        index = IndexItem([], None, 0, None, "")
        edit = EditItem(4, 3, 4, 8, "rfl")
        return Suggestion("", [], [TacticItem("rfl", self._status, [], edit=edit)], index, {})


@pytest.mark.parametrize("status", ["closes", "unjudged"])
async def test_what_was_shown_as_closing_is_judged_in_the_mended_file(
    script: ModuleType, status: str
) -> None:
    place = Position(3, 2)
    case = sys.modules["shown_goals"].Broken(place=place, mended_place=place, **BROKEN)
    engine = Engine(EXAMPLE, Settings(), resolve_lean(EXAMPLE, environment={}))
    result = await script.BrokenCheck(Answers(engine, status), script.FreshLean()).ask(case)
    await engine.close()
    assert not result.unusable
    assert list(result.exceptions) == (["rfl"] if status == "closes" else [])
    assert result.refused == (status == "unjudged")
    table = script.broken_check.report([result], 0, 1.0)
    assert f"refused once mended  {int(status == 'closes')}" in table


def test_the_broken_corpus_has_more_than_twenty_kinds_each_broken_and_mended(script: ModuleType) -> None:
    found = list(sys.modules["shown_goals"].cases(EXAMPLE, 60, 3))
    assert len({case.kind for case in found}) >= 20
    assert all(case.text != case.mended for case in found)
    assert all(
        LeanDocument(case.mended).line(case.mended_place.line)[case.mended_place.column :].startswith("sorry")
        for case in found
    )
    again = sys.modules["shown_goals"].cases(EXAMPLE, 60, 3)
    assert [case.text for case in found] == [case.text for case in again]
