"""What `doctor --live` finds: one goal of a project, its premises and a round of tactics, by the project's Lean."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from lean_extract.common.errors import NoGoalHere, PremiseSuggestError, TextUnread
from lean_extract.session.processes import descendants, private_megabytes
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.commands.findings import Finding
from lsp_server.commands.first_goal import goal_places
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.settings import Settings
from lsp_server.limits import LIVE_GOAL_PLACES
from prover.search.fresh_lean import file_options
from prover.verify import GoalPosition


async def live_findings(root: Path, settings: Settings) -> list[Finding]:
    """Start Lean, get a goal, and try tactics there, with the time and memory of each. An error is a finding."""
    engine = Engine(root, settings)
    found: list[Finding] = []
    try:
        begin = time.perf_counter()
        await engine.session()
        found.append(Finding("live: start", "ok", f"Lean runs after {time.perf_counter() - begin:.1f} s"))
        place, finding = await _first_goal(engine, root)
        found.append(finding)
        if place is not None:
            found.append(await _options(root, settings, place))
            found += await _round(engine, place)
        found.append(_memory())
    except PremiseSuggestError as error:
        found.append(Finding("live", "missing", error.message, error.hint))
    finally:
        await engine.close()
    return found


async def _first_goal(engine: Engine, root: Path) -> tuple[GoalPosition | None, Finding]:
    """A place of the project with a goal, and how long Lean took for it."""
    for place in (await asyncio.to_thread(lambda: list(goal_places(root))))[:LIVE_GOAL_PLACES]:
        begin = time.perf_counter()
        try:
            state = await engine.state_at(place)
        except (NoGoalHere, TextUnread):
            continue
        if state.goals:
            where = f"{place.path.relative_to(root)}:{place.position.line + 1}"
            seconds = time.perf_counter() - begin
            return place, Finding("live: goal", "ok", f"{where} in {seconds:.1f} s: {state.goals[0].target}")
    return None, Finding("live: goal", "note", "no proof by tactics was found in this project's own files")


async def _options(root: Path, settings: Settings, place: GoalPosition) -> Finding:
    """The options that Lake gives Lean for the file."""
    toolchain = await asyncio.to_thread(resolve_lean, root, override=settings.lean.command or None)
    begin = time.perf_counter()
    options = await file_options(toolchain, root, place.path, settings.lean.start_seconds)
    if toolchain.kind != "lake":
        return Finding("live: options", "note", "there is no Lake to get the options of a file from")
    listed = ", ".join(one.removeprefix("-D") for one in options) or "none"
    return Finding("live: options", "ok", f"{listed}; from Lake in {time.perf_counter() - begin:.1f} s")


async def _round(engine: Engine, place: GoalPosition) -> list[Finding]:
    """The premises and the tactics at a place."""
    answer = await engine.suggest(SuggestRequest(place, tactics=True))
    names = ", ".join(one.name for one in answer.premises[:3])
    times = {name: f"in {milliseconds / 1000:.1f} s" for name, milliseconds in answer.timings_ms.items()}
    premises = Finding("live: premises", "ok", f"{len(answer.premises)} {times['premises']}: {names}")
    accepted = [one.tactic for one in answer.tactics]
    tactics = Finding(
        "live: tactics",
        "ok" if accepted else "note",
        f"{len(accepted)} accepted {times.get('tactics', '')}: {'; '.join(accepted[:3])}".rstrip(": "),
    )
    warnings = (Finding("live: warning", "note", warning) for warning in answer.warnings)
    return [premises, tactics, *warnings]


def _memory() -> Finding:
    """The memory of all Leans together, and of the largest."""
    used = [private_megabytes(pid) for pid in descendants(os.getpid())]
    own = private_megabytes(os.getpid())
    largest = max(used, default=0.0)
    leans = f"{sum(used):,.0f} MB for {len(used)} processes of Lean, {largest:,.0f} MB for one"
    return Finding("live: memory", "ok", f"{leans}; {own:,.0f} MB for ours")
