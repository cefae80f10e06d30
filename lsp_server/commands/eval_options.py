"""The options of `premise-suggest eval`. No heavy imports: they are read before the command is known."""

from __future__ import annotations

import argparse
from pathlib import Path

from lean_extract.option_types import depth, positive, seconds
from lsp_server.engine.settings import SOURCES
from lsp_server.evaluation.retrievers import RETRIEVERS


def add_eval(command: argparse.ArgumentParser) -> None:
    """Declare the sub-commands and their options."""
    kinds = command.add_subparsers(dest="what", required=True, metavar="WHAT")
    said = "statements of a JSONL file (name, header, statement), such as miniF2F"
    minif2f = kinds.add_parser("minif2f", help=said)
    minif2f.add_argument("--data", type=Path, required=True, metavar="F.jsonl", help="the problems")
    said = "the Lean project that they are proved in, with what their headers import"
    minif2f.add_argument("--project", type=Path, required=True, metavar="DIR", help=said)
    _common(minif2f)
    project = kinds.add_parser("project", help="theorems of a project, their own proofs cut out")
    project.add_argument("--project", type=Path, required=True, metavar="DIR", help="the Lean project")
    which = project.add_mutually_exclusive_group()
    said = "a file of their full names, one a line (default: all theorems of the project's own files)"
    which.add_argument("--theorems", type=Path, metavar="FILE", help=said)
    said = "the theorems of a part of this dataset (retriever.lean.dataset.dataset, resplit)"
    which.add_argument("--dataset", type=Path, metavar="FOLDER", help=said)
    which.add_argument("--folder", type=Path, metavar="SUBFOLDER", help="those of the files below it")
    said = "which part of the dataset (test); goes with --dataset"
    project.add_argument("--split", choices=("test", "valid"), default=None, help=said)
    _common(project)
    _common(kinds.add_parser("minicore", help="the problems that come with the mini core"))
    retrieval = kinds.add_parser("retrieval", help="how well a backend's documents are found")
    said = "lean (a dataset folder), naturalproofs, match, or a Python package with a backend"
    retrieval.add_argument("--backend", required=True, metavar="NAME", help=said)
    retrieval.add_argument("--data", type=Path, required=True, metavar="SOURCE", help="what it reads")
    retrieval.add_argument(
        "--part", choices=("valid", "test"), default="valid", help="whose questions (valid)"
    )
    said = "a model folder, or owner/name on the Hugging Face hub (default: the backend's, if one is shipped)"
    retrieval.add_argument("--model", default="", metavar="NAME", help=said)
    retrieval.add_argument("--download", action="store_true", help="fetch it from the hub if need be")
    said = "how many documents the model's re-ranker reads again; 0: none (20 if the model has one)"
    retrieval.add_argument("--rerank", type=depth, default=None, metavar="N", help=said)
    retrieval.add_argument("--seed", type=int, default=0, metavar="N", help="of the intervals' draws (0)")
    retrieval.add_argument("--quiet", action="store_true", help="no progress bar")
    retrieval.add_argument("--json", action="store_true", help="print JSON")
    report = kinds.add_parser("report", help="tables and a picture of runs, side by side")
    report.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="the folders of runs")
    form = report.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print the table for a page")
    report.add_argument("--svg", type=Path, metavar="FILE", help="write the picture of pass rates by level")


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--retriever", choices=RETRIEVERS, default="ours", help="where premises come from")
    said = "where tactics come from (both, where there is a generator)"
    command.add_argument("--tactics-from", choices=SOURCES, default=None, help=said)
    said = "a generator's folder, or owner/name on the Hugging Face hub (default: the one that is shipped)"
    command.add_argument("--generator", default="", metavar="NAME", help=said)
    said = "the encoder's folder, or owner/name on the hub (default: the one that is shipped)"
    command.add_argument("--model", default="", metavar="NAME", help=said)
    command.add_argument("--download", action="store_true", help="fetch those from the hub if need be")
    command.add_argument("--premises", type=positive, default=16, metavar="N", help="for a state (16)")
    said = "tactics that the generator writes for a state (16)"
    command.add_argument("--generated", type=positive, default=16, metavar="N", help=said)
    command.add_argument("--passes", type=positive, default=1, metavar="N", help="passes, by seed (1)")
    command.add_argument("--seconds", type=seconds, default=60.0, metavar="S", help="for a problem (60)")
    command.add_argument("--nodes", type=positive, default=512, metavar="N", help="states expanded (512)")
    command.add_argument("--tactics", type=positive, default=32, metavar="N", help="tried on a state (32)")
    said = "for one tactic (5)"
    command.add_argument("--tactic-seconds", type=seconds, default=5.0, metavar="S", help=said)
    command.add_argument("--workers", type=positive, default=1, metavar="N", help="Lean sessions (1)")
    said = "the run's folder (default: evaluations/PROBLEMS-RETRIEVER-TACTICS)"
    command.add_argument("--out", type=Path, default=None, metavar="DIR", help=said)
    command.add_argument("--resume", action="store_true", help="go on with what the folder holds")
    command.add_argument("--limit", type=positive, default=None, metavar="N", help="the first N problems")
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    said = "the Lean server to run, as a command line (default: found by itself, see doctor)"
    command.add_argument("--lean", default="", metavar="COMMAND", help=said)
