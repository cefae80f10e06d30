"""`premise-suggest index` of many projects on Dask: packages that they share first, then the projects."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.cluster import ClusterOptions, as_elsewhere, cluster_client, run_tasks
from lean_extract.common.errors import PremiseSuggestError
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.source.projects.project import largest_first
from lsp_server.engine.indexing import IndexingOptions, IndexTask, index_task, package_tasks
from lsp_server.engine.stores import index_folder, model_folder
from retriever.models.encoder import fingerprint_of
from retriever.search.indexing.report import IndexReport

_Finish = Callable[[Path, IndexReport, argparse.Namespace], None]
"""What this process does with each project that another one has indexed."""


def index_on_cluster(
    roots: Sequence[Path], options: argparse.Namespace, cluster: ClusterOptions, finish: _Finish
) -> int:
    """Index projects in other processes; 1 if one could not be. Raises UserError, ClusterLost."""
    fingerprint = fingerprint_of(model_folder(options.model, download=options.download))
    how = IndexingOptions(
        as_elsewhere(options.model),
        options.download,
        options.lean,
        options.device,
        index_folder(),
        fingerprint,
    )
    packages = package_tasks(roots, how)
    projects = [IndexTask(root, how) for root in largest_first(roots)]
    where = replace(cluster, processes=min(cluster.processes, max(len(packages), len(projects))))
    try:
        return _indexed(packages, projects, options, where, finish)
    except KeyboardInterrupt:
        print("Stopped; what was indexed is kept. Run the same command again to continue.", file=sys.stderr)
        return INTERRUPTED


def _indexed(
    packages: Sequence[IndexTask],
    projects: Sequence[IndexTask],
    options: argparse.Namespace,
    where: ClusterOptions,
    finish: _Finish,
) -> int:
    failures = 0
    with (
        cluster_client(where) as client,
        tqdm(total=len(packages) + len(projects), unit=" packages", disable=options.quiet or None) as bar,
    ):
        for _ in run_tasks(client, index_task, packages):
            bar.update()  # a package that fails makes its projects fail, which report it
        for task, found in run_tasks(client, index_task, projects):
            bar.update()
            try:
                if isinstance(found, PremiseSuggestError):
                    raise found
                finish(task.root, found, options)
            except PremiseSuggestError as error:
                print(f"error: {task.root}: {error}", file=sys.stderr)
                failures += 1
    return 1 if failures else 0
