"""Extract the records of many projects, a task each, on several processes or machines.

python -m lean_extract extract-all OUT PROJECT ... [--states] [--processes N | --scheduler ADDRESS]

OUT gets NAME.jsonl, the records of the project in the folder NAME, and NAME.json, what was found. A project whose
files have not changed since is not read again, so a run that was stopped goes on where it was. With --scheduler, the
folders must be at the same paths on all workers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.cluster import cluster_client, cluster_options, run_tasks
from lean_extract.common.errors import BadSource, PremiseSuggestError, UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.files.reading import is_folder
from lean_extract.common.nearest import path_meant
from lean_extract.common.option_types import add_cluster_arguments
from lean_extract.limits import MAX_PROCESSES
from lean_extract.source.extract import extract_project
from lean_extract.source.projects.project import SourceFile, find_sources, largest_first

STOPPED = "Stopped. What was extracted is kept; run the same command again to go on."
_VERSION = 1


@dataclass(frozen=True, slots=True)
class _ProjectTask:
    """A project, and where its records go. Paths are absolute."""

    root: str
    out: str
    states: bool


@dataclass(frozen=True, slots=True)
class _Extracted:
    """What was found in a project; `is_new`: whether it was read now."""

    files: int
    proofs: int
    problems: int
    is_new: bool


def _extract_if_new(task: _ProjectTask) -> _Extracted:
    """Extract a project unless its records are there already. Raises BadSource."""
    root, out = Path(task.root), Path(task.out)
    revision = _state_of(find_sources(root).sources)
    card = out.with_suffix(".json")
    known = _known(card, out, revision, states=task.states)
    if known is not None:
        return known
    card.unlink(missing_ok=True)
    counts = extract_project(root, out, states=task.states)
    values = {
        "version": _VERSION,
        "revision": revision,
        "states": task.states,
        "bytes": out.stat().st_size,
        "files": counts.files,
        "proofs": counts.proofs,
        "problems": counts.problems,
        "sha256": counts.data_hash,
    }
    with replacing(card) as stream:
        json.dump(values, stream, indent=2)
    return _Extracted(counts.files, counts.proofs, counts.problems, is_new=True)


def _state_of(sources: Sequence[SourceFile]) -> str:
    """A hash of the paths, sizes and modification times of the sources."""
    digest = hashlib.sha256()
    for source in sources:
        found = source.path.stat()
        digest.update(f"{source.module}\0{source.path}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _known(card: Path, out: Path, revision: str, *, states: bool) -> _Extracted | None:
    """The counts in a card, if it belongs to these sources and to the records next to it."""
    try:
        values = read_json(card)
        wanted = (_VERSION, revision, states, out.stat().st_size)
        found = tuple(values[name] for name in ("version", "revision", "states", "bytes"))
        if found != wanted:
            return None
        return _Extracted(int(values["files"]), int(values["proofs"]), int(values["problems"]), is_new=False)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # it is made again


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("projects", type=Path, nargs="+", help="the projects' folders")
    parser.add_argument(
        "--states", action="store_true", help="also extract the proof states that the text determines"
    )
    add_cluster_arguments(parser, "extract", default="one per core")


def run(options: argparse.Namespace) -> int:
    """Run the command; 1 if a project could not be extracted. Raises UserError, ClusterLost."""
    tasks = _tasks_of(options.projects, options.out, states=options.states)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.processes is None and not options.scheduler:
        options.processes = min(MAX_PROCESSES, os.cpu_count() or 1)
    chosen = cluster_options(options)
    assert chosen is not None
    where = replace(chosen, processes=min(chosen.processes, len(tasks)))
    total: Counter[str] = Counter()
    failures: list[tuple[str, PremiseSuggestError]] = []
    with cluster_client(where) as client, tqdm(total=len(tasks), unit=" projects", disable=None) as bar:
        for task, found in run_tasks(client, _extract_if_new, tasks):
            bar.update()
            if isinstance(found, PremiseSuggestError):
                failures.append((task.root, found))
                continue
            total.update(
                files=found.files, proofs=found.proofs, problems=found.problems, read=int(found.is_new)
            )
    for root, error in failures:
        print(f"error: {root}: {error}", file=sys.stderr)
    done = len(tasks) - len(failures)
    print(
        f"{done} of {len(tasks)} projects, {total['read']} of them read now: {total['files']:,} files, "
        f"{total['proofs']:,} proofs, {total['problems']:,} problems"
    )
    return 1 if failures else 0


def _tasks_of(projects: list[Path], out: Path, *, states: bool) -> list[_ProjectTask]:
    """A task for each project. Raises BadSource: there is no such folder; UserError: two have one name."""
    for root in projects:
        if not is_folder(root):
            raise BadSource(f"There is no folder {root}.", path_meant(root) or "Check the path.")
    names = Counter(root.resolve().name for root in projects)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise UserError(f"Two projects are called {twice[0]}.", "Extract them into two folders.")
    folder = out.resolve()
    return [
        _ProjectTask(str(root.resolve()), str(folder / f"{root.resolve().name}.jsonl"), states)
        for root in largest_first(projects)
    ]
