"""Extract the records of a project from its text, and print the counts.

python -m lean_extract extract ROOT OUT [--states] [--workers N]
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import is_folder
from lean_extract.common.nearest import path_meant
from lean_extract.common.python_path import safe_path
from lean_extract.records import FileProblem, Header, Position, Proof, Record, write_records
from lean_extract.source.projects.project import SourceFile, find_sources, no_sources
from lean_extract.source.reader import SourceModule, read_file
from lean_extract.source.reader_declarations import Known
from lean_extract.source.resolution.link import AliasTargets, Linker
from lean_extract.syntax.keywords import THEOREM_WORDS

_Progress = Callable[[str, int, int], None]
"""Called after each file with the phase (`read`), the number of files done, and the number of files."""


@dataclass
class ExtractionCounts:
    """Counts of what an extraction found, and its time and memory."""

    files: int = 0
    theorems: int = 0
    pool: int = 0
    only_additive: int = 0
    only_dual: int = 0
    proofs: int = 0
    tactic_proofs: int = 0
    with_premises: int = 0
    steps: int = 0
    terms: int = 0
    origins: Counter[str] = field(default_factory=Counter)
    """Steps whose state the text determines, by `TacticStep.origin`."""
    inner_goals: int = 0
    problems: int = 0
    notices: tuple[str, ...] = ()
    """Sentences about what was left out, and about packages outside the project."""
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    peak_megabytes: float = 0.0
    data_hash: str = ""


def extract_project(
    root: Path, out: Path, progress: _Progress | None = None, workers: int = 1, *, states: bool = False
) -> ExtractionCounts:
    """Read the project at `root` and its packages, and write all records to `out` atomically.

    With `states`, the records also hold the proof states that the text determines, for the generator.

    A file that cannot be read is recorded as a problem, and the run continues. With `workers` above 1,
    that many processes read the files.

    Raises BadSource if there is no `.lean` file. Nothing is written then.
    """
    started = time.perf_counter()
    found = find_sources(root)
    sources = found.sources
    if not sources:
        raise no_sources(root, found.notices)
    counts = ExtractionCounts(files=len(sources), notices=found.notices)
    revision = _sources_hash(sources)
    with _without_collector():
        write_records(out, Header("text", revision), _records(sources, counts, progress, workers, states))
    counts.data_hash = _file_hash(out)
    counts.seconds = time.perf_counter() - started
    counts.peak_megabytes = _peak_megabytes()
    return counts


def _peak_megabytes() -> float:
    """The peak memory of this process, in MiB; 0 if the system does not report it."""
    if sys.platform == "win32":
        return 0.0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Disable the garbage collector: records hold no cycles, and looking for some takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _records(
    sources: Sequence[SourceFile],
    counts: ExtractionCounts,
    progress: _Progress | None,
    workers: int,
    states: bool,
) -> Iterator[Record]:
    linker = Linker()
    waiting: list[tuple[SourceFile, SourceModule]] = []
    for done, (source, read) in enumerate(
        zip(sources, _read_all(sources, workers, states), strict=True), start=1
    ):
        if isinstance(read, FileProblem):
            counts.problems += 1
            yield read
        else:
            linker.add(read)
            if read.has_bare_aliases:
                waiting.append((source, replace(read, proofs=())))
            else:
                yield from _records_of(source, read, counts)
        if progress:
            progress("read", done, len(sources))
    for source, read in _completed(linker, sources, waiting):
        yield from _records_of(source, read, counts)
    for proof in linker.link():
        _count_proof(counts, proof)
        yield proof


def _records_of(source: SourceFile, read: SourceModule, counts: ExtractionCounts) -> Iterator[Record]:
    _count_module(counts, read)
    yield replace(read.module, package=source.package)
    yield from read.premises
    yield from read.problems


def _completed(
    linker: Linker, sources: Sequence[SourceFile], waiting: Sequence[tuple[SourceFile, SourceModule]]
) -> Iterator[tuple[SourceFile, SourceModule]]:
    """The modules with aliases of other modules' declarations, now with the statements of these."""
    if not waiting:
        return
    paths = {source.module: source.path for source in reversed(sources)}

    def read(module: str, known: Known) -> SourceModule | None:
        try:
            return read_file(paths[module], module, known=known)
        except BadSource:
            return None

    targets = AliasTargets(linker, read, frozenset(source.module for source, _ in waiting))
    for source, first in waiting:
        is_only = paths[source.module] == source.path  # of two modules of one name, only the first is linked
        completed = targets.completed(source.module) if is_only else None
        if completed is not None:
            linker.complete(completed)
        yield source, completed or first


