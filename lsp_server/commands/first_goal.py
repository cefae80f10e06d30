"""One goal of a project itself, read by its own Lean: whether everything works together."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from lean_extract.common.errors import BadSource, NoGoalHere, TextUnread
from lean_extract.common.files.reading import read_source
from lean_extract.session.places import default_position
from lean_extract.source.projects.packages import read_layout
from lean_extract.source.projects.project import find_sources
from lsp_server.documents.positions import split_lines
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import TacticVerdict
from lsp_server.engine.settings import Settings
from lsp_server.engine.sorries import sorries
from lsp_server.engine.tasks import OnWaiting
from lsp_server.limits import FIRST_GOAL_BYTES, FIRST_GOAL_FILES, FIRST_GOAL_PLACES
from prover.verify import GoalPosition

_BY = re.compile(r":= by\s*$")


def goal_places(root: Path) -> Iterator[GoalPosition]:
    """Places of the project's own files, of small files first: its `sorry`s, then where proofs by tactics begin."""
    found = list(_own_files(root))
    for path, text in found:
        lines = split_lines(text)
        numbers = dict.fromkeys(one.line - 1 for one in sorries(text))
        yield from (_place(path, text, lines, number) for number in islice(numbers, FIRST_GOAL_PLACES))
    for path, text in found:
        lines = split_lines(text)
        number = next((number for number, line in enumerate(lines) if _BY.search(line)), None)
        if number is not None:
            yield _place(path, text, lines, number)


def _own_files(root: Path) -> Iterator[tuple[Path, str]]:
    """The smallest of the project's own files, with their texts."""
    elsewhere = {package.root for package in read_layout(root).packages}
    sources = [one.path for one in find_sources(root).sources]
    own = [path for path in sources if elsewhere.isdisjoint(path.parents)]
    for path in sorted(own, key=lambda path: path.stat().st_size)[:FIRST_GOAL_FILES]:
        if path.stat().st_size > FIRST_GOAL_BYTES:
            return
        try:
            yield path, read_source(path)
        except BadSource:  # `index` has reported it
            continue


def _place(path: Path, text: str, lines: Sequence[str], number: int) -> GoalPosition:
    return GoalPosition(path, text, default_position(lines, number))


async def first_goal(
    root: Path, settings: Settings, on_waiting: OnWaiting
) -> tuple[GoalPosition, Suggestion] | None:
    """The first of these places where a tactic closes the goal, else one with a tactic, else with a goal; or None.

    Raises LeanError, PremiseIndexError, ModelError.
    """
    engine = Engine(root, settings)
    found: list[tuple[GoalPosition, Suggestion]] = []
    try:
        for place in islice(await asyncio.to_thread(lambda: list(goal_places(root))), FIRST_GOAL_PLACES):
            try:
                request = SuggestRequest(place, tactics=True)
                found.append((place, await engine.suggest(request, on_waiting=on_waiting)))
            except (NoGoalHere, TextUnread):
                continue
            if _closes(found[-1][1]):
                break
        return max(found, key=lambda one: (_closes(one[1]), bool(one[1].tactics)), default=None)
    finally:
        await engine.close()


def _closes(answer: Suggestion) -> bool:
    return any(one.status == TacticVerdict.CLOSES and not one.rests_on_sorry for one in answer.tactics)
