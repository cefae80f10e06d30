"""`premise-suggest watch`: keeps the index of a project fresh while its files change, without an editor."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.common.terminal_text import print_line, shown
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.session.watching import file_changes
from lsp_server.commands.common import existing_folder, project_root, settings_for, show_first_use
from lsp_server.commands.index import print_report
from lsp_server.commands.interrupts import stop_loop_on_interrupt
from lsp_server.commands.options import add_lean_option, add_model_options
from lsp_server.engine.engine import Engine
from lsp_server.rendering.progress_bar import ProgressBar

EXAMPLES = (
    "premise-suggest watch                          # the project of the current folder, until Ctrl-C",
    "premise-suggest watch path/to/project --quiet > index.log &",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = "a folder of the project (default: the current folder)"
    parser.add_argument("directory", nargs="?", type=Path, default=None, metavar="DIR", help=text)
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    add_lean_option(parser)
    add_model_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns when a signal ends it."""
    show_first_use()
    root = project_root(existing_folder(options.directory), loose=True)
    asyncio.run(_watch(root, options))
    return INTERRUPTED


async def _watch(root: Path, options: argparse.Namespace) -> None:
    """Update the index once, and again after each group of changes. Raises what the first update raises."""
    engine, changed = Engine(root, settings_for(options, root)), asyncio.Event()
    with stop_loop_on_interrupt() as stop, ProgressBar(quiet=options.quiet) as bar:
        updates = _Updates(engine, root, bar, stop)
        noticing = asyncio.create_task(_notice(root, changed))
        stopping = asyncio.create_task(stop.wait())
        try:
            await updates.run(is_first=True)
            if not stop.is_set():
                print_line(f"watching {shown(root)} (Ctrl-C ends it)")
            while not stop.is_set():
                waiting = asyncio.create_task(changed.wait())
                await asyncio.wait([waiting, stopping], return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if changed.is_set() and not stop.is_set():
                    changed.clear()
                    await updates.run()
        finally:
            for task in (noticing, stopping):
                task.cancel()
            await engine.close()


async def _notice(root: Path, changed: asyncio.Event) -> None:
    async for _ in file_changes(root):
        changed.set()


class _Updates:
    """The updates of one index, of which only those that change it are printed."""

    def __init__(self, engine: Engine, root: Path, bar: ProgressBar, stop: asyncio.Event) -> None:
        self._engine, self._root, self._bar, self._stop = engine, root, bar, stop
        self._said: tuple[str, ...] = ()

    async def run(self, *, is_first: bool = False) -> None:
        """Update the index, as the editor does after a save. An error is raised by the first update only."""
        try:
            report = await self._engine.update_index(self._bar.report, self._stop.is_set)
        except PremiseSuggestError as error:
            if is_first:
                raise
            print(f"warning: {shown(str(error), longest=0)}", file=sys.stderr, flush=True)
            return
        notes, self._said = self._said, report.notes
        if is_first or report.stopped or report.files_read or report.files_removed:
            print_report(self._root, replace(report, notes=() if report.notes == notes else report.notes))
            sys.stdout.flush()
