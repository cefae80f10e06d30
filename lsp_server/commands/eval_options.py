"""The options of `premise-suggest eval`. No heavy imports: the options are declared before the command is known."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Literal, get_args

from lean_extract.common.option_types import add_cluster_arguments, depth, positive, seconds
from lsp_server.engine.settings import SOURCES

RetrieverKind = Literal["none", "bm25", "dense", "ours", "oracle"]
RETRIEVERS: tuple[RetrieverKind, ...] = get_args(RetrieverKind)
"""Where an evaluation's premises come from (`lsp_server.commands.eval_premises`)."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the sub-commands and their options."""
    kinds = command.add_subparsers(dest="what", required=True, metavar="WHAT")
    said = "prove the statements of a JSONL file (name, header, statement), such as miniF2F"
    minif2f = kinds.add_parser("minif2f", help=said)
    minif2f.add_argument("--data", type=Path, required=True, metavar="F.jsonl", help="the problems")
    said = "the Lean project to prove them in; it must have what their headers import"
    minif2f.add_argument("--project", type=Path, required=True, metavar="DIR", help=said)
    _common(minif2f)
    project = kinds.add_parser("project", help="prove theorems of a project, with their own proofs removed")
    project.add_argument("--project", type=Path, required=True, metavar="DIR", help="the Lean project")
    which = project.add_mutually_exclusive_group()
    said = "a file of full names, one per line (default: all theorems of the project's own files)"
    which.add_argument("--theorems", type=Path, metavar="FILE", help=said)
    said = "the theorems of a part of this dataset (made by `python -m retriever dataset` or `resplit`)"
    which.add_argument("--dataset", type=Path, metavar="FOLDER", help=said)
    which.add_argument(
        "--folder", type=Path, metavar="SUBFOLDER", help="the theorems of the files in this subfolder"
    )
    said = "which part of the --dataset (default: test)"
    project.add_argument("--split", choices=("test", "valid"), default=None, help=said)
    _common(project)
    _common(kinds.add_parser("minicore", help="prove the problems that come with the mini core"))
    retrieval = kinds.add_parser("retrieval", help="measure how well a backend's documents are found")
    said = "lean (a dataset folder), naturalproofs, match, or a Python package with a backend"
    retrieval.add_argument("--backend", required=True, metavar="NAME", help=said)
    retrieval.add_argument(
        "--data", type=Path, required=True, metavar="SOURCE", help="the source that the backend reads"
    )
    retrieval.add_argument(
        "--part", choices=("valid", "test"), default="valid", help="which questions to ask (default: valid)"
    )
    said = "a model folder, or owner/name on the Hugging Face hub (default: the backend's shipped model)"
    retrieval.add_argument("--model", default="", metavar="NAME", help=said)
    retrieval.add_argument("--download", action="store_true", help="download it from the hub if needed")
    said = "how many documents to re-rank, if the model has a re-ranker; 0: none (default: 20)"
    retrieval.add_argument("--rerank", type=depth, default=None, metavar="N", help=said)
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
    said = "where tactics come from (default: both, if there is a generator)"
    command.add_argument("--tactics-from", choices=SOURCES, default=None, help=said)
    said = "the tactic generator: a folder, owner/name on the hub, or byt5, which is shipped (default: shipped shapes)"
    command.add_argument("--generator", default="", metavar="NAME", help=said)
    said = "the encoder: a folder, or owner/name on the hub (default: the shipped one)"
    command.add_argument("--model", default="", metavar="NAME", help=said)
    command.add_argument("--download", action="store_true", help="download them from the hub if needed")
    command.add_argument(
        "--premises", type=positive, default=16, metavar="N", help="premises per state (default: 16)"
    )
    said = "tactics that the generator writes per state (default: 16)"
    command.add_argument("--generated", type=positive, default=16, metavar="N", help=said)
    command.add_argument(
        "--passes",
        type=positive,
        default=1,
        metavar="N",
        help="searches per problem, with different seeds (default: 1)",
    )
    command.add_argument(
        "--seconds", type=seconds, default=60.0, metavar="S", help="time per problem (default: 60)"
    )
    command.add_argument(
        "--nodes", type=positive, default=512, metavar="N", help="states expanded per problem (default: 512)"
    )
    command.add_argument(
        "--tactics", type=positive, default=32, metavar="N", help="tactics tried per state (default: 32)"
    )
    said = "time per tactic (default: 5)"
    command.add_argument("--tactic-seconds", type=seconds, default=5.0, metavar="S", help=said)
    command.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="parallel Lean sessions (default: 1)"
    )
    add_cluster_arguments(command, "prove, with a Lean each,")
    said = "the folder of the run (default: evaluations/PROBLEMS-RETRIEVER-TACTICS)"
    command.add_argument("--out", type=Path, default=None, metavar="DIR", help=said)
    command.add_argument("--resume", action="store_true", help="continue the run in the folder")
    command.add_argument(
        "--limit", type=positive, default=None, metavar="N", help="only the first N problems"
    )
    command.add_argument("--quiet", action="store_true", help="show no progress bar")
    said = "the command line of the Lean server to run (default: found automatically)"
    command.add_argument("--lean", default="", metavar="COMMAND", help=said)
