"""`premise-suggest eval`: proves problems by search and reports the results, or measures retrieval."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lean_extract.common.cluster import ClusterOptions, as_elsewhere, cluster_options
from lean_extract.common.errors import BadRecords, BadSource, PremiseSuggestError, UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import is_folder, open_regular, read_regular_text
from lean_extract.common.option_types import add_cluster_arguments, depth, positive, seconds
from lean_extract.common.terminal_text import reason
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.limits import MAX_DOCUMENT_BYTES
from lsp_server.commands import eval_retrieval
from lsp_server.commands.common import existing_folder, print_json, served_settings, show_first_use
from lsp_server.commands.eval_premises import RETRIEVERS
from lsp_server.commands.eval_proving import EvaluationPlan
from lsp_server.commands.eval_report import Run, markdown, notes, picture, plain, read_run, table, to_json
from lsp_server.commands.eval_run import Evaluation, Watching
from lsp_server.commands.options import add_served_options
from lsp_server.engine.generators import needed, open_generator, open_requested
from lsp_server.engine.settings import SOURCES, Settings
from prover.generator.source import TacticGenerator
from prover.limits import SEARCH_NODES, SEARCH_SECONDS, SEARCH_TACTIC_SECONDS, SEARCH_TACTICS
from prover.search.search import SearchLimits
from prover.search.sets import ProblemSet, is_no_project, minicore_set, minif2f_set, project_set
from prover.served.address import read_address
from retriever.lean.dataset.dataset import read_manifest
from retriever.metrics.charts import require_charts

_OUT = Path("evaluations")
"""The default folder for runs, inside the current one."""

EXAMPLES = (
    "premise-suggest eval minicore --limit 10",
    "premise-suggest eval project --project DIR --seconds 20",
    "premise-suggest eval report evaluations/*",
)


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the sub-commands and their options."""
    kinds = command.add_subparsers(dest="what", required=True, metavar="WHAT")
    text = "prove the statements of a JSONL file (name, header, statement), such as miniF2F"
    minif2f = kinds.add_parser("minif2f", help=text)
    minif2f.add_argument("--data", type=Path, required=True, metavar="F.jsonl", help="the problems")
    text = "the Lean project to prove them in; it must have what their headers import"
    minif2f.add_argument("--project", type=Path, required=True, metavar="DIR", help=text)
    _common(minif2f)
    project = kinds.add_parser("project", help="prove theorems of a project, with their own proofs removed")
    project.add_argument("--project", type=Path, required=True, metavar="DIR", help="the Lean project")
    which = project.add_mutually_exclusive_group()
    text = "a file of full names, one per line (default: all theorems of the project's own files)"
    which.add_argument("--theorems", type=Path, metavar="FILE", help=text)
    text = "the theorems of a part of this dataset (made by `python -m retriever dataset` or `resplit`)"
    which.add_argument("--dataset", type=Path, metavar="FOLDER", help=text)
    which.add_argument(
        "--folder", type=Path, metavar="SUBFOLDER", help="the theorems of the files in this subfolder"
    )
    text = "which part of the --dataset (default: test)"
    project.add_argument("--split", choices=("test", "valid"), default=None, help=text)
    _common(project)
    _common(kinds.add_parser("minicore", help="prove the problems that come with the mini core"))
    retrieval = kinds.add_parser("retrieval", help="measure how well a backend's documents are found")
    text = "lean (a dataset folder), naturalproofs, match, or a Python package with a backend"
    retrieval.add_argument("--backend", required=True, metavar="NAME", help=text)
    retrieval.add_argument(
        "--data", type=Path, required=True, metavar="SOURCE", help="the source that the backend reads"
    )
    retrieval.add_argument(
        "--part", choices=("valid", "test"), default="valid", help="which questions to ask (default: valid)"
    )
    text = "a model folder, or owner/name on the Hugging Face hub (default: the backend's shipped model)"
    retrieval.add_argument("--model", default="", metavar="NAME", help=text)
    retrieval.add_argument("--download", action="store_true", help="download it from the hub if needed")
    text = "how many documents to re-rank, if the model has a re-ranker; 0: none (default: 20)"
    retrieval.add_argument("--rerank", type=depth, default=None, metavar="N", help=text)
    retrieval.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the seed of the bootstrap intervals (default: 0)"
    )
    retrieval.add_argument("--quiet", action="store_true", help="show no progress bar")
    retrieval.add_argument("--json", action="store_true", help="print JSON")
    report = kinds.add_parser("report", help="compare runs in a table and a picture")
    report.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="the folders of runs")
    form = report.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    report.add_argument("--svg", type=Path, metavar="FILE", help="write the picture of pass rates by level")


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--retriever", choices=RETRIEVERS, default="ours", help="where premises come from (default: ours)"
    )
    text = "where tactics come from (default: both, if there is a generator)"
    command.add_argument("--tactics-from", choices=SOURCES, default=None, help=text)
    text = (
        "the tactic generator: a folder, owner/name on the hub, byt5, which is shipped, or http://HOST/v1#MODEL, "
        "which writes proofs in addition (default: shipped shapes)"
    )
    command.add_argument("--generator", default="", metavar="NAME", help=text)
    add_served_options(command)
    text = "the encoder: a folder, or owner/name on the hub (default: the shipped one)"
    command.add_argument("--model", default="", metavar="NAME", help=text)
    command.add_argument("--download", action="store_true", help="download them from the hub if needed")
    command.add_argument(
        "--premises", type=positive, default=16, metavar="N", help="premises per state (default: 16)"
    )
    text = "tactics that the generator writes per state (default: 16)"
    command.add_argument("--generated", type=positive, default=16, metavar="N", help=text)
    command.add_argument(
        "--passes",
        type=positive,
        default=1,
        metavar="N",
        help="searches per problem, with different seeds (default: 1)",
    )
    command.add_argument(
        "--seconds", type=seconds, default=SEARCH_SECONDS, metavar="S", help="time per problem (default: 60)"
    )
    command.add_argument(
        "--nodes",
        type=positive,
        default=SEARCH_NODES,
        metavar="N",
        help="states expanded per problem (default: 512)",
    )
    command.add_argument(
        "--tactics",
        type=positive,
        default=SEARCH_TACTICS,
        metavar="N",
        help="tactics tried per state (default: 32)",
    )
    text = "time per tactic (default: 5)"
    command.add_argument(
        "--tactic-seconds", type=seconds, default=SEARCH_TACTIC_SECONDS, metavar="S", help=text
    )
    command.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="parallel Lean sessions (default: 1)"
    )
    add_cluster_arguments(command, "prove, with a Lean each,")
    text = "the folder of the run (default: evaluations/PROBLEMS-RETRIEVER-TACTICS)"
    command.add_argument("--out", type=Path, default=None, metavar="DIR", help=text)
    command.add_argument("--resume", action="store_true", help="continue the run in the folder")
    command.add_argument(
        "--limit", type=positive, default=None, metavar="N", help="only the first N problems"
    )
    command.add_argument("--quiet", action="store_true", help="show no progress bar")
    text = "the command line of the Lean server to run (default: found automatically)"
    command.add_argument("--lean", default="", metavar="COMMAND", help=text)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.what == "report":
        return _report(options)
    if options.what == "retrieval":
        return eval_retrieval.run(options)
    show_first_use()
    problems = _problems(options)
    cluster = _cluster(options)
    served = served_settings(options)
    generator = _generator(options, served)
    plan = _plan(options, generator, served)
    model = "" if served is None else f"-{read_address(served.tactics.generator).model}"
    name = f"{problems.name}-{plan.retriever}-{plan.tactics_from}{model}"
    out = options.out or _OUT / re.sub(r"[^\w.-]+", "-", name)
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
        print(f"Stopped; what is done is kept in {out}. Add --resume to continue.", file=sys.stderr)
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
            why = "no lakefile, no lean-toolchain and no Lean file, so imports may not be found"
            print(f"note: {project} is not a Lean project: there is {why}", file=sys.stderr)
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
        lines = read_regular_text(path, MAX_DOCUMENT_BYTES).splitlines()
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


