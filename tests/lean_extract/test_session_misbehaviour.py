"""A Lean server that breaks every rule: one clear error, and the next request finds a fresh server."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from leanclient.aio.errors import LeanTransportError

from lean_extract.common.errors import LeanDied, LeanError, LeanNotFound, LeanTimeout
from lean_extract.goals import format_state
from lean_extract.records import Position, Span
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.session.client import LeanClient
from lean_extract.session.processes import descendants
from lean_extract.toolchains.toolchain import Toolchain

FAKE = Path(__file__).parents[1] / "fakes" / "misbehaving_lean.py"
TEXT = "theorem a : A := by\n  sorry\n"
SORRY = Position(1, 2)
QUICK = LeanLimits(start_seconds=20, request_seconds=20, slots=2)
IMPATIENT = LeanLimits(start_seconds=20, request_seconds=1, slots=2)

Fake = Callable[[str], Toolchain]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    def toolchain(scenario: str) -> Toolchain:
        command = (sys.executable, str(FAKE), scenario, str(tmp_path / "diary"))
        return Toolchain("path", command, command, {}, "4.0.0", "It is a fake.")

    return toolchain


@pytest.fixture(autouse=True)
async def no_process_stays_behind() -> AsyncIterator[None]:
    before = set(descendants(os.getpid()))
    yield
    assert set(descendants(os.getpid())) <= before


async def goal(session: LeanSession, name: str = "A") -> str:
    return format_state(await session.goals_at(Path(f"{name}.lean"), TEXT, SORRY))


async def statuses(session: LeanSession, *tactics: str, timeout: float = 20) -> dict[str, str]:
    async with aclosing(
        session.try_tactics(Path("A.lean"), TEXT, SORRY, tactics, timeout=timeout)
    ) as outcomes:
        return {outcome.tactic: outcome.status async for outcome in outcomes}


async def told(folder: Path, diary: str) -> None:
    """Wait until the fake has written this."""
    async with asyncio.timeout(20):
        while not (folder / "diary").exists() or (folder / "diary").read_text() != diary:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("scenario", "limits", "error"),
    [
        ("bad-json", QUICK, LeanDied),
        ("not-an-object", QUICK, LeanDied),
        ("length-too-big", IMPATIENT, LeanTimeout),
        ("length-too-small", QUICK, LeanDied),
        ("negative-length", QUICK, LeanDied),
        ("no-length", QUICK, LeanDied),
        ("half-an-answer", QUICK, LeanDied),
        ("dies", QUICK, LeanDied),
        ("closes-stdout", QUICK, LeanDied),
        ("wrong-shape", QUICK, LeanDied),
        ("wrong-id", IMPATIENT, LeanTimeout),
        ("never-answers", IMPATIENT, LeanTimeout),
    ],
)
async def test_one_error_then_a_fresh_server(
    tmp_path: Path, fake: Fake, scenario: str, limits: LeanLimits, error: type[LeanError]
) -> None:
    async with await LeanSession.start(tmp_path, fake(scenario), limits) as session:
        first = session.pid
        with pytest.raises(error) as caught:
            await goal(session)
        assert "A.lean" in caught.value.message
        assert scenario != "dies" or "Stack overflow detected" in caught.value.message
        assert ("Try again" if error is LeanDied else "`lean.requestSeconds`") in caught.value.hint
        assert first is not None
        assert not Path(f"/proc/{first}").exists()
        assert await goal(session) == "⊢ ¬A"
        assert await statuses(session, "good", "bad") == {"good": "closes", "bad": "progress"}
        assert session.pid != first
    assert (tmp_path / "diary").read_text().count("x") == 2


async def test_an_error_answer_is_told_and_the_server_kept(tmp_path: Path, fake: Fake) -> None:
    async with await LeanSession.start(tmp_path, fake("error-answer"), QUICK) as session:
        first = session.pid
        with pytest.raises(LeanError, match="oh no"):
            await goal(session)
        assert session.pid == first


async def test_answers_out_of_order_reach_those_who_asked(tmp_path: Path, fake: Fake) -> None:
    async with await LeanSession.start(tmp_path, fake("out-of-order"), QUICK) as session:
        first, second = await asyncio.gather(goal(session, "A"), goal(session, "B"))
        assert (first, second) == ("⊢ ¬A", "⊢ ¬B")


async def test_an_error_is_awaited_that_lean_reports_after_its_progress_has_passed_it(
    tmp_path: Path, fake: Fake
) -> None:
    async with await LeanSession.start(tmp_path, fake("busy"), QUICK) as session:
        (fault,) = await session.errors_at(Path("A.lean"), TEXT, SORRY, Span(SORRY, Position(1, 7)))
    assert (fault.position, fault.message) == (SORRY, "no")


async def test_a_flood_on_standard_error_does_not_block(tmp_path: Path, fake: Fake) -> None:
    async with await LeanSession.start(tmp_path, fake("floods-stderr"), QUICK) as session:
        assert await goal(session) == "⊢ ¬A"
        assert (tmp_path / "diary").read_text() == "xm"


@pytest.mark.parametrize(
    ("scenario", "error", "message", "hint"),
    [
        ("dies-at-start", LeanDied, "start", "Try again"),
        ("never-starts", LeanTimeout, r"within 1\.5 s of its start", "`lean.startSeconds`"),
    ],
)
async def test_a_server_that_does_not_start(
    tmp_path: Path, fake: Fake, scenario: str, error: type[LeanError], message: str, hint: str
) -> None:
    """The limit on the start is the one that counts."""
    limits = LeanLimits(start_seconds=1.5, request_seconds=0.5) if error is LeanTimeout else QUICK
    with pytest.raises(error, match=message) as caught:
        await LeanSession.start(tmp_path, fake(scenario), limits)
    assert hint in caught.value.hint
    async with await LeanSession.start(tmp_path, fake(scenario), QUICK) as session:
        assert await goal(session) == "⊢ ¬A"


async def test_a_server_that_dies_in_a_trial(tmp_path: Path, fake: Fake) -> None:
    async with await LeanSession.start(tmp_path, fake("dies-at-tactic"), QUICK) as session:
        with pytest.raises(LeanDied, match="while trying a tactic"):
            await statuses(session, "bad", "die here", "good")
        assert await statuses(session, "bad", "good") == {"bad": "progress", "good": "closes"}


async def test_a_trial_that_never_ends_leaves_the_others_alone(tmp_path: Path, fake: Fake) -> None:
    limits = LeanLimits(start_seconds=20, request_seconds=2, slots=1)
    async with await LeanSession.start(tmp_path, fake("hangs-at-tactic"), limits) as session:
        found = await statuses(session, "good", "hang", "bad", timeout=1)
        assert found == {"good": "closes", "hang": "timeout", "bad": "progress"}


async def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    nothing = Toolchain("path", (str(tmp_path / "lean"), "--server"), ("lean",))
    with pytest.raises(LeanNotFound, match="There is no program"):
        await LeanSession.start(tmp_path, nothing, QUICK)


async def test_a_project_that_is_not_there(tmp_path: Path, fake: Fake) -> None:
    with pytest.raises(LeanNotFound, match="does not exist"):
        await LeanSession.start(tmp_path / "gone", fake("dies"), QUICK)


async def test_a_closed_session_says_so(tmp_path: Path, fake: Fake) -> None:
    session = await LeanSession.start(tmp_path, fake("floods-stderr"), QUICK)
    await session.close()
    await session.close()
    assert session.pid is None
    with pytest.raises(LeanDied, match="closed"):
        await goal(session)


async def test_the_response_to_a_request_that_cannot_be_written_is_not_reported_again(
    tmp_path: Path, fake: Fake
) -> None:
    reports: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reports.append(context["message"]))
    client = LeanClient(tmp_path, list(fake("floods-stderr").server_command), 20, 1)
    await client.start()
    assert client.process is not None and client.process.stdin is not None
    try:
        client.process.stdin.transport.abort()
        await client.process.stdin.wait_closed()
        with pytest.raises(LeanTransportError, match="Write failed"):
            await client._transport.request("textDocument/hover", {})
    finally:
        client.process.kill()
        await client.end()
    del client  # it keeps the error, and that the response
    gc.collect()
    assert reports == []


async def test_cancelling_the_start_ends_the_server(tmp_path: Path, fake: Fake) -> None:
    starting = asyncio.create_task(LeanSession.start(tmp_path, fake("never-starts"), QUICK))
    await told(tmp_path, "xm")
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_cancelling_a_request_cancels_it_in_lean(tmp_path: Path, fake: Fake) -> None:
    async with await LeanSession.start(tmp_path, fake("never-answers"), IMPATIENT) as session:
        asking = asyncio.create_task(goal(session))
        await told(tmp_path, "xm")
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await told(tmp_path, "xmc")
        with pytest.raises(LeanTimeout):
            await goal(session)
        assert await goal(session) == "⊢ ¬A"
