"""Heavy work takes its turn, and ends when nobody waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from lean_extract.common.cancellation import Cancelled, check_cancelled
from lean_extract.common.errors import Busy
from lsp_server.engine.tasks import Gate, to_the_end


async def test_more_than_the_queue_holds_is_refused() -> None:
    gate = Gate(workers=1, waiting=1)
    go = asyncio.Event()

    async def work() -> int:
        await go.wait()
        return 1

    first, second = (asyncio.create_task(gate.run(work)) for _ in range(2))
    while gate.admitted < 2:
        await asyncio.sleep(0)
    with pytest.raises(Busy, match="The server is busy"):
        await gate.run(work)
    go.set()
    assert await first + await second == 2
    assert await gate.run(work) == 1


async def test_work_that_nobody_waits_for_keeps_its_place_until_it_ends() -> None:
    gate = Gate(workers=1, waiting=0)
    begun, go = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go.wait()

    given_up = asyncio.create_task(gate.run(work))
    await begun.wait()
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    with pytest.raises(Busy):
        await gate.run(work)
    go.set()
    while gate.admitted:
        await asyncio.sleep(0)
    await gate.run(work)


async def give_up(work: Coroutine[Any, Any, None], begun: threading.Event) -> None:
    """Cancel work that has begun."""
    task = asyncio.create_task(work)
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_work_that_nobody_waits_for_ends_in_its_thread() -> None:
    gate = Gate(workers=1, waiting=0)
    begun, ended = threading.Event(), threading.Event()

    def hopeless() -> None:
        begun.set()
        try:
            while True:
                check_cancelled()
        except Cancelled:
            ended.set()
            raise

    await give_up(gate.run(lambda: asyncio.to_thread(hopeless)), begun)
    while gate.admitted:
        await asyncio.sleep(0)
    assert ended.is_set()
    check_cancelled()  # other work is not cancelled


async def test_work_that_others_share_is_finished_though_its_first_client_has_left() -> None:
    gate, begun, go_on = Gate(workers=1, waiting=0), threading.Event(), threading.Event()
    made: list[str] = []

    def shared() -> None:
        begun.set()
        go_on.wait(20)
        check_cancelled()
        made.append("an index")

    async def request() -> None:
        await to_the_end(asyncio.to_thread(shared))

    await give_up(gate.run(request), begun)
    go_on.set()
    while gate.admitted:
        await asyncio.sleep(0)
    assert made == ["an index"]
