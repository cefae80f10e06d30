"""`premise-suggest prove`: searches for the proof of a goal in a file, and prints it or writes it to the file."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.option_types import seconds
from lean_extract.common.terminal_text import shown
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.source.projects.project import find_root
from lsp_server.commands.common import opened_generator, print_json, settings_for, show_first_use
from lsp_server.commands.interrupts import stop_loop_on_interrupt
from lsp_server.commands.lean_files import LeanFile, require_writable
from lsp_server.commands.options import (
    add_lean_option,
    add_model_options,
    add_served_options,
    add_tactic_options,
)
from lsp_server.commands.place import position_of, read_place
from lsp_server.engine.answering_stores import stores_for
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import ProveRequest
from lsp_server.engine.schema_proofs import ProofAnswer, ProofStatus
from lsp_server.rendering.progress_bar import ProgressBar
from lsp_server.rendering.proofs import effort_line, progress_line, proof_text
from lsp_server.rendering.style import Style
from prover.search.picture import tree_svg
from prover.verify import GoalPosition

EXAMPLES = (
    "premise-suggest prove A.lean:6           # the goal in line 6",
    "premise-suggest prove A.lean:add_swap    # the first sorry of a theorem",
    "premise-suggest prove A.lean:6 --write   # the file gets the proof",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = (
        "FILE:LINE, FILE:LINE:COLUMN, FILE:THEOREM (full name or the end of one), or FILE if it has one sorry"
    )
    parser.add_argument("place", metavar="PLACE", help=text)
    text = "how long to search (default: 10)"
    parser.add_argument("--seconds", type=seconds, default=10.0, metavar="N", help=text)
    text = "write the proof to the file (default: print what would change)"
    parser.add_argument("--write", action="store_true", help=text)
    text = "with --write: also write a proof of some of the goals, with `sorry` for the others"
    parser.add_argument("--partial", action="store_true", help=text)
    text = "do not wait for a new Lean to accept the file with the proof"
    parser.add_argument("--no-check", dest="check", action="store_false", help=text)
    parser.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    text = "draw the tree of the search to this file"
    parser.add_argument("--picture", type=Path, metavar="SVG", help=text)
    add_search_options(parser)


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the search may use."""
    search = parser.add_argument_group("what is searched with")
    text = "do not try premises that need another import"
    search.add_argument("--no-imports", dest="imports", action="store_false", help=text)
    add_lean_option(search)
    add_tactic_options(search)
    add_served_options(search)
    add_model_options(search)


def run(options: argparse.Namespace) -> int:
    """Run the command. The exit code is 0 if the goal is proved, and 1 if not."""
    show_first_use()
    if options.partial and not options.write:
        raise UserError("--partial is for --write.", "Add --write, or leave it out.")
    place = read_place(options.place)
    file = LeanFile.read(place.path)
    position = position_of(place, file.text)
    if options.write:
        require_writable(file.path)
    answer, interrupted = asyncio.run(_prove(options, position))
    _print_answer(file, position, answer, options)
    is_proved = answer.status == ProofStatus.PROVED
    if options.write and (is_proved or (options.partial and answer.edits)):
        file.edited(answer.edits).write(file)
    elif options.write and answer.edits:
        print("note: only a part is proved, so nothing is written; --partial writes it", file=sys.stderr)
    if is_proved:
        return 0
    return INTERRUPTED if interrupted else 1


def open_engine(options: argparse.Namespace, root: Path) -> Engine:
    """The engine of a project, with what the options choose. Raises UserError, ModelError."""
    settings = settings_for(options, root)
    return Engine(root, settings, generator=opened_generator(options, settings))


async def _prove(options: argparse.Namespace, position: GoalPosition) -> tuple[ProofAnswer, bool]:
    """The answer, and whether Ctrl-C ended the search."""
    root = find_root(position.path)
    stores_for(root)  # where there is no index, no Lean is started
    engine = open_engine(options, root)
    request = ProveRequest(position, options.seconds, options.imports, options.check)
    try:
        with stop_loop_on_interrupt() as stop, ProgressBar(quiet=not sys.stderr.isatty()) as bar:
            bar.note("Lean reads the file ...")
            found = await engine.search_proof(
                request,
                lambda state: bar.note(progress_line(state)),
                stop,
                lambda progress: bar.note(str(progress)),
            )
        if options.picture is not None and found.tree is not None:
            title = f"Search for a proof of {found.answer.declaration or options.place}"
            with replacing(options.picture) as stream:
                stream.write(tree_svg(found.tree, title))
        return found.answer, stop.is_set()
    finally:
        await engine.close()


def _print_answer(
    file: LeanFile, position: GoalPosition, answer: ProofAnswer, options: argparse.Namespace
) -> None:
    if options.json:
        print_json(to_json(answer))
        return
    at = position.position
    place = f"{shown(file.path)}:{at.line + 1}:{at.column + 1}"
    sys.stdout.write(proof_text(place, answer, Style.of_standard_output()))
    if not options.write:
        print_diff(file.edited(answer.edits).diff(file))
    if sys.stderr.isatty():
        print(effort_line(answer), file=sys.stderr)


def print_diff(diff: str) -> None:
    """Print changes: as they are for another program, and without control characters on a terminal."""
    if sys.stdout.isatty():
        diff = shown(diff.replace("\r\n", "\n"), keep="\n\t", longest=0)
    sys.stdout.write(diff and f"\n{diff}")
