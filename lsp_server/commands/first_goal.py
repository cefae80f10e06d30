"""One goal of a project itself, read by its own Lean: whether everything works together."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
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
from lsp_server.engine.settings import Settings
from lsp_server.limits import FIRST_GOAL_BYTES, FIRST_GOAL_FILES, FIRST_GOAL_PLACES
from prover.verify import GoalPosition

_BY = re.compile(r":= by\s*$")


def goal_places(root: Path) -> Iterator[GoalPosition]:
    """Places of the project's own files at which a proof by tactics begins: of small files first, one a file."""
    elsewhere = {package.root for package in read_layout(root).packages}
    sources = [one.path for one in find_sources(root).sources]
    own = [path for path in sources if elsewhere.isdisjoint(path.parents)]
    for path in sorted(own, key=lambda path: path.stat().st_size)[:FIRST_GOAL_FILES]:
        if path.stat().st_size > FIRST_GOAL_BYTES:
            return
        try:
            text = read_source(path)
        except BadSource:  # `index` has reported it
            continue
        lines = split_lines(text)
        number = next((number for number, line in enumerate(lines) if _BY.search(line)), None)
        if number is not None:
            yield GoalPosition(path, text, default_position(lines, number))


async def first_goal(root: Path, settings: Settings) -> tuple[GoalPosition, Suggestion] | None:
    """The goal at one of these places, and the three best premises; None: no place has one.

    Raises LeanError, PremiseIndexError, ModelError.
    """
    engine = Engine(root, settings)
    try:
        for place in islice(await asyncio.to_thread(lambda: list(goal_places(root))), FIRST_GOAL_PLACES):
            try:
                return place, await engine.suggest(SuggestRequest(place, k=3))
            except (NoGoalHere, TextUnread):
                continue
        return None
    finally:
        await engine.close()
