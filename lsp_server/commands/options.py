"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

from lean_extract.common.devices import DEVICES
from lean_extract.common.option_parser import OptionGroup
from lean_extract.common.option_types import depth, positive, seconds
from lsp_server.engine.settings import SOURCES


def add_backend_option(parser: OptionGroup) -> None:
    """Declare `--backend`."""
    text = "what to search: lean (default), naturalproofs, match, or a Python package with a backend"
    parser.add_argument("--backend", metavar="NAME", default="lean", help=text)


def add_work_options(parser: OptionGroup, piece: str, default: float) -> None:
    """Declare the files to work on, and how long to work on each piece, as a verb says it, and in all."""
    text = "Lean files, and folders of a project, whose files are meant (default: the current folder)"
    parser.add_argument("paths", nargs="*", type=Path, metavar="FILE|DIR", help=text)
    text = f"how long to {piece} (default: {default:g})"
    parser.add_argument("--seconds", type=seconds, default=default, metavar="N", help=text)
    text = "how long to work in all (default: until each was tried)"
    parser.add_argument("--total", type=seconds, default=None, metavar="N", help=text)


def add_lean_option(parser: OptionGroup) -> None:
    """Declare `--lean`."""
    parser.add_argument(
        "--lean",
        metavar="COMMAND",
        default="",
        help="the command line of the Lean to run (default: found automatically)",
    )


def add_model_options(parser: OptionGroup, *, may_fetch: bool = True) -> None:
    """Declare the model, where it runs, and whether it may be downloaded."""
    text = "the model: a folder, or owner/name on the Hugging Face hub (default: the shipped one)"
    parser.add_argument("--model", metavar="NAME", default="", help=text)
    text = "where models run; auto: on a GPU where it can be used, else on the CPU (default: auto)"
    parser.add_argument("--device", choices=DEVICES, default=None, help=text)
    if may_fetch:
        text = "download that model from the hub if it is not on this machine"
        parser.add_argument("--download", action="store_true", help=text)


def add_rerank_option(parser: OptionGroup) -> None:
    """Declare `--rerank`."""
    text = "how many premises to re-rank, if the model has a re-ranker; 0: none (default: 20)"
    parser.add_argument("--rerank", type=depth, default=None, metavar="N", help=text)


def add_tactic_options(parser: OptionGroup) -> None:
    """Declare where tactics come from."""
    text = (
        "the tactic generator: a folder, owner/name on the hub, or http://HOST/v1#MODEL, which is asked in addition "
        "(default: the shipped one)"
    )
    parser.add_argument("--generator", metavar="NAME", default="", help=text)
    text = "where tactics come from (default: both)"
    parser.add_argument("--tactics-from", choices=SOURCES, default=None, help=text)


def add_served_options(parser: OptionGroup) -> None:
    """Declare what a model at a server is asked for a proof."""
    text = "premises in a prompt for a model at a server; 0: none (default: those retrieved)"
    parser.add_argument("--prompt-premises", type=depth, default=None, metavar="N", help=text)
    text = "tokens that such a model may read and write for one proof (default: docs/models.md)"
    parser.add_argument("--model-tokens", type=positive, default=None, metavar="N", help=text)
