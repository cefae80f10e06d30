"""`premise-suggest index`: build or refresh a project's index, with a progress bar. Ctrl-C loses nothing.

With a backend other than Lean, it indexes a file or folder as a collection.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lean_extract.common.cluster import cluster_options
from lean_extract.common.devices import PLACE_NAMES
from lean_extract.common.errors import BadSource, PremiseSuggestError, UserError
from lean_extract.common.files.reading import is_there
from lean_extract.common.nearest import path_meant
from lean_extract.common.option_types import add_cluster_arguments
from lean_extract.common.terminal_text import shown
from lean_extract.common.verbs import INTERRUPTED
from lsp_server.commands.common import (
    device_for,
    existing_folder,
    fill_options,
    named,
    project_root,
    show_first_use,
)
from lsp_server.commands.index_many import index_on_cluster
from lsp_server.commands.interrupts import stop_on_interrupt
from lsp_server.commands.options import add_backend_option, add_lean_option, add_model_options
from lsp_server.engine.collections import folder_of, refuse_other_backends, towers_for
from lsp_server.engine.databases import library_name, publish_project
from lsp_server.engine.indexing import update_project
from lsp_server.engine.settings import Settings
from lsp_server.rendering.labels import counted
from lsp_server.rendering.progress_bar import ProgressBar
from retriever.search.backends import find_backend
from retriever.search.collections.indexing import index_collection
from retriever.search.indexing.report import IndexReport
from retriever.search.postgres.database import Database

EXAMPLES = (
    "premise-suggest index                          # the project of the current folder",
    "premise-suggest index path/to/project",
    "premise-suggest index --backend naturalproofs SOURCE",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = "Lean projects, or the source of another backend (default: the current folder)"
    parser.add_argument("sources", nargs="*", type=Path, metavar="SOURCE", help=text)
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    add_backend_option(parser)
    text = "the name of the collection, for another backend, or of the published library (default: of file or folder)"
    parser.add_argument("--name", metavar="NAME", default="", help=text)
    text = "then publish the index into this database, postgresql://…, for `http --store` and `mcp --store`"
    parser.add_argument("--store", metavar="ADDRESS", default="", help=text)
    add_cluster_arguments(parser, "index many projects")
    add_lean_option(parser)
    add_model_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    show_first_use()
    if options.backend != "lean":
        if options.store:
            raise UserError("Only Lean projects are published in a database.", "Leave --store out.")
        options.device = device_for(options)
        return _index_collection(options)
    if options.name and not options.store:
        raise UserError("--name needs --store, or a --backend other than lean.", "Leave it out.")
    if options.store:
        Database(options.store)  # a wrong address is reported before anything is read
    roots = list(
        dict.fromkeys(project_root(existing_folder(one), loose=True) for one in options.sources or [None])
    )
    fill_options(options, roots[0] if len(roots) == 1 else None)
    if options.name and len(roots) > 1:
        raise UserError("--name is the name of one library.", "Leave it out, or index one project.")
    if options.store:
        for root in roots:
            library_name(root, options.name)  # nothing is read if it cannot be published
    if (cluster := cluster_options(options)) is not None:
        return index_on_cluster(roots, options, cluster, _finish)
    if len(roots) == 1:
        return index_project(roots[0], options) or _published(roots[0], options)
    return _one_by_one(roots, options)


def _one_by_one(roots: Sequence[Path], options: argparse.Namespace) -> int:
    """Index projects one by one; one that cannot be indexed is reported, and the others are indexed."""
    failures = 0
    for root in roots:
        try:
            code = index_project(root, options) or _published(root, options)
        except PremiseSuggestError as error:
            print(f"error: {root}: {error}", file=sys.stderr)
            failures += 1
            continue
        if code:
            return code
    return 1 if failures else 0


def _finish(root: Path, report: IndexReport, options: argparse.Namespace) -> None:
    """Print what a process did for a project, and publish its index if requested."""
    print_report(root, report)
    _published(root, options)


def _published(root: Path, options: argparse.Namespace) -> int:
    """Publish a project's index, if there is a database for it."""
    if not options.store:
        return 0
    settings = replace(Settings(), model_folder=options.model, model_download=options.download)
    with ProgressBar(quiet=options.quiet) as bar:
        found = publish_project(root, options.store, options.name, settings, bar.report)
    where = f"{options.name or root.name}, {counted(found.premises, 'premise')}, revision {found.number}"
    print(f"published in {found.database}: {where}")
    return 0


def index_project(root: Path, options: argparse.Namespace) -> int:
    """Build or refresh the index of a project and print what was done; returns the exit code."""
    with stop_on_interrupt() as stop, ProgressBar(quiet=options.quiet) as bar:
        report = update_project(
            root,
            options.model,
            bar.report,
            stop.is_set,
            download=options.download,
            lean=options.lean,
            device=options.device,
            on_note=_print_note,
        )
    return print_report(root, report)


def _print_note(note: str) -> None:
    """Print a note on standard error."""
    print(f"note: {shown(note, longest=0)}", file=sys.stderr, flush=True)


def print_report(root: Path, report: IndexReport) -> int:
    """Print what an update did, and what it could not read; returns the exit code."""
    if report.stopped:
        print("Stopped; what was read is kept. Run the same command again to continue.", file=sys.stderr)
        return INTERRUPTED
    print(summary(root, report))
    for note in report.notes:
        _print_note(note)
    for problem in report.problems[:10]:
        where = f"{problem.path}:{problem.position.line + 1}"
        print(f"warning: {shown(f'{where}: {problem.message}', longest=0)}", file=sys.stderr)
    if len(report.problems) > 10:
        print(f"warning: and {len(report.problems) - 10} more", file=sys.stderr)
    return 0


def _index_collection(options: argparse.Namespace) -> int:
    backend = find_backend(options.backend)
    if len(options.sources) != 1:
        raise UserError(
            f"The backend {backend.name} needs one source.", "Give the file or folder that it reads."
        )
    source: Path = options.sources[0]
    if not is_there(source):
        raise BadSource(
            f"There is no file or folder {named(source)}.", path_meant(source) or "Check the path."
        )
    name = options.name or source.stem
    folder = folder_of(name)
    model, towers = towers_for(backend.name, options.model, download=options.download, device=options.device)
    refuse_other_backends(name, options.backend)
    with stop_on_interrupt() as stop, ProgressBar(quiet=options.quiet, unit="part") as bar:
        report = index_collection(
            backend,
            source,
            folder,
            towers,
            called=options.backend,
            model=model,
            progress=bar.report,
            should_stop=stop.is_set,
        )
    if report.update.stopped:
        print("Stopped; nothing was changed.", file=sys.stderr)
        return INTERRUPTED
    known = f", {counted(report.proofs, 'proof')} that vote" if report.proofs else ""
    print(f"{name} ({options.backend}): {counted(report.manifest.documents, 'document')}{known}")
    return 0


def summary(root: Path, report: IndexReport) -> str:
    """A summary of an update, on one line."""
    counts = f"{counted(report.documents, 'premise')} in {counted(report.files, 'file')}"
    changes = f"{report.files_read:,} read, {report.files_removed:,} removed"
    changes += f", {counted(report.documents_embedded, 'premise')} embedded{_speed(report)}"
    return f"{shown(root)}: {counts} ({changes}, {report.seconds:.1f} s)"


def _speed(report: IndexReport) -> str:
    """How fast premises were embedded, and where; empty if none were."""
    if not report.documents_embedded or not report.embedding_seconds:
        return ""
    rate = report.documents_embedded / report.embedding_seconds
    return f" at {rate:,.0f} a second on {PLACE_NAMES[report.place]}"
