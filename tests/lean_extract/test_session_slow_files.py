"""Files that take longer to elaborate above the goal than a tactic, or a silence of Lean, may take."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from lean_extract.common.errors import LeanTimeout
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean_extract.session_helpers import marked, outcomes, toolchain_of

pytestmark = pytest.mark.lean

LIMIT = 1.5
"""Seconds for a tactic."""
PART = 0.5
"""Seconds that Lean takes for one command above the goal."""
COUNT = 8
SILENCE = 2.0
"""Seconds without progress, after which Lean is not waited for."""
GOAL = "theorem goal (a : Prop) (h : a) : a := by\n  ‸sorry\n"


def above(count: int, seconds: float = PART) -> str:
    """Commands that Lean takes this long for, one after the other."""
    slow = "def slow{} : True := by\n  sleep {}\n  exact trivial\n"
    return "".join(slow.format(number, round(seconds * 1000)) for number in range(count))


@pytest.fixture
async def session(tmp_path: Path, packaged_lean: PackagedLean) -> AsyncIterator[LeanSession]:
    limits = LeanLimits(slots=2, request_seconds=SILENCE)
    async with await LeanSession.start(tmp_path, toolchain_of(packaged_lean), limits) as session:
        yield session


async def test_the_time_of_what_is_above_is_not_a_tactic_s(session: LeanSession) -> None:
    assert COUNT * PART > 2 * LIMIT
    tactics = [f"have h{number} := h" for number in range(8)]
    for _ in range(2):
        found = await outcomes(session, above(COUNT) + GOAL, tactics, timeout=LIMIT)
        assert {one.status for one in found.values()} == {"progress"}


async def test_a_tactic_that_takes_too_long_costs_the_others_nothing(session: LeanSession) -> None:
    endless = [f"sleep 6000{number}" for number in range(2)]
    tactics = [*endless, *(f"have k{number} := h" for number in range(4))]
    found = await outcomes(session, above(COUNT) + GOAL, tactics, timeout=LIMIT)
    assert {tactic: one.status for tactic, one in found.items()} == {
        tactic: "timeout" if tactic in endless else "progress" for tactic in tactics
    }


async def test_a_goal_is_awaited_while_lean_gets_on(session: LeanSession) -> None:
    """The whole takes several times as long as the longest silence."""
    text, position = marked(above(COUNT) + GOAL)
    state = await session.goals_at(Path("A.lean"), text, position)
    assert state.goals[0].target == "a"


async def test_one_slow_command_is_answered_when_asked_again(session: LeanSession) -> None:
    """Lean is not ended for its silence, so that it is there at last."""
    text, position = marked(above(1, 1.6 * SILENCE) + GOAL)
    with pytest.raises(LeanTimeout, match="no progress for 2 s in line 1 while") as caught:
        await session.goals_at(Path("A.lean"), text, position)
    assert "Try again" in caught.value.hint
    server = session.pid
    assert server is not None
    state = await session.goals_at(Path("A.lean"), text, position)
    assert (session.pid, state.goals[0].target) == (server, "a")


async def test_a_lean_that_stands_still_is_ended(session: LeanSession) -> None:
    text, position = marked(above(1, 600) + GOAL)
    server = session.pid
    for _ in range(2):
        with pytest.raises(LeanTimeout):
            await session.goals_at(Path("A.lean"), text, position)
    assert session.pid is None
    text, position = marked(GOAL)
    assert (await session.goals_at(Path("A.lean"), text, position)).goals
    assert session.pid != server


async def test_what_is_above_is_elaborated_before_tactics_come(
    session: LeanSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round that is prepared waits for no more than a part of it, where there are processors for both documents."""
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    text = above(COUNT) + GOAL
    plain, position = marked(text)
    await session.prepare(Path("A.lean"), plain, position)
    await session.goals_at(Path("A.lean"), plain, position)
    async with asyncio.timeout(COUNT * PART):
        found = await outcomes(session, text, ["exact h"], timeout=LIMIT)
    assert found["exact h"].status == "closes"


async def test_a_round_that_is_left_makes_room_for_the_next(session: LeanSession) -> None:
    text = above(COUNT) + GOAL
    await outcomes(session, text, ["exact h"])
    with suppress(TimeoutError):
        async with asyncio.timeout(LIMIT):
            await outcomes(session, text, ["sleep 60000", "sleep 60001"])
    found = await outcomes(session, text, ["exact h", "have k := h"], timeout=LIMIT)
    assert [found["exact h"].status, found["have k := h"].status] == ["closes", "progress"]
