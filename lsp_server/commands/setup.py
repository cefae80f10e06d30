"""`premise-suggest setup`: from nothing to a first goal of one's own project, and what to put where.

It first prints what it will do. With `--git` it fetches and indexes a public library by its address.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from lean_extract.common.errors import BadSettings, LeanError, PremiseSuggestError, UserError
from lean_extract.common.files.reading import format_size
from lean_extract.common.terminal_text import shown
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.source.projects.packages import read_layout
from lean_extract.source.projects.project import find_sources, is_project_root, no_sources
from lean_extract.toolchains.toolchain import Toolchain, resolve_lean
from lsp_server.commands.client_variables import client_variables
from lsp_server.commands.common import existing_folder, fill_options, project_root, show_first_use
from lsp_server.commands.editor_setup import CLIENTS, called_command, installed, own_command
from lsp_server.commands.first_goal import first_goal
from lsp_server.commands.index import index_project, print_report
from lsp_server.commands.interrupts import stop_on_interrupt
from lsp_server.commands.options import add_lean_option, add_model_options
from lsp_server.commands.served_findings import consent
from lsp_server.engine.indexing import IndexPlan, plan_index
from lsp_server.engine.libraries import FetchStopped, add_library, index_libraries, read_git_address
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import index_folder, libraries_root, needs_mathlib
from lsp_server.engine.tasks import LeanProgress
from lsp_server.rendering.labels import counted, target_line, verdict
from lsp_server.rendering.progress_bar import ProgressBar
from prover.verify import GoalPosition

_BYTES_PER_SECOND = 200_000
"""Lean text that one core, busy with other work, too, reads and embeds. Idle, it does half as much again."""
_MARGIN, _WIDTH = " " * 10, 90
"""The margin of continuation lines of the plan, and the width of one."""
_PRINTED_GOAL = r"printf 'n m : ℕ\n⊢ n + m = m + n\n'"
_LISTED = 3
"""How many premises and tactics are shown for the goal."""
_SHORT = 40
"""Up to so many seconds are shown as less than a minute."""
_INDEX_SHARE = 5
"""Bytes of an index for a byte of Lean text, with the graph for its search."""

EXAMPLES = (
    "premise-suggest setup                          # the project of the current folder",
    "premise-suggest setup path/to/project --yes",
    "premise-suggest setup --git https://github.com/leanprover-community/mathlib4@v4.22.0",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = "a folder of the project (default: the current folder)"
    parser.add_argument("directory", nargs="?", type=Path, default=None, metavar="DIR", help=text)
    text = "fetch and index a public Lean library, such as https://github.com/leanprover-community/mathlib4"
    parser.add_argument("--git", metavar="ADDRESS[@REV]", default="", help=text)
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    add_lean_option(parser)
    add_model_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    show_first_use()
    if options.git:
        if options.directory is not None:
            raise UserError("--git indexes a library, not a folder.", "Leave out one of the two.")
        fill_options(options)
        return _add(options)
    root = project_root(existing_folder(options.directory))
    settings = fill_options(options, root)
    lean = _lean(root, options.lean)
    print(_plan(root, options, lean, settings))
    if not _agreed(options.yes):
        return 0
    code = index_project(root, options)
    if code:
        return code
    print(_clients(root))
    if isinstance(lean, PremiseSuggestError):
        _offer_printed_goal()
        return 1
    return 0 if _try_lean(root, settings) else 1


def _plan(
    root: Path, options: argparse.Namespace, lean: Toolchain | PremiseSuggestError, settings: Settings
) -> str:
    """What was found, and what will be done. Raises UserError: this is not a project."""
    found = find_sources(root)
    if not is_project_root(root):
        raise UserError(
            f"{shown(root)} is not a Lean project (no lakefile, no lean-toolchain).",
            "Run this in the folder that holds its lakefile, or give that folder.",
        )
    if not found.sources:
        raise no_sources(root, found.notices)
    lines = [f"project   {shown(root)}", f"Lean      {_described(lean)}"]
    packages = [package.name for package in read_layout(root).packages]
    lines.append(f"packages  {shown(', '.join(packages)) or 'none on this disk'}")
    if needs_mathlib(root) and "mathlib" not in packages:
        lines.append("          Mathlib is not on this disk, so its lemmas are shown by name only;")
        lines.append("          `lake update`, or `premise-suggest setup --git` with its address, brings it.")
    lines += _to_read(plan_index(root, found, options.model, options.lean))
    if not isinstance(lean, PremiseSuggestError):
        lines.append("then      ask Lean for one goal of the project; no file of the project is changed")
    if sentence := consent(settings):
        first, *further = textwrap.wrap(shown(sentence, longest=0), _WIDTH, break_on_hyphens=False)
        lines += [f"model     {first}", *(f"{_MARGIN}{line}" for line in further)]
    return "\n".join(lines)


def _to_read(plan: IndexPlan) -> Iterator[str]:
    """What will be read, and how long that takes."""
    update = "bring the index up to date: only what changed is read"
    if not plan.files:
        yield f"to do     {update}"
    else:
        size = f"{counted(plan.files, 'file')}, {format_size(plan.size)}"
        yield f"to do     read {size}: {_estimate(plan.size)}, into {shown(index_folder())}"
        parts = [f"{part.name} ({counted(part.files, 'file')})" for part in plan.parts]
        yield from _wrapped(", ".join(parts))
        if plan.is_update:
            yield f"{_MARGIN}and {update}"
    if plan.ready:
        yield from _wrapped(f"indexed already, and not read again: {', '.join(plan.ready)}")


def _wrapped(text: str) -> Iterator[str]:
    for line in textwrap.wrap(shown(text, longest=0), _WIDTH, break_on_hyphens=False):
        yield f"{_MARGIN}{line}"


def _estimate(size: int) -> str:
    """How long and how large the index of so many bytes of text is."""
    minutes = math.ceil(size / _BYTES_PER_SECOND / 60)
    is_short = size < _BYTES_PER_SECOND * _SHORT
    time = "less than a minute" if is_short else f"about {minutes} min on one core"
    return f"{time}, about {format_size(size * _INDEX_SHARE)}"


def _lean(root: Path, lean: str) -> Toolchain | PremiseSuggestError:
    """The project's Lean, or why there is none."""
    try:
        return resolve_lean(root, override=lean or None)
    except PremiseSuggestError as error:
        return error


