"""What the tests of the session share: a Lean, a project, and positions marked in the text."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from pathlib import Path

import psutil

from lean_extract.records import Position, TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.toolchains.toolchain import Toolchain

MARK = "‸"


def toolchain_of(lean: PackagedLean) -> Toolchain:
    return Toolchain(
        "packaged", lean.server_command, lean.lean_command, lean.environment, lean.version, "For a test."
    )


def marked(text: str) -> tuple[str, Position]:
    """A text without its mark, and where that stood."""
    before, _, after = text.partition(MARK)
    return before + after, Position(before.count("\n"), len(before) - before.rfind("\n") - 1)


async def outcomes(
    session: LeanSession,
    text: str,
    tactics: Sequence[str],
    *,
    timeout: float = 30,
    name: str = "A.lean",
    unfinished: bool = False,
) -> dict[str, TacticOutcome]:
    """What becomes of each tactic at the mark of a text, by tactic."""
    plain, position = marked(text)
    tried = session.try_tactics(Path(name), plain, position, tactics, timeout=timeout, unfinished=unfinished)
    async with aclosing(tried):
        return {outcome.tactic: outcome async for outcome in tried}


def cpu_seconds(pids: Iterable[int]) -> float:
    """The processor time that these processes have used; those that have ended count nothing."""
    spent = 0.0
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = psutil.Process(pid).cpu_times()
            spent += times.user + times.system
    return spent
