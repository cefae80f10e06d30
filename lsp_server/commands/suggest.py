"""`premise-suggest suggest`: prints the goal, the premises that fit, and the tactics that Lean accepts."""

from __future__ import annotations

import argparse
import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.reading import is_pipe
from lean_extract.common.option_types import positive
from lean_extract.session.places import default_position
from lean_extract.source.projects.project import find_root
from lsp_server.commands.common import (
    SearchedProject,
    print_json,
    read_text,
    searched_project,
    settings_for,
    show_first_use,
)
from lsp_server.commands.options import (
    add_backend_option,
    add_lean_option,
    add_model_options,
    add_rerank_option,
    add_tactic_options,
)
from lsp_server.commands.typed_text import decoded, standard_input, typed
from lsp_server.documents.positions import from_person, split_lines
from lsp_server.engine.engine import Engine
from lsp_server.engine.generators import OpenGenerator, open_requested
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion, to_json
from lsp_server.engine.settings import Settings
from lsp_server.engine.tasks import LeanProgress
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import collection_text, suggestion_text
from prover.verify import GoalPosition
from retriever.lean.callers import TACTICS, Caller, caller_of

if TYPE_CHECKING:
    from lsp_server.commands.dojo import DojoTheorem


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = "use leanprover-community/repl, started by this command line, instead of Lean's language server"
    parser.add_argument("--repl", metavar="COMMAND", default="", help=text)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--file", type=Path, metavar="F", help="a Lean file with the goal")
    text = "a theorem of a Git clone, opened in LeanDojo: CLONE:FILE:THEOREM"
    source.add_argument("--dojo", metavar="THEOREM", help=text)
    source.add_argument("--state", metavar="FILE|-", help="a printed proof state; - is standard input")
    text = "what to search for: a theorem in words and LaTeX, or, for Lean, a printed proof state"
    source.add_argument("--text", metavar="TEXT", help=text)
    add_backend_option(parser)
    text = "which collection to search, if several are indexed"
    parser.add_argument("--collection", metavar="NAME", default="", help=text)
    parser.add_argument("--line", type=int, metavar="L", help="the line of the goal, from 1")
    parser.add_argument(
        "--column",
        type=int,
        metavar="C",
        help="the column of the goal, from 1 (default: the `sorry` on the line)",
    )
    text = "with --dojo: a tactic that is run first; may be repeated"
    parser.add_argument("--after", metavar="TACTIC", action="append", default=[], help=text)
    text = "which goal, if there are several, from 1 (default: 1)"
    parser.add_argument("--goal", type=positive, default=1, metavar="N", help=text)
    parser.add_argument(
        "--k", type=positive, default=None, metavar="N", help="how many premises to list (default: 16)"
    )
    text = "the tactic that the premises are for (rw, simp, exact, unfold, ...): what it can use is listed"
    parser.add_argument("--caller", default="", metavar="TACTIC", help=text)
    text = "a part of the goal's target, as Lean prints it: list what rewrites it, and try `rw` with that"
    parser.add_argument("--select", metavar="TEXT", default="", help=text)
    parser.add_argument("--tactics", action="store_true", help="also try tactics in Lean")
    parser.add_argument("--failures", action="store_true", help="also list tactics that fail")
    parser.add_argument("--explain", action="store_true", help="also explain each premise's score")
    parser.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    add_lean_option(parser)
    add_model_options(parser)
    add_rerank_option(parser)
    add_tactic_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    show_first_use()
    if options.backend != "lean":
        options.device = settings_for(options).models.device
        return _from_collection(options)
    if options.collection:
        raise UserError("--collection needs a --backend other than lean.", "Leave it out.")
    request, project = _request(options)
    suggestion = asyncio.run(_suggest(options, request, project))
    print_suggestion(suggestion, as_json=options.json, with_tactics=options.tactics)
    return 0


def print_suggestion(suggestion: Suggestion, *, as_json: bool, with_tactics: bool) -> None:
    """Print it on standard output, for a person or as JSON."""
    if as_json:
        print_json(to_json(suggestion))
        return
    style = Style.of_standard_output()
    sys.stdout.write(suggestion_text(suggestion, style, with_tactics=with_tactics))


