"""Types for options of the command line, which check their values."""

from __future__ import annotations

import argparse
import math

from lean_extract.limits import MAX_PROCESSES


def depth(text: str) -> int:
    """A whole number from 0 to 200."""
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= 200:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 200")
    return number


def positive(text: str) -> int:
    """A whole number above 0."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def processes(text: str) -> int:
    """A number of processes, 1 to 64."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= MAX_PROCESSES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MAX_PROCESSES}")
    return number


def add_cluster_arguments(parser: argparse.ArgumentParser, work: str, default: str = "this one") -> None:
    """Declare `--processes`, `--memory` and `--scheduler`.

    Args:
        parser: the command's.
        work: what is done there, such as `index many projects`.
        default: where it is done without these options.
    """
    about = f"{work} in N processes on this machine (default: {default}; extra cluster; docs/scale.md)"
    parser.add_argument("--processes", type=processes, default=None, metavar="N", help=about)
    about = "what each of these processes may use, such as 4GB (default: its share)"
    parser.add_argument("--memory", default="auto", metavar="M", help=about)
    about = f"{work} on the workers of a Dask scheduler, tcp://HOST:8786"
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help=about)


def seconds(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def port(text: str) -> int:
    """A TCP port: a whole number from 0 to 65535."""
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return number
