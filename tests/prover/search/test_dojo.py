"""The same search over LeanDojo, played by a table; the real one needs Lake."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_extract.common.errors import UserError
from lean_extract.traced import lean_dojo
from lean_extract.traced.lean_dojo import LeanDojo, LeanDojoMissing, load_lean_dojo
from prover.search.dojo import DojoEnvironment
from prover.search.search import SearchLimits, search
from tests.fakes.lean_dojo_package import Plot, Table, make_package
from tests.prover.search.helpers import Scripts

LIMITS = SearchLimits(seconds=30, nodes=20, tactics=8, tactic_seconds=0.2)
TABLE: Table = {
    "p q : Prop\n⊢ p ∧ q": {
        "constructor": "case left\np q : Prop\n⊢ p\n\ncase right\np q : Prop\n⊢ q",
        "loops": "loops",
        "crashes": "crashes",
        "give_up": "gives up",
        "odd": "unreadable",
        "killed": "killed",
    },
    "case left\np q : Prop\n⊢ p\n\ncase right\np q : Prop\n⊢ q": {
        "crashes": "crashes",
        "exact hp": "p q : Prop\n⊢ q",
    },
    "p q : Prop\n⊢ q": {"loops": "loops", "exact hq": "done"},
}
FIRST = "p q : Prop\n⊢ p ∧ q"
Load = Callable[[Plot], LeanDojo]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    def loaded(plot: Plot) -> LeanDojo:
        monkeypatch.setitem(sys.modules, "lean_dojo", make_package(plot))
        return load_lean_dojo()

    return loaded


def environment(library: LeanDojo, folder: Path, **options: int) -> DojoEnvironment:
    return DojoEnvironment(library, library.theorem(folder, Path("A.lean"), "A.t"), **options)


async def test_a_proof_is_found_past_all_that_can_go_wrong(load: Load, tmp_path: Path) -> None:
    plot = Plot(TABLE, FIRST)
    limits = SearchLimits(seconds=30, nodes=20, tactics=9, tactic_seconds=0.2)
    scripts = Scripts(
        "no_such", "odd", "give_up", "loops", "crashes", "killed", "constructor", "exact hp", "exact hq"
    )
    async with environment(load(plot), tmp_path, deaths=9) as dojo:
        result = await search(dojo, scripts, limits)
    assert (result.status, result.proof) == ("proved", ("constructor", "exact hp", "exact hq"))
    found = {item.tactic: (item.status, item.message) for item in result.tree.nodes[0].attempts}
    assert found == {
        "no_such": ("fails", "unknown tactic"),
        "odd": ("fails", "LeanDojo cannot read the resulting state"),
        "give_up": ("fails", "it leaves the goal to `sorry`"),
        "loops": ("timeout", "Lean did not finish within 0.2 s"),
        "crashes": ("fails", "Lean died: DojoCrashError('OOM')"),
        "killed": ("fails", "Lean died: AssertionError()"),
        "exact hp": ("fails", "unknown tactic"),
    }  # the ninth waits, since `constructor` splits the conjunction
    # Each Lean that was given up has been ended once, and states were reached anew in the next.
    assert [one.exits for one in plot.dojos] == [1] * len(plot.dojos)
    assert plot.dojos[-1].ran[:2] == ["constructor", "exact hp"]
    goals = [result.tree.nodes[place].goals for place in result.tree.ancestry(result.tree.proved or 0)]
    assert [len(printed) for printed in goals] == [1, 2, 1, 0]


async def test_a_lean_that_keeps_dying_ends_the_search(load: Load, tmp_path: Path) -> None:
    table: Table = {FIRST: {"one": "crashes", "two": "crashes"}}
    async with environment(load(Plot(table, FIRST)), tmp_path, deaths=1) as dojo:
        result = await search(dojo, Scripts("one", "two"), LIMITS)
    assert result.status == "failed"
    assert "LeanDojo's Lean died again: DojoCrashError('OOM')." in result.reason


async def test_a_theorem_that_cannot_be_opened(load: Load, tmp_path: Path) -> None:
    plot = Plot(TABLE, FIRST, opens=False)
    async with environment(load(plot), tmp_path) as dojo:
        result = await search(dojo, Scripts("constructor"), LIMITS)
    assert result.status == "failed"
    assert "LeanDojo cannot open A.t: DojoInitError('Unexpected EOF')" in result.reason
    assert "`lake`" in result.reason


async def test_being_cancelled_ends_lean_at_once(load: Load, tmp_path: Path) -> None:
    plot = Plot(TABLE, FIRST)
    async with environment(load(plot), tmp_path) as dojo:
        limits = SearchLimits(seconds=1000, tactic_seconds=900)
        running = asyncio.create_task(search(dojo, Scripts("loops"), limits))
        await asyncio.to_thread(plot.looping.wait)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert [one.exits for one in plot.dojos] == [1]


async def test_what_is_requested_of_dojo(load: Load, tmp_path: Path) -> None:
    plot = Plot(TABLE, FIRST)
    async with environment(load(plot), tmp_path) as dojo:
        await dojo.start()
        outcomes = [item async for item in dojo.run((), ["constructor"], timeout=7)]
    [one] = plot.dojos
    assert (one.timeout, one.build_deps, one.proc.timeout) == (600, False, 7)
    assert one.entry.full_name == "A.t"
    assert [item.status for item in outcomes] == ["progress"]
    assert [goal.case for goal in outcomes[0].state.goals] == ["left", "right"]  # type: ignore[union-attr]


def test_a_folder_that_is_no_clone(load: Load, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="LeanDojo cannot read"):
        load(Plot(TABLE, FIRST)).repository(tmp_path / "gone")


def test_lean_dojo_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lean_dojo", None)
    with pytest.raises(LeanDojoMissing, match="LeanDojo is not installed") as caught:
        load_lean_dojo()
    assert "premise-suggest[dojo]" in caught.value.hint


def test_a_python_that_is_too_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "lean_dojo", raising=False)
    monkeypatch.setattr(lean_dojo, "_LAST_PYTHON", (3, 10))
    with pytest.raises(LeanDojoMissing, match="does not run in Python 3"):
        load_lean_dojo()


def test_no_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LeanDojoMissing, match="needs git"):
        load_lean_dojo()


@pytest.mark.parametrize("version", ["3.0.0", "5.1.0", "unknown"])
def test_another_version(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setitem(sys.modules, "lean_dojo", make_package(Plot(TABLE, FIRST), version=version))
    with pytest.raises(LeanDojoMissing, match=f"LeanDojo {version} is not version 4"):
        load_lean_dojo()


def test_a_version_that_lacks_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    package = make_package(Plot(TABLE, FIRST))
    del package.ProofGivenUp
    monkeypatch.setitem(sys.modules, "lean_dojo", package)
    with pytest.raises(LeanDojoMissing, match="it lacks ProofGivenUp"):
        load_lean_dojo()


IMPORTED = """
import os
SEEN = {name: os.environ.get(name) for name in ("GITHUB_ACCESS_TOKEN", "DISABLE_REMOTE_CACHE")}
raise AssertionError(f"git is too old {SEEN}")
"""


def test_the_import_sees_no_token_and_its_failure_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "lean_dojo.py").write_text(IMPORTED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lean_dojo", raising=False)
    monkeypatch.setenv("GITHUB_ACCESS_TOKEN", "secret")
    monkeypatch.delenv("DISABLE_REMOTE_CACHE", raising=False)
    with pytest.raises(LeanDojoMissing, match="git is too old") as caught:
        load_lean_dojo()
    assert "{'GITHUB_ACCESS_TOKEN': None, 'DISABLE_REMOTE_CACHE': '1'}" in caught.value.message
    assert os.environ["GITHUB_ACCESS_TOKEN"] == "secret"
    assert "DISABLE_REMOTE_CACHE" not in os.environ