def _generator(options: argparse.Namespace, served: Settings | None) -> TacticGenerator | None:
    """The generator, unless only templates, or only a model at a server, are to be used.

    Raises ModelError, UserError.
    """
    if served is not None and options.tactics_from == "generator":
        return None
    found = open_requested(
        "" if served else options.generator, options.tactics_from or "both", options.download, "cpu"
    )
    if found is not None or options.tactics_from == "templates":
        return found
    found = open_generator("", options.download, "cpu")
    if options.tactics_from is not None:
        return needed(found)
    if found is None:
        print("note: there is no generator, so tactics come from templates only", file=sys.stderr)
    return found


def _plan(
    options: argparse.Namespace, generator: TacticGenerator | None, served: Settings | None
) -> EvaluationPlan:
    is_alone = generator is None and served is None
    return EvaluationPlan(
        retriever=options.retriever,
        tactics_from=options.tactics_from or ("templates" if is_alone else "both"),
        generator="" if served else as_elsewhere(options.generator),
        model=as_elsewhere(options.model),
        download=options.download,
        premises=options.premises,
        generated=options.generated,
        passes=options.passes,
        workers=options.workers,
        limits=SearchLimits(options.seconds, options.nodes, options.tactics, options.tactic_seconds),
        lean=options.lean,
        served=served,
    )


def _cluster(options: argparse.Namespace) -> ClusterOptions | None:
    """The requested processes of Dask, if any. Raises UserError: options do not fit each other."""
    found = cluster_options(options)
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
            print_json(to_json(runs))
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
