"""Life and death of a real Lean: killed, cancelled, closed; nothing stays behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from lean_extract.common.errors import LeanDied, ProjectBroken
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.session.processes import descendants, identify
from lean_extract.toolchains.packaged import PackagedLean, build_library
from tests.lean_extract.session_helpers import cpu_seconds, marked, outcomes, toolchain_of

pytestmark = pytest.mark.lean

SWAP = "theorem swap (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  ‸sorry\n"
LOOPS = "theorem loops : True := by\n  repeat (have := trivial)\n  ‸trivial\n"
HUNGRY = "repeat' (have : p ∧ p ∧ p ∧ p := ⟨hp, hp, hp, hp⟩)"
BUSY = "theorem busy : True := by\n  sleep 60000\n  ‸trivial\n"


@pytest.fixture
async def session(tmp_path: Path, packaged_lean: PackagedLean) -> AsyncIterator[LeanSession]:
    session = await LeanSession.start(tmp_path, toolchain_of(packaged_lean))
    yield session
    await session.close()


async def gone(pids: list[int]) -> None:
    """Wait until all these processes have ended."""
    async with asyncio.timeout(20):
        while identify(pids):
            await asyncio.sleep(0.01)


async def workers_of(session: LeanSession) -> list[int]:
    """Wait until Lean has started a worker."""
    assert session.pid is not None
    async with asyncio.timeout(20):
        while not (pids := descendants(session.pid)):
            await asyncio.sleep(0.01)
    return pids


async def target(session: LeanSession, text: str = SWAP) -> str:
    plain, position = marked(text)
    return (await session.goals_at(Path("A.lean"), plain, position)).goals[0].target


async def closes(session: LeanSession, text: str = SWAP) -> bool:
    found = await outcomes(session, text, ["exact ⟨hq, hp⟩", "assumption"])
    return [found[tactic].status for tactic in ("exact ⟨hq, hp⟩", "assumption")] == ["closes", "fails"]


async def test_closing_leaves_no_process(session: LeanSession) -> None:
    assert await closes(session)
    assert session.pid is not None
    pids = [session.pid, *await workers_of(session)]
    assert len(pids) >= 3
    await session.close()
    await gone(pids)


async def test_closing_ends_a_busy_worker(session: LeanSession) -> None:
    asking = asyncio.create_task(target(session, BUSY))
    pids = await workers_of(session)
    await session.close()
    with pytest.raises(LeanDied):
        await asking
    await gone(pids)


async def test_workers_killed_between_requests(session: LeanSession) -> None:
    assert await closes(session)
    server = session.pid
    pids = await workers_of(session)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    await gone(pids)
    assert await target(session) == "q ∧ p"
    assert await closes(session)
    assert session.pid == server


async def test_the_server_killed_between_requests(session: LeanSession) -> None:
    assert await closes(session)
    assert session.pid is not None
    pids = [session.pid, *await workers_of(session)]
    os.kill(session.pid, signal.SIGKILL)
    async with asyncio.timeout(20):
        while session.pid is not None:
            await asyncio.sleep(0.01)
    assert await closes(session)
    await gone(pids)


async def test_the_server_killed_in_a_request(session: LeanSession) -> None:
    asking = asyncio.create_task(target(session, BUSY))
    pids = await workers_of(session)
    assert session.pid is not None
    os.kill(session.pid, signal.SIGKILL)
    with pytest.raises(LeanDied, match="Try again"):
        await asking
    await gone(pids)
    assert await closes(session)


async def test_the_worker_killed_in_every_try(session: LeanSession) -> None:
    """One death is made good in silence: the file is opened anew. The second is told.

    A worker dies at work: if one dies as it starts, Lean's server may end with it.
    """
    asking = asyncio.create_task(target(session, LOOPS))
    killed: list[int] = []
    async with asyncio.timeout(60):
        while len(killed) < 2:
            for pid in await workers_of(session):
                if pid not in killed and identify([pid]) and cpu_seconds([pid]) > 1.5:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            await asyncio.sleep(0.01)
    with pytest.raises(LeanDied, match=r"worker ended while elaborating A\.lean"):
        await asking
    assert await closes(session)


async def test_the_server_killed_while_tactics_are_tried(session: LeanSession) -> None:
    plain, position = marked(SWAP)
    tactics = ["assumption", "sleep 60000", "sleep 60001"]
    async with aclosing(session.try_tactics(Path("A.lean"), plain, position, tactics)) as tried:
        assert (await anext(tried)).tactic == "assumption"
        assert session.pid is not None
        os.kill(session.pid, signal.SIGKILL)
        with pytest.raises(LeanDied):
            await anext(tried)
    assert await closes(session)


async def test_cancelled_requests(session: LeanSession) -> None:
    for make in (target(session, BUSY), outcomes(session, SWAP, ["sleep 60000"])):
        task = asyncio.create_task(make)
        await workers_of(session)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await closes(session)


async def test_a_worker_that_outgrows_its_memory(tmp_path: Path, packaged_lean: PackagedLean) -> None:
    hungry = "theorem t (p : Prop) (h : p) : p := by\n  repeat' (have : p ∧ p ∧ p := ⟨h, h, h⟩)\n  ‸sorry\n"
    limits = LeanLimits(memory_mb=80, slots=1)
    async with await LeanSession.start(tmp_path, toolchain_of(packaged_lean), limits) as session:
        with pytest.raises(LeanDied, match="more than 80 MB of memory") as caught:
            await target(session, hungry)
        assert "memory limit" in caught.value.hint
        found = await outcomes(session, SWAP, [HUNGRY, "exact ⟨hq, hp⟩"], timeout=60)
        assert found[HUNGRY].status == "fails" and "more than 80 MB of memory" in found[HUNGRY].message
        assert found["exact ⟨hq, hp⟩"].status == "closes"
        assert await closes(session)


async def test_where_memory_is_scarce_the_file_before_is_closed(
    tmp_path: Path, packaged_lean: PackagedLean
) -> None:
    """There is room for one worker and a half."""
    limits = LeanLimits(memory_mb=38, all_mb=40)
    plain, position = marked(SWAP)
    async with await LeanSession.start(tmp_path, toolchain_of(packaged_lean), limits) as session:
        assert session.pid is not None
        for name in ("A.lean", "B.lean") * 3:
            assert (await session.goals_at(Path(name), plain, position)).goals[0].target == "q ∧ p"
            async with asyncio.timeout(20):
                while len(descendants(session.pid)) > 1:
                    await asyncio.sleep(0.01)


async def test_rebuilt_imports_are_seen_after_a_reload(tmp_path: Path, packaged_lean: PackagedLean) -> None:
    sources, out = tmp_path / "src", tmp_path / "out"
    sources.mkdir()
    text = "import B\ntheorem t : Known := by\n  show _\n  unfold Known\n  ‸sorry\n"
    toolchain = replace(toolchain_of(packaged_lean), environment=packaged_lean.environment_for(out, sources))
    async with await LeanSession.start(sources, toolchain) as session:
        with pytest.raises(ProjectBroken):
            await target(session, text)
        for goal in ("True ∧ True", "False → False"):
            (sources / "B.lean").write_text(f"def Known : Prop := {goal}\n")
            build_library(sources, out, packaged_lean)
            session.reload()
            assert await target(session, text) == goal
            found = await outcomes(session, text, ["exact ⟨trivial, trivial⟩", "exact id"])
            works = "exact id" if "→" in goal else "exact ⟨trivial, trivial⟩"
            assert [tactic for tactic, outcome in found.items() if outcome.status == "closes"] == [works]


async def test_lean_ends_with_the_program_that_started_it(
    tmp_path: Path, packaged_lean: PackagedLean
) -> None:
    """The program is killed in the middle of an elaboration; not even its workers live on."""
    text, position = marked(BUSY)
    toolchain = toolchain_of(packaged_lean)
    program = textwrap.dedent(f"""\
        import asyncio
        from pathlib import Path
        from lean_extract.records import Position
        from lean_extract.session import LeanSession
        from lean_extract.toolchains.toolchain import Toolchain

        async def main():
            toolchain = Toolchain(
                "packaged", {toolchain.server_command!r}, {toolchain.lean_command!r},
                {dict(toolchain.environment)!r}, "", ""
            )
            session = await LeanSession.start(Path({str(tmp_path)!r}), toolchain)
            print(session.pid, flush=True)
            await session.goals_at(Path("A.lean"), {text!r}, Position({position.line}, {position.column}))

        asyncio.run(main())
        """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        server = int(running.stdout.readline())
        async with asyncio.timeout(20):
            while not (workers := descendants(server)):
                await asyncio.sleep(0.01)
        running.kill()
    await gone([server, *workers])
