"""`premise-suggest suggest`: prints the goal, the premises that fit, and the tactics that Lean accepts."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lean_extract.common.errors import UserError
from lean_extract.common.files.reading import is_pipe
from lean_extract.common.option_parser import OptionGroup
from lean_extract.common.option_types import positive
from lean_extract.source.projects.project import find_root
from lsp_server.commands.common import (
    SearchedProject,
    device_for,
    opened_generator,
    print_json,
    print_progress,
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
from lsp_server.commands.place import FORMS, Place, position_of, read_place
from lsp_server.commands.suggest_all import suggest_all
from lsp_server.commands.suggest_collection import from_collection
from lsp_server.commands.typed_text import decoded, standard_input, typed
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.settings import Settings
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import suggestion_text
from retriever.lean.callers import TACTICS, Caller, caller_of

if TYPE_CHECKING:
    from lsp_server.commands.dojo import DojoTheorem


EXAMPLES = (
    "premise-suggest suggest A.lean:6           # the goal in line 6",
    "premise-suggest suggest A.lean:add_swap    # the first sorry of a theorem",
    "premise-suggest suggest A.lean --all       # every sorry of the file",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.usage = "%(prog)s [PLACE] [OPTION ...]"
    _add_where(parser.add_argument_group("where the goal is"))
    _add_shown(parser.add_argument_group("what is shown"))
    lean = parser.add_argument_group("which Lean")
    add_lean_option(lean)
    text = "use leanprover-community/repl, started by this command line, instead of Lean's language server"
    lean.add_argument("--repl", metavar="COMMAND", default="", help=text)
    models = parser.add_argument_group("models, tactics and collections")
    add_tactic_options(models)
    add_model_options(models)
    add_rerank_option(models)
    add_backend_option(models)
    text = "which collection to search, if several are indexed"
    models.add_argument("--collection", metavar="NAME", default="", help=text)


def _add_where(where: OptionGroup) -> None:
    source = where.add_mutually_exclusive_group()
    text = (
        "FILE:LINE, FILE:LINE:COLUMN, FILE:THEOREM (full name or the end of one), or FILE if it has one sorry"
    )
    source.add_argument("place", nargs="?", default=None, metavar="PLACE", help=text)
    source.add_argument("--file", type=Path, metavar="F", help="a Lean file, with --line")
    text = "a theorem of a Git clone, opened in LeanDojo: CLONE:FILE:THEOREM"
    source.add_argument("--dojo", metavar="THEOREM", help=text)
    source.add_argument("--state", metavar="FILE|-", help="a printed proof state; - is standard input")
    text = "what to search for: a theorem in words and LaTeX, or, for Lean, a printed proof state"
    source.add_argument("--text", metavar="TEXT", help=text)
    where.add_argument("--line", type=int, metavar="L", help="the line of the goal, from 1")
    text = "the column of the goal, from 1 (default: the `sorry` on the line)"
    where.add_argument("--column", type=int, metavar="C", help=text)
    where.add_argument("--all", action="store_true", help="every `sorry` of the file, with its best tactic")
    text = "with --dojo: a tactic that is run first; may be repeated"
    where.add_argument("--after", metavar="TACTIC", action="append", default=[], help=text)
    text = "which goal, if there are several, from 1 (default: 1)"
    where.add_argument("--goal", type=positive, default=1, metavar="N", help=text)


def _add_shown(shown: OptionGroup) -> None:
    text = "how many premises to list (default: 16)"
    shown.add_argument("--k", type=positive, default=None, metavar="N", help=text)
    text = "the tactic that the premises are for (rw, simp, exact, unfold, ...): what it can use is listed"
    shown.add_argument("--caller", default="", metavar="TACTIC", help=text)
    text = "a part of the goal's target, as Lean prints it: list what rewrites it, and try `rw` with that"
    shown.add_argument("--select", metavar="TEXT", default="", help=text)
    text = "try tactics in Lean (default: for a position in a file)"
    shown.add_argument("--tactics", action=argparse.BooleanOptionalAction, default=None, help=text)
    shown.add_argument("--failures", action="store_true", help="also list tactics that fail")
    shown.add_argument("--explain", action="store_true", help="also explain each premise's score")
    shown.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    show_first_use()
    if options.backend != "lean":
        options.device = device_for(options)
        return from_collection(options)
    if options.collection:
        raise UserError("--collection needs a --backend other than lean.", "Leave it out.")
    if options.all:
        path = _whole_file(options)
        asked = partial(_as_set, options, _asked(options))
        return suggest_all(path, asked, partial(_engine, options), as_json=options.json)
    request, project = _request(options)
    suggestion = asyncio.run(_suggest(options, request, project))
    print_suggestion(suggestion, as_json=options.json)
    return 0


def print_suggestion(suggestion: Suggestion, *, as_json: bool) -> None:
    """Print it on standard output, for a person or as JSON."""
    if as_json:
        print_json(to_json(suggestion))
        return
    sys.stdout.write(suggestion_text(suggestion, Style.of_standard_output()))


def _wants_tactics(options: argparse.Namespace) -> bool:
    """Whether to try tactics: as the option says, else wherever Lean can."""
    if options.tactics is not None:
        return bool(options.tactics)
    return options.state is None and options.text is None


def _engine(options: argparse.Namespace, root: Path | None) -> Engine:
    """Raises UserError, ModelError."""
    opener = partial(_dojo(options).open, options.after) if options.dojo else None
    settings = settings_for(options, root)
    is_needed = _wants_tactics(options) or options.tactics_from == "templates"
    generator = opened_generator(options, settings) if is_needed else None
    return Engine(root, settings, generator=generator, opener=opener)


def _as_set(options: argparse.Namespace, request: SuggestRequest, settings: Settings) -> SuggestRequest:
    """The request, without tactics if the settings switch them off and no option switches them on."""
    is_off = options.tactics is None and not settings.tactics.enabled
    return replace(request, tactics=False) if is_off else request


async def _suggest(
    options: argparse.Namespace, request: SuggestRequest, project: SearchedProject
) -> Suggestion:
    engine = _engine(options, project.root)
    request = _as_set(options, request, engine.settings)
    try:
        return project.with_warning(await engine.suggest(request, on_waiting=print_progress))
    finally:
        await engine.close()


def _request(options: argparse.Namespace) -> tuple[SuggestRequest, SearchedProject]:
    if options.after and not options.dojo:
        raise UserError("--after is only used with --dojo.", "Leave it out.")
    if options.state is not None or options.text is not None:
        position, goal = None, _goal(options)
        project = searched_project(Path.cwd())
    else:
        position, goal = _dojo(options).position() if options.dojo else position_of(_place(options)), None
        project = SearchedProject(find_root(position.path.resolve()))
    return replace(_asked(options), position=position, goal=goal), project


def _asked(options: argparse.Namespace) -> SuggestRequest:
    """The request without its goal. Raises UserError."""
    return SuggestRequest(
        k=options.k,
        tactics=_wants_tactics(options),
        keep_failures=options.failures,
        goal_number=options.goal,
        caller=_caller(options.caller),
        explain=options.explain,
        select=options.select,
    )


def _goal(options: argparse.Namespace) -> str:
    """The printed goal that is given. Raises UserError: with options that need a file."""
    if options.line or options.column:
        raise UserError("--line and --column are only used with a file.", "Leave them out.")
    if options.tactics:
        raise UserError("Tactics can only be tried in a file.", "Give FILE:LINE instead.")
    return _read_state(options.state) if options.state is not None else typed(options.text)


def _dojo(options: argparse.Namespace) -> DojoTheorem:
    if options.line or options.column or options.repl:
        raise UserError("--line, --column and --repl are not used with --dojo.", "Leave them out.")
    from lsp_server.commands.dojo import DojoTheorem

    return DojoTheorem.named(options.dojo)


def _place(options: argparse.Namespace) -> Place:
    """The place that is named, as PLACE or with --file, --line and --column. Raises UserError."""
    if options.place is None and options.file is None:
        raise UserError("No goal is named.", f"{FORMS} --state and --text take a goal itself.")
    place = read_place(options.place) if options.file is None else Place(options.file)
    if options.line is None:
        if options.column is not None:
            raise UserError("--column needs the line of the goal.", "Add --line L, counting from 1.")
        return place
    if place.name or place.line is not None:
        raise UserError(f"{options.place} already says where.", "Leave out --line and --column.")
    return replace(place, line=options.line, column=options.column)


def _whole_file(options: argparse.Namespace) -> Path:
    """The file of --all. Raises UserError: other options name one of its goals, or no file is named."""
    if options.dojo or options.state is not None or options.text is not None:
        raise UserError("--all is for a file.", "Give a file whose name ends in .lean.")
    place = _place(options)
    if place != Place(place.path) or options.goal > 1 or options.select or options.after:
        hint = "Give the file alone, without a place, --goal, --select and --after."
        raise UserError("--all is for all goals of a file.", hint)
    return place.path


def _caller(tactic: str) -> Caller:
    """The group of the tactic that the premises are for. Raises UserError: it is unknown."""
    found = caller_of(tactic)
    if tactic and not found:
        known = ", ".join(sorted(TACTICS))
        raise UserError(f"--caller does not know the tactic `{tactic}`.", f"It knows {known}.")
    return found


def _read_state(source: str) -> str:
    if source == "-":
        return standard_input()
    path = Path(source)
    return decoded(path.read_bytes(), source) if is_pipe(path) else read_text(path)
