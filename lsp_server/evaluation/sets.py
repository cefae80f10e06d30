"""Makes the sets of problems that the command line can ask for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.errors import BadRecords, BadSource, UserError
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import MAX_TEXT, is_folder, open_regular, read_regular_text
from lean_extract.common.terminal_text import reason
from lean_extract.source.projects.near import only_of, projects_at
from lean_extract.source.projects.project import find_sources, is_project_root
from lsp_server.evaluation.plan import ProblemSet
from prover.evaluation.library import all_theorems, named_theorems
from prover.evaluation.minif2f import read_minif2f
from retriever.lean.dataset.files import read_manifest


def minif2f_set(data: Path, project: Path) -> ProblemSet:
    """The statements of a JSONL file. Raises BadSource."""
    root = _root(project)
    posed = read_minif2f(data, root)
    return ProblemSet(data.stem, posed, root, root, stated_alone=True, has_proofs=False)


def project_set(
    project: Path,
    *,
    theorems: Path | None = None,
    dataset: Path | None = None,
    split: str | None = None,
    folder: Path | None = None,
) -> ProblemSet:
    """Theorems of a project: those named in a file, those of a dataset's part, those below a folder, or all.

    Args:
        split: of the dataset; None: its test part.
        folder: in the project; relative to its root.

    Raises:
        BadSource: a file is missing, the folder is not the project's, or there is no theorem.
        BadRecords: not a dataset. UserError: a split is given without a dataset.
    """
    root = _root(project)
    if split is not None and dataset is None:
        raise UserError(
            "--split names a part of a dataset, but no dataset is given.", "Add --dataset FOLDER."
        )
    if theorems is not None:
        return ProblemSet(theorems.stem, named_theorems(root, read_names(theorems)), root, root)
    if dataset is not None:
        strategy = read_manifest(dataset).strategy
        part = split or "test"
        return ProblemSet(f"{strategy} {part}", named_theorems(root, split_names(dataset, part)), root, root)
    below = root if folder is None else _below(root, folder)
    name = root.name if below == root else str(below.relative_to(root))
    return ProblemSet(name, all_theorems(root, below), root, root)


def is_no_project(folder: Path) -> bool:
    """Whether Lean finds no modules in a folder: it is not a Lake project and has no Lean sources."""
    root = _root(folder)
    return not is_project_root(root) and not find_sources(root).sources


def _root(project: Path) -> Path:
    """The project that a folder stands for. Raises UserError: there are several below it."""
    folder = project.resolve()
    return only_of(folder, projects_at(folder, loose=True))


def _below(root: Path, folder: Path) -> Path:
    below = (root / folder).resolve()
    if not below.is_relative_to(root) or not is_folder(below):
        said = "is not a folder" if not is_folder(below) else "is not a folder of the project"
        raise BadSource(f"{below} {said}.", f"Name one below {root}, as seen from there.")
    return below


def read_names(path: Path) -> list[str]:
    """The names in a file, one per line; blank lines are skipped. Raises BadSource."""
    try:
        lines = read_regular_text(path, MAX_TEXT).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSource(
            f"{path} cannot be read: {reason(error)}.", "Name a file of theorem names, one per line."
        ) from error
    return [line.strip() for line in lines if line.strip()]


def split_names(dataset: Path, split: str) -> Sequence[str]:
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