def _read_all(
    sources: Sequence[SourceFile], workers: int, states: bool
) -> Iterator[SourceModule | FileProblem]:
    read = partial(_read, states=states)
    if workers <= 1:
        yield from map(read, sources)
        return
    with safe_path(), get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(read, sources, chunksize=32)


def _read(source: SourceFile, *, states: bool) -> SourceModule | FileProblem:
    try:
        return read_file(source.path, source.module, states=states)
    except BadSource as error:
        return FileProblem(str(source.path), Position(0, 0), str(error))


def _count_module(counts: ExtractionCounts, module: SourceModule) -> None:
    counts.pool += len(module.premises)
    counts.problems += len(module.problems)
    for premise in module.premises:
        if premise.generated_by is None:
            counts.kinds[premise.kind] += 1
            counts.theorems += premise.kind in THEOREM_WORDS
        else:
            counts.kinds[f"({premise.generated_by})"] += 1
            counts.only_additive += premise.generated_by == "to_additive"
            counts.only_dual += premise.generated_by == "to_dual"


def _count_proof(counts: ExtractionCounts, proof: Proof) -> None:
    counts.proofs += 1
    counts.tactic_proofs += proof.is_tactic
    counts.with_premises += bool(proof.premises)
    counts.steps += len(proof.steps)
    counts.terms += len(proof.terms)
    counts.origins.update(step.origin for step in proof.steps if step.origin)
    counts.inner_goals += len(proof.inner_goals)


def _sources_hash(sources: Sequence[SourceFile]) -> str:
    """A hash of the modules that were read and their revisions. The records' own hash covers their contents."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{source.module}\0{source.revision}\n".encode())
    return digest.hexdigest()[:16]


def _file_hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("root", type=Path, help="the project's folder")
    parser.add_argument("out", type=Path, help="the records file to write (JSONL)")
    parser.add_argument(
        "--workers",
        type=int,
        default=min(4, os.cpu_count() or 1),
        help="processes that read files (one per core is best)",
    )
    parser.add_argument(
        "--states",
        action="store_true",
        help="also extract the proof states that the text determines, for training the generator",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises BadSource if the folder does not exist."""
    if not is_folder(options.root):
        raise BadSource(f"There is no folder {options.root}.", path_meant(options.root) or "Check the path.")
    with tqdm(unit=" files", disable=None) as bar:

        def show(phase: str, done: int, total: int) -> None:
            bar.total = total
            bar.set_description(phase, refresh=False)
            bar.update(done - bar.n)

        counts = extract_project(options.root, options.out, show, options.workers, states=options.states)
    for notice in counts.notices:
        print(f"note: {notice}", file=sys.stderr)
    print(_table(counts))


def _table(counts: ExtractionCounts) -> str:
    """The counts as lines of text."""
    rows = [
        ("files", f"{counts.files:,}"),
        ("theorem + lemma", f"{counts.theorems:,}"),
        ("pool with definitions, instances, generated names", f"{counts.pool:,}"),
        ("names that only to_additive (to_dual) makes", f"{counts.only_additive:,} ({counts.only_dual:,})"),
        ("theorems with a proof / whose proof has `by`", f"{counts.proofs:,} / {counts.tactic_proofs:,}"),
        ("theorems with at least one premise resolved", f"{counts.with_premises:,}"),
        ("tactic steps", f"{counts.steps:,}"),
        *((f"  state known from `{name}`", f"{count:,}") for name, count in counts.origins.most_common()),
        *([("goals that a term proves", f"{counts.terms:,}")] if counts.terms else []),
        ("goals stated inside proofs", f"{counts.inner_goals:,}"),
        ("problems", f"{counts.problems:,}"),
        ("seconds", f"{counts.seconds:.1f}"),
        ("peak memory (MB)", f"{counts.peak_megabytes:.0f}"),
        ("sha256 of the records", counts.data_hash),
    ]
    width = max(len(label) for label, _ in rows)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in counts.kinds.most_common())
    return "\n".join([*(f"{label:<{width}}  {value}" for label, value in rows), f"by kind: {kinds}"])