def _from_collection(options: argparse.Namespace) -> int:
    if options.text is None:
        raise UserError(
            f"The backend {options.backend} needs --text.", "Give what to search for; `--text -` reads it."
        )
    lean_only = (options.tactics, options.failures, options.line, options.column, options.caller)
    if any(lean_only) or options.goal > 1:
        raise UserError(
            "Only the backend lean has tactics, goals and positions in files.", "Leave those options out."
        )
    if options.explain:
        raise UserError("Only the backend lean explains its scores.", "Leave out --explain.")
    if options.model:
        raise UserError("A collection's model is chosen when it is indexed.", "Give --model to `index`.")
    from lsp_server.engine.collections import answer, find_collection, open_collection
    from retriever.search.backends import find_backend

    find_backend(options.backend)
    text = typed(options.text)
    manifest = find_collection(options.backend, options.collection)
    opened = open_collection(manifest, rerank=options.rerank, device=options.device)
    found = answer(opened, text, options.k or 16)
    if options.json:
        print_json(to_json(found))
    else:
        sys.stdout.write(collection_text(found, Style.of_standard_output()))
    return 0


def _generator(options: argparse.Namespace, settings: Settings) -> OpenGenerator | None:
    """Load the generator that the options request, so that a failure is an error and not an overlooked warning.

    Raises UserError, ModelError.
    """
    if not options.tactics and options.tactics_from != "templates":
        return None
    if not options.generator and options.tactics_from is None:
        return None  # what a settings file names is opened when it is needed, and a failure is a warning
    source = settings.tactics.source
    name = options.generator or (settings.tactics.generator if source == "generator" else "")
    found = open_requested(name, source, settings.model_download, settings.models.device)
    return None if found is None else OpenGenerator(lambda name, download, device: found)


async def _suggest(
    options: argparse.Namespace,
    request: SuggestRequest,
    project: SearchedProject,
) -> Suggestion:
    opener = partial(_dojo(options).open, options.after) if options.dojo else None
    settings = settings_for(options, project.root)
    engine = Engine(project.root, settings, generator=_generator(options, settings), opener=opener)
    try:
        return project.with_warning(await engine.suggest(request, on_waiting=_print_progress))
    finally:
        await engine.close()


def _print_progress(progress: LeanProgress) -> None:
    print(f"{progress}.", file=sys.stderr, flush=True)


def _request(options: argparse.Namespace) -> tuple[SuggestRequest, SearchedProject]:
    if options.state is not None or options.text is not None:
        if options.line or options.column:
            raise UserError("--line and --column are only used with --file.", "Leave them out.")
        if options.tactics:
            raise UserError(
                "Tactics can only be tried in a file.",
                "Give --file and --line instead.",
            )
        goal = _read_state(options.state) if options.state is not None else typed(options.text)
        request = SuggestRequest(
            goal=goal,
            k=options.k,
            goal_number=options.goal,
            caller=_caller(options.caller),
            explain=options.explain,
            select=options.select,
        )
        return request, searched_project(Path.cwd())
    if options.after and not options.dojo:
        raise UserError("--after is only used with --dojo.", "Leave it out.")
    position = _dojo(options).position() if options.dojo else _position(options)
    if options.tactics and options.goal > 1:
        raise UserError("Tactics are tried on the first goal only.", "Leave out --goal or --tactics.")
    request = SuggestRequest(
        position,
        None,
        options.k,
        options.tactics,
        options.failures,
        options.goal,
        _caller(options.caller),
        options.explain,
        options.select,
    )
    return request, SearchedProject(find_root(position.path.resolve()))


def _dojo(options: argparse.Namespace) -> DojoTheorem:
    if options.line or options.column or options.repl:
        raise UserError("--line, --column and --repl are not used with --dojo.", "Leave them out.")
    from lsp_server.commands.dojo import DojoTheorem

    return DojoTheorem.named(options.dojo)


def _position(options: argparse.Namespace) -> GoalPosition:
    if options.line is None:
        raise UserError("--file needs the line of the goal.", "Add --line L, counting from 1.")
    return position_in(options.file, options.line, options.column)


def _caller(tactic: str) -> Caller:
    """The group of the tactic that the premises are for. Raises UserError: it is unknown."""
    found = caller_of(tactic)
    if tactic and not found:
        known = ", ".join(sorted(TACTICS))
        raise UserError(f"--caller does not know the tactic `{tactic}`.", f"It knows {known}.")
    return found


def position_in(path: Path, line: int, column: int | None) -> GoalPosition:
    """A position in a file, from numbers that count from 1. Raises BadSource, BadPosition."""
    if path.suffix != ".lean":
        raise BadSource(f"{path} is not a Lean file.", "Give a file whose name ends in .lean.")
    text = read_text(path)
    lines = split_lines(text)
    position = from_person(lines, line, column)
    if column is None:
        position = default_position(lines, position.line)
    return GoalPosition(path.resolve(), text, position)


def _read_state(source: str) -> str:
    if source == "-":
        return standard_input()
    path = Path(source)
    return decoded(path.read_bytes(), source) if is_pipe(path) else read_text(path)
