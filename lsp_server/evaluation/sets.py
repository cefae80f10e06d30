"""The sets of problems that can be asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from lean_extract.errors import BadRecords, BadSource
from lean_extract.source.project import find_project
from lsp_server.evaluation.plan import ProblemSet
from prover.evaluation.library import all_theorems, named_theorems
from prover.evaluation.minif2f import read_minif2f
from retriever.training.dataset_files import read_manifest


def minif2f_set(data: Path, project: Path) -> ProblemSet:
    """The statements of a JSONL file. Raises BadSource."""
    root = find_project(project.resolve()).root
    posed = read_minif2f(data, root)
    return ProblemSet(data.stem, posed, root, root, stated_alone=True, has_proofs=False)


def project_set(
    project: Path,
    *,
    theorems: Path | None = None,
    dataset: Path | None = None,
    split: str = "test",
    folder: Path | None = None,
) -> ProblemSet:
    """Theorems of a project: those a file names, those of a dataset's part, those below a folder, or all.

    Raises:
        BadSource: a file is missing, or there is no theorem. BadRecords: the dataset is none.
    """
    root = find_project(project.resolve()).root
    if theorems is not None:
        return ProblemSet(theorems.stem, named_theorems(root, read_names(theorems)), root, root)
    if dataset is not None:
        strategy = read_manifest(dataset).strategy
        posed = named_theorems(root, split_names(dataset, split))
        return ProblemSet(f"{strategy} {split}", posed, root, root)
    below = None if folder is None else (root / folder).resolve()
    if below is not None and not below.is_dir():
        raise BadSource(f"{below} is not a folder.", f"Name a folder of the project {root}.")
    name = (
        root.name if below is None else str(below.relative_to(root) if below.is_relative_to(root) else below)
    )
    return ProblemSet(name, all_theorems(root, below), root, root)


def read_names(path: Path) -> list[str]:
    """The names in a file, one a line; blank lines are passed over. Raises BadSource."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSource(
            f"{path} cannot be read: {error}.", "Name a file of theorem names, one a line."
        ) from error
    return [line.strip() for line in lines if line.strip()]


def split_names(dataset: Path, split: str) -> Sequence[str]:
    """The theorems of a part of a dataset, in its order. Raises BadRecords."""
    path = dataset / "queries.jsonl"
    found: dict[str, None] = {}
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    query = json.loads(line)
                    if query["split"] == split:
                        found[str(query["theorem"])] = None
                except (ValueError, KeyError, TypeError) as error:
                    raise BadRecords(
                        f"{path}:{number}: not a query: {error!r}", "Build the dataset again."
                    ) from error
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Build the dataset again.") from error
    return list(found)
