"""Goals and verdicts through leanprover-community/repl, played by a process that speaks its protocol."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from lean_extract.common.errors import (
    BadPosition,
    LeanDied,
    LeanError,
    LeanNotFound,
    LeanTimeout,
    NoGoalHere,
    ProjectBroken,
)
from lean_extract.goals import format_goal
from lean_extract.records import Position, TacticOutcome
from lean_extract.repl import ReplSession
from lean_extract.session import LeanLimits, processes
from tests.fakes import scripted_repl

TEXT = """import Some.Module -- of ours

namespace Mine

theorem above (n : Nat) : n = n := rfl

theorem swap (a b : Nat) : a + b = b + a := by
  sorry

theorem term (a b : Nat) : a + b = b + a := sorry

theorem step (a b : Nat) : a + b = b + a := by
  rw [Nat.add_comm]

end Mine
"""
FILE = Path("Mine.lean")
Starts = Callable[..., "asynccontextmanager[ReplSession]"]


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


@pytest.fixture
def start(tmp_path: Path, diary: Path) -> Callable[..., object]:
    """Opens a session on a scenario."""

    @asynccontextmanager
    async def opened(scenario: str = "honest", **limits: float) -> AsyncIterator[ReplSession]:
        command = [sys.executable, scripted_repl.__file__, scenario, str(diary)]
        given = LeanLimits(**{"start_seconds": 20.0, "request_seconds": 20.0, **limits})  # type: ignore[arg-type]
        session = await ReplSession.start(tmp_path, command, given)
        try:
            yield session
        finally:
            await session.close()

    return opened


def place(text: str, word: str) -> Position:
    offset = text.index(word)
    return Position(text[:offset].count("\n"), offset - text.rfind("\n", 0, offset) - 1)


async def outcomes(
    session: ReplSession, tactics: list[str], text: str = TEXT, word: str = "sorry", **more: float
) -> list[TacticOutcome]:
    async with aclosing(session.try_tactics(FILE, text, place(text, word), tactics, **more)) as found:
        return [one async for one in found]


@pytest.mark.parametrize("word", ["sorry", "sorry\n\ntheorem step", "rw [Nat"])
async def test_the_goal_is_that_of_the_sorry_or_of_one_put_there(
    start: Starts, diary: Path, word: str
) -> None:
    async with start() as session:
        state = await session.goals_at(FILE, TEXT, place(TEXT, word))
        assert session.lean_version == "4.33.0-rc2"
    assert [format_goal(goal) for goal in state.goals] == [scripted_repl.GOAL]
    sent = diary.read_text(encoding="utf-8").splitlines()[2:]
    assert sent[0] == 'cmd - "import Some.Module\\n"'
    assert sent[1].startswith('cmd 1 " -- of ours\\n\\nnamespace Mine')
    assert sent[2].startswith('cmd 2 "theorem ')


async def test_verdicts_say_what_the_repl_says(start: Starts) -> None:
    tactics = [*scripted_repl.STEPS, "nonsense", "babble", "exact (", "sorry"]
    async with start() as session:
        found = {one.tactic: one for one in await outcomes(session, tactics)}
    closing = [tactic for tactic, one in found.items() if one.status == "closes"]
    assert closing == ["exact Nat.add_comm a b", "exact Lib.plus_swap _ _", "exact?"]
    assert found["exact?"].shown == "exact Nat.add_comm a b"
    assert found["exact?"].edit == found["exact Nat.add_comm a b"].edit
    assert [tactic for tactic, one in found.items() if one.status == "progress"] == [
        "rw [Nat.add_comm]",
        "constructor",
    ]
    left = found["constructor"].state
    assert left is not None and [goal.target for goal in left.goals] == ["True", "False"]
    assert found["skip"].message == "changes nothing"
    assert "kernel" in found["exact unchecked"].message
    assert found["half"].message == "half of it failed"
    assert found["exact given_up"].message == "Incomplete: contains sorry"
    assert "sorry" in found["first | sorry"].message
    assert found["nonsense"].message.startswith("<input>:1:0: unknown tactic")
    assert "has an unknown form" in found["babble"].message
    assert found["exact ("].status == "fails"


async def test_an_older_repl_that_says_no_status_closes_goals_too(start: Starts) -> None:
    async with start("old") as session:
        [closing, given_up] = await outcomes(session, ["exact Nat.add_comm a b", "first | sorry"])
    assert (closing.status, given_up.status) == ("closes", "fails")


async def test_an_error_above_leaves_a_tactic_unjudged(start: Starts) -> None:
    text = TEXT.replace(":= rfl", ":= broken")
    async with start() as session:
        [outcome] = await outcomes(session, ["exact Nat.add_comm a b"], text)
    assert (outcome.status, outcome.message) == ("unjudged", "cannot be judged: line 5 has an error")


async def test_a_file_cannot_hide_that_a_definition_is_left_to_sorry(start: Starts) -> None:
    above = "set_option warn.sorry false\n\ndef above : Nat := sorry"
    text = TEXT.replace("theorem above (n : Nat) : n = n := rfl", above)
    async with start() as session:
        [outcome] = await outcomes(session, ["exact Nat.add_comm a b"], text, word="  sorry")
    assert outcome.message == "cannot be judged: line 7 leaves a definition to `sorry`"


@pytest.mark.parametrize(("above", "status"), [("theorem", "closes"), ("def", "unjudged")])
async def test_a_sorry_above_counts_where_it_is_of_a_definition(
    start: Starts, above: str, status: str
) -> None:
    text = f"{above} before : 1 = 1 := sorry\n\n" + TEXT.partition("\n\n")[2]
    async with start() as session:
        [outcome] = await outcomes(session, ["exact Nat.add_comm a b"], text, "sorry\n\ntheorem term")
    assert outcome.status == status


@pytest.mark.parametrize("tactic", ["loop", "die"])
async def test_after_silence_and_death_the_next_tactic_has_a_new_repl(
    start: Starts, diary: Path, tactic: str
) -> None:
    tactics = ["rw [Nat.add_comm]", tactic, "exact Nat.add_comm a b"]
    async with start() as session:
        first = session.pid
        found = await outcomes(session, tactics, timeout=0.5 if tactic == "loop" else 20.0)
        assert session.pid != first
    assert [one.status for one in found] == ["progress", "timeout" if tactic == "loop" else "fails", "closes"]
    assert diary.read_text(encoding="utf-8").count("start\n") == 2
    assert tactic == "loop" or "out of memory" in found[1].message


async def test_text_above_is_run_once(start: Starts, diary: Path) -> None:
    async with start() as session:
        await session.prepare(FILE, TEXT, place(TEXT, "sorry"))
        await session.goals_at(FILE, TEXT, place(TEXT, "sorry"))
        await outcomes(session, ["skip", "constructor"])
        changed = TEXT.replace("rw [Nat.add_comm]", "simp")
        await session.goals_at(FILE, changed, place(changed, "sorry"))
    sent = diary.read_text(encoding="utf-8").splitlines()
    assert (
        sum(line.startswith("cmd") for line in sent) == 5
    )  # the version, imports, the text above, the declaration, and that with the accepted tactic


async def test_ends_when_the_listener_does_and_leaves_no_process(start: Starts) -> None:
    async with start() as session:
        async with aclosing(session.try_tactics(FILE, TEXT, place(TEXT, "sorry"), ["skip", "loop"])) as found:
            assert (await anext(found)).tactic == "skip"
        pid = session.pid
    assert pid is None or not processes.identify([pid])


@pytest.mark.parametrize(
    ("text", "word", "error", "said"),
    [
        (TEXT.replace("Some.Module", "Missing"), "sorry", ProjectBroken, "unknown module prefix 'Missing'"),
        ("theorem above : True := trivial\n\n-- nothing\n", "nothing", NoGoalHere, "inside a comment"),
        ("theorem above : True := trivial\n\n#check Nat --\n", "Nat", NoGoalHere, "no goal in line 3"),
    ],
)
async def test_what_cannot_be_asked_is_told(
    start: Starts, text: str, word: str, error: type[LeanError], said: str
) -> None:
    async with start() as session:
        with pytest.raises(error, match=said):
            await session.goals_at(FILE, text, place(text, word))
        with pytest.raises(BadPosition):
            await session.goals_at(FILE, text, Position(99, 0))


@pytest.mark.parametrize(
    ("scenario", "error", "said"),
    [
        ("dies at once", LeanDied, "lake: no such target"),
        ("silent", LeanTimeout, "did not answer within 0.5 s"),
        ("no JSON", LeanDied, "is not JSON"),
        ("endless", LeanDied, "far too long"),
    ],
)
async def test_a_repl_that_does_not_start_is_told(
    start: Starts, scenario: str, error: type[LeanError], said: str
) -> None:
    seconds = 0.5 if scenario == "silent" else 20.0
    with pytest.raises(error, match=said):
        async with start(scenario, start_seconds=seconds):
            pytest.fail("it started")


async def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LeanNotFound, match="no program no-such-repl"):
        await ReplSession.start(tmp_path, ["no-such-repl"])
