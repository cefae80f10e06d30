"""Hold the rankings against each other on held-out theorems and on traced states.

python -m retriever evaluate MODEL DATASET [--part valid|tune|test]
    [--states FILE [--count theorems everything] [--callers] [--by-file]]
    [--definitions RECORDS [--kinds theorems all]]
    [--methods NAME ...] [--beside NAME=FOLDER ...] [--against bm25] [--perturb shuffle drop rename notation]
    [--processes N | --scheduler ADDRESS] [--limit 2000] [--full] [--cache DIR] [--bundled-vectors]
    [--json DIR] [--plot FILE.svg]

For each part and for the traced states: a table with all candidates, one with the importable ones alone, and
what each method is above the one it is held against, all with 95% bootstrap intervals over questions.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
from tqdm import tqdm

from lean_extract.common.cluster import (
    ClusterOptions,
    as_elsewhere,
    cluster_client,
    cluster_options,
    opened_on_workers,
    run_tasks,
)
from lean_extract.common.errors import BadSettings, ClusterLost, PremiseSuggestError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.option_types import add_cluster_arguments
from lean_extract.common.verbs import write_json
from retriever.lean.evaluation.baselines import beside
from retriever.lean.evaluation.measure import (
    COLUMNS,
    SETTINGS,
    Measure,
    Measured,
    Outcome,
    differences,
    markdown,
    measure,
    plain,
    recall_plot,
    rows_of,
)
from retriever.lean.evaluation.perturb import (
    PERTURBATIONS,
    Robustness,
    changes,
    figure_5,
    perturbed,
    robustness,
)
from retriever.lean.evaluation.pool import HeldOutGoal, OfferedKinds
from retriever.lean.evaluation.rankers import Method, Setting
from retriever.lean.evaluation.registry import METHODS, open_available, open_methods
from retriever.lean.evaluation.session import (
    COUNTS,
    PARTS,
    Count,
    EvaluationSession,
    add_bundled_option,
    describe,
    open_session,
    part_questions,
    read_states,
)
from retriever.lean.features import load_fusion
from retriever.metrics.charts import require_charts

_PERTURBED: tuple[Setting, ...] = ("state", "importable")
_BLIND = ("random", "frequency")
"""The methods that do not read the goal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("dataset", type=Path, help="a dataset folder; its corpus is the pool")
    parser.add_argument("--part", choices=PARTS, nargs="*", default=["valid"], help="default: valid")
    parser.add_argument("--states", type=Path, help="traced steps, to ask as well")
    count_help = "which premises of traced steps count: theorems of the pool, or everything (theorems)"
    parser.add_argument("--count", choices=COUNTS, nargs="+", default=["theorems"], help=count_help)
    callers_help = "ask traced steps with the step's tactic known, as well"
    parser.add_argument("--callers", action="store_true", help=callers_help)
    by_file_help = "ask traced steps with no other proof of their files known, as well"
    parser.add_argument("--by-file", action="store_true", help=by_file_help)
    definitions_help = "the dataset's records: definitions are in the pool as well"
    parser.add_argument("--definitions", type=Path, metavar="RECORDS", help=definitions_help)
    kinds_help = "what is offered for traced steps: theorems, or definitions as well (theorems)"
    parser.add_argument(
        "--kinds", choices=get_args(OfferedKinds), nargs="+", default=["theorems"], help=kinds_help
    )
    parser.add_argument("--methods", nargs="*", help="default: all that the model has")
    beside_help = "other model folders, each a row by its embeddings alone"
    parser.add_argument("--beside", nargs="*", default=[], metavar="NAME=FOLDER", help=beside_help)
    parser.add_argument("--against", default="bm25", help="the method that all are held against (bm25)")
    parser.add_argument("--perturb", choices=list(PERTURBATIONS), nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=2000, help="questions of a part, at most (2000)")
    parser.add_argument("--full", action="store_true", help="print every column")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")
    add_bundled_option(parser)
    parser.add_argument("--json", type=Path, help="a folder to write the figures to, one file a part")
    add_cluster_arguments(parser, "measure")
    parser.add_argument("--plot", type=Path, help="write the first part's recall curves as SVG")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    for part, report in evaluate(options):
        write_json(options.json / f"{part}.json" if options.json else None, report)


