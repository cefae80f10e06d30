"""What is written on standard error: one line a message, the same one only so often."""

from __future__ import annotations

import asyncio
import logging
import threading
from io import StringIO

import pytest

from lean_extract.common.cancellation import Cancelled, check_cancelled
from lsp_server.engine.tasks import Gate, to_the_end
from lsp_server.http.logs import OneLine, Seldom, escaped


def test_the_same_warning_comes_a_few_times_then_its_number() -> None:
    now, written = 0.0, StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(Seldom(most=3, seconds=60.0, clock=lambda: now))
    log = logging.Logger("test")
    log.addHandler(handler)

    def fails(number: int) -> None:
        log.error("file %d cannot be opened", number)

    for number in range(1000):
        fails(number)
        log.info("asked %d", number)
    log.error("another")
    lines = written.getvalue().splitlines()
    assert [line for line in lines if "file" in line] == [f"file {n} cannot be opened" for n in range(3)]
    assert sum("asked" in line for line in lines) == 1000
    assert lines[-1] == "another"
    now = 61.0
    fails(7)
    assert written.getvalue().splitlines()[-1] == "file 7 cannot be opened (997 more were left out before)"


def test_a_message_stays_on_its_line_and_changes_no_terminal() -> None:
    record = logging.LogRecord("n", logging.ERROR, "", 0, "a\r\n2026 ERROR \x1b[31m%s\u202e", ("\x00",), None)
    said = OneLine("%(message)s").format(record)
    assert said == r"a\r\n2026 ERROR \x1b[31m\x00\u202e"
    assert escaped("⊢ n + 0 = n") == "⊢ n + 0 = n"


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

    given_up = asyncio.create_task(gate.run(lambda: asyncio.to_thread(hopeless)))
    while not begun.is_set():
        await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    while gate.admitted:
        await asyncio.sleep(0)
    assert ended.is_set()
    check_cancelled()  # of others' work nothing was said


async def test_what_others_will_ask_for_is_done_though_who_began_it_is_gone() -> None:
    gate, begun, go_on = Gate(workers=1, waiting=0), threading.Event(), threading.Event()
    made: list[str] = []

    def shared() -> None:
        begun.set()
        go_on.wait(20)
        check_cancelled()
        made.append("an index")

    async def request() -> None:
        await to_the_end(asyncio.to_thread(shared))

    given_up = asyncio.create_task(gate.run(request))
    while not begun.is_set():
        await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    go_on.set()
    while gate.admitted:
        await asyncio.sleep(0)
    assert made == ["an index"]
