"""`premise-suggest fill`: replaces the `sorry`s of files and folders by proofs."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.terminal_text import shown
from lean_extract.common.verbs import INTERRUPTED
from lsp_server.commands.common import print_json, show_first_use
from lsp_server.commands.fill_record import FillRecord, only_one
from lsp_server.commands.filling import Filling
from lsp_server.commands.interrupts import stop_loop_on_interrupt
from lsp_server.commands.lean_files import LeanFile, files_by_project
from lsp_server.commands.options import add_work_options
from lsp_server.commands.prove import add_search_options, open_engine, print_diff
from lsp_server.engine.answering_stores import stores_for
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.requests import ProveRequest
from lsp_server.engine.schema_proofs import FillAnswer, FilledSorry, ProofAnswer, ProofProgress, ProofStatus
from lsp_server.rendering.progress_bar import ProgressBar
from lsp_server.rendering.proofs import fill_table, progress_line
from lsp_server.rendering.style import Style

EXAMPLES = (
    "premise-suggest fill --write              # every sorry of the project that this folder belongs to",
    "premise-suggest fill A.lean --seconds 30  # shows what would change",
    "premise-suggest fill --check              # for CI: 1 if a sorry can be closed, 0 if none can",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_work_options(parser, "search for one proof", 10.0)
    kind = parser.add_mutually_exclusive_group()
    text = "write each proof to its file as soon as it is found (default: print what would change)"
    kind.add_argument("--write", action="store_true", help=text)
    text = "write nothing; the exit code is 1 if a `sorry` can be closed, and 0 if none can"
    kind.add_argument("--check", action="store_true", help=text)
    text = "leave out what an earlier run has tried for as long, in files that have not changed since"
    parser.add_argument("--resume", action="store_true", help=text)
    parser.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    add_search_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command. The exit code is 0 if all are proved; with `--check`, if none is."""
    show_first_use()
    with ExitStack() as stack:
        fillings = {}
        for root, paths in files_by_project(options.paths or [Path.cwd()]).items():
            stack.enter_context(only_one("fill", root))
            record = FillRecord(root, imports=options.imports, resume=options.resume)
            files = list(_read(paths, named=options.paths))
            fillings[root] = Filling(
                files, record, options.seconds, imports=options.imports, write=options.write
            )
        work = _Work(options, fillings)
        try:
            asyncio.run(work.run())
        except BaseException:
            if work.answer().proved:  # it is not lost
                work.show()
            raise
    work.show()
    return work.code()


def _read(paths: Sequence[Path], *, named: Collection[Path]) -> Iterator[LeanFile]:
    """The files that can be read, and a warning for each other. Raises BadSource if such a one is `named`."""
    for path in paths:
        try:
            yield LeanFile.read(path)
        except BadSource as error:
            if path in named:
                raise
            print(f"warning: {shown(error, longest=0)}", file=sys.stderr)


class _Work:
    """The work on one project after the other.

    Args:
        options: of the command.
        fillings: by the projects' roots.
    """

    def __init__(self, options: argparse.Namespace, fillings: Mapping[Path, Filling]) -> None:
        self._options, self._fillings = options, fillings
        self._began = time.monotonic()
        self._stopped = self._is_late = False

    async def run(self) -> None:
        """Do the work. Raises UserError, LeanError, ModelError, PremiseIndexError."""
        with stop_loop_on_interrupt() as stop, ProgressBar(quiet=False) as bar:

            def end() -> None:
                self._is_late = not stop.is_set()
                stop.set()

            if self._options.total is not None:
                asyncio.get_running_loop().call_later(self._options.total, end)
            for root, filling in self._fillings.items():
                if filling.rows:
                    await self._fill(root, filling, stop, bar)
            self._stopped = stop.is_set()

    async def _fill(self, root: Path, filling: Filling, stop: asyncio.Event, bar: ProgressBar) -> None:
        stores_for(root)  # where there is no index, no Lean is started
        engine = open_engine(self._options, root)

        async def prove(row: FilledSorry, request: ProveRequest) -> ProofAnswer:
            def note(state: ProofProgress) -> None:
                bar.note(f"{self._so_far()}; {row.file}:{row.sorry.line}: {progress_line(state)}")

            bar.note(f"{self._so_far()}; {row.file}:{row.sorry.line}")
            return await engine.prove(request, note, stop)

        try:
            await filling.run(prove, stop)
        finally:
            await engine.close()

    def answer(self) -> FillAnswer:
        """What was found so far."""
        rows = [row for filling in self._fillings.values() for row in filling.rows]
        proved = sum(row.proof is not None and row.proof.status == ProofStatus.PROVED for row in rows)
        return FillAnswer(rows, proved, round(time.monotonic() - self._began, 3), self._stopped)

    def _so_far(self) -> str:
        answer = self.answer()
        return f"{answer.proved:,} of {len(answer.sorries):,} proved"

    def show(self) -> None:
        """Print what was found."""
        options, answer = self._options, self.answer()
        if options.json:
            print_json(to_json(answer))
            return
        sys.stdout.write(fill_table(answer, Style.of_standard_output()) if answer.sorries else "No sorry.\n")
        if not (options.check or options.write):
            for filling in self._fillings.values():
                print_diff("".join(filling.changes()))

    def code(self) -> int:
        """The exit code."""
        answer = self.answer()
        if self._stopped and not self._is_late:
            return INTERRUPTED
        return int(answer.proved > 0 if self._options.check else answer.proved < len(answer.sorries))
