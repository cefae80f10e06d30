"""Tactics that come while others are tried, limits on all of them together, and what is no tactic."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from lean_extract.records import TacticOutcome
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.session.live import TrialBatch
from lean_extract.session.processes import descendants, identify, kill
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean_extract.session_helpers import cpu_seconds, marked, outcomes, toolchain_of

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]

SWAP = "theorem swap (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  ‸sorry\n"
GOOD = "exact ⟨hq, hp⟩"
LOOPS = "repeat (have := hp)"


async def test_tactics_that_come_later_join_the_trials(session: LeanSession) -> None:
    text, position = marked(SWAP)
    thought_of = asyncio.Event()

    async def coming() -> AsyncIterator[str]:
        yield "constructor"
        await thought_of.wait()
        yield GOOD

    tried = session.try_tactics(Path("A.lean"), text, position, coming())
    async with asyncio.timeout(30), aclosing(tried):
        assert (await anext(tried)).status == "progress"
        thought_of.set()
        assert [(one.tactic, one.status) async for one in tried] == [(GOOD, "closes")]


@pytest.mark.parametrize("tactic", ["exact {}hp", "exact (h{}"], ids=["refused by Lean", "refused before"])
async def test_the_next_is_taken_only_when_there_is_room(session: LeanSession, tactic: str) -> None:
    """Tactics that are refused before Lean sees them leave a turn to the reader, too."""
    text, position = marked(SWAP)
    taken: list[str] = []

    async def endless() -> AsyncIterator[str]:
        while len(taken) < 100_000:  # not for ever: if this fails it must end
            taken.append(tactic.format("id " * len(taken)))
            yield taken[-1]

    tried = session.try_tactics(Path("A.lean"), text, position, endless())
    async with asyncio.timeout(30), aclosing(tried):
        assert (await anext(tried)).status == "fails"
    assert len(taken) < 40
    assert (await outcomes(session, SWAP, [GOOD]))[GOOD].status == "closes"


async def test_a_source_that_fails_is_heard_of_and_lean_stays(session: LeanSession) -> None:
    text, position = marked(SWAP)
    before = session.pid

    async def broken() -> AsyncIterator[str]:
        yield GOOD
        raise RuntimeError("no more ideas")

    with pytest.raises(RuntimeError, match="no more ideas"):
        async for outcome in session.try_tactics(Path("A.lean"), text, position, broken()):
            assert outcome.status == "closes"
    assert (await outcomes(session, SWAP, [GOOD]))[GOOD].status == "closes"
    assert session.pid == before


async def test_the_time_for_all_of_them_is_kept(session: LeanSession) -> None:
    text, position = marked(SWAP)
    tactics = [GOOD, *(f"sleep {20000 + number}" for number in range(6))]
    tried = session.try_tactics(Path("A.lean"), text, position, tactics, timeout=30, within=1)
    async with asyncio.timeout(20), aclosing(tried):
        found = [outcome async for outcome in tried]
    assert [one.tactic for one in found if one.status == "closes"] == [GOOD]
    late = [one for one in found if one.status == "timeout"]
    assert 1 <= len(late) == len(found) - 1 <= 2
    assert all("1 s for all" in one.message for one in late)
    assert (await outcomes(session, SWAP, [GOOD]))[GOOD].status == "closes"


async def test_one_that_loops_has_its_time_and_the_next_is_tried(
    tmp_path: Path, packaged_lean: PackagedLean
) -> None:
    async with await LeanSession.start(tmp_path, toolchain_of(packaged_lean), LeanLimits(slots=1)) as session:
        found = await outcomes(
            session, SWAP, [LOOPS, GOOD, "exact " + "id " * 3000 + "hp", "constructor"], timeout=2
        )
    statuses = [outcome.status for outcome in found.values()]
    assert sorted(statuses) == ["closes", "progress", "timeout", "timeout"]
    assert found[LOOPS].status == "timeout"


async def test_a_worker_killed_under_a_tactic_fails_that_tactic_alone(
    tmp_path: Path, packaged_lean: PackagedLean
) -> None:
    async with await LeanSession.start(tmp_path, toolchain_of(packaged_lean), LeanLimits(slots=1)) as session:
        text, position = marked(SWAP)
        tried = session.try_tactics(Path("A.lean"), text, position, ["constructor", LOOPS, GOOD], timeout=30)
        async with asyncio.timeout(30), aclosing(tried):
            assert (await anext(tried)).status == "progress"
            assert session.pid is not None
            workers = descendants(session.pid)
            before = cpu_seconds(workers)
            waiting = asyncio.ensure_future(anext(tried))
            while cpu_seconds(workers) < before + 0.5:  # Then the tactic has reached the worker.
                await asyncio.wait([waiting], timeout=0.05)
            kill(identify(workers))
            assert (await waiting).status == "fails"
            assert [one.status async for one in tried] == ["closes"]


class Judge:
    """Judges at once, but never what is to hang."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        self.begun.append(tactic)
        if tactic == "hang":
            await asyncio.Event().wait()
        return TacticOutcome(tactic, "fails")


@pytest.mark.parametrize(
    ("tactics", "said"),
    [(["a", "b"], ["a", "b"]), ([], []), (["hang", "a", "hang", "b"], ["a", "hang", "hang"])],
)
async def test_a_round_ends_with_its_tactics_or_its_time(tactics: Sequence[str], said: list[str]) -> None:
    trials = TrialBatch(Judge().run, tactics, slots=2, seconds=9, within=0.05)
    async with asyncio.timeout(5):
        assert sorted([outcome.tactic async for outcome in trials.outcomes()]) == said
        await trials.end()
