"""How long Lean's trials take in a project is kept, and counts in the order of the next ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position
from lsp_server.engine.engine import Engine
from lsp_server.engine.project_times import times_file
from lsp_server.engine.settings import Settings, parse
from prover.odds import KNOWN_WORDS, shipped_odds
from prover.trial_times import TrialTimes
from prover.verify import GoalPosition
from tests.lsp_server.conftest import Cli

LIBRARY = """axiom Box : Type
axiom Light : Box → Prop
axiom Heavy : Box → Prop
axiom light_of_heavy (b : Box) (h : Heavy b) : Light b
"""
TIME = {
    "tactics": {"seconds": 60, "count": 3, "source": "templates"},
    "lean": {"tacticSeconds": 20},
    "index": {"auto": False},
}
SECRET = "my_secret_lemma"


async def shown(root: Path, *, number: int = 0) -> list[str]:
    """What a new process would show at the end of a proof; the number makes another text of it."""
    settings, complaints = parse(TIME, Settings())
    assert complaints == []
    text = f"{LIBRARY}\naxiom {SECRET}{number} : Box\ntheorem t (b : Box) (h : Heavy b) : Light b := by\n  sorry\n"
    place = GoalPosition(root / "Boxes.lean", text, Position(text.count("\n") - 1, 2))
    engine = Engine(root, settings)
    try:
        return [one.tactic for one in (await engine.tactics_at(place)).outcomes]
    finally:
        await engine.close()


@pytest.mark.lean
async def test_times_are_kept_and_count(
    tmp_path: Path, cli: Cli, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "project"
    root.mkdir()
    (root / "Boxes.lean").write_text(LIBRARY, encoding="utf-8")
    assert cli("index", root).returncode == 0
    file = times_file(root)
    assert not file.exists()
    first = await shown(root)
    kept = json.loads(file.read_text(encoding="utf-8"))["seconds"]
    assert kept[""][0] == 3 and kept.keys() <= KNOWN_WORDS | {""}
    assert any(one.startswith("exact light_of_heavy") for one in first)

    slow = dict.fromkeys(("exact", "apply", "refine"), (200.0, 30.0))
    file.write_text(json.dumps({"seconds": slow | {SECRET: (9.0, 9.0)}}), encoding="utf-8")
    later = await shown(root, number=1)
    assert not any(one.startswith("exact light_of_heavy") for one in later)
    assert SECRET not in file.read_text(encoding="utf-8")

    file.write_text("{", encoding="utf-8")
    assert await shown(root, number=2) == first
    assert json.loads(file.read_text(encoding="utf-8"))["seconds"][""][0] == 3


NUMBERS = st.floats() | st.sampled_from([0.5, 3.0, 1e300])


@given(
    st.dictionaries(st.sampled_from(["", "rw", "simp", "own_word"]), st.tuples(NUMBERS, NUMBERS)),
    st.lists(st.tuples(st.sampled_from(["rw [a]", "simp", "own_word x", ""]), st.floats(1e-6, 1e6))),
)
def test_whatever_is_kept_seconds_are_positive(
    means: dict[str, tuple[float, float]], trials: list[tuple[str, float]]
) -> None:
    times, usual = TrialTimes(means), shipped_odds().seconds
    for tactic, seconds in trials:
        times.note(tactic, seconds)
    found = times.seconds(usual)
    assert found.keys() >= usual.keys() and all(0 < one < float("inf") for one in found.values())
    assert times.means.keys() <= {"", "rw", "simp"} and all(count <= 200 for count, _ in times.means.values())
    assert TrialTimes(times.means).seconds(usual) == found


def test_a_word_that_became_slow_is_noticed_and_a_small_difference_is_not() -> None:
    times, usual = TrialTimes({"rw": (1000.0, 0.1)}), {"": 0.03, "simp": 0.02}
    assert times.seconds(usual) == usual
    for _ in range(100):
        times.note("simp [a]", 4.0)
    assert 3.5 < times.seconds(usual)["simp"] < 4 and "rw" not in times.seconds(usual)
    assert times.seconds(usual)[""] > 3.5
    for _ in range(400):
        times.note("rw [a]", 2.0)
    assert 1.6 < times.seconds(usual)["rw"] < 2
