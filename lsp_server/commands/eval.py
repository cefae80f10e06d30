"""`premise-suggest eval`: proves problems by search and reports the results, or measures retrieval."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lean_extract.common.cluster import ClusterOptions, as_elsewhere, asked_cluster
from lean_extract.common.errors import BadRecords, BadSource, PremiseSuggestError, UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import MAX_TEXT, is_folder, open_regular, read_regular_text
from lean_extract.common.terminal_text import reason
from lean_extract.common.verbs import INTERRUPTED
from lsp_server.commands import eval_retrieval
from lsp_server.commands.common import existing_folder, show_first_use
from lsp_server.commands.eval_options import add_arguments as add_arguments
from lsp_server.commands.eval_proving import EvaluationPlan
from lsp_server.commands.eval_report import Run, markdown, notes, picture, plain, read_run, table, to_json
from lsp_server.commands.eval_run import Evaluation, Watching
from lsp_server.engine.generators import needed, open_asked, open_generator
from prover.generator.source import TacticGenerator
from prover.search import SearchLimits
from prover.search.sets import ProblemSet, is_no_project, minicore_set, minif2f_set, project_set
from retriever.lean.dataset.dataset import read_manifest
from retriever.metrics.charts import require_charts

OUT = Path("evaluations")
"""The default folder for runs, inside the current one."""


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.what == "report":
        return _report(options)
    if options.what == "retrieval":
        return eval_retrieval.run(options)
    show_first_use()
    problems = _problems(options)
    cluster = _cluster(options)
    generator = _generator(options)
    plan = _plan(options, generator)
    name = f"{problems.name}-{plan.retriever}-{plan.tactics_from}"
    out = options.out or OUT / re.sub(r"[^\w.-]+", "-", name)
    with Watching(quiet=options.quiet) as watcher:
        ended = Evaluation(
            problems, plan, out, watcher, generator, cluster, options.resume, options.limit
        ).run()
    if watcher.complaints:
        print(
            f"note: {len(watcher.complaints)} lines of {out} are not rows and count as not done",
            file=sys.stderr,
        )
    if not ended:
        print(f"Stopped; what is done is kept in {out}. Add --resume to go on.", file=sys.stderr)
        return INTERRUPTED
    found = read_run(out)
    with _output():
        _print([found])
        print(f"\n{out}")
    return 0


def _problems(options: argparse.Namespace) -> ProblemSet:
    if options.what == "minicore":
        return minicore_set()
    project = existing_folder(options.project)
    if options.what == "minif2f":
        problems = minif2f_set(options.data, project)
        if is_no_project(project):
            said = "no lakefile, no lean-toolchain and no Lean file, so imports may not be found"
            print(f"note: {project} is not a Lean project: there is {said}", file=sys.stderr)
        return problems
    if options.split is not None and options.dataset is None:
        raise UserError(
            "--split names a part of a dataset, but no dataset is given.", "Add --dataset FOLDER."
        )
    if options.theorems is not None:
        return project_set(project, name=options.theorems.stem, theorems=_read_names(options.theorems))
    if options.dataset is not None:
        part = options.split or "test"
        name = f"{read_manifest(options.dataset).strategy} {part}"
        return project_set(project, name=name, theorems=_split_names(options.dataset, part))
    return project_set(project, folder=options.folder)


def _read_names(path: Path) -> list[str]:
    """The names in a file, one per line; blank lines are skipped. Raises BadSource."""
    try:
        lines = read_regular_text(path, MAX_TEXT).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSource(
            f"{path} cannot be read: {reason(error)}.", "Name a file of theorem names, one per line."
        ) from error
    return [line.strip() for line in lines if line.strip()]


def _split_names(dataset: Path, split: str) -> Sequence[str]:
    """The theorems of a part of a dataset, in its order. Raises BadRecords."""
    path = dataset / "queries.jsonl"
    found: dict[str, None] = {}
    try:
        with open_regular(path) as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    query = parse_json(line)
                    if query["split"] == split:
                        found[str(query["theorem"])] = None
                except (ValueError, KeyError, TypeError) as error:
                    raise BadRecords(
                        f"{path}:{number}: not a query: {error!r}", "Build the dataset again."
                    ) from error
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Build the dataset again.") from error
    return list(found)


def _generator(options: argparse.Namespace) -> TacticGenerator | None:
    """The generator, unless only templates are to be used. Raises ModelError, UserError."""
    found = open_asked(options.generator, options.tactics_from or "both", options.download, "cpu")
    if found is not None or options.tactics_from == "templates":
        return found
    found = open_generator("", options.download, "cpu")
    if options.tactics_from is not None:
        return needed(found)
    if found is None:
        print("note: there is no generator, so tactics come from templates only", file=sys.stderr)
    return found


def _plan(options: argparse.Namespace, generator: TacticGenerator | None) -> EvaluationPlan:
    return EvaluationPlan(
        retriever=options.retriever,
        tactics_from=options.tactics_from or ("templates" if generator is None else "both"),
        generator=as_elsewhere(options.generator),
        model=as_elsewhere(options.model),
        download=options.download,
        premises=options.premises,
        generated=options.generated,
        passes=options.passes,
        workers=options.workers,
        limits=SearchLimits(options.seconds, options.nodes, options.tactics, options.tactic_seconds),
        lean=options.lean,
    )


def _cluster(options: argparse.Namespace) -> ClusterOptions | None:
    """The processes of Dask that were asked for, if any. Raises UserError: options do not fit each other."""
    found = asked_cluster(options)
    if found is not None and options.workers > 1:
        raise UserError(
            "--workers is for Leans of one process.",
            "Leave it out, or do without --processes and --scheduler.",
        )
    return found


def _report(options: argparse.Namespace) -> int:
    if options.svg is not None and is_folder(options.svg):
        raise UserError(f"{options.svg} is a folder.", "Name the file to write the picture to.")
    if options.svg is not None:
        require_charts()
    runs = [read_run(folder) for folder in options.folders]
    with _output():
        if options.json:
            print(json.dumps(to_json(runs), ensure_ascii=False, indent=2))
        elif options.markdown:
            print(markdown(table(runs)))
        else:
            print(plain(table(runs)))
    if not options.json:
        _print_notes(runs)
    if options.svg is not None:
        _draw(runs, options.svg)
    return 0


def _draw(runs: list[Run], path: Path) -> None:
    try:
        with replacing(path) as stream:
            stream.write(picture(runs))
    except OSError as error:
        raise PremiseSuggestError(
            f"The picture {path} could not be written: {error.strerror or error}.",
            "Name another file with --svg.",
        ) from error


@contextmanager
def _output() -> Iterator[None]:
    """Flush what the block prints when it ends. Raises PremiseSuggestError: it cannot be written."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PremiseSuggestError(
            f"The results could not be printed: {error.strerror or error}.",
            "They are saved: print them with `premise-suggest eval report`.",
        ) from error


def _print(runs: list[Run]) -> None:
    print(plain(table(runs)))
    _print_notes(runs)


def _print_notes(runs: list[Run]) -> None:
    for note in notes(runs):
        print(f"note: {note}", file=sys.stderr)
