"""Runs the developers' commands of a package: `python -m PACKAGE VERB ...`.

A verb is a module with two functions: `add_arguments(parser)` declares its options, and `run(options)` does
the work and prints the results. The module's docstring is the text of `--help`. Errors, exit codes and Ctrl-C
are handled here, in the same way for every verb and for `premise-suggest` itself.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.nearest import path_meant
from lean_extract.common.option_parser import OptionParser, command_list
from lean_extract.common.terminal_text import flush_output, open_outputs, pip_install, print_line, shown

INTERRUPTED = 130
"""The exit code after Ctrl-C, by the convention of shells."""
STOPPED = "Stopped."
"""The message after Ctrl-C, unless the verb's module defines its own `STOPPED`."""

_HINTS = {
    errno.ENOENT: "Check the path.",
    errno.ENOTDIR: "Check the path.",
    errno.ENAMETOOLONG: "Give a shorter path.",
    errno.ENOSPC: "Free some disk space.",
    errno.EDQUOT: "Free some disk space.",
    errno.EACCES: "Check the permissions.",
    errno.EPERM: "Check the permissions.",
    errno.EROFS: "Name a path elsewhere.",
}
"""What to do about an error of the system."""
_LINES = "\n\t"
"""Control characters that a message may contain, since Lean's messages have several lines."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One command."""

    module: str
    """The module that does the work, relative to the package: `.training.export`."""
    about: str
    """A one-line description for the list of commands."""


def abouts(verbs: Mapping[str, Verb]) -> dict[str, str]:
    """The description of each command, for `command_list`."""
    return {name: verb.about for name, verb in verbs.items()}


class VerbModule(Protocol):
    """The functions of a verb's module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""

    def run(self, options: argparse.Namespace) -> int | None:
        """Do the work and return the exit code (None for 0). May raise PremiseSuggestError and OSError."""


def run_verb(package: str, verbs: Mapping[str, Verb], arguments: Sequence[str] | None = None) -> int:
    """Run the verb that the command line names, and return the exit code.

    The code is 0 for success, 1 for a failure, 2 for a user's mistake, 130 after Ctrl-C, or another code
    returned by the verb.

    Args:
        package: the package that is run with `python -m`.
        verbs: the commands by name, in the order in which `--help` lists them.
        arguments: the command line without the program's name; None: those of this process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = 0
    stopped = STOPPED

    def work() -> None:
        nonlocal code, stopped
        name = _chosen(package, verbs, given[:1])
        module = _load(package, verbs[name])
        stopped = getattr(module, "STOPPED", STOPPED)
        parser = OptionParser(
            prog=f"python -m {package} {name}",
            description=cast(ModuleType, module).__doc__,
        )
        module.add_arguments(parser)
        code = module.run(parser.parse_args(given[1:])) or 0

    return reported(work, stopped=lambda: stopped) or code


def _chosen(package: str, verbs: Mapping[str, Verb], given: Sequence[str]) -> str:
    """The name of the verb. For `--help`, prints the usage and exits. Raises UserError: there is no such verb."""
    parser = OptionParser(prog=f"python -m {package}", epilog=command_list({"commands": abouts(verbs)}))
    parser.add_argument("command", choices=verbs, metavar="COMMAND", help="one of the commands below")
    return str(parser.parse_args(given).command)


def _load(package: str, verb: Verb) -> VerbModule:
    try:
        return cast(VerbModule, importlib.import_module(verb.module, package))
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get((error.name or "").split(".")[0])
        if extra is None:
            raise
        hint = f"Install it: {pip_install(extra)}"
        raise PremiseSuggestError(f"The Python package {error.name} is not installed.", hint) from error


_EXTRAS: Mapping[str, str] = {
    "accelerate": "train",
    "onnx": "train",
    "tensorboard": "train",
    "torch": "train",
    "transformers": "train",
    "yaml": "train",
    "lap": "match",
    "lime": "match",
}
"""The extra of premise-suggest that installs each optional package."""


def reported(work: Callable[[], None], *, stopped: Callable[[], str] = lambda: STOPPED) -> int:
    """Do the work of a command and return its exit code. Errors are printed on stderr, with their hints.

    If the reader of the output has ended (`| head -1`), nothing is printed, and the code is 1.

    Args:
        work: does the work and prints its results. Raises SystemExit: the command line cannot be used.
        stopped: returns the message to print after Ctrl-C.
    """
    open_outputs()
    try:
        code = _code_of(work, stopped)
    except SystemExit:
        if not flush_output():
            raise SystemExit(1) from None
        raise
    return code if flush_output() else code or 1


def _code_of(work: Callable[[], None], stopped: Callable[[], str]) -> int:
    try:
        work()
        sys.stdout.flush()
        return 0
    except PremiseSuggestError as error:
        _complain(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        print_line(stopped(), sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return 1  # The reader of the output has ended, so nobody would read a message.
    except OSError as error:
        where = shown(error.filename or "The output")
        is_missing = error.errno == errno.ENOENT and isinstance(error.filename, str)
        hint = path_meant(Path(error.filename)) if is_missing else ""
        hint = hint or _HINTS.get(error.errno or 0, "Check the path, the disk and the permissions.")
        _complain(f"{where} cannot be read or written: {error.strerror or error}.", hint)
        return 1
    except UnicodeEncodeError as error:  # of a path
        _complain(f"{shown(error.object)} is not UTF-8.", "Give the file or folder another name.")
        return 1
    except Exception as error:
        if not _was_interrupted(error):
            raise
        print_line(stopped(), sys.stderr)
        return INTERRUPTED


def _complain(message: str, hint: str) -> None:
    print_line(f"error: {shown(message, keep=_LINES, longest=0)}", sys.stderr)
    if hint:
        print_line(f"hint: {shown(hint, keep=_LINES, longest=0)}", sys.stderr)


def _was_interrupted(error: BaseException) -> bool:
    """Whether an error was caused by Ctrl-C. Python 3.11 wraps what `__set_name__` raises, in imports too."""
    cause: BaseException | None = error
    seen = set[int]()
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, KeyboardInterrupt):
            return True
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return False


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--json FILE`, for `write_json`."""
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the results to this file, as JSON"
    )


def write_json(path: Path | None, values: Any) -> None:
    """Write results atomically as indented JSON; do nothing if `path` is None. Raises OSError."""
    if path is None:
        return
    with replacing(path) as stream:
        json.dump(values, stream, indent=2, ensure_ascii=False)
        stream.write("\n")
