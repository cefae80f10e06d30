"""`premise-suggest suggest FILE --all`: each `sorry` of a file, with its goal and the best tactic."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lean_extract.common.errors import BadSettings, LeanDied, LeanTimeout, UserError
from lean_extract.common.terminal_text import shown
from lean_extract.source.projects.project import find_root
from lsp_server.commands.common import print_json
from lsp_server.commands.place import lean_text, sorry_position
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import AllSorriesAnswer, AnsweredSorry
from lsp_server.engine.schema_items import SorryItem
from lsp_server.engine.settings import Settings
from lsp_server.engine.sorries import sorries
from lsp_server.engine.tasks import LeanProgress, OnWaiting
from lsp_server.rendering.progress_bar import ProgressBar
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import common_remarks, sorry_text
from prover.verify import GoalPosition


def suggest_all(
    path: Path,
    asked: Callable[[Settings], SuggestRequest],
    open_engine: Callable[[Path | None], Engine],
    *,
    as_json: bool,
) -> int:
    """Answer for each `sorry` of a file.

    Args:
        path: the file.
        asked: the request under the project's settings, without a position.
        open_engine: makes the engine of the project with this root.
        as_json: whether to print one JSON object at the end (or after Ctrl-C), in place of a block for each.

    Raises what `Engine.suggest` raises, except what concerns one `sorry` alone.
    """
    text = lean_text(path)
    found = sorries(text)
    if not found and not as_json:
        print(f"No sorry in {shown(path)}.")
        return 0
    answered: list[AnsweredSorry] = []
    style = Style.of_standard_output()
    try:
        with ProgressBar(quiet=False, unit="sorry") as bar:

            def take(one: AnsweredSorry) -> None:
                answered.append(one)
                if not as_json:
                    bar.write(sorry_text(shown(path), one, style), sys.stdout)

            places = [(item, sorry_position(path, text, item)) for item in found]
            asyncio.run(
                _answer_each(places, asked, partial(open_engine, find_root(path.resolve())), bar, take)
            )
    except KeyboardInterrupt:
        _print_end(answered, style, as_json=as_json)
        raise
    _print_end(answered, style, as_json=as_json)
    return 0


async def _answer_each(
    positions: Sequence[tuple[SorryItem, GoalPosition]],
    asked: Callable[[Settings], SuggestRequest],
    open_engine: Callable[[], Engine],
    bar: ProgressBar,
    take: Callable[[AnsweredSorry], None],
) -> None:
    def waiting(progress: LeanProgress) -> None:
        bar.write(f"{progress}.\n", sys.stderr)

    engine = open_engine()
    request = asked(engine.settings)
    try:
        for number, (item, position) in enumerate(positions):
            bar.report("sorries", number, len(positions))
            take(await _answer(engine, replace(request, position=position), item, waiting))
        bar.report("sorries", len(positions), len(positions))
    finally:
        await engine.close()


async def _answer(
    engine: Engine, request: SuggestRequest, item: SorryItem, waiting: OnWaiting
) -> AnsweredSorry:
    try:
        return AnsweredSorry(item, await engine.suggest(request, on_waiting=waiting))
    except BadSettings:
        raise  # the same for every `sorry`
    except (UserError, LeanDied, LeanTimeout) as error:
        return AnsweredSorry(item, None, str(error))


def _print_end(answered: Sequence[AnsweredSorry], style: Style, *, as_json: bool) -> None:
    """The whole answer as JSON, or, for a person, what holds for several of them."""
    if as_json:
        print_json(to_json(AllSorriesAnswer([*answered])))
    else:
        sys.stdout.write(common_remarks(answered, style))
