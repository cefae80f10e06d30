"""`premise-suggest eval`: proves problems by search and reports the results, or measures retrieval."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event

from lean_extract.common.cluster import ClusterOptions, as_elsewhere, asked_cluster
from lean_extract.common.errors import PremiseSuggestError, UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.reading import is_folder
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.toolchains.compile import CompilationStopped
from lsp_server.commands import eval_retrieval
from lsp_server.commands.common import existing_folder, show_first_use
from lsp_server.engine.generators import needed, open_asked, open_generator
from lsp_server.evaluation.minicore import minicore_set
from lsp_server.evaluation.picture import picture
from lsp_server.evaluation.plan import EvaluationPlan, ProblemSet
from lsp_server.evaluation.progress import Watching
from lsp_server.evaluation.report import Run, markdown, notes, plain, read_run, table, to_json
from lsp_server.evaluation.running import evaluate
from lsp_server.evaluation.sets import is_no_project, minif2f_set, project_set
from prover.generator.source import TacticGenerator
from prover.search.result import SearchLimits
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
    _cluster(options)  # what does not fit is told before anything is opened
    generator = _generator(options)
    plan = _plan(options, generator)
    name = f"{problems.name}-{plan.retriever}-{plan.tactics_from}"
    out = options.out or OUT / re.sub(r"[^\w.-]+", "-", name)
    stop = Event()
    with Watching(quiet=options.quiet) as watcher:
        ended = _until_stopped(problems, plan, out, watcher, stop, options, generator)
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


def _until_stopped(
    problems: ProblemSet,
    plan: EvaluationPlan,
    out: Path,
    watcher: Watching,
    stop: Event,
    options: argparse.Namespace,
    generator: TacticGenerator | None,
) -> bool:
    """Whether the evaluation finished; False after Ctrl-C or SIGTERM."""

    async def whole() -> bool:
        task = asyncio.create_task(
            evaluate(
                problems,
                plan,
                out,
                watcher,
                resume=options.resume,
                limit=options.limit,
                stop=stop,
                generator=generator,
                cluster=_cluster(options),
            )
        )
        with _cancelled_by_signals(task, stop):
            try:
                await task
            except (asyncio.CancelledError, CompilationStopped):
                if stop.is_set():
                    return False
                raise
        return True

    return asyncio.run(whole())


@contextmanager
def _cancelled_by_signals(task: asyncio.Task[None], stop: Event) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM cancels the task; the previous signal handlers are then restored."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)

    def ask() -> None:
        stop.set()
        task.cancel()
        for number in numbers:
            loop.remove_signal_handler(number)
        print("\nStopping ...", file=sys.stderr)

    with suppress(NotImplementedError):  # Windows: Ctrl-C is a KeyboardInterrupt there
        for number in numbers:
            loop.add_signal_handler(number, ask)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in numbers:
                loop.remove_signal_handler(number)


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
    return project_set(
        project,
        theorems=options.theorems,
        dataset=options.dataset,
        split=options.split,
        folder=options.folder,
    )


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