def evaluate(chosen: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure each requested part, print its tables, and give its name and them as JSON values."""
    if chosen.plot:
        require_charts()
    if "all" in chosen.kinds and not chosen.definitions:
        raise BadSettings(
            "The pool has no definitions to offer.", "Name the dataset's records by --definitions."
        )
    options = _session_options(chosen)
    cluster = cluster_options(chosen)
    session = _opened(options)
    others: list[Method] = [beside(session, text) for text in chosen.beside]
    _check_against(chosen.against, others)
    own = open_methods(session, chosen.methods) if chosen.methods else open_available(session)
    methods = [*others, *own]
    parts = _questions(session, chosen)
    with ExitStack() as stack:
        ask: Measure = partial(measure, session, methods)
        if cluster is not None:
            names = [method.name for method in own]
            ask = stack.enter_context(_measured_on(cluster, options, session, names))
        for number, (part, questions) in enumerate(parts.items()):
            plot = chosen.plot if number == 0 else None
            yield part, _report(session, ask, methods, part, questions, chosen, plot)


def _session_options(chosen: argparse.Namespace) -> SessionOptions:
    return SessionOptions(
        chosen.model.absolute(),
        chosen.dataset.absolute(),
        chosen.cache.absolute() if chosen.cache else None,
        chosen.definitions.absolute() if chosen.definitions else None,
        tuple(_elsewhere(text) for text in chosen.beside),
        chosen.bundled_vectors,
    )


def _elsewhere(text: str) -> str:
    """NAME=FOLDER as other processes understand it."""
    name, equals, folder = text.partition("=")
    return f"{name}{equals}{as_elsewhere(folder)}"


def _report(
    session: EvaluationSession,
    ask: Measure,
    methods: Sequence[Method],
    part: str,
    questions: Sequence[HeldOutGoal],
    chosen: argparse.Namespace,
    plot: Path | None,
) -> dict[str, Any]:
    """Measure one part and print its tables; returns them as JSON values."""
    began = time.monotonic()
    measured = ask(questions)
    about = describe(session, part, questions, time.monotonic() - began)
    print("\n" + ", ".join(f"{name} {value}" for name, value in about.items()))
    rows = rows_of(measured, chosen.against)
    print(f"\n{markdown(rows, COLUMNS) if chosen.full else markdown(rows)}")
    print(f"\n{differences(rows, chosen.against)}", flush=True)
    found = list(_perturb(ask, methods, questions, measured, chosen.perturb))
    if plot is not None:
        curves = {key: outcome.recalls.mean(axis=0) for key, outcome in measured.items()}
        with replacing(plot) as stream:
            stream.write(recall_plot(curves))
    return {**about, "rows": plain(rows), "perturbed": [asdict(each) for each in found]}


def _check_against(name: str, others: Sequence[Method]) -> None:
    known = [*(method.name for method in others), *METHODS]
    if name not in known:
        hint = f"The methods are: {', '.join(known)}."
        raise BadSettings(f"There is no method {name!r} to hold the others against.", hint)


def _questions(session: EvaluationSession, chosen: argparse.Namespace) -> dict[str, Sequence[HeldOutGoal]]:
    parts = {part: part_questions(session.dataset, part, chosen.limit) for part in chosen.part}
    if chosen.states:
        parts |= _of_states(session, chosen)
    for part, questions in parts.items():
        if not questions:
            raise BadSettings(f"There is nothing to ask in {part}.", "Choose another part or dataset.")
    return dict(parts)


def _of_states(session: EvaluationSession, chosen: argparse.Namespace) -> dict[str, list[HeldOutGoal]]:
    parts: dict[str, list[HeldOutGoal]] = {}
    callers = (False, True) if chosen.callers else (False,)
    for count, kinds, known in product(chosen.count, chosen.kinds, callers):
        found = read_states(chosen.states, session.pool, count, kinds, callers=known)[: chosen.limit]
        name = _name_of(chosen.states.stem, count, kinds, callers=known)
        parts[name] = found
        if chosen.by_file:
            parts[f"{name}, by file"] = [replace(question, hides_file=True) for question in found]
    return parts


def _name_of(stem: str, count: Count, kinds: OfferedKinds, *, callers: bool) -> str:
    shown = [
        stem,
        *([count] if count != "theorems" else []),
        *(["definitions offered"] if kinds == "all" else []),
        *(["callers known"] if callers else []),
    ]
    return ", ".join(shown)


def _perturb(
    ask: Measure,
    methods: Sequence[Method],
    questions: Sequence[HeldOutGoal],
    before: Measured,
    names: Sequence[str],
) -> Iterator[Robustness]:
    reading = [method.name for method in methods if method.name not in _BLIND]
    known = {key: outcome for key, outcome in before.items() if key[0] in _PERTURBED and key[1] in reading}
    found: list[Robustness] = []
    for name in names:
        others = [perturbed(question, name) for question in questions]
        changed = np.array([one.goal != other.goal for one, other in zip(questions, others, strict=True)])
        found += robustness(known, ask(others, _PERTURBED, _BLIND), name, changed)
    if found:
        print(f"\n{changes(found)}\n\n{figure_5(found, 'importable', reading[-1])}", flush=True)
    yield from found


_AT_ONCE = 32
"""Questions of a task."""
_Shard = tuple[int, Sequence[HeldOutGoal], Sequence[Setting], Collection[str]]


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a session and its methods are opened from. Paths are the same on all workers."""

    model: Path
    dataset: Path
    cache: Path | None
    definitions: Path | None
    beside: tuple[str, ...] = ()
    """Other models, as NAME=FOLDER."""
    is_bundled: bool = False
    """Whether the vectors are those of the bundled index."""


def _opened(options: SessionOptions) -> EvaluationSession:
    """The session. Raises ModelError, BadRecords."""
    bm25 = load_fusion(options.model).bm25
    return open_session(
        options.model,
        options.dataset,
        options.cache,
        bm25,
        options.definitions,
        is_bundled=options.is_bundled,
    )


class _MeasuringProcess:
    """A session and its methods on one worker. Raises ModelError, BadRecords; ClusterLost: its data are others."""

    def __init__(self, options: SessionOptions, methods: Sequence[str], digest: str) -> None:
        self._session = _opened(options)
        if _digest(options, self._session) != digest:
            raise ClusterLost(
                "A worker has another model or dataset than this machine.", "Use the same files everywhere."
            )
        others: list[Method] = [beside(self._session, text) for text in options.beside]
        self._methods = [*others, *open_methods(self._session, methods)]

    def measure(self, shard: _Shard) -> Measured:
        """What the questions of a shard give."""
        _, questions, settings, without = shard
        return measure(self._session, self._methods, questions, settings, without, shows_progress=False)

    def close(self) -> None:
        """Nothing is held open."""


@contextmanager
def _measured_on(
    cluster: ClusterOptions, options: SessionOptions, session: EvaluationSession, methods: Sequence[str]
) -> Iterator[Measure]:
    """A `Measure` for a block, which works in other processes. Raises UserError, ClusterLost.

    Args:
        cluster: which processes.
        options: what they open.
        session: the same, opened here.
        methods: the names of the model's own methods.
    """
    opening = partial(_MeasuringProcess, options, tuple(methods), _digest(options, session))
    with cluster_client(cluster) as client, opened_on_workers(client, opening) as work_of:
        yield partial(_measured, client, work_of(_MeasuringProcess.measure))


def _measured(
    client: object,
    work: Callable[[_Shard], Measured],
    questions: Sequence[HeldOutGoal],
    settings: Sequence[Setting] = SETTINGS,
    without: Collection[str] = (),
) -> Measured:
    starts = range(0, len(questions), _AT_ONCE)
    shards = [(start, questions[start : start + _AT_ONCE], settings, without) for start in starts]
    found: dict[int, Measured] = {}
    with tqdm(total=len(questions), unit="question", disable=None) as bar:
        for (start, shard, _, _), part in run_tasks(client, work, shards):
            if isinstance(part, PremiseSuggestError):
                raise part
            found[start] = part
            bar.update(len(shard))
    return _joined([found[start] for start in starts])


def _joined(parts: Sequence[Measured]) -> Measured:
    return {
        key: Outcome(
            np.concatenate([part[key].figures for part in parts]),
            np.concatenate([part[key].recalls for part in parts]),
        )
        for key in parts[0]
    }


def _digest(options: SessionOptions, session: EvaluationSession) -> str:
    """A hash of all that decides the figures: models with all files of their folders, dataset, definitions."""
    found = hashlib.sha256(session.dataset.manifest.digest.encode())
    folders = [options.model, *(Path(text.partition("=")[2]) for text in options.beside)]
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in [*files, *([options.definitions] if options.definitions else [])]:
        with path.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()