def _described(lean: Toolchain | PremiseSuggestError) -> str:
    if isinstance(lean, PremiseSuggestError):
        reason = textwrap.wrap(f"none: {lean.message} {lean.hint}", _WIDTH, break_on_hyphens=False)
        return f"\n{_MARGIN}".join(reason)
    version = f"{lean.version or 'of unknown version'} ({lean.kind})"
    library = textwrap.wrap(lean.note or lean.library, _WIDTH, break_on_hyphens=False)
    return f"\n{_MARGIN}".join([version, *library])


def _agreed(yes: bool) -> bool:
    """Whether to continue. Raises UserError: there is no terminal for the question."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UserError("This command asks before it continues, and there is no terminal.", "Add --yes.")
    return input("Continue? [Y/n] ").strip().lower() in ("", "y", "yes")


def _add(options: argparse.Namespace) -> int:
    """Fetch and index a library."""
    address = read_git_address(options.git)
    print(f"library   {shown(address.shown)} at {address.revision}")
    print(f"to do     download it with git, without its history, into {shown(libraries_root())};")
    print("          then read and embed it. Mathlib: 120 MB of text, six minutes on one core, 600 MB.")
    if not _agreed(options.yes):
        return 0
    with stop_on_interrupt() as stop, ProgressBar(quiet=options.quiet, unit="object") as bar:
        try:
            library = add_library(address, bar.report, stop.is_set)
        except FetchStopped:
            print("Stopped; nothing was changed.", file=sys.stderr)
            return INTERRUPTED
    print(f"{library.name} {library.revision[:12]} is here")
    with stop_on_interrupt() as stop, ProgressBar(quiet=options.quiet) as bar:
        report = index_libraries(
            options.model, bar.report, stop.is_set, download=options.download, device=options.device
        )
    return print_report(libraries_root(), report)


def _try_lean(root: Path, settings: Settings) -> bool:
    """Ask for one goal and print the answer; whether nothing failed."""
    print("\nLean      reads one goal of the project ...", flush=True)
    try:
        found = asyncio.run(first_goal(root, settings, _print_progress))
    except (BadSettings, LeanError) as error:
        print(f"{_MARGIN}it could not: {error.message}\n{_MARGIN}{error.hint}")
        _offer_printed_goal()
        return False
    if found is None:
        print("          no proof by tactics was found in the project's own files")
        return True
    print("\n".join(_first_goal(root, *found)))
    return True


def _offer_printed_goal() -> None:
    print("\nPremises for a goal as Lean prints it need no Lean. Try it:")
    print(f"  {_PRINTED_GOAL} | {shlex.quote(called_command())} suggest --state -")


def _print_progress(progress: LeanProgress) -> None:
    print(f"{_MARGIN}{progress}", file=sys.stderr, flush=True)


def _first_goal(root: Path, place: GoalPosition, answer: Suggestion) -> Iterator[str]:
    """A goal, what fits it, and the command that shows it again."""
    line = place.position.line + 1
    yield f"{_MARGIN}{shown(place.path.relative_to(root))}:{line}  {shown(target_line(answer.goal, 80))}"
    names = ", ".join(item.name for item in answer.premises[:_LISTED])
    yield f"{_MARGIN}premises: {shown(names, longest=0) or 'none fits'}"
    for tactic in answer.tactics[:_LISTED]:
        yield f"{_MARGIN}{shown(tactic.tactic, longest=80)}  ({verdict(tactic)})"
    here = Path.cwd()
    path = place.path.relative_to(here) if place.path.is_relative_to(here) else place.path
    yield "\nTry it, or put the cursor there in your editor:"
    command = [called_command(), "suggest", f"{path}:{line}"]
    yield f"  {shown(shlex.join(command), longest=0)}"


def _clients(root: Path) -> str:
    """What to do for the editors and agents that are installed."""
    command = own_command()
    found = list(installed())
    blocks = [f"{client.name}:\n{_indented(client.steps_here()(command, root))}" for client in found]
    if not found:
        names = ", ".join(client.name for client in CLIENTS)
        blocks = [f"No editor that we know was found on PATH ({names}).\n  Any LSP client: {command} serve"]
    served = shlex.join([called_command(), "http", "--project", str(root)])
    blocks.append(f"#leansearch, #search, #loogle, #statesearch, lean-lsp-mcp, while this runs: {served}")
    return "\n".join(["", *blocks, _indented(client_variables())])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
